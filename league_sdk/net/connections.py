"""Limits on a server's connections: closes idle and slow ones.

A connection is *waiting* while its client owes something: a request it has not sent, the rest of one, or the reading of
an answer. A connection that waits too long is closed, so that clients who open connections and send nothing, or a byte
a second, cannot pile up. When there are too many connections, the one that has waited longest makes room, those that
have never sent a whole request first; a connection whose request is being handled is never closed to make room.

A connection counts for its address until a request on it is authenticated, and from then on for that identity: one
player that opens thousands takes none from those who share its address, and an address has at most half of all. A part
is kept for those who keep the league going. A connection of a trusted proxy carries many clients: it counts for none.
"""

import asyncio
import logging
import resource
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, cast

from uvicorn.config import Config
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
from uvicorn.server import ServerState

from league_sdk.errors import RateLimited
from league_sdk.net.addresses import network_of
from league_sdk.net.pool import ATTRIBUTE, HUNG_UP, KEPT_SHARE

logger = logging.getLogger(__name__)

MOST_HELD = 64 * 2**20
"""Bytes of bodies that the unanswered requests of one address, or of one player, may have together."""
SMALL_BODY = 2**16
"""A body up to this size is taken nevertheless."""
SPARE_FILES = 256  # open files that a process reserves for other things than incoming connections


@dataclass(frozen=True, slots=True)
class ConnectionLimits:
    """Limits of one server."""

    total: int = 8192
    per_address: int = 4096  # never more than half of them
    per_identity: int = 64  # of one that has proved who it is, and for which no room is kept
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
    """Connections, and those of them that wait, longest first.

    Those that wait are unproven before their first whole request, and trusted when room is kept for their identity.
    """

    def __init__(self) -> None:
        self.members: set[GuardedConnection] = set()
        self.held = 0  # bytes of bodies of their unanswered requests
        self.unproven: dict[GuardedConnection, None] = {}
        self.proven: dict[GuardedConnection, None] = {}
        self.trusted: dict[GuardedConnection, None] = {}

    def longest_waiting(self) -> "GuardedConnection | None":
        """The next connection to close when room is needed; None if all are being served."""
        return next((connection for part in self._parts for connection in part), None)

    def served(self) -> int:
        """The number of those whose requests are being handled."""
        return len(self.members) - sum(map(len, self._parts))

    def note(self, connection: "GuardedConnection") -> None:
        for part in self._parts:
            part.pop(connection, None)
        if connection in self.members and connection.waiting_since is not None:
            kind = self.trusted if connection.kept else self.proven if connection.requests else self.unproven
            kind[connection] = None

    @property
    def _parts(self) -> "tuple[dict[GuardedConnection, None], ...]":
        return self.unproven, self.proven, self.trusted

    def discard(self, connection: "GuardedConnection") -> None:
        self.members.discard(connection)
        self.note(connection)


