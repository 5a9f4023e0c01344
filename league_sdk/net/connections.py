"""Limits on a server's connections: closes idle and slow ones.

A connection is *waiting* while its client owes something: a request it has not sent, the rest of one, or the reading of
an answer. A connection that waits too long is closed, so that clients who open connections and send nothing, or a byte
a second, cannot pile up. When there are too many connections, the one that has waited longest makes room, those that
have never sent a whole request first; a connection whose request is being handled is never closed to make room.
"""

import asyncio
import logging
import resource
from dataclasses import dataclass
from typing import Any, cast

from uvicorn.config import Config
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
from uvicorn.server import ServerState

from league_sdk.net.addresses import network_of

logger = logging.getLogger(__name__)

SPARE_FILES = 256  # open files that a process reserves for other things than incoming connections


@dataclass(frozen=True, slots=True)
class ConnectionLimits:
    """Limits of one server."""

    total: int = 8192
    per_address: int = 4096
    patience: float = 15.0  # seconds that a client may take to send a whole request, or to read an answer
    head: int = 16_384  # bytes of a request's line and headers


def raise_file_limit() -> int:
    """Raise this process's limit of open files to the system's; return it."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = min(hard, 65_536) if hard != resource.RLIM_INFINITY else 65_536
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
        return wanted
    return wanted if soft == resource.RLIM_INFINITY else soft


class _ConnectionGroup:
    """Connections, and those of them that wait, longest first."""

    def __init__(self) -> None:
        self.members: set[GuardedConnection] = set()
        self.unproven: dict[GuardedConnection, None] = {}
        self.proven: dict[GuardedConnection, None] = {}

    def longest_waiting(self) -> "GuardedConnection | None":
        """The next connection to close when room is needed; None if all are being served."""
        return next(iter(self.unproven), None) or next(iter(self.proven), None)

    def note(self, connection: "GuardedConnection") -> None:
        self.unproven.pop(connection, None)
        self.proven.pop(connection, None)
        if connection in self.members and connection.waiting_since is not None:
            (self.proven if connection.requests else self.unproven)[connection] = None

    def discard(self, connection: "GuardedConnection") -> None:
        self.members.discard(connection)
        self.note(connection)


class Connections:
    """All connections of one server."""

    def __init__(self, limits: ConnectionLimits) -> None:
        self.limits = limits
        self._total = max(16, min(limits.total, raise_file_limit() - SPARE_FILES))
        self._all = _ConnectionGroup()
        self._by_address: dict[str, _ConnectionGroup] = {}
        self._timer: asyncio.TimerHandle | None = None

    def __len__(self) -> int:
        return len(self._all.members)

    def protocol(self, config: Config, state: ServerState) -> "GuardedConnection":
        """Make a connection, as the protocol factory of asyncio's server."""
        return GuardedConnection(config, state, self)

    def start(self) -> None:
        interval = min(1.0, self.limits.patience / 4)
        self._timer = asyncio.get_running_loop().call_later(interval, self._sweep)

    def stop(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def admit(self, connection: "GuardedConnection") -> bool:
        """Admit a connection, closing a waiting one if need be; False without room."""
        group = self._by_address.setdefault(connection.network, _ConnectionGroup())
        for full, where in (
            (len(group.members) >= self.limits.per_address, group),
            (len(self._all.members) >= self._total, self._all),
        ):
            if full and not self._make_room(where):
                if not group.members:
                    del self._by_address[connection.network]
                return False
        # The dictionary may have lost an address whose last connection has just made room.
        group = self._by_address.setdefault(connection.network, group)
        self._all.members.add(connection)
        group.members.add(connection)
        return True

    def note(self, connection: "GuardedConnection") -> None:
        self._all.note(connection)
        group = self._by_address.get(connection.network)
        if group is not None:
            group.note(connection)

    def discard(self, connection: "GuardedConnection") -> None:
        self._all.discard(connection)
        group = self._by_address.get(connection.network)
        if group is not None:
            group.discard(connection)
            if not group.members:
                del self._by_address[connection.network]

    def _make_room(self, group: _ConnectionGroup) -> bool:
        victim = group.longest_waiting()
        if victim is None:
            return False
        self.discard(victim)
        victim.cut_off()
        return True

    def _sweep(self) -> None:
        now = asyncio.get_running_loop().time()
        late = [connection for connection in self._all.members if connection.overdue(now)]
        for connection in late:
            connection.cut_off()
        self.start()


class _Corked:
    """A transport that sends an answer's head together with its body.

    uvicorn writes them one after the other, which would be two system calls here, and two packets that wake the client
    up twice. An incomplete answer goes out in the event loop's next turn.
    """

    def __init__(
        self, transport: asyncio.Transport, connection: "GuardedConnection", loop: asyncio.AbstractEventLoop
    ) -> None:
        self._transport = transport
        self._connection = connection
        self._loop = loop
        self._held: list[bytes] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)

    def write(self, data: bytes) -> None:
        if data:
            if not self._held:
                self._loop.call_soon(self._flush)
            self._held.append(data)
        if self._connection.answered():
            self._flush()

    def close(self) -> None:
        self._flush()
        self._transport.close()

    def abort(self) -> None:
        self._held.clear()
        self._transport.abort()

    def _flush(self) -> None:
        if self._held:
            held = b"".join(self._held)
            self._held.clear()
            self._transport.write(held)


