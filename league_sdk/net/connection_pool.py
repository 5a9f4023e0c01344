"""A pool of HTTP/1.1 connections by peer: an `httpx2` transport.

The pool that httpx2 brings looks through all of its connections at every request, and asks the system about each; one
such pool for each peer costs a third more processor time a match than this (ADR 0081). Here the event loop reports the
end of a connection, and taking one costs the same whatever the number of peers. Replies are parsed by llhttp
(`httptools`), with all of its checks. The rule for addresses (`pinned`) and the bounds on replies (`replies`) are
transports around this one.
"""

import asyncio
import ssl
from collections.abc import AsyncIterator, Callable
from typing import Any, TypeAlias

import httptools
import httpx2

CONNECT_SEC = 5.0  # time limit for a connection when a request sets none
_HEAD = 100 * 1024  # bytes of a reply's status line and headers
_AHEAD = 256 * 1024  # bytes of a reply's body that are buffered before reading pauses
_HAPPY_EYEBALLS_SEC = 0.25
_MOST_IDLE = 4096

Headers: TypeAlias = list[tuple[bytes, bytes]]
Origin: TypeAlias = tuple[str, str, int, str]
"""Scheme, host, port, and the name that the certificate has to match."""


class ConnectionPool(httpx2.AsyncBaseTransport):
    """Sends requests over connections that are kept by peer.

    `context` makes the TLS context, and is called for HTTPS only; `keep_alive` is the seconds of an idle connection.
    """

    def __init__(self, context: Callable[[], ssl.SSLContext], *, keep_alive: float) -> None:
        self._context = context
        self._keep_alive = keep_alive
        self._idle: dict[Origin, list[_Wire]] = {}
        self._count = 0
        self._sweeper: asyncio.TimerHandle | None = None
        self._busy: set[_Wire] = set()
        self._closed = False

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Send one request; return as soon as the reply's headers have arrived."""
        body = await request.aread()
        url = request.url
        port = url.port or (443 if url.scheme == "https" else 80)
        host = url.raw_host.decode("ascii")
        origin: Origin = (url.scheme, host, port, request.extensions.get("sni_hostname") or host)
        wire = self._take(origin) or await self._open(origin, request)
        self._busy.add(wire)
        try:
            status, headers = await wire.ask(request, body)
            if wire.ended:  # the whole reply has arrived, as most replies have by now
                whole = httpx2.ByteStream(wire.taken())
                self._give_back(wire)
                return httpx2.Response(status, headers=headers, stream=whole)
        except BaseException:
            self._drop(wire)
            raise
        stream = _Body(wire, self)
        return httpx2.Response(status, headers=headers, stream=stream)

    async def aclose(self) -> None:
        self._closed = True
        if self._sweeper is not None:
            self._sweeper.cancel()
        for wire in [*self._busy, *(wire for wires in self._idle.values() for wire in wires)]:
            wire.close()
        self._idle.clear()
        self._busy.clear()

    def _take(self, origin: Origin) -> "_Wire | None":
        """The connection to a peer that was used last, if there is a fresh one."""
        wires = self._idle.get(origin)
        now = asyncio.get_running_loop().time()
        while wires:
            wire = wires.pop()
            self._count -= 1
            if not wire.lost and now - wire.idle_since < self._keep_alive:
                return wire
            wire.close()
        return None

    async def _open(self, origin: Origin, request: httpx2.Request) -> "_Wire":
        if self._closed:
            raise httpx2.ConnectError("the pool is closed", request=request)
        scheme, host, port, name = origin
        timeouts: dict[str, float | None] = request.extensions.get("timeout") or {"connect": CONNECT_SEC}
        secure: dict[str, Any] = {"ssl": self._context(), "server_hostname": name} if scheme == "https" else {}
        loop = asyncio.get_running_loop()
        try:
            async with asyncio.timeout(timeouts.get("connect")):
                _, wire = await loop.create_connection(
                    lambda: _Wire(origin), host, port, happy_eyeballs_delay=_HAPPY_EYEBALLS_SEC, **secure
                )
        except TimeoutError as error:
            raise httpx2.ConnectTimeout(str(error), request=request) from error
        except OSError as error:
            raise httpx2.ConnectError(_reason(error), request=request) from error
        return wire

    def _give_back(self, wire: "_Wire") -> None:
        """Keep a connection whose reply has been read to its end, if it is reusable."""
        self._busy.discard(wire)
        if self._closed or self._count >= _MOST_IDLE or not wire.reusable():
            wire.close()
            return
        wire.idle_since = asyncio.get_running_loop().time()
        self._idle.setdefault(wire.origin, []).append(wire)
        self._count += 1
        if self._sweeper is None:
            self._sweep_later()

    def _drop(self, wire: "_Wire") -> None:
        self._busy.discard(wire)
        wire.close()

    def _sweep_later(self) -> None:
        self._sweeper = asyncio.get_running_loop().call_later(self._keep_alive, self._sweep)

    def _sweep(self) -> None:
        now = asyncio.get_running_loop().time()
        self._sweeper = None
        for origin, wires in list(self._idle.items()):
            fresh = [wire for wire in wires if not wire.lost and now - wire.idle_since < self._keep_alive]
            for wire in wires:
                if wire not in fresh:
                    wire.close()
            self._count -= len(wires) - len(fresh)
            if fresh:
                self._idle[origin] = fresh
            else:
                del self._idle[origin]
        if self._idle:
            self._sweep_later()

    def settle(self, wire: "_Wire") -> None:
        """Take back a connection whose reply is not read any further."""
        if wire.ended:
            self._give_back(wire)
        else:
            self._drop(wire)