class Connections:
    """All connections of one server; `is_proxy` tells addresses of trusted proxies."""

    def __init__(self, limits: ConnectionLimits, is_proxy: Callable[[str], bool] = lambda _: False) -> None:
        self.limits = limits
        self.is_proxy = is_proxy
        self._total = max(16, min(limits.total, raise_file_limit() - SPARE_FILES))
        self._half = self._total // 2
        self._all = _ConnectionGroup()
        self._kept: set[GuardedConnection] = set()
        self._by_holder: dict[str, _ConnectionGroup] = {}
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
        group, most = self._by_holder.get(connection.holder), self._of_address
        if group is not None and connection.holder and len(group.members) >= most and not self._make_room(group):
            extra = most // KEPT_SHARE  # for agents that say who they are, though others have filled their address
            if len(group.members) >= most + extra:
                return False
        if len(self._all.members) >= self._total and not self._make_room(self._all):
            return False
        self._all.members.add(connection)
        self._join(connection)
        return True

    def attribute(self, connection: "GuardedConnection", identity: str, *, kept: bool) -> None:
        """Count a connection for an identity, or a stranger; RateLimited beyond a share."""
        if connection not in self._all.members:
            return
        if not kept and self._crowded():
            raise RateLimited("this server has as many calls under way as it takes; the rest is kept for referees")
        if not connection.holder or connection.holder == identity:
            return
        if not identity:
            self._check_address(connection)
            return
        group, most = self._by_holder.get(identity), self._half if kept else min(self.limits.per_identity, self._half)
        if group is not None and len(group.members) >= most and not self._make_room(group):
            raise RateLimited(f"{identity} has {most} connections with calls under way, and may have no more")
        self._part(connection)
        connection.holder, connection.kept = identity, kept
        self._join(connection)

    def note(self, connection: "GuardedConnection") -> None:
        self._all.note(connection)
        group = self._by_holder.get(connection.holder)
        if group is not None:
            group.note(connection)

    def discard(self, connection: "GuardedConnection") -> None:
        self._all.discard(connection)
        self._part(connection)

    def hold(self, connection: "GuardedConnection", size: int) -> bool:
        """Count bytes of a body, or forget them with a negative size; False if too many."""
        connection.held += size
        group = self._by_holder.get(connection.holder)
        if group is None or connection not in group.members:
            return True
        group.held += size
        return connection.kept or connection.held <= SMALL_BODY or group.held <= MOST_HELD

    @property
    def _of_address(self) -> int:
        return min(self.limits.per_address, self._half)

    def _check_address(self, connection: "GuardedConnection") -> None:
        """Refuse a stranger's call on one connection of its address too many."""
        group = self._by_holder.get(connection.holder)
        if group is not None and len(group.members) > self._of_address and not self._make_room(group):
            raise RateLimited(f"{connection.holder} has {self._of_address} connections with calls under way")

    def _crowded(self) -> bool:
        """True if all are being served but those that are kept."""
        served, most = self._all.served(), self._total - self._total // KEPT_SHARE
        return served > most and served - sum(trusted.waiting_since is None for trusted in self._kept) > most

    def _join(self, connection: "GuardedConnection") -> None:
        group = self._by_holder.setdefault(connection.holder, _ConnectionGroup())
        group.members.add(connection)
        group.held += connection.held
        if connection.kept:
            self._kept.add(connection)
        self.note(connection)

    def _part(self, connection: "GuardedConnection") -> None:
        self._kept.discard(connection)
        group = self._by_holder.get(connection.holder)
        if group is not None and connection in group.members:
            group.discard(connection)
            group.held -= connection.held
            if not group.members:
                del self._by_holder[connection.holder]

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
        self.holder = ""  # what it counts for: an address, an identity, or nothing as a proxy's
        self.kept = False  # whether room is kept for its identity
        self.held = 0  # bytes of the body of a request that is not answered yet
        self.requests = 0
        self.waiting_since: float | None = None
        self.lost = asyncio.Event()

    def connection_made(self, transport: asyncio.Transport) -> None:
        super().connection_made(transport)
        # uvicorn writes to it and closes it; other methods of a transport pass through.
        self.transport = cast("asyncio.Transport", _Corked(transport, self, self.loop))
        address = self.client[0] if self.client else ""
        self.holder = "" if self._guard.is_proxy(address) else f"address {network_of(address)}"
        if not self._guard.admit(self):
            transport.abort()
            return
        self._in_request = True
        self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        self._guard.discard(self)
        self.lost.set()
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
        cast("dict[str, Any]", self.scope).update({ATTRIBUTE: self.attribute, HUNG_UP: self.lost.wait})
        self._head = 0

    def on_headers_complete(self) -> None:
        # The parser sets no limit of its own.
        self._head = None
        if len(self.url) + sum(len(name) + len(value) for name, value in self.headers) > self._guard.limits.head:
            raise ValueError("The request's head is too long.")  # the parser's error, answered with 400
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        super().on_body(body)
        if not self.answered() and not self._guard.hold(self, len(body)):
            self.cut_off()

    def on_response_complete(self) -> None:
        self._guard.hold(self, -self.held)
        # An answer may come before the whole request has; the rest of it is still owed.
        self._in_request = self.cycle.more_body
        super().on_response_complete()
        if self.answered():
            self._wait()
        else:
            self._look()

    def attribute(self, identity: str, *, kept: bool = False) -> None:
        """Count this connection for whoever has sent an authenticated request on it."""
        try:
            self._guard.attribute(self, identity, kept=kept)
        except RateLimited:
            cycle: Any = self.cycle
            cycle.keep_alive = False  # one too many: it ends with its answer
            raise

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
