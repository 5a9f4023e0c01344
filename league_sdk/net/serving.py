"""A server for any ASGI application: uvicorn, guarded, with an orderly shutdown."""

import asyncio
import contextlib
import errno
import math
import re
import socket
import ssl
from collections.abc import AsyncGenerator, Generator, Sequence
from contextlib import asynccontextmanager

import anyio
import uvicorn
from mcp.server.transport_security import TransportSecurityMiddleware, TransportSecuritySettings
from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from league_sdk.net.connections import ConnectionLimits, Connections
from league_sdk.net.proxies import TrustedProxies

_FORWARDED = b"x-forwarded-for"
_LOOPBACK = ("127.0.0.1", "localhost", "::1")
WILDCARD = ("0.0.0.0", "::", "")  # noqa: S104 - recognised here, not bound to
_HOST = re.compile(r"(?:[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(?::[0-9]{1,5})?")
_ORIGIN = re.compile(rf"https?://{_HOST.pattern}")
_KEEP_ALIVE = 30
_LAST_RESORT = 5
_BACKLOG = 2048
_DATE_SEC = 1.0
"""Interval of a new Date header."""
_LOOK_SEC = 0.01
"""Interval of a look for connections that are still open at the end."""


class AddressUnusable(OSError):
    """The address cannot be listened on: port in use or reserved, or a foreign host."""

    def __init__(self, host: str, port: int, cause: OSError) -> None:
        self.host = host
        self.port = port
        if cause.errno == errno.EADDRINUSE:
            text = f"port {port} on {host} is in use; stop the program that has it, or choose another port"
        else:
            text = f"cannot listen on port {port} of {host}: {cause.strerror or cause}"
        super().__init__(cause.errno, text)

    def __str__(self) -> str:
        return str(self.args[1])


class _Gate:
    """Checks the Host and Origin headers of every request, and ends them at shutdown.

    Everything behind it takes the address that a trusted proxy names for the caller's.
    """

    def __init__(self, app: ASGIApp, bind_host: str, allowed_hosts: Sequence[str], proxies: TrustedProxies) -> None:
        self._app = app
        self._proxies = proxies
        self._direct = TransportSecurityMiddleware(_trusted(bind_host, allowed_hosts))
        self._passed_on = TransportSecurityMiddleware(_trusted(bind_host, allowed_hosts, own_pages=False))
        self._under_way: set[anyio.CancelScope] = set()
        self._closed = False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        security = self._passed_on if self._proxies and self._find_caller(scope) else self._direct
        request = Request(scope)
        refusal = _malformed(request) if security.settings.enable_dns_rebinding_protection else None
        if (refusal := refusal or await security.validate_request(request)) is not None:
            await refusal(scope, receive, send)
            return
        answered = False

        async def watched(message: Message) -> None:
            nonlocal answered
            answered = True
            await send(message)

        with anyio.CancelScope() as cancel_scope:
            self._under_way.add(cancel_scope)
            if self._closed:
                cancel_scope.cancel()
            try:
                await self._app(scope, receive, watched)
            except ClientDisconnect:
                return  # the caller died in the middle of its request
            finally:
                self._under_way.discard(cancel_scope)
        if cancel_scope.cancelled_caught and not answered:
            await PlainTextResponse("The server is shutting down", status_code=503)(scope, receive, send)

    def _find_caller(self, scope: Scope) -> bool:
        """Put the caller in the place of a trusted proxy; true if there was one."""
        peer = scope["client"][0] if scope.get("client") else ""
        headers = [value.decode("latin-1") for name, value in scope["headers"] if name == _FORWARDED]
        address = self._proxies.caller(peer, headers)
        scope["client"] = (address, 0 if address != peer else scope["client"][1]) if address else None
        return address != peer

    def cut_off(self) -> None:
        """Answer all current and later requests with HTTP 503."""
        self._closed = True
        for cancel_scope in tuple(self._under_way):
            cancel_scope.cancel()


@asynccontextmanager
async def serve_app(app: ASGIApp, *, port: int = 0) -> AsyncGenerator[int]:
    """Serve an application on this machine alone, and yield the port.

    Its start-up is up to the caller. Raises AddressUnusable if the port is in use.
    """
    host = _LOOPBACK[0]
    with contextlib.closing(listening_socket(host, port)) as sock:
        async with run_app(app, sock, bind_host=host):
            yield int(sock.getsockname()[1])


