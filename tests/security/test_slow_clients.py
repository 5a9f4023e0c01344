"""Clients that hold connections without using them: they lose them, and nobody else notices."""

import asyncio
import contextlib
import logging
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import anyio.lowlevel
import httpx2
import pytest
from starlette.responses import Response
from starlette.routing import Route

from league_sdk.net import connections
from league_sdk.net.connections import ConnectionLimits, raise_file_limit
from league_sdk.testing import EchoHost
from league_sdk.transports import serve
from tests.security.leagues import SmallLeague

pytestmark = pytest.mark.anyio

CROWD = 1000
HEAD = b"POST /mcp HTTP/1.1\r\nhost: localhost:80\r\ncontent-type: application/json\r\n"
CALL = {"jsonrpc": "2.0", "id": 1, "method": "echo", "params": {"text": "hi"}}


@pytest.fixture(autouse=True)
async def soon(anyio_backend: str):
    with anyio.fail_after(60):
        yield


@asynccontextmanager
async def listening(**limits: float) -> AsyncGenerator[str]:
    plain = {"total": 100, "per_address": 100, "patience": 0.3}
    async with serve(EchoHost(), grace=0, limits=ConnectionLimits(**{**plain, **limits})) as listener:  # type: ignore[arg-type]
        yield listener.endpoint


