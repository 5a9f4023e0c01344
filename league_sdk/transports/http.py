"""MCP over streamable HTTP: uvicorn serves, and one shared pool calls.

Requests are served without sessions and answered with plain JSON: every revision of MCP works that way, it costs least,
and a restarted server has nothing to forget. A client of 2026-07-28 that listens still gets its event stream; clients
of the revisions before, which are told of changes within a session only, have a path with sessions.
"""

import contextlib
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import httpx2
from mcp.client.streamable_http import streamable_http_client
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp_types import INVALID_REQUEST
from mcp_types.version import LATEST_MODERN_VERSION, MODERN_PROTOCOL_VERSIONS
from starlette.applications import Starlette
from starlette.responses import JSONResponse
from starlette.routing import BaseRoute, Route
from starlette.types import ASGIApp, Receive, Scope, Send

from league_sdk.mcp_adapter.client import McpConnection, open_connection
from league_sdk.mcp_adapter.server import LeagueServer, build_server
from league_sdk.mcp_adapter.sessions import BoundedSessions
from league_sdk.net.addresses import AddressRule
from league_sdk.net.connection_pool import ConnectionPool
from league_sdk.net.connections import ConnectionLimits
from league_sdk.net.endpoints import is_endpoint, read_endpoint
from league_sdk.net.pinned import PinnedTransport
from league_sdk.net.proxies import TrustedProxies
from league_sdk.net.redirects import OneRedirect
from league_sdk.net.replies import MAX_BODY, FailuresAsReplies
from league_sdk.net.serving import WILDCARD, listening_socket, run_app
from league_sdk.net.stateless_http import StatelessHttp
from league_sdk.net.tls import TlsFiles, client_context, server_context
from league_sdk.ports import Connection, ToolHost

MCP_PATH = "/mcp"
SESSIONS_PATH = "/mcp/session"
"""The same agent with sessions, for hosts of the handshake revisions that subscribe to changes."""
MOST_SESSIONS = 64
SESSION_IDLE_SEC = 600.0
# Shorter than the five seconds after which common servers hang up, so that a call never meets a closing connection.
_KEEP_ALIVE_CLIENT = 4.0
_CONNECT_TIMEOUT = 5.0
_NOT_COMPRESSED = {"accept-encoding": "identity"}

Wrap: TypeAlias = Callable[[ASGIApp, ToolHost], ASGIApp]
"""Wraps the application that serves a host."""


@dataclass(frozen=True, slots=True)
class HttpListener:
    """A server that listens."""

    endpoint: str  # `http://host:port/mcp`
    port: int
    server: LeagueServer  # for more handlers


@asynccontextmanager
async def serve_http(
    host: ToolHost,
    *,
    bind_host: str = "127.0.0.1",
    port: int = 0,
    public_host: str | None = None,
    wrap: Wrap | None = None,
    more: Mapping[str, ToolHost] | None = None,
    extra_routes: Sequence[BaseRoute] = (),
    allowed_hosts: Sequence[str] = (),
    grace: float = 1.0,
    limits: ConnectionLimits | None = None,
    max_body: int = MAX_BODY,
    tls: TlsFiles | None = None,
    proxies: TrustedProxies | None = None,
) -> AsyncGenerator[HttpListener]:
    """Serve `host` over HTTP in the running event loop until the context ends.

    It listens when the context is entered. At the end, requests under way may finish within `grace`. No signal handler
    is installed. On a loopback address, requests whose Host or Origin header names something else are refused (DNS
    rebinding), on every route.

    Args:
        host: The agent. One with a library is served with sessions as well, at `/mcp/session`.
        bind_host: The address to listen on.
        port: The port; 0 lets the system choose.
        public_host: The host name in the endpoint; by default `bind_host`, or `localhost` for a wildcard.
        wrap: Wraps the application of a host, such as the adapter for another dialect.
        more: Further hosts by their paths, such as `/seat/{seat}/mcp`, without sessions.
        extra_routes: Served beside `/mcp`.
        allowed_hosts: Host headers to insist on when not on a loopback address, such as `league.example:8000`; none
            means that every host is accepted.
        grace: Seconds that requests under way get at the end, before they are answered with HTTP 503.
        limits: Limits on connections.
        max_body: Largest request that is read, in bytes.
        tls: Serve HTTPS with this certificate; None serves plain HTTP.
        proxies: Proxies that are believed about whose requests they pass on.

    Raises:
        AddressUnusable: The port is in use, or the address is not ours.
        TlsUnusable: The certificate or its key cannot be used.
    """
    context = None if tls is None else server_context(tls)
    with contextlib.closing(listening_socket(bind_host, port)) as sock:
        actual = int(sock.getsockname()[1])
        name = public_host or ("localhost" if bind_host in WILDCARD else bind_host)
        scheme = "http" if context is None else "https"
        endpoint = f"{scheme}://{f'[{name}]' if ':' in name else name}:{actual}{MCP_PATH}"
        async with (
            _application(host, wrap, more or {}, extra_routes, max_body) as (app, server),
            run_app(
                app,
                sock,
                bind_host=bind_host,
                allowed_hosts=allowed_hosts,
                grace=grace,
                limits=limits,
                context=context,
                proxies=proxies,
            ),
        ):
            try:
                yield HttpListener(endpoint, actual, server)
            finally:
                server.end_streams()


