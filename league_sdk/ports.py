"""The ports at the edge of the core, which services call and adapters implement."""

from collections.abc import AsyncIterable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Protocol, TypeVar, runtime_checkable

from league_sdk.dialect import Dialect
from league_sdk.domain.events import Event, Record
from league_sdk.errors import InternalError, PeerUnreachable
from league_sdk.json_value import Json
from league_sdk.net.pool import Attribute, HungUp, attribute_nothing, never_hangs_up
from league_sdk.protocol.envelope import Message
from league_sdk.resource_provider import ResourceProvider

M = TypeVar("M", bound=Message)


ANSWER_WITHIN = "answer_within_sec"
"""Argument of a call to a hosted seat: the seconds after which the seats process says that its player is silent."""


OWN_PART = "own_part"
"""Key in the data of a seats process's error about itself, which no player can set."""
NO_PULSE = "no_pulse"
"""Key in the data of a seats process's error about a player that is gone, which no player can set."""


class ConcurrentAppend(Exception):
    """Another writer has appended to the league since the caller read it."""


class AlreadyRecorded(Exception):
    """The match has a recorded result already; nothing was appended."""


class StoreFailed(Exception):
    """The store cannot write (disk full, database gone); nothing was appended."""


class EventStore(Protocol):
    """Append-only storage, one sequence of records per league: the source of truth."""

    async def append(self, league_id: str, events: Sequence[Event], *, expected: int, at: str) -> list[Record]:
        """Append all of `events`, or none. They are durable on return.

        Args:
            league_id: The league.
            events: One or more events.
            expected: Sequence number of the last record the caller knows; 0 for a new league.
            at: The time to stamp them with, ISO 8601 in UTC with milliseconds and `Z`.

        Raises:
            ConcurrentAppend: The last record is another one.
            AlreadyRecorded: A MatchRecorded is for a match that has a result.
            StoreFailed: The medium refused.
        """
        ...

    async def read(self, league_id: str, *, after: int = 0, limit: int | None = None) -> list[Record]:
        """The records of a league after number `after`, in order, `limit` at most."""
        ...

    async def recorded(self, league_id: str, match_ids: Sequence[str]) -> list[Record]:
        """The `MatchRecorded` of each of these matches that has one, in order."""
        ...

    async def leagues(self) -> list[str]:
        """Ids of all leagues with records, the most recently written last."""
        ...

    async def close(self) -> None:
        """Release connections. The store is not used again."""
        ...


@runtime_checkable
class MovableStore(EventStore, Protocol):
    """An event store that leagues can be moved into and out of, one by one."""

    async def adopt(self, league_id: str, pages: AsyncIterable[Sequence[Record]]) -> None:
        """Store all of these records as they were sealed elsewhere, or none.

        An exception of `pages` passes through, and nothing is stored.

        Raises:
            ConcurrentAppend: The league has records here.
            StoreFailed: The medium refused.
        """
        ...

    async def delete(self, league_id: str) -> None:
        """Delete the records of a league, and of no other.

        Raises:
            StoreFailed: The medium refused; nothing was deleted.
        """
        ...


class Priority(IntEnum):
    """The order of queued calls; the smallest goes first."""

    MATCH = 0
    RESULT = 1
    CONTROL = 2
    BROADCAST = 3


@dataclass(frozen=True, slots=True)
class Peer:
    """An agent to call.

    Attributes:
        agent_id: `P01`, `REF01` or `league_manager`; for logs and metrics.
        endpoint: Its URL, such as `http://localhost:8101/mcp`.
        token: Our token for it, sent as `auth_token`; None if there is none.
        dialect: Its dialect, as far as known.
        hosted: Whether the endpoint is a seat of the league's own seats process, which answers for its player.
        connect_sec: Seconds to connect, where they are fewer than usual.
        epoch: The epoch of the manager that calls; None for number 0, and for other callers.
    """

    agent_id: str
    endpoint: str
    token: str | None = field(default=None, repr=False)
    dialect: Dialect = field(default_factory=Dialect)
    hosted: bool = False
    connect_sec: float | None = None
    epoch: Json = None


