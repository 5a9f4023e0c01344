"""Connections that are kept, against peers that are written by hand."""

import asyncio
import ssl
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager

import anyio
import httpx2
import pytest

from league_sdk.net.connection_pool import ConnectionPool

pytestmark = pytest.mark.anyio

Answer = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]
WHOLE = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok"


@pytest.fixture(autouse=True)
async def soon(anyio_backend: str):
    with anyio.fail_after(20):
        yield


class Peer:
    """Somebody who listens, and counts who comes."""

    def __init__(self, answer: Answer) -> None:
        self._answer = answer
        self.connections = 0
        self.gone = anyio.Event()
        self.url = ""

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        try:
            await self._answer(reader, writer)
        except (OSError, asyncio.IncompleteReadError):
            pass
        finally:
            self.gone.set()
            writer.transport.abort()


@asynccontextmanager
async def peer(answer: Answer) -> AsyncGenerator[Peer]:
    made = Peer(answer)
    server = await asyncio.start_server(made.serve, "127.0.0.1", 0)
    async with server:
        made.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/mcp"
        yield made


@asynccontextmanager
async def client(keep_alive: float = 4.0) -> AsyncGenerator[httpx2.AsyncClient]:
    async with httpx2.AsyncClient(transport=ConnectionPool(ssl.create_default_context, keep_alive=keep_alive)) as it:
        yield it


def always(reply: bytes, *, then_close: bool = False) -> Answer:
    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while True:
            await reader.readuntil(b"\r\n\r\n")
            writer.write(reply)
            await writer.drain()
            if then_close:
                writer.close()
                await writer.wait_closed()
                return

    return answer


async def test_requests_to_one_peer_follow_each_other_on_one_connection():
    async with peer(always(WHOLE)) as made, client() as http:
        for _ in range(3):
            assert (await http.get(made.url)).text == "ok"
        assert made.connections == 1


async def test_requests_at_the_same_time_have_a_connection_each_and_all_are_kept():
    async with peer(always(WHOLE)) as made, client() as http:
        for _ in range(2):
            async with anyio.create_task_group() as tasks:
                for _ in range(4):
                    tasks.start_soon(http.get, made.url)
        assert made.connections == 4


async def test_a_connection_that_the_peer_has_closed_is_not_used_again():
    async with peer(always(WHOLE, then_close=True)) as made, client() as http:
        assert (await http.get(made.url)).text == "ok"
        await made.gone.wait()
        assert (await http.get(made.url)).text == "ok"
        assert made.connections == 2


async def test_a_connection_that_waits_too_long_is_closed():
    async with peer(always(WHOLE)) as made, client(keep_alive=0.05) as http:
        await http.get(made.url)
        await made.gone.wait()


@pytest.mark.parametrize(
    ("reply", "body"),
    [
        (b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nab\r\n1\r\nc\r\n0\r\n\r\n", b"abc"),
        (b"HTTP/1.1 200 OK\r\n\r\nuntil the end", b"until the end"),
        (b"HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\nx", b"x"),
        (b"HTTP/1.1 204 No Content\r\n\r\n", b""),
    ],
    ids=["in chunks", "without a length", "after a hint", "without a body"],
)
async def test_replies_of_every_form_are_read(reply, body):
    async with peer(always(reply, then_close=True)) as made, client() as http:
        assert (await http.get(made.url)).content == body


async def test_a_large_reply_is_read_as_it_is_wanted():
    size, sent = 8_000_000, 0

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal sent
        await reader.readuntil(b"\r\n\r\n")
        writer.write(f"HTTP/1.1 200 OK\r\ncontent-length: {size}\r\n\r\n".encode())
        while sent < size:
            writer.write(b"x" * 100_000)
            sent += 100_000
            await writer.drain()
        await reader.read()

    async with peer(answer) as made, client() as http:
        async with http.stream("GET", made.url) as response:
            for _ in range(200):
                await asyncio.sleep(0)
            assert sent < size
            length = 0
            async for chunk in response.aiter_raw():
                length += len(chunk)
        assert length == size


async def test_a_request_that_is_called_off_closes_its_connection():
    async def never(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read()

    async with peer(never) as made, client() as http:
        with anyio.move_on_after(0.05):
            await http.get(made.url)
        await made.gone.wait()


async def test_a_reply_that_nobody_reads_to_its_end_closes_its_connection():
    async with peer(always(b"HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nbegun")) as made, client() as http:
        async with http.stream("GET", made.url) as response:
            assert response.status_code == 200
        await made.gone.wait()


@pytest.mark.parametrize(
    ("reply", "error"),
    [
        (b"", httpx2.RemoteProtocolError),
        (b"this is not HTTP\r\n\r\n", httpx2.RemoteProtocolError),
        (b"HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhalf", httpx2.RemoteProtocolError),
    ],
    ids=["nothing", "noise", "half a body"],
)
async def test_a_peer_that_breaks_off_or_speaks_something_else_is_told(reply, error):
    async with peer(always(reply, then_close=True)) as made, client() as http:
        with pytest.raises(error):
            await http.get(made.url)


async def test_a_peer_that_talks_unasked_loses_its_connection():
    async def talkative(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(WHOLE + b"HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nfake")
        await reader.read()

    async with peer(talkative) as made, client() as http:
        assert (await http.get(made.url)).text == "ok"
        assert (await http.get(made.url)).text == "ok"
        assert made.connections == 2


async def test_nobody_there_is_told():
    async with peer(always(WHOLE)) as made:
        url = made.url
    async with client() as http:
        with pytest.raises(httpx2.ConnectError):
            await http.get(url)


async def test_what_a_header_cannot_hold_is_not_sent():
    async with peer(always(WHOLE)) as made, client() as http:
        with pytest.raises(httpx2.LocalProtocolError):
            await http.get(made.url, headers=[(b"x", b"a\r\nb: c")])


async def test_closing_the_pool_closes_every_connection():
    async with peer(always(WHOLE)) as made:
        async with client() as http:
            await http.get(made.url)
        await made.gone.wait()