@asynccontextmanager
async def run_app(
    app: ASGIApp,
    sock: socket.socket,
    *,
    bind_host: str,
    allowed_hosts: Sequence[str] = (),
    grace: float = 1.0,
    limits: ConnectionLimits | None = None,
    context: ssl.SSLContext | None = None,
    proxies: TrustedProxies | None = None,
) -> AsyncGenerator[None]:
    """Serve an application in the running event loop until the context ends.

    On a loopback address, Host and Origin have to name it; elsewhere one of `allowed_hosts`, if there are any. Requests
    under way get `grace` seconds at the end, and HTTP 503 after that. Callers behind one of `proxies` go by the address
    that it names.
    """
    proxies = proxies or TrustedProxies()
    gate = _Gate(app, bind_host, allowed_hosts, proxies)
    connections = Connections(limits or ConnectionLimits(), proxies.trusts)
    config = uvicorn.Config(
        gate,
        lifespan="off",
        http="httptools",
        ws="none",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_keep_alive=_KEEP_ALIVE,
        timeout_graceful_shutdown=math.ceil(grace) + _LAST_RESORT,
    )
    server = _Uvicorn(config, connections, context)
    # A plain asyncio task: a cancelled caller must not take the orderly shutdown with it.
    task = asyncio.create_task(server.serve(sockets=[sock]), name=f"http server {sock.getsockname()[:2]}")
    started = asyncio.create_task(server.listening.wait())
    try:
        await asyncio.wait((task, started), return_when=asyncio.FIRST_COMPLETED)
        if task.done():
            task.result()
        yield
    finally:
        started.cancel()
        server.end()
        end = asyncio.get_running_loop().call_later(grace, gate.cut_off)
        with anyio.CancelScope(shield=True):
            await task
        end.cancel()


def _malformed(request: Request) -> PlainTextResponse | None:
    """Refuse a Host or Origin that is more than a host and a port.

    The SDK compares beginnings: `localhost:*` would allow `localhost:8000.evil.example`.
    """
    for header, pattern, status in (("Host", _HOST, 421), ("Origin", _ORIGIN, 403)):
        values = request.headers.getlist(header)
        if len(values) > 1 or not all(map(pattern.fullmatch, values)):
            return PlainTextResponse(f"Invalid {header} header", status_code=status)
    return None


def _trusted(
    bind_host: str, allowed_hosts: Sequence[str], *, own_pages: bool = True
) -> TransportSecuritySettings | None:
    """The names to insist on; `own_pages` takes pages of this machine as origins."""
    if bind_host in _LOOPBACK:
        own = ("127.0.0.1", "localhost", "[::1]")
        hosts = [*(f"{name}:*" for name in own), *own, *allowed_hosts]
    elif allowed_hosts:
        hosts = list(allowed_hosts)
    else:
        return None
    # A client leaves out the port that its scheme has anyway.
    hosts += [host.removesuffix(port) for host in allowed_hosts for port in (":80", ":443") if host.endswith(port)]
    origins = [f"{scheme}://{host}" for scheme in ("http", "https") for host in (hosts if own_pages else allowed_hosts)]
    return TransportSecuritySettings(allowed_hosts=hosts, allowed_origins=origins)


def listening_socket(host: str, port: int) -> socket.socket:
    """A listening TCP socket on a free port; else AddressUnusable."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # Named as TCP, because asyncio switches Nagle's algorithm off (40 ms a call) only where it sees that.
    sock = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        sock.bind((host, port))
        # Listening at once: on Linux two sockets may share a port as long as neither of them listens.
        sock.listen(_BACKLOG)
    except OSError as error:
        sock.close()
        raise AddressUnusable(host, port, error) from error
    sock.setblocking(False)
    return sock


class _Uvicorn(uvicorn.Server):
    """Signals its start, guards its connections, and leaves signals to the program."""

    def __init__(self, config: uvicorn.Config, connections: Connections, context: ssl.SSLContext | None) -> None:
        super().__init__(config)
        self.listening = asyncio.Event()
        self._ending = asyncio.Event()
        self._connections = connections
        self._context = context

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await self.lifespan.startup()
        self.servers = [
            await asyncio.get_running_loop().create_server(
                lambda: self._connections.protocol(self.config, self.server_state),
                sock=sock,
                ssl=self._context,
                ssl_handshake_timeout=self._connections.limits.patience if self._context else None,
                ssl_shutdown_timeout=_LAST_RESORT if self._context else None,
                backlog=_BACKLOG,
            )
            for sock in sockets or ()
        ]
        self.started = True
        self._connections.start()
        self.listening.set()

    def end(self) -> None:
        self.should_exit = True
        self._ending.set()

    async def main_loop(self) -> None:
        """Wait for the end; uvicorn would look for it ten times a second."""
        while not await self.on_tick(0):
            with anyio.move_on_after(_DATE_SEC):
                await self._ending.wait()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End as uvicorn does, without its pauses of a tenth of a second."""
        self._connections.stop()
        for listener in (*self.servers, *(sockets or ())):
            listener.close()
        for connection in list(self.server_state.connections):
            connection.shutdown()
        with anyio.move_on_after(self.config.timeout_graceful_shutdown):
            while self.server_state.connections or self.server_state.tasks:  # noqa: ASYNC110 - uvicorn's sets
                await asyncio.sleep(_LOOK_SEC)
            return
        for task in self.server_state.tasks:
            task.cancel()

    @contextlib.contextmanager
    def capture_signals(self) -> Generator[None]:
        yield
