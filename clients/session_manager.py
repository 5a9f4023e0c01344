"""The pool of connections to other agents.

Each connection is held open by a task of its own: an MCP client whose server dies can cancel the task that owns it.
"""

import logging
import math
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from types import TracebackType
from typing import Self

import anyio
from anyio.abc import TaskGroup

from clients.unforeseen import unforeseen_as_error, unforeseen_error
from league_sdk.clock import Clock
from league_sdk.dialect import JSONRPC
from league_sdk.errors import InvalidEndpoint, LeagueError, PeerUnreachable
from league_sdk.ports import CallRefused, Connection, Connector, MalformedReply, NotThisDialect, UnforeseenError

PINGS_AT_ONCE = 64
"""A ping's deadline begins when it goes out, and of thousands at once many would be late."""

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class SessionSettings:
    """Time limits, in seconds."""

    open_timeout: float = 10.0  # for detecting the dialect, and the handshake
    heartbeat_interval: float = 30.0  # sessions used since the last round are not pinged
    heartbeat_timeout: float = 5.0
    idle_timeout: float = 300.0  # after the last use, until the session is closed


def wire_of(connection: Connection) -> str:
    """A connection's wire without the revision: `mcp` or `jsonrpc`."""
    return connection.dialect.partition("/")[0]


class _Session:
    """One connection, and the task that holds it."""

    def __init__(self, endpoint: str, wire: str) -> None:
        self.endpoint = endpoint
        self.wire = wire
        self.connection: Connection | None = None
        self.failure: LeagueError | None = None
        self.settled = anyio.Event()
        self.closing = anyio.Event()
        self.users = 0
        self.last_used = -math.inf


