"""Huge, endless or compressed answers of peers, over real sockets and in both dialects."""

import asyncio
import gzip
import json
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import asynccontextmanager

import anyio
import pytest

from league_sdk.net.replies import MAX_BODY
from league_sdk.ports import Connection, MalformedReply
from league_sdk.transports import connectors
from league_sdk.transports.http import HttpConnector, open_http

pytestmark = pytest.mark.anyio

LIMIT = 50_000
Pieces = Callable[[], AsyncIterator[bytes]]


@pytest.fixture(autouse=True)
async def soon(anyio_backend: str):
    with anyio.fail_after(20):
        yield


@asynccontextmanager
async def peer(head: str, pieces: Pieces) -> AsyncGenerator[str]:
    """Somebody who answers every request with this head and these pieces."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await reader.readuntil(b"\r\n\r\n")
            writer.write(f"HTTP/1.1 200 OK\r\n{head}\r\nconnection: close\r\n\r\n".encode())
            async for piece in pieces():
                writer.write(piece)
                await writer.drain()
        except (OSError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.transport.abort()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    async with server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/mcp"


@asynccontextmanager
async def connected(dialect: str, endpoint: str) -> AsyncGenerator[Connection]:
    if dialect == "mcp":
        async with (
            open_http(max_body=LIMIT) as http,
            HttpConnector(http, mode="2026-07-28").connect(endpoint) as connection,
        ):
            yield connection
        return
    async with connectors(max_body=LIMIT) as (_, bare), bare.connect(endpoint) as connection:
        yield connection


async def endless() -> AsyncIterator[bytes]:
    while True:
        yield b" " * 10_000


async def events() -> AsyncIterator[bytes]:
    note = {"jsonrpc": "2.0", "method": "notifications/message", "params": {"level": "info", "data": "x" * 500}}
    while True:
        yield b"event: message\ndata: " + json.dumps(note).encode() + b"\n\n"


async def one_event_without_end() -> AsyncIterator[bytes]:
    yield b"event: message\ndata: "
    while True:
        yield b"x" * 10_000


async def comments() -> AsyncIterator[bytes]:
    while True:
        yield b": still there\n\n" * 100


@pytest.mark.parametrize("dialect", ["mcp", "jsonrpc"])
async def test_a_reply_without_end_is_cut_off_and_malformed(dialect: str):
    async with peer("content-type: application/json", endless) as endpoint, connected(dialect, endpoint) as connection:
        with pytest.raises(MalformedReply, match=f"longer than {LIMIT} bytes"):
            await connection.call("echo", {}, timeout=15)


@pytest.mark.parametrize("pieces", [events, one_event_without_end, comments])
async def test_an_event_stream_without_end_is_cut_off_and_malformed(pieces: Pieces):
    async with peer("content-type: text/event-stream", pieces) as endpoint, connected("mcp", endpoint) as connection:
        with pytest.raises(MalformedReply):
            await connection.call("echo", {}, timeout=15)


@pytest.mark.parametrize("dialect", ["mcp", "jsonrpc"])
@pytest.mark.parametrize("kind", ["application/json", "text/event-stream"])
async def test_a_compressed_reply_is_malformed_and_not_unpacked(dialect: str, kind: str):
    async def bomb() -> AsyncIterator[bytes]:
        yield gzip.compress(b" " * 30_000_000)

    head = f"content-type: {kind}\r\ncontent-encoding: gzip"
    async with peer(head, bomb) as endpoint, connected(dialect, endpoint) as connection:
        with pytest.raises(MalformedReply, match="compressed"):
            await connection.call("echo", {}, timeout=15)


@pytest.mark.parametrize("dialect", ["mcp", "jsonrpc"])
async def test_a_reply_that_is_nested_without_end_is_malformed(dialect: str):
    async def deep() -> AsyncIterator[bytes]:
        yield b'{"jsonrpc": "2.0", "id": 1, "result": ' + b"[" * 20_000

    async with peer("content-type: application/json", deep) as endpoint, connected(dialect, endpoint) as connection:
        with pytest.raises(MalformedReply):
            await connection.call("echo", {}, timeout=15)


def test_a_reply_may_be_as_large_as_a_request():
    assert MAX_BODY == 4 * 1024 * 1024