@asynccontextmanager
async def _application(
    host: ToolHost,
    wrap: Wrap | None,
    more: Mapping[str, ToolHost],
    extra_routes: Sequence[BaseRoute],
    max_body: int,
) -> AsyncGenerator[tuple[ASGIApp, LeagueServer]]:
    """The application and its MCP server, while session managers run."""
    servers = {path: build_server(served, sessions=False) for path, served in {MCP_PATH: host, **more}.items()}
    managers = {
        path: StreamableHTTPSessionManager(server, json_response=True, stateless=True, max_request_body_size=max_body)
        for path, server in servers.items()
    }

    def endpoint(path: str, served: ToolHost) -> _Endpoint:
        return _Endpoint(wrap(managers[path].asgi_app, served) if wrap else managers[path].asgi_app)

    endpoint_app = endpoint(MCP_PATH, host)
    routes: list[BaseRoute] = [Route(MCP_PATH, endpoint=endpoint_app)]
    routes += [Route(path, endpoint=endpoint(path, served)) for path, served in more.items()]
    sessions = None if host.resources is None else _with_sessions(host, max_body)
    if sessions is not None and host.resources is not None:
        routes.append(Route(SESSIONS_PATH, endpoint=BoundedSessions(sessions, host.resources, MOST_SESSIONS)))
    routes += extra_routes  # last, since they may end with a page for every other address
    raised: Exception | None = None
    async with AsyncExitStack() as stack:
        for manager in (*managers.values(), *([] if sessions is None else [sessions])):
            await stack.enter_async_context(manager.run())
        try:
            yield _Paths(endpoint_app, Starlette(routes=routes)), servers[MCP_PATH]
        except Exception as error:
            # Kept out of the SDK's task group, which would hand it back wrapped in a group.
            raised = error
    if raised is not None:
        raise raised


class HttpConnector:
    """The calling half: MCP clients over one shared pool of HTTP connections.

    A peer's revision is remembered and adopted without asking when its connection is made again after a clean close;
    after a failure it is negotiated anew, since another server may be listening there now. `mode` is `auto`, `legacy`
    or a revision.
    """

    name = "http"

    def __init__(self, http: httpx2.AsyncBaseTransport, *, mode: str = "auto") -> None:
        self._http = http
        self._mode = mode
        self._revisions: dict[str, str] = {}

    def accepts(self, endpoint: str) -> bool:
        return is_endpoint(endpoint)

    @asynccontextmanager
    async def connect(self, endpoint: str) -> AsyncGenerator[Connection]:
        """Open a connection, held until the context ends; see `Connector.connect`."""
        endpoint = read_endpoint(endpoint).url
        mode = self._revisions.pop(endpoint, self._mode)
        if mode == "auto":
            # The SDK would take an unreachable peer for one of the handshake era, and ask it a second time; one that
            # begins to listen in between would be called in an old revision for ever.
            async with self._open(endpoint, LATEST_MODERN_VERSION) as connection:
                if await connection.confirm_revision():
                    yield connection
                    self._remember(endpoint, connection)
                    return
        async with self._open(endpoint, mode) as connection:
            yield connection
            self._remember(endpoint, connection)

    def _open(self, endpoint: str, mode: str) -> AbstractAsyncContextManager[McpConnection]:
        if mode in MODERN_PROTOCOL_VERSIONS:
            transport = StatelessHttp(endpoint, self._http)
        else:
            transport = streamable_http_client(endpoint, http_client=client_over(self._http))
        return open_connection(transport, mode=mode, unreachable=(OSError, httpx2.TransportError))

    def _remember(self, endpoint: str, connection: McpConnection) -> None:
        revision = connection.dialect.removeprefix("mcp/")
        if self._mode == "auto" and not connection.failed:
            self._revisions[endpoint] = revision if revision in MODERN_PROTOCOL_VERSIONS else "legacy"


