"""A server for any application; what it does for an agent is in `transports/test_http.py`."""

import asyncio
import socket

import anyio.lowlevel
import httpx2
import pytest
import uvicorn
from starlette.requests import Request
from starlette.responses import PlainTextResponse

from league_sdk.net.connections import ConnectionLimits, Connections
from league_sdk.net.proxies import TrustedProxies
from league_sdk.net.serving import _Gate, _Uvicorn, listening_socket, serve_app

pytestmark = pytest.mark.anyio
nothing = PlainTextResponse("nothing")


def test_the_socket_is_one_that_asyncio_turns_nagles_algorithm_off_for():
    with listening_socket("127.0.0.1", 0) as sock:
        assert sock.proto == socket.IPPROTO_TCP


async def test_a_request_that_comes_when_the_server_has_stopped_is_not_carried_out():
    carried_out = []

    async def app(scope, receive, send):
        await anyio.lowlevel.checkpoint()
        carried_out.append(scope)

    gate = _Gate(app, "0.0.0.0", (), TrustedProxies())
    gate.cut_off()
    async with httpx2.AsyncClient(transport=httpx2.ASGITransport(app=gate)) as http_client:
        assert (await http_client.get("http://here.example/")).status_code == 503
    assert carried_out == []


async def test_a_caller_that_dies_in_the_middle_of_its_request_is_no_fault_of_the_server():
    async def app(scope, receive, send):
        await Request(scope, receive).body()

    async def hangs_up():
        return {"type": "http.disconnect"}

    async def nobody_is_there(message):
        raise AssertionError(message)

    gate = _Gate(app, "0.0.0.0", (), TrustedProxies())
    await gate({"type": "http", "method": "POST", "headers": []}, hangs_up, nobody_is_there)


async def test_a_server_that_cannot_start_says_why(monkeypatch):
    async def startup(self, sockets=None):
        raise OSError("no more descriptors")

    monkeypatch.setattr(_Uvicorn, "startup", startup)
    with pytest.raises(OSError, match="no more descriptors"):
        async with serve_app(nothing):
            pytest.fail("it did start")


async def test_a_server_ends_without_uvicorns_pauses(monkeypatch):
    sleep, pauses = asyncio.sleep, list[float]()

    async def noted(seconds, result=None):
        pauses.append(seconds)
        return await sleep(seconds, result)

    monkeypatch.setattr(asyncio, "sleep", noted)
    async with serve_app(nothing):
        pass
    assert max(pauses, default=0.0) < 0.1  # it would sleep so long before it looks, and once more at the end


async def test_a_server_that_its_requests_do_not_let_end_cancels_them(monkeypatch):
    cancelled = asyncio.Event()

    async def stuck():
        try:
            await asyncio.Event().wait()
        finally:
            cancelled.set()

    config = uvicorn.Config(nothing, lifespan="off", timeout_graceful_shutdown=0)
    server = _Uvicorn(config, Connections(ConnectionLimits(), lambda address: False), None)
    server.servers = []
    task = asyncio.create_task(stuck())
    server.server_state.tasks.add(task)
    await asyncio.sleep(0)
    await server.shutdown()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert cancelled.is_set()
