import asyncio
import io
import tarfile

import pytest

from servers.launcher import ray_node
from servers.launcher.ray_node import LeagueAddress, packed, unpacked

pytestmark = pytest.mark.anyio


def test_a_folder_arrives_as_it_was_without_what_stays(tmp_path):
    (tmp_path / "here" / "secrets").mkdir(parents=True)
    (tmp_path / "here" / "a.txt").write_text("a")
    (tmp_path / "here" / "secrets" / "token").write_text("s")
    there = unpacked(packed(tmp_path / "here", without=("secrets",)), tmp_path / "there")
    assert [path.name for path in there.rglob("*")] == ["a.txt"]


def test_an_archive_cannot_write_outside_its_folder(tmp_path):
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w:gz") as archive:
        archive.addfile(tarfile.TarInfo("../escaped"))
    with pytest.raises(tarfile.OutsideDestinationError):
        unpacked(data.getvalue(), tmp_path / "there")
    assert not (tmp_path / "escaped").exists()


async def answered(address: tuple[str, int]) -> bytes:
    reader, writer = await asyncio.open_connection(*address)
    try:
        return await asyncio.wait_for(reader.read(100), 20)
    except ConnectionError:
        return b""
    finally:
        writer.close()


async def test_the_leagues_address_leads_to_the_manager_wherever_it_is(monkeypatch):
    monkeypatch.setattr(ray_node, "_own_address", lambda: "127.0.0.1")
    league = LeagueAddress()
    address = await league.listen()
    assert await answered(address) == b""
    for name in (b"first", b"second"):

        async def greet(_: asyncio.StreamReader, writer: asyncio.StreamWriter, name: bytes = name) -> None:
            writer.write(name)
            writer.close()

        async with await asyncio.start_server(greet, "127.0.0.1", 0) as manager:
            await league.lead_to(manager.sockets[0].getsockname())
            assert await answered(address) == name
    await league.lead_to(None)
    assert await answered(address) == b""