class PeerCalls(Protocol):
    """A service's calls to other agents, without transports, sessions or retries."""

    async def call(
        self,
        peer: Peer,
        message: Message,
        reply: type[M],
        *,
        timeout: float,
        priority: Priority = Priority.CONTROL,
        retry: bool = True,
    ) -> M:
        """Send `message` to the tool that takes its type, and return the peer's answer.

        Only the errors below are raised, besides the cancellation of the calling task.

        Args:
            peer: The recipient.
            message: The message; its token is filled in from `peer` if it has none.
            reply: The type that the answer must have.
            timeout: Seconds for one try, from the moment the request goes out.
            priority: Its place in the queue.
            retry: Retry timeouts and connection errors by the retry policy.

        Raises:
            ResponseTimeout: No answer within `timeout`.
            PeerUnreachable: No connection, or it broke; also while the peer's circuit is open.
            SeatsAway: The same of a hosted peer, or no answer: that of its seats process, even to say that the player
                is silent.
            MalformedReply: The answer is not a valid `reply`.
            Acknowledged: The same, but the answer acknowledges the request. (If `reply` is a mere acknowledgement, it
                is a valid one.)
            UnforeseenError: It failed on this side, in each of several tries, also with `retry=False`.
            LeagueError: The peer answered with that error of the protocol.
        """
        ...

    async def ping(self, peer: Peer, *, timeout: float) -> None:
        """Check that `peer` still answers.

        Raises:
            ResponseTimeout: It did not within `timeout` seconds.
            PeerUnreachable: There is no connection.
        """
        ...


@dataclass(frozen=True, slots=True)
class ToolDescriptor:
    """A tool as its server announces it.

    Attributes:
        name: The tool's name.
        title: For people.
        description: For people and models.
        input_schema: JSON Schema of the arguments.
        output_schema: JSON Schema of the result, or None.
        read_only: The call changes nothing.
        idempotent: A repeated call has no further effect.
        destructive: The call cannot be undone, and takes something away: hosts ask a person to confirm it.
        open_world: The call contacts addresses that the caller or an agent supplied.
    """

    name: str
    title: str
    description: str
    input_schema: Mapping[str, Json] = field(repr=False)
    output_schema: Mapping[str, Json] | None = field(default=None, repr=False)
    read_only: bool = False
    idempotent: bool = False
    destructive: bool = False
    open_world: bool = False


@dataclass(frozen=True, slots=True)
class CallContext:
    """A transport's knowledge of a caller.

    Attributes:
        bearer_token: From an `Authorization: Bearer` header, or None.
        address: The caller's network address, or an empty string.
        dialect: `mcp` or `jsonrpc`.
        path: The path of the request, or an empty string.
        attribute: Tells the transport who has called, once that is proved.
        hung_up: Returns once the caller's connection has ended; never where that is not known.
    """

    bearer_token: str | None = field(default=None, repr=False)
    address: str = ""
    dialect: str = "mcp"
    path: str = ""
    attribute: Attribute = field(default=attribute_nothing, repr=False, compare=False)
    hung_up: HungUp = field(default=never_hangs_up, repr=False, compare=False)


class ToolHost(Protocol):
    """An agent as transports serve it: a set of tools."""

    name: str
    version: str
    instructions: str

    @property
    def resources(self) -> ResourceProvider | None:
        """Its offers to MCP hosts beside the tools, or None."""
        ...

    def tools(self) -> Sequence[ToolDescriptor]:
        """Every tool and alias, in a fixed order."""
        ...

    async def call(self, tool: str, arguments: Mapping[str, Json], context: CallContext) -> dict[str, Json]:
        """Handle one call and return the reply message as JSON.

        Raises:
            CallRefused: With the JSON-RPC error to send. No other exception escapes.
        """
        ...