class GuardedConnection(HttpToolsProtocol):
    """uvicorn's HTTP/1.1 connection, with a watch on slow clients.

    `waiting_since` is the time since which the client owes us something; None while we owe it an answer.
    """

    def __init__(self, config: Config, state: ServerState, guard: Connections) -> None:
        super().__init__(config, state, {})
        self._guard = guard
        self._in_request = False
        self._stalled_since: float | None = None
        self._head: int | None = None
        self.network = ""
        self.requests = 0
        self.waiting_since: float | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:
        super().connection_made(transport)
        # uvicorn writes to it and closes it; other methods of a transport pass through.
        self.transport = cast("asyncio.Transport", _Corked(transport, self, self.loop))
        self.network = network_of(self.client[0]) if self.client else ""
        if not self._guard.admit(self):
            transport.abort()
            return
        self._in_request = True
        self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        self._guard.discard(self)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self._head is not None:
            self._head += len(data)
            if self._head > self._guard.limits.head and not self.transport.is_closing():
                self.send_400_response("The request's head is too long.")
        self._look()

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._head = 0

    def on_headers_complete(self) -> None:
        # The parser sets no limit of its own.
        self._head = None
        if len(self.url) + sum(len(name) + len(value) for name, value in self.headers) > self._guard.limits.head:
            raise ValueError("The request's head is too long.")  # the parser's error, answered with 400
        super().on_headers_complete()

    def on_response_complete(self) -> None:
        # An answer may come before the whole request has; the rest of it is still owed.
        self._in_request = self.cycle.more_body
        super().on_response_complete()
        if self.answered():
            self._wait()
        else:
            self._look()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._stalled_since = self.loop.time()

    def resume_writing(self) -> None:
        super().resume_writing()
        self._stalled_since = None

    def overdue(self, now: float) -> bool:
        """True if a request or the reading of an answer takes the client too long."""
        patience = self._guard.limits.patience
        # Between two requests it may be silent for longer.
        owes_request = self._in_request and self.waiting_since is not None and now - self.waiting_since > patience
        return owes_request or (self._stalled_since is not None and now - self._stalled_since > patience)

    def cut_off(self) -> None:
        self.transport.abort()

    def answered(self) -> bool:
        """True if no request is waiting for the rest of its answer."""
        cycle: Any = self.cycle
        return cycle is None or cycle.response_complete

    def _look(self) -> None:
        if not self.answered() and not self.cycle.more_body:
            if self.waiting_since is not None:
                self.waiting_since = None
                self.requests += 1
                self._guard.note(self)
        elif not self._in_request or self.waiting_since is None:
            self._in_request = True
            self._wait()

    def _wait(self) -> None:
        self.waiting_since = self.loop.time()
        self._guard.note(self)