class SessionManager:
    """Pools one session a peer. An async context manager, which closes all sessions.

    The connectors are tried in their order. The first that understands the peer is remembered until a connection to
    that peer fails.
    """

    def __init__(self, connectors: Sequence[Connector], clock: Clock, settings: SessionSettings | None = None) -> None:
        self._connectors = tuple(connectors)
        self._clock = clock
        self._settings = settings or SessionSettings()
        self._sessions: dict[str, _Session] = {}
        self._spoken: dict[str, Connector] = {}
        self._tasks: TaskGroup | None = None

    async def __aenter__(self) -> Self:
        self._tasks = anyio.create_task_group()
        await self._tasks.__aenter__()
        self._tasks.start_soon(self._watch, name="heartbeat")
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._tasks is None:
            raise RuntimeError("the session manager was not entered")
        tasks, self._tasks = self._tasks, None
        tasks.cancel_scope.cancel()
        if isinstance(error, Exception):
            # Not told to the task group, which would hand it back wrapped in a group.
            kind = error = traceback = None
        await tasks.__aexit__(kind, error, traceback)

    @property
    def open_endpoints(self) -> tuple[str, ...]:
        return tuple(session.endpoint for session in self._sessions.values() if session.connection is not None)

    @asynccontextmanager
    async def lease(self, endpoint: str, wire: str = "") -> AsyncGenerator[Connection]:
        """A connection to `endpoint`, opened if need be, and shared by callers.

        A PeerUnreachable or unforeseen error that passes through drops the session, so that the next lease opens a new
        one.

        Args:
            endpoint: The peer.
            wire: `mcp` or `jsonrpc` if known; else it is detected.

        Raises:
            PeerUnreachable: There is no server, or none that speaks any of our dialects.
            InvalidEndpoint: No transport takes such an endpoint, or the peer redirects elsewhere.
            UnforeseenError: Another failure, here or in the body.
        """
        session = await self._opened(endpoint, wire)
        connection = session.connection
        if connection is None:
            raise PeerUnreachable(f"{endpoint}: the connection was closed while it was being opened")
        session.users += 1
        try:
            with unforeseen_as_error(endpoint):
                yield connection
        except (PeerUnreachable, UnforeseenError):
            self._spoken.pop(endpoint, None)
            self._drop(session)
            raise
        finally:
            session.users -= 1
            session.last_used = self._clock.monotonic()

    async def close(self, endpoint: str) -> None:
        session = self._sessions.get(endpoint)
        if session is not None:
            self._drop(session)

    async def beat(self) -> None:
        """One round of the heartbeat: close idle sessions, ping others, drop dead ones."""
        now, room = self._clock.monotonic(), anyio.Semaphore(PINGS_AT_ONCE)
        async with anyio.create_task_group() as pings:
            for session in tuple(self._sessions.values()):
                if session.users or session.connection is None:
                    continue
                idle = now - session.last_used
                if idle >= self._settings.idle_timeout:
                    self._drop(session)
                elif idle >= self._settings.heartbeat_interval:
                    pings.start_soon(self._ping, session, session.connection, room)

    async def _watch(self) -> None:
        while True:
            await self._clock.sleep(self._settings.heartbeat_interval)
            await self.beat()

    async def _ping(self, session: _Session, connection: Connection, room: anyio.Semaphore) -> None:
        idle_since = session.last_used
        try:
            with unforeseen_as_error(session.endpoint):
                async with room:
                    if session.users or session.last_used != idle_since or session.closing.is_set():
                        return  # a call went out meanwhile, or it is gone
                    await connection.ping(timeout=self._settings.heartbeat_timeout)
        except (CallRefused, MalformedReply):
            return  # an error is an answer too
        except LeagueError as error:
            logger.info("%s does not answer its heartbeat: %s", session.endpoint, error)
            self._spoken.pop(session.endpoint, None)
            self._drop(session)

    async def _opened(self, endpoint: str, wire: str) -> _Session:
        if self._tasks is None:
            raise RuntimeError("the session manager is not running; use it as an async context manager")
        session = self._sessions.get(endpoint)
        if session is not None and wire and session.wire != wire:
            await session.settled.wait()
            if session.wire != wire:
                self._drop(session)
                session = self._sessions.get(endpoint)
        if session is None:
            session = self._sessions[endpoint] = _Session(endpoint, wire)
            session.last_used = self._clock.monotonic()
            self._tasks.start_soon(self._own, session, name=f"session {endpoint}")
        await session.settled.wait()
        if session.failure is not None:
            # A fresh one: several callers may be waiting, and each adds its own traceback.
            raise type(session.failure)(session.failure.message, **session.failure.context) from session.failure
        return session

    async def wire(self, endpoint: str, *, timeout: float) -> str:
        """Detect a peer's wire: `mcp` or `jsonrpc`; empty without an answer in time."""
        with anyio.move_on_after(timeout):
            try:
                async with self.lease(endpoint) as connection:
                    return wire_of(connection)
            except InvalidEndpoint:
                raise
            except LeagueError:
                return ""
        return ""

    def _drop(self, session: _Session) -> None:
        session.closing.set()
        self._forget(session)

    def _forget(self, session: _Session) -> None:
        if self._sessions.get(session.endpoint) is session:
            del self._sessions[session.endpoint]

    async def _own(self, session: _Session) -> None:
        """Hold a connection open until it is dropped, or ends by itself."""
        try:
            session.failure = await self._hold_first_fitting(session)
        except anyio.get_cancelled_exc_class():
            # A transport may cancel the task that holds it. Let out, that would end every other session; and when
            # it is the manager that is closing, this task is over anyway.
            session.failure = PeerUnreachable(f"{session.endpoint}: the connection was cut off")
        except (Exception, BaseExceptionGroup) as error:
            logger.exception("the session with %s ended in an unforeseen way", session.endpoint)
            session.failure = unforeseen_error(session.endpoint, error)
        finally:
            session.connection = None
            self._forget(session)
            session.settled.set()

    async def _hold_first_fitting(self, session: _Session) -> LeagueError | None:
        endpoint = session.endpoint
        candidates = self._candidates(endpoint, session.wire)
        if not candidates:
            known = ", ".join(connector.name for connector in self._connectors)
            return InvalidEndpoint(f"no transport takes the endpoint {endpoint!r}; there are: {known}")
        refusals: list[str] = []
        for connector in candidates:
            try:
                return await self._hold(session, connector)
            except NotThisDialect as error:
                refusals.append(f"{connector.name}: {error}")
            except (PeerUnreachable, InvalidEndpoint) as error:
                self._spoken.pop(endpoint, None)
                return error
        self._spoken.pop(endpoint, None)
        return PeerUnreachable(f"{endpoint} speaks none of our dialects ({'; '.join(refusals)})")

    async def _hold(self, session: _Session, connector: Connector) -> LeagueError | None:
        timeout = self._settings.open_timeout
        with anyio.move_on_after(timeout) as opening:
            async with connector.connect(session.endpoint) as connection:
                opening.deadline = math.inf
                if session.closing.is_set():
                    return None
                self._spoken[session.endpoint] = connector
                session.wire = wire_of(connection)
                session.connection = connection
                session.settled.set()
                await session.closing.wait()
        if opening.cancelled_caught:
            message = f"{session.endpoint} did not complete the handshake within {timeout:g} s"
            return PeerUnreachable(message, silent=True)
        return None

    def _candidates(self, endpoint: str, wire: str) -> tuple[Connector, ...]:
        fitting = [
            connector
            for connector in self._connectors
            if connector.accepts(endpoint) and (not wire or (connector.name == JSONRPC) == (wire == JSONRPC))
        ]
        spoken = self._spoken.get(endpoint)
        return tuple(sorted(fitting, key=lambda connector: connector is not spoken))
