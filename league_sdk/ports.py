"""The ports at the edge of the core: what services call, and what stores and transports implement."""

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any, Protocol, TypeAlias, TypeVar

from league_sdk.dialect import Dialect
from league_sdk.domain.events import Event, Record
from league_sdk.errors import InternalError, PeerUnreachable
from league_sdk.library import Library
from league_sdk.protocol.envelope import Message

Json: TypeAlias = Any
"""A JSON value."""

M = TypeVar("M", bound=Message)


class ConcurrentAppend(Exception):
    """Somebody else appended to the league since the caller read it."""


class AlreadyRecorded(Exception):
    """The match has a recorded result already; nothing was appended."""


class StoreFailed(Exception):
    """The store cannot write (disk full, database gone); nothing was appended."""


class EventStore(Protocol):
    """The append-only truth, one sequence of records a league."""

    async def append(self, league_id: str, events: Sequence[Event], *, expected: int, at: str) -> list[Record]:
        """Append all of `events`, or none. They are durable when this returns.

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

    async def read(self, league_id: str, *, after: int = 0) -> list[Record]:
        """The records of a league with a sequence number above `after`, in order; empty when there are none."""
        ...

    async def leagues(self) -> list[str]:
        """Ids of all leagues with records, the most recently written last."""
        ...

    async def close(self) -> None:
        """Release connections. The store is not used again."""
        ...


class Priority(IntEnum):
    """The order in which queued calls go out; the smallest first."""

    MATCH = 0
    RESULT = 1
    CONTROL = 2
    BROADCAST = 3


@dataclass(frozen=True, slots=True)
class Peer:
    """Somebody to call.

    Attributes:
        agent_id: `P01`, `REF01` or `league_manager`; for logs and metrics.
        endpoint: Where, such as `http://localhost:8101/mcp`.
        token: What to show it in `auth_token`; None when there is nothing to show.
        dialect: How to speak to it, as far as that is known.
    """

    agent_id: str
    endpoint: str
    token: str | None = field(default=None, repr=False)
    dialect: Dialect = field(default_factory=Dialect)


class PeerCalls(Protocol):
    """How a service calls other agents. It sees no transport, session or retry."""

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

        Args:
            peer: Whom.
            message: What; its token is filled in from `peer` when it has none.
            reply: The type that the answer must have.
            timeout: Seconds for one try, from the moment the request goes out.
            priority: Its place in the queue.
            retry: Whether timeouts and connection errors are tried again by the retry policy.

        Raises:
            ResponseTimeout: No answer within `timeout`.
            PeerUnreachable: No connection, or it broke; also while the peer's circuit is open.
            MalformedReply: The answer is not a valid `reply`.
            Acknowledged: The same, but it says that the request arrived. (Where `reply` says no more than that, it is
                a valid one.)
            UnforeseenError: It failed on this side, and each of some tries did, also with `retry=False`.
            LeagueError: The peer answered with that error of the protocol.

        Nothing else is raised but the cancellation of the task that calls.
        """
        ...

    async def ping(self, peer: Peer, *, timeout: float) -> None:
        """Make sure that `peer` still answers.

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
        read_only: Calling it changes nothing.
        idempotent: Calling it twice is the same as once.
        destructive: Calling it cannot be undone, and takes something away: hosts let a person confirm it.
        open_world: Calling it reaches others, at addresses that the caller or an agent gave.
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
    """What the transport knows about a caller.

    Attributes:
        bearer_token: From an `Authorization: Bearer` header, or None.
        address: The caller's network address, or an empty string.
        dialect: `mcp` or `jsonrpc`.
    """

    bearer_token: str | None = field(default=None, repr=False)
    address: str = ""
    dialect: str = "mcp"


class ToolHost(Protocol):
    """What a transport serves: an agent, seen as a set of tools."""

    name: str
    version: str
    instructions: str

    @property
    def library(self) -> Library | None:
        """What it offers to MCP hosts beside its tools, or None."""
        ...

    def tools(self) -> Sequence[ToolDescriptor]:
        """Every tool and alias, in a fixed order."""
        ...

    async def call(self, tool: str, arguments: Mapping[str, Json], context: CallContext) -> dict[str, Json]:
        """Handle one call and return the reply message as JSON.

        Raises:
            CallRefused: With the JSON-RPC error to send. Nothing else escapes.
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
    """This process or its machine can open no connection at all: no fault of whoever was to be called."""


class UnforeseenError(InternalError):
    """A call failed in a way that the caller does not know: its own fault, until the contrary is shown.

    No peer can make one: an E099 that a peer answers is an `InternalError`, and no more than that.
    """

    @property
    def retryable(self) -> bool:
        """True: the next try may go well, and nobody but us can make it."""
        return True


class NotThisDialect(Exception):
    """The peer answers, but it does not speak what this transport speaks; another one may do."""


class Connection(Protocol):
    """An open connection to one peer. Calls may overlap."""

    dialect: str
    """What is spoken: `mcp/2026-07-28`, `mcp/2025-06-18`, `jsonrpc`, …"""

    async def list_tools(self) -> list[ToolDescriptor]:
        """The peer's tools; empty when the dialect has no way to ask."""
        ...

    async def call(self, tool: str, arguments: Mapping[str, Json], *, timeout: float) -> Json:
        """Call one tool once; the result as JSON, not yet looked at.

        Raises:
            ResponseTimeout: No answer within `timeout` seconds.
            PeerUnreachable: No connection, or it broke.
            CallRefused: The peer answered with a JSON-RPC error.
            MalformedReply: What came back is not a reply in this dialect.
        """
        ...

    async def ping(self, *, timeout: float) -> None:
        """Make sure that the peer still answers.

        Raises:
            ResponseTimeout: It did not within `timeout` seconds.
            PeerUnreachable: There is no connection.
        """
        ...


class MalformedReply(Exception):
    """The peer's answer is not what the protocol says.

    Attributes:
        description: What is wrong with it.
        received: What came back, as JSON or text, shortened.
        context: What the caller adds: how long it took.
    """

    def __init__(self, description: str, received: Json = None) -> None:
        super().__init__(description)
        self.description = description
        self.received = received
        self.context: dict[str, Json] = {}


class Acknowledged(MalformedReply):
    """The peer has no more to say yet than that the request arrived; its answer may follow as a call of its own."""


class Connector(Protocol):
    """The calling half of a transport."""

    name: str

    def accepts(self, endpoint: str) -> bool:
        """Whether this transport can reach such an endpoint, judged by its form alone."""
        ...

    def connect(self, endpoint: str) -> AbstractAsyncContextManager[Connection]:
        """Open a connection, held until the context ends.

        Raises:
            PeerUnreachable: Nobody is there.
            NotThisDialect: Somebody is, but speaks something else.
        """
        ...


class Listener(Protocol):
    """The serving half of a transport, once it listens."""

    endpoint: str
    """Where it can be called."""


class Journal(Protocol):
    """Where an agent writes down what it said, heard and did."""

    def sent(self, message_type: str, peer: str, details: Mapping[str, Json] | None = None) -> None:
        """A message went out to `peer`."""
        ...

    def received(self, message_type: str, peer: str, details: Mapping[str, Json] | None = None) -> None:
        """A message came in from `peer`."""
        ...

    def event(self, event_type: str, level: str = "INFO", **details: Json) -> None:
        """Something happened; `level` is DEBUG, INFO, WARNING or ERROR."""
        ...


EventStream: TypeAlias = AsyncIterator[Record]
"""Records as they are appended."""
