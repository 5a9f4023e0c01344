import asyncio
import ssl
from datetime import UTC, datetime
from pathlib import Path

import pytest

from league_sdk.net.tls import TlsFiles, client_context, server_context
from servers.launcher.league_authority import LeagueAuthority

pytestmark = pytest.mark.anyio


def contexts(folder: Path, *addresses: str) -> tuple[ssl.SSLContext, ssl.SSLContext]:
    issued = LeagueAuthority(datetime.now(UTC)).issue(addresses)
    for name, text in issued._asdict().items():
        (folder / name).write_text(text)
    return server_context(TlsFiles(folder / "cert", folder / "key")), client_context(folder / "ca")


async def greeting(server: ssl.SSLContext, client: ssl.SSLContext) -> bytes:
    async def greet(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"hello")
        writer.close()

    async with await asyncio.start_server(greet, "127.0.0.1", 0, ssl=server) as listening:
        reader, writer = await asyncio.open_connection(*listening.sockets[0].getsockname(), ssl=client)
        try:
            return await asyncio.wait_for(reader.read(100), 20)
        finally:
            writer.close()


async def test_a_certificate_is_trusted_at_each_of_its_addresses(tmp_path):
    assert await greeting(*contexts(tmp_path, "192.168.1.10", "127.0.0.1")) == b"hello"


async def test_a_certificate_of_another_address_is_refused(tmp_path):
    server, client = contexts(tmp_path, "192.168.1.10")
    with pytest.raises(ssl.SSLCertVerificationError):
        await greeting(server, client)