class CallRefused(Exception):
    """A tool call ended in a JSON-RPC error.

    Attributes:
        number: The JSON-RPC error code.
        message: Its message.
        data: Its data: a LEAGUE_ERROR message as JSON.
    """

    def __init__(self, number: int, message: str, data: Mapping[str, Json] | None = None) -> None:
        super().__init__(message)
        self.number = number
        self.message = message
        self.data = data


class OutOfFiles(PeerUnreachable):
    """This process or machine can open no connection at all; no fault of the peer."""


class SaysUnreachable(PeerUnreachable):
    """The peer itself answered with E009, so it is there."""


class SeatsAway(PeerUnreachable):
    """Failure of the seats process at a hosted seat; no fault of the seat's player.

    No player can cause one: whatever it answers, or that it does not, the seats process passes on as an answer.
    """


class UnforeseenError(InternalError):
    """A call failed for a reason that the caller does not know, by its own fault.

    No peer can cause one: an E099 that a peer answers is a plain `InternalError`.
    """

    @property
    def retryable(self) -> bool:
        """True: the next try may succeed, and only this side can make it."""
        return True


class NotThisDialect(Exception):
    """The peer answers, but not in this transport's dialect; another one may fit."""


class Connection(Protocol):
    """An open connection to one peer. Calls may overlap."""

    dialect: str
    """The dialect in use: `mcp/2026-07-28`, `mcp/2025-06-18`, `jsonrpc`, …"""

    async def list_tools(self) -> list[ToolDescriptor]:
        """The peer's tools; empty if the dialect cannot list them."""
        ...

    async def call(self, tool: str, arguments: Mapping[str, Json], *, timeout: float) -> Json:
        """Call one tool once; return the result as unchecked JSON.

        Raises:
            ResponseTimeout: No answer within `timeout` seconds.
            PeerUnreachable: No connection, or it broke.
            CallRefused: The peer answered with a JSON-RPC error.
            MalformedReply: The answer is not a reply in this dialect.
        """
        ...

    async def ping(self, *, timeout: float) -> None:
        """Check that the peer still answers.

        Raises:
            ResponseTimeout: It did not within `timeout` seconds.
            PeerUnreachable: There is no connection.
        """
        ...


class MalformedReply(Exception):
    """The peer's answer violates the protocol.

    Attributes:
        description: The violation.
        received: The answer, as JSON or text, shortened.
        context: Facts added by the caller, such as the duration.
    """

    def __init__(self, description: str, received: Json = None) -> None:
        super().__init__(description)
        self.description = description
        self.received = received
        self.context: dict[str, Json] = {}


class Acknowledged(MalformedReply):
    """The peer has only acknowledged the request; its answer may follow separately."""


class Connector(Protocol):
    """The calling half of a transport."""

    name: str

    def accepts(self, endpoint: str) -> bool:
        """True if this transport can reach such an endpoint, judged by its form alone."""
        ...

    def connect(self, endpoint: str) -> AbstractAsyncContextManager[Connection]:
        """Open a connection, held until the context ends.

        Raises:
            PeerUnreachable: There is no server.
            NotThisDialect: The server speaks another dialect.
        """
        ...


class Listener(Protocol):
    """The serving half of a transport, once it listens."""

    endpoint: str
    """The server's URL."""


class Journal(Protocol):
    """An agent's log of messages and events."""

    def sent(self, message_type: str, peer: str, details: Mapping[str, Json] | None = None) -> None:
        """Log a message to `peer`."""
        ...

    def received(self, message_type: str, peer: str, details: Mapping[str, Json] | None = None) -> None:
        """Log a message from `peer`."""
        ...

    def event(self, event_type: str, level: str = "INFO", **details: Json) -> None:
        """Log an event; `level` is DEBUG, INFO, WARNING or ERROR."""
        ...
