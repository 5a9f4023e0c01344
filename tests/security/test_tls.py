"""HTTPS by certificate files, checked by who calls."""

import asyncio
import contextlib
import ssl
from pathlib import Path

import anyio
import pytest

from league_sdk.errors import PeerUnreachable
from league_sdk.net.connections import ConnectionLimits
from league_sdk.net.tls import TlsFiles, TlsUnusable, client_context, server_context
from league_sdk.testing import EchoHost
from league_sdk.transports import connectors, serve
from tests.requirements.marker import requirement
from tests.security.authority import Authority
from tests.security.leagues import SmallLeague

pytestmark = pytest.mark.anyio


@pytest.fixture(autouse=True)
async def soon(anyio_backend: str):
    with anyio.fail_after(30):
        yield


@pytest.fixture
def authority(tmp_path: Path) -> Authority:
    return Authority(tmp_path)


def files(authority: Authority, host: str = "localhost", *, days: int = 1) -> TlsFiles:
    return TlsFiles(*authority.issue(host, days=days))


async def echo(endpoint: str, authorities: Path | None) -> list[str]:
    """A peer's answer, in each dialect."""
    said: list[str] = []
    async with connectors(authorities=authorities) as both:
        for connector in both:
            async with connector.connect(endpoint) as connection:
                said.append((await connection.call("echo", {"text": "hi"}, timeout=10))["text"])
    return said


@requirement("004-ARCH-08", "004-DEP-06")
async def test_a_peer_whose_certificate_is_trusted_is_called(authority: Authority):
    async with serve(EchoHost(), public_host="localhost", tls=files(authority), grace=0) as listener:
        assert listener.endpoint == f"https://localhost:{listener.port}/mcp"
        assert await echo(listener.endpoint, authority.file) == ["hi", "hi"]


@requirement("004-ARCH-08", "004-DEP-06")
async def test_a_peer_whose_certificate_is_not_trusted_is_not_called(authority: Authority, tmp_path: Path):
    other = Authority(tmp_path, "another-authority")
    async with serve(EchoHost(), public_host="localhost", tls=files(authority), grace=0) as listener:
        for trusted in (other.file, None):
            with pytest.raises(PeerUnreachable, match=r"(?i)certificate"):
                await echo(listener.endpoint, trusted)


@pytest.mark.parametrize(("host", "days"), [("elsewhere.example", 1), ("localhost", -1)], ids=["name", "expired"])
async def test_a_certificate_for_another_host_or_another_time_is_not_taken(authority: Authority, host: str, days: int):
    async with serve(EchoHost(), public_host="localhost", tls=files(authority, host, days=days), grace=0) as listener:
        with pytest.raises(PeerUnreachable, match=r"(?i)certificate"):
            await echo(listener.endpoint, authority.file)


async def test_old_versions_of_tls_are_not_spoken(authority: Authority):
    assert server_context(files(authority)).minimum_version == ssl.TLSVersion.TLSv1_2
    assert client_context(authority.file).minimum_version == ssl.TLSVersion.TLSv1_2
    assert client_context(None).verify_mode is ssl.CERT_REQUIRED
    assert client_context(None).check_hostname


async def test_files_that_cannot_be_used_are_named(authority: Authority, tmp_path: Path):
    good = files(authority)
    stranger = TlsFiles(good.cert, Authority(tmp_path, "third").issue("other")[1])
    missing = TlsFiles(tmp_path / "no.pem", tmp_path / "no.key")
    swapped = TlsFiles(good.key, good.cert)
    for wrong in (stranger, missing, swapped):
        with pytest.raises(TlsUnusable, match=wrong.cert.name):
            async with serve(EchoHost(), tls=wrong):
                pytest.fail("it serves")
    for authorities in (tmp_path / "no.pem", good.key):
        with pytest.raises(TlsUnusable, match=authorities.name):
            client_context(authorities)


async def test_who_speaks_plain_http_to_it_or_nothing_is_hung_up_on(authority: Authority):
    limits = ConnectionLimits(patience=0.3)
    async with serve(EchoHost(), tls=files(authority), limits=limits, grace=0) as listener:
        for said in (b"POST /mcp HTTP/1.1\r\nhost: localhost\r\n\r\n", b""):
            reader, writer = await asyncio.open_connection("127.0.0.1", listener.port)
            writer.write(said)
            with contextlib.suppress(OSError):
                while await reader.read(1000):
                    pass
            writer.transport.abort()
            with contextlib.suppress(OSError):
                await writer.wait_closed()


@requirement("004-ARCH-08", "004-DEP-06")
async def test_a_whole_league_over_tls(authority: Authority, tmp_path: Path):
    cert, key = authority.issue("localhost")
    settings = {"security.tls_cert": str(cert), "security.tls_key": str(key), "security.tls_ca": str(authority.file)}
    league = SmallLeague(tmp_path, settings)
    async with anyio.create_task_group() as tasks:
        assert (await league.open(tasks)).startswith("https://localhost:")
        await league.join(tasks)
        await league.ended()
    assert set(league.codes.values()) == {0}
    assert [result["status"] in ("WIN", "DRAW") for result in league.results] == [True]


async def test_without_its_authority_nobody_gets_in(authority: Authority, tmp_path: Path):
    cert, key = authority.issue("localhost")
    settings = {"security.tls_cert": str(cert), "security.tls_key": str(key)}
    league = SmallLeague(tmp_path, settings)
    async with anyio.create_task_group() as tasks:
        await league.open(tasks, by_hand=True)
        await league.join(tasks, patience=0.1)
        await league.until(lambda: {"Referee", "Ada", "Bea"} <= set(league.codes))
        tasks.cancel_scope.cancel()
    assert {league.codes[name] for name in ("Referee", "Ada", "Bea")} == {1}
    assert not any(said["kind"] == "registered" for said in league.reports["Ada"])