async def server_name(endpoint: str, http: httpx2.AsyncBaseTransport) -> str:
    """The name of the MCP server at an endpoint; empty if it gives none."""
    # Ending a session while its event stream still opens would crash the whole session manager of mcp 1.9.
    transport = streamable_http_client(endpoint, http_client=client_over(http), terminate_on_close=False)
    async with open_connection(transport, unreachable=(OSError, httpx2.TransportError)) as connection:
        return connection.server_name


def open_http(
    *, max_body: int = MAX_BODY, authorities: Path | None = None, rule: AddressRule | None = None
) -> httpx2.AsyncBaseTransport:
    """Open the pool of HTTP connections that a process shares among all its peers.

    The caller closes it. One redirect within an origin is followed. `authorities` is a PEM file of certificates to
    trust for HTTPS (else those of the system; TlsUnusable if it cannot be used), `rule` the rule for addresses.
    """
    # Reading the system's authorities takes longer than many a match, and most leagues have no HTTPS.
    own = None if authorities is None else client_context(authorities)
    transport: httpx2.AsyncBaseTransport = ConnectionPool(
        lambda: own or client_context(None), keep_alive=_KEEP_ALIVE_CLIENT
    )
    if rule is not None and not rule.everything:
        transport = PinnedTransport(transport, rule)
    return FailuresAsReplies(OneRedirect(transport), max_body=max_body)


def client_over(http: httpx2.AsyncBaseTransport) -> httpx2.AsyncClient:
    """An HTTP client over a pool, for callers that need one; closes with the pool.

    Proxies from the environment are not used: peers are called directly. Timeouts are up to callers, except for the
    five seconds that connecting may take.
    """
    return httpx2.AsyncClient(
        transport=http,
        trust_env=False,
        follow_redirects=False,
        timeout=httpx2.Timeout(None, connect=_CONNECT_TIMEOUT),
        headers=_NOT_COMPRESSED,
    )


class _Endpoint:
    """The ASGI application at `/mcp`, for POST alone.

    It is an instance, since starlette takes a function for a request handler. Without sessions a server has nothing to
    send of its own accord, so an event stream of its own (GET) would be kept open for nothing.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["method"] != "POST":
            error = {"code": INVALID_REQUEST, "message": f"Method Not Allowed: {MCP_PATH} takes POST"}
            content = {"jsonrpc": "2.0", "id": None, "error": error}
            await JSONResponse(content, 405, {"allow": "POST"})(scope, receive, send)
            return
        await self._app({**scope, "headers": [_trimmed(*header) for header in scope["headers"]]}, receive, send)


def _trimmed(name: bytes, value: bytes) -> tuple[bytes, bytes]:
    """A header without white space around its value (RFC 9110, section 5.5)."""
    return name, value.strip(b" \t")


class _Paths:
    """Serves MCP's path directly, and every other one through the table of routes."""

    def __init__(self, endpoint: ASGIApp, others: ASGIApp) -> None:
        self._endpoint = endpoint
        self._others = others

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        here = scope["type"] == "http" and scope["path"] == MCP_PATH
        await (self._endpoint if here else self._others)(scope, receive, send)


def _with_sessions(host: ToolHost, max_body: int) -> StreamableHTTPSessionManager:
    return StreamableHTTPSessionManager(
        build_server(host),
        json_response=True,
        max_request_body_size=max_body,
        max_sessions=MOST_SESSIONS,
        session_idle_timeout=SESSION_IDLE_SEC,
    )