class _Body(httpx2.AsyncByteStream):
    def __init__(self, wire: "_Wire", pool: ConnectionPool) -> None:
        self._wire = wire
        self._pool = pool
        self._open = True

    async def __aiter__(self) -> AsyncIterator[bytes]:
        while chunk := await self._wire.more():
            yield chunk

    async def aclose(self) -> None:
        if self._open:
            self._open = False
            self._pool.settle(self._wire)


class _Wire(asyncio.Protocol):
    """One connection, with one request at a time.

    `ended` is True after the end of the reply, `lost` after that of the connection or its announcement. `idle_since` is
    by the event loop's clock.
    """

    def __init__(self, origin: Origin) -> None:
        self.origin = origin
        self.ended = False
        self.lost = False
        self.idle_since = 0.0
        self._parser = httptools.HttpResponseParser(self)
        self._transport: asyncio.Transport | None = None
        self._asked = False
        self._headers: Headers = []
        self._head: tuple[int, Headers] | None = None
        self._head_size = 0
        self._until_eof = False
        self._reusable = False
        self._chunks: list[bytes] = []
        self._size = 0
        self._paused = False
        self._failure: httpx2.TransportError | None = None
        self._news: asyncio.Future[None] | None = None

    # Callbacks of the event loop

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        if isinstance(transport, asyncio.Transport):
            self._transport = transport

    def data_received(self, data: bytes) -> None:
        if not self._asked or self.ended:
            self.close()  # data without a request
            return
        try:
            self._parser.feed_data(data)
        except (httptools.HttpParserError, httptools.HttpParserUpgrade) as error:
            self._fail(str(error.__context__ or error))
        if self._head is None:
            self._head_size += len(data)
            if self._head_size > _HEAD:
                self._fail("the reply's head is too long")
        if self._size >= _AHEAD and not self._paused and not self.lost and self._transport is not None:
            self._paused = True
            self._transport.pause_reading()
        self._ring()

    def eof_received(self) -> None:
        """The peer sends no more, which ends a reply without a length."""
        self.lost = True
        if self._asked and not self.ended:
            if self._until_eof:
                self.ended = True
            else:
                self._fail("the peer closed the connection before the end of its reply")
            self._ring()

    def connection_lost(self, exc: Exception | None) -> None:
        self.lost = True
        if not self.ended and self._failure is None:
            self._failure = httpx2.ReadError(_reason(exc) if exc else "the connection was closed")
        self._ring()

    # Callbacks of the parser

    def on_message_begin(self) -> None:
        if self.ended:
            raise ValueError("more than one reply")
        self._headers = []

    def on_header(self, name: bytes, value: bytes) -> None:
        self._headers.append((name.lower(), value))

    def on_headers_complete(self) -> None:
        status = self._parser.get_status_code()
        if status >= 200:
            self._head = status, self._headers
            self._reusable = self._parser.should_keep_alive()
            names = {name for name, _ in self._headers}
            self._until_eof = not self._reusable and not names & {b"content-length", b"transfer-encoding"}

    def on_body(self, body: bytes) -> None:
        self._chunks.append(body)
        self._size += len(body)

    def on_message_complete(self) -> None:
        self.ended = self._head is not None

    # Used by the pool

    async def ask(self, request: httpx2.Request, body: bytes) -> tuple[int, Headers]:
        """Send a request; status and headers of its reply."""
        self._asked, self._head, self._head_size, self.ended, self._failure = True, None, 0, False, None
        lines = [b"%s %s HTTP/1.1" % (request.method.encode(), request.url.raw_path)]
        lines += [b"%s: %s" % header for header in request.headers.raw]
        head = b"\r\n".join(lines)
        if head.count(b"\n") >= len(lines) or head.count(b"\r") >= len(lines) or b"\0" in head:
            raise httpx2.LocalProtocolError("a header holds the end of a line", request=request)
        if self._transport is None or self.lost:
            raise httpx2.WriteError("the connection was closed", request=request)
        self._transport.write(b"%s\r\n\r\n%s" % (head, body))
        while self._head is None:
            await self._wait()
        return self._head

    async def more(self) -> bytes:
        """More of the reply's body; empty at its end."""
        while not self._chunks:
            if self.ended:
                return b""
            await self._wait()
        return self.taken()

    def taken(self) -> bytes:
        """Take the buffered part of the body, and resume reading."""
        content = self._chunks[0] if len(self._chunks) == 1 else b"".join(self._chunks)
        self._chunks.clear()
        self._size = 0
        if self._paused and self._transport is not None:
            self._paused = False
            self._transport.resume_reading()
        return content

    def reusable(self) -> bool:
        """True if another request may follow."""
        return self._reusable and self.ended and not self.lost and self._failure is None

    def close(self) -> None:
        self.lost = True
        if self._transport is not None:
            self._transport.abort()

    async def _wait(self) -> None:
        """Wait for the next event; TransportError if the connection has failed."""
        if self._failure is not None:
            raise self._failure
        self._news = asyncio.get_running_loop().create_future()
        await self._news
        if self._failure is not None and self._head is None:
            raise self._failure

    def _ring(self) -> None:
        if self._news is not None and not self._news.done():
            self._news.set_result(None)

    def _fail(self, reason: str) -> None:
        self._failure = self._failure or httpx2.RemoteProtocolError(reason)


def _reason(error: BaseException) -> str:
    return str(error) or type(error).__name__
