"""Redirects of real servers on loopback: one within the origin is followed and kept, any other is refused by name."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from typing import Any

import anyio
import httpx2
import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse
from starlette.routing import BaseRoute, Mount, Route
from starlette.types import ASGIApp, Receive, Scope, Send

from clients.session_manager import SessionManager
from league_sdk.clock import SystemClock
from league_sdk.errors import InvalidEndpoint, PeerUnreachable
from league_sdk.net.addresses import AddressRule
from league_sdk.net.redirects import OneRedirect, redirect_refused
from league_sdk.net.serving import listening_socket, run_app
from league_sdk.ports import MalformedReply
from league_sdk.transports import connectors
from tests.mcp_player import McpPlayer
from tests.requirements.marker import requirement

pytestmark = pytest.mark.anyio


@pytest.fixture(autouse=True)
async def soon(anyio_backend: str):
    with anyio.fail_after(30):
        yield


class Seen:
    """An application that notes which paths were asked for."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self.paths: list[str] = []

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self.paths.append(scope["path"])
        await self._app(scope, receive, send)


@asynccontextmanager
async def serving(routes: Sequence[BaseRoute]) -> AsyncGenerator[tuple[str, Seen]]:
    """A Starlette application on loopback: its `/mcp`, and what was asked for there."""
    seen = Seen(Starlette(routes=routes))
    with listening_socket("127.0.0.1", 0) as sock:
        async with run_app(seen, sock, bind_host="127.0.0.1"):
            yield f"http://127.0.0.1:{sock.getsockname()[1]}/mcp", seen


async def answer(request: Request) -> JSONResponse:
    asked = await request.json()
    return JSONResponse({"jsonrpc": "2.0", "id": asked["id"], "result": {"path": request.url.path, **asked["params"]}})


def moved(to: str, status: int = 307) -> Any:
    async def redirect(_: Request) -> RedirectResponse:
        return RedirectResponse(to, status)

    return redirect


def mounted() -> list[BaseRoute]:
    """FastMCP of mcp 1.9, which redirects `/mcp` to `/mcp/`."""
    return [Mount("/mcp", routes=[Route("/", answer, methods=["POST"])])]


@requirement("project-WIRE-10")
async def test_one_within_the_origin_is_followed_with_its_body_and_kept():
    async with serving(mounted()) as (endpoint, seen), connectors() as (_, bare):
        async with bare.connect(endpoint) as connection:
            assert await connection.call("move", {"a": 1}, timeout=5) == {"path": "/mcp/", "a": 1}
            assert await connection.call("move", {"a": 2}, timeout=5) == {"path": "/mcp/", "a": 2}
        assert seen.paths == ["/mcp", "/mcp/", "/mcp/"]


@pytest.mark.parametrize("status", [307, 308])
async def test_mcp_follows_it_as_well(status):
    player = McpPlayer("Moe")
    routes = [Route("/mcp", moved("/elsewhere/mcp", status), methods=["POST"]), *player.routes("/elsewhere/mcp")]
    async with player.running(), serving(routes) as (endpoint, seen), connectors() as transports:
        async with SessionManager(transports, SystemClock()) as sessions:
            assert await sessions.wire(endpoint, timeout=10) == "mcp"
            async with sessions.lease(endpoint) as connection:
                assert "choose_parity" in {tool.name for tool in await connection.list_tools()}
        assert seen.paths.count("/mcp") == 1


async def test_a_kept_one_is_forgotten_when_nothing_is_there_any_more():
    routes = mounted()
    async with serving(routes) as (endpoint, seen), connectors() as (_, bare), bare.connect(endpoint) as connection:
        await connection.call("move", {}, timeout=5)
        routes[:] = [Route("/mcp", answer, methods=["POST"])]
        seen._app = Starlette(routes=routes)
        assert await connection.call("move", {}, timeout=5) == {"path": "/mcp"}


@requirement("project-WIRE-10")
@pytest.mark.parametrize(
    ("to", "status", "words"),
    [
        ("http://127.0.0.2:9/mcp/", 307, ["another origin", "use the endpoint http://127.0.0.2:9/mcp/"]),
        ("https://example.org/mcp", 308, ["another origin", "use the endpoint https://example.org/mcp"]),
        ("/mcp/", 301, ["asks for a GET", "/mcp/"]),
        ("/mcp/", 302, ["asks for a GET", "/mcp/"]),
        ("/mcp/", 303, ["asks for a GET", "/mcp/"]),
        ("/mcp", 307, ["the same endpoint", "name the endpoint that answers by itself"]),
        ("/one", 307, ["after a redirect", "use the endpoint"]),
        ("ftp://example.org/", 307, ["names no endpoint"]),
        ("http://me:pw@127.0.0.1/", 307, ["names no endpoint"]),
    ],
)
async def test_any_other_is_refused_by_both_dialects_with_what_to_use(to, status, words):
    routes = [Route("/mcp", moved(to, status), methods=["POST"]), Route("/one", moved("/two"), methods=["POST"])]
    async with serving(routes) as (endpoint, seen), connectors() as transports:
        async with transports[1].connect(endpoint) as connection:
            with pytest.raises(MalformedReply) as refused:
                await connection.call("move", {}, timeout=5)
        async with SessionManager(transports, SystemClock()) as sessions:
            with pytest.raises(InvalidEndpoint) as told:
                await sessions.wire(endpoint, timeout=10)
        assert set(seen.paths) <= {"/mcp", "/one"}
    for text in (str(refused.value), told.value.message):
        assert [word for word in words if word not in text] == []


async def test_a_followed_one_is_judged_by_the_rule_for_addresses():
    rule = AddressRule(["127.0.0.1:1"], local=False)
    async with serving(mounted()) as (endpoint, seen), connectors(rule=rule) as (_, bare):
        async with bare.connect(endpoint) as connection:
            with pytest.raises(PeerUnreachable, match=r"not on the list|not an address"):
                await connection.call("move", {}, timeout=5)
        assert seen.paths == []


class Scripted(httpx2.AsyncBaseTransport):
    """Answers with a redirect, whatever is asked."""

    def __init__(self, location: str) -> None:
        self._location = location

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        return httpx2.Response(307, headers={"location": self._location})


async def test_one_from_https_to_http_names_the_endpoint_by_https():
    transport = OneRedirect(Scripted("http://league.example/mcp/"))
    response = await transport.handle_async_request(httpx2.Request("POST", "https://league.example:8443/mcp"))
    assert "not encrypted" in redirect_refused(response)
    assert redirect_refused(response).endswith("use the endpoint https://league.example:8443/mcp/")