class Client:
    """A raw connection."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader, self.writer = reader, writer

    async def send(self, data: bytes) -> None:
        with contextlib.suppress(OSError):
            self.writer.write(data)
            await self.writer.drain()

    async def hung_up(self) -> bool:
        """Wait until the server has ended the connection."""
        with contextlib.suppress(OSError):
            while await self.reader.read(65_536):
                pass
        await self.close()
        return True

    async def close(self) -> None:
        self.writer.transport.abort()
        with contextlib.suppress(OSError):
            await self.writer.wait_closed()


async def connect(endpoint: str) -> Client:
    host, _, port = endpoint.removeprefix("http://").removesuffix("/mcp").partition(":")
    return Client(*await asyncio.open_connection(host, int(port)))


BEGINNINGS = {
    "nothing": b"",
    "half a line": b"POST /mcp HT",
    "headers without end": HEAD,
    "a body that does not come, for a refused request": b"POST /mcp HTTP/1.1\r\ncontent-length: 9\r\n\r\n",
    "a body that does not come": HEAD + b"content-length: 1000\r\n\r\n",
    "half a body": HEAD + b'content-length: 1000\r\n\r\n{"jsonrpc": "2.0"',
    "a piece of a body in pieces": HEAD + b"transfer-encoding: chunked\r\n\r\n5\r\n     \r\n",
}


@pytest.mark.parametrize("end", [b"", b"\r\n\r\n"], ids=["that continues", "that ends"])
async def test_a_head_that_is_too_long_is_refused_at_once(end: bytes):
    limits = ConnectionLimits(patience=30, head=2000)
    async with serve(EchoHost(), grace=0, limits=limits) as listener:
        client = await connect(listener.endpoint)
        await client.send(b"POST /mcp HTTP/1.1\r\nx-long: " + b"x" * 2000 + end)
        assert (await client.reader.readline()).startswith(b"HTTP/1.1 400")
        await client.hung_up()


async def hung_up_on(*, dripping: bool) -> set[str]:
    """Clients that lose their connection, after one of BEGINNINGS and more bytes now and then or none."""
    lost: set[str] = set()

    async def begin(endpoint: str, name: str) -> None:
        client = await connect(endpoint)
        await client.send(BEGINNINGS[name])
        async with anyio.create_task_group() as tasks:
            if dripping:
                tasks.start_soon(drip, client)
            await client.hung_up()
            tasks.cancel_scope.cancel()
        lost.add(name)

    async def drip(client: Client) -> None:
        while True:
            await client.send(b"x")
            await anyio.sleep(0.02)

    async with listening() as endpoint:
        with anyio.move_on_after(30):
            async with anyio.create_task_group() as clients:
                for name in BEGINNINGS:
                    clients.start_soon(begin, endpoint, name)
    return lost


async def test_who_does_not_send_a_whole_request_in_time_is_hung_up_on():
    assert await hung_up_on(dripping=False) == set(BEGINNINGS)


async def test_a_byte_now_and_then_buys_no_time():
    assert await hung_up_on(dripping=True) == set(BEGINNINGS)


async def test_bodies_that_are_sent_slowly_fill_no_memory_and_small_ones_are_taken_beside_them(
    monkeypatch: pytest.MonkeyPatch,
):
    monkeypatch.setattr(connections, "MOST_HELD", 1_000_000)
    async with listening(patience=30) as endpoint, httpx2.AsyncClient() as friend:
        large = HEAD + b"content-length: 500000\r\n\r\n" + b" " * 300_000
        crowd = [await connect(endpoint) for _ in range(6)]
        for client in crowd:
            await client.send(large)
        assert (await friend.post(endpoint, json=CALL)).json()["result"]["text"] == "hi"
        lost = 0
        for client in crowd:
            with anyio.move_on_after(0.3):
                lost += await client.hung_up()
        assert 3 <= lost < 6
        big = CALL | {"params": {"text": "x" * 200_000}}
        for client in crowd:
            await client.close()
        for _ in range(10):  # what was answered is not counted any more
            assert (await friend.post(endpoint, json=big)).status_code == 200


async def test_a_second_request_has_as_much_time_as_the_first():
    async with listening() as endpoint:
        client = await connect(endpoint)
        body = b'{"jsonrpc": "2.0", "id": 1, "method": "echo", "params": {"text": "hi"}}'
        whole = HEAD + f"content-length: {len(body)}\r\n\r\n".encode() + body
        await client.send(whole)
        assert (await client.reader.readuntil(b'"id":1}')).startswith(b"HTTP/1.1 200")
        await client.send(whole[:50])
        assert await client.hung_up()


async def test_a_request_that_is_being_handled_is_not_a_slow_client():
    host = EchoHost()
    async with serve(host, grace=0, limits=ConnectionLimits(patience=0.1)) as listener, httpx2.AsyncClient() as client:

        async def release() -> None:
            await anyio.sleep(0.5)
            host._released["x"].set()

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(release)
            body = CALL | {"method": "wait", "params": {"text": "x"}}
            assert (await client.post(listener.endpoint, json=body)).json()["result"] == {"text": "x"}


async def test_who_does_not_take_the_answer_is_hung_up_on():
    async def much(request):
        return Response(b"x" * 20_000_000)

    limits = ConnectionLimits(patience=0.3)
    async with serve(EchoHost(), grace=0, limits=limits, extra_routes=[Route("/much", much)]) as listener:
        client = await connect(listener.endpoint)
        client.writer.transport.pause_reading()  # type: ignore[attr-defined]
        await client.send(b"GET /much HTTP/1.1\r\nhost: localhost:80\r\n\r\n")
        await anyio.sleep(1)
        client.writer.transport.resume_reading()  # type: ignore[attr-defined]
        taken = 0
        with contextlib.suppress(OSError):
            while piece := await client.reader.read(1_000_000):
                taken += len(piece)
        assert taken < 20_000_000
        await client.close()


async def test_when_there_are_too_many_the_longest_waiting_makes_room():
    async with listening(total=16, patience=30) as endpoint, httpx2.AsyncClient() as friend:
        assert (await friend.post(endpoint, json=CALL)).status_code == 200
        crowd = [await connect(endpoint) for _ in range(40)]
        answer = await friend.post(endpoint, json=CALL)
        assert answer.json()["result"]["text"] == "hi"
        assert await crowd[0].hung_up()
        for client in crowd:
            await client.close()
        await anyio.lowlevel.checkpoint()


async def test_one_address_has_only_so_many_and_makes_room_for_itself():
    async with listening(per_address=3, patience=30) as endpoint:
        crowd = [await connect(endpoint) for _ in range(5)]
        assert await crowd[0].hung_up()
        assert await crowd[1].hung_up()
        for client in crowd[2:]:
            await client.close()


class Doorbell(EchoHost):
    """Tells whenever a call has come in."""

    def __init__(self) -> None:
        super().__init__()
        self.calls = anyio.Semaphore(0)

    async def call(self, tool: str, arguments: Any, context: Any) -> dict[str, Any]:
        self.calls.release()
        return await super().call(tool, arguments, context)


async def test_a_connection_that_is_being_served_never_makes_room():
    host = Doorbell()
    limits = ConnectionLimits(total=16, per_address=2, patience=30)
    async with serve(host, grace=0, limits=limits) as listener, httpx2.AsyncClient(timeout=60) as friend:
        answers: list[httpx2.Response] = []

        async def ask(text: str) -> None:
            answers.append(
                await friend.post(listener.endpoint, json=CALL | {"method": "wait", "params": {"text": text}})
            )

        async with anyio.create_task_group() as tasks:
            for text in ("a", "b"):
                tasks.start_soon(ask, text)
            await host.calls.acquire()
            await host.calls.acquire()
            assert await (await connect(listener.endpoint)).hung_up()
            for event in host._released.values():
                event.set()
    assert [answer.status_code for answer in answers] == [200, 200]


async def test_a_thousand_clients_that_send_nothing_or_a_byte_a_second_do_not_stop_a_league(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
):
    assert raise_file_limit() > 3 * CROWD
    league = SmallLeague(tmp_path, {"limits.client_patience_sec": 5})
    crowd: list[Client] = []
    async with anyio.create_task_group() as everything:
        await league.open(everything, by_hand=True)
        # The manager, which everybody knows, has most of them.
        crowd += [await connect(league.endpoints["Manager"]) for _ in range(CROWD - 300)]
        await league.join(everything)
        for name in ("Referee", *league.names):
            crowd += [await connect(league.endpoints[name]) for _ in range(100)]

        async def drip() -> None:
            while True:
                for client in crowd[::2]:
                    with contextlib.suppress(OSError):
                        client.writer.write(b"P")
                await anyio.sleep(1)

        async with anyio.create_task_group() as slow:
            slow.start_soon(drip)
            await league.start()
            await league.ended()
            slow.cancel_scope.cancel()
        for client in crowd:
            await client.close()
    assert len(crowd) == CROWD
    assert set(league.codes.values()) == {0}
    assert [result["status"] for result in league.results] != ["TECHNICAL_LOSS"]
    assert len(league.results) == 1
    assert [record for record in caplog.records if record.levelno >= logging.ERROR] == []
