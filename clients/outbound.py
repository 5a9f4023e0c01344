"""The layers that every outgoing call passes, from the caller to the wire.

retry → measure → queue → reply → circuit → session → transport: each is told of a call and of the rest of the way.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Protocol, TypeVar, cast

import anyio

from clients.circuit import CircuitBreakers
from clients.derivations import Derivations
from clients.layers import Layer, Proceed, compose
from clients.message_queue import MessageQueue, Overloaded
from clients.meter import OK, CallMeter, NoMeter, outcome_of
from clients.refusals import refusal_error
from clients.retry import RetryPolicy
from clients.session_manager import SessionManager
from clients.tool_registry import ToolRegistry
from clients.unforeseen import unforeseen_as_error
from league_sdk.bounds import as_evidence, shorten
from league_sdk.clock import Clock, to_record_time
from league_sdk.errors import LeagueError, PeerUnreachable, ResponseTimeout
from league_sdk.game import MoveSpec
from league_sdk.json_value import Json
from league_sdk.ports import (
    NO_PULSE,
    OWN_PART,
    Acknowledged,
    CallRefused,
    Connection,
    Journal,
    MalformedReply,
    OutOfFiles,
    Peer,
    Priority,
    SaysUnreachable,
    SeatsAway,
    UnforeseenError,
)
from league_sdk.protocol.acknowledgements import acknowledgement, says_only_that_it_arrived
from league_sdk.protocol.envelope import Message
from league_sdk.protocol.replies import Answering, UnfitReply, read_reply

M = TypeVar("M", bound=Message)

METHOD_NOT_FOUND = -32601
RETRYABLE = frozenset({"E001", "E009", "E023"})
"""Codes that the retry policy retries: a timeout, a broken connection, a busy peer or queue."""


class CallerCodec(Protocol):
    """The part of the protocol's codec that a caller needs."""

    def parse(self, arguments: Mapping[str, Any], expect: type[M], *, spec: MoveSpec | None = None) -> M: ...

    def render(self, message: Message, *, spec: MoveSpec | None = None) -> dict[str, Any]: ...


@dataclass(frozen=True, slots=True)
class Route:
    """The tool for a message; raises ValueError without one."""

    tools: tuple[str, ...]  # the tool's name, then its aliases
    spec: MoveSpec | None = None  # for messages that depend on the game

    def __post_init__(self) -> None:
        if not self.tools:
            raise ValueError("a route needs at least one tool")


@dataclass(frozen=True, slots=True)
class Outbound:
    """The machinery that all calls of one agent share."""

    sessions: SessionManager  # entered, and left by its owner
    queue: MessageQueue
    retry: RetryPolicy
    breakers: CircuitBreakers  # one an endpoint
    registry: ToolRegistry
    meter: CallMeter = field(default_factory=NoMeter)
    derivations: Derivations | None = None  # None refuses messages with missing fields


@dataclass(slots=True)
class OutboundCall:
    """One call on its way, and the state of its present try."""

    peer: Peer
    message: Message
    request: dict[str, Json]  # the message as JSON
    reply: type[Message]
    route: Route
    timeout: float  # seconds from when the request goes out
    priority: Priority
    retry: bool  # False where the caller counts its tries
    watch: "Stopwatch" = field(init=False)
    connection: Connection | None = None  # once there is one
    names: Sequence[str] = ()  # of the tool at this peer, the best first


class OutboundLayers:
    """The layers of one client; `send` takes a call through all of them."""

    def __init__(
        self, outbound: Outbound, codec: CallerCodec, dialects: Mapping[str, CallerCodec], journal: Journal
    ) -> None:
        self._outbound = outbound
        self._codec = codec
        self._dialects = dialects
        self._journal = journal
        self.order: tuple[Layer[OutboundCall], ...] = (
            self.retry,
            self.measure,
            self.queue,
            self.read,
            self.circuit,
            self.session,
            self.transport,
        )
        self.send = compose(self.order)

    async def retry(self, proceed: Proceed[OutboundCall], call: OutboundCall) -> Any:
        """Try again after a passing failure; a backoff holds no turn of the queue."""
        meter, tool = self._outbound.meter, call.route.tools[0]

        def note(error: Exception, failed: int, wait: float) -> None:
            details = {"message_type": text_of(call.request, "message_type"), "peer": call.peer.agent_id}
            waited = {"failed_tries": failed, "wait_seconds": round(wait, 3)}
            self._journal.event("RETRY", "WARNING", **details, error=str(error), **waited)
            meter.tries_again(tool, outcome_of(error))

        worth_it = _worth_retrying if call.retry else _our_own_fault
        return await self._outbound.retry.run(lambda: proceed(call), retryable=worth_it, on_retry=note)

    async def measure(self, proceed: Proceed[OutboundCall], call: OutboundCall) -> Any:
        """Count and time a try, and tell our failures from the peer's."""
        meter, tool, peer = self._outbound.meter, call.route.tools[0], call.peer
        watch = call.watch = Stopwatch(self._outbound.retry.clock)
        try:
            with unforeseen_as_error(peer.agent_id, text_of(call.request, "message_type"), self._journal):
                answer = await proceed(call)
        except (LeagueError, MalformedReply) as error:
            spent = watch.spent()
            meter.tried(tool, peer.agent_id, outcome_of(error), spent["agent_sec"])
            if isinstance(error, OutOfFiles):
                raise Overloaded(f"no connection can be opened here: {error.message}", **spent) from error
            error.context |= spent
            # What came back is the player's own word, whatever error it calls itself.
            if peer.hosted and not watch.answered and _unanswered(error):
                raise SeatsAway(f"the seats process does not answer: {error}", **error.context) from error
            raise
        meter.tried(tool, peer.agent_id, OK, watch.agent_sec)
        return answer

    async def queue(self, proceed: Proceed[OutboundCall], call: OutboundCall) -> Any:
        """Wait for a turn, before the circuit: our own queue is no trial of a peer."""
        async with self._outbound.queue.turn(call.priority):
            return await proceed(call)

    async def read(self, proceed: Proceed[OutboundCall], call: OutboundCall) -> Any:
        """Read the answer, outside of the circuit: no word of a peer's opens it."""
        received = await proceed(call)
        call.watch.answered = True
        if says_only_that_it_arrived(received, call.request, call.reply):
            self._journal.received("ACKNOWLEDGED", call.peer.agent_id, {})
            answer = acknowledgement(call.message, call.reply, call.peer.agent_id)
            if answer is None:
                text = f"it says that the request arrived, and is no {call.reply.__name__}"
                raise Acknowledged(text, as_evidence(received))
            return answer
        if isinstance(received, dict):
            said = cast("dict[str, Json]", received)
            details = {"conversation_id": as_evidence(said.get("conversation_id")), **_place_of(call.request)}
            self._journal.received(text_of(said, "message_type"), call.peer.agent_id, details)
        try:
            return read_reply(
                received,
                call.request,
                call.reply,
                self._codec,
                dialects=self._dialects,
                spec=call.route.spec,
                answering=self._answering(call.peer.agent_id),
            )
        except UnfitReply as unfit:
            raise MalformedReply(str(unfit), unfit.received) from unfit
        except PeerUnreachable as error:
            raise SaysUnreachable(error.message, **error.context) from error

    def _answering(self, peer: str) -> Answering | None:
        derivations = self._outbound.derivations
        if derivations is None:
            return None
        arrived = to_record_time(self._outbound.retry.clock.now())
        return Answering(peer, arrived, partial(derivations.note, self._journal, peer))

    async def circuit(self, proceed: Proceed[OutboundCall], call: OutboundCall) -> Any:
        """Call no peer that failed too often, and open no connection to it."""
        # A match counts its own tries, and a result must arrive: an open circuit must not stop these.
        insist = call.priority <= Priority.RESULT
        with self._outbound.breakers.of(call.peer.endpoint).guard(insist=insist):
            return await proceed(call)

    async def session(self, proceed: Proceed[OutboundCall], call: OutboundCall) -> Any:
        """Find a connection and the tool's name there; read a refusal as its error."""
        peer, request = call.peer, call.request
        with anyio.move_on_after(peer.connect_sec) as connecting:
            try:
                async with self._outbound.sessions.lease(peer.endpoint, peer.dialect.certain_wire) as connection:
                    call.names = await self._outbound.registry.names(peer.agent_id, connection, call.route.tools)
                    connecting.deadline, call.connection = math.inf, connection
                    details = {"conversation_id": request.get("conversation_id"), **_place_of(request)}
                    details["tool"] = call.names[0]
                    self._journal.sent(text_of(request, "message_type"), peer.agent_id, details)
                    call.watch.connected()
                    return await proceed(call)
            except CallRefused as refused:
                said = {"code": refused.number, "message": shorten(refused.message)}
                self._journal.received("JSONRPC_ERROR", peer.agent_id, said)
                error = refusal_error(refused, request)
                if isinstance(error, PeerUnreachable) and not (peer.hosted and NO_PULSE in (refused.data or {})):
                    error = SaysUnreachable(error.message, **error.context)
                raise error from refused
        raise PeerUnreachable(f"no connection within {peer.connect_sec:g} s")

    async def transport(self, proceed: Proceed[OutboundCall], call: OutboundCall) -> Any:
        """Call the tool; if its name is a guess, try the next after "method not found"."""
        del proceed  # this is the last
        connection, registry, peer = cast("Connection", call.connection), self._outbound.registry, call.peer.agent_id
        for left, name in zip(range(len(call.names) - 1, -1, -1), call.names, strict=True):
            try:
                received = await self._call_with_known_fields(call, connection, name)
            except CallRefused as refused:
                if refused.number != METHOD_NOT_FOUND or not left:
                    raise
            else:
                registry.proved(peer, call.route.tools, name)
                return received
        raise RuntimeError(f"{peer} has no name for the tool {call.route.tools[0]}")

    async def _call_with_known_fields(self, call: OutboundCall, connection: Connection, name: str) -> Json:
        """Call the tool; once more within the time without fields that it refuses."""
        registry, clock, peer = self._outbound.registry, self._outbound.retry.clock, call.peer.agent_id
        began, taken = clock.monotonic(), registry.accepted(peer, name, call.request)
        try:
            return await connection.call(name, taken, timeout=call.timeout)
        except CallRefused as refused:
            left, spec = call.timeout - (clock.monotonic() - began), call.route.spec or MoveSpec()
            learnt = registry.learn(peer, name, refused, taken, spec.choice_field)
            if left <= 0 or not learnt:
                raise
            self._journal.event("FIELDS_LEFT_OUT", "WARNING", peer=peer, tool=name, fields=[*learnt])
        return await connection.call(name, registry.accepted(peer, name, call.request), timeout=left)


class Stopwatch:
    """Separates the peer's time to answer from the time before the request went out."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._began = clock.monotonic()
        self._connected: float | None = None
        self.answered = False  # True once a result has come back

    def connected(self) -> None:
        self._connected = self._clock.monotonic()

    @property
    def agent_sec(self) -> float:
        """Seconds since the request went out; 0 before."""
        return 0.0 if self._connected is None else self._clock.monotonic() - self._connected

    def spent(self) -> dict[str, Json]:
        """Seconds of transport (queue, connection, handshake), and seconds of the agent."""
        agent, total = self.agent_sec, self._clock.monotonic() - self._began
        return {"transport_sec": round(total - agent, 3), "agent_sec": round(agent, 3)}


def _place_of(request: Mapping[str, Json]) -> dict[str, Json]:
    """Match and round of a call: one search of the logs finds a whole match."""
    return {name: request[name] for name in ("match_id", "round_id") if request.get(name) is not None}


def text_of(message: Mapping[str, Json], key: str) -> str:
    """A field of a message for the log."""
    value = message.get(key)
    return shorten(value, 100) if isinstance(value, str) else "?"


def _unanswered(error: Exception) -> bool:
    """True for a failure of transport or seats process; a player may answer alike."""
    if isinstance(error.__cause__, CallRefused):
        return OWN_PART in (error.__cause__.data or {})
    return isinstance(error, PeerUnreachable | ResponseTimeout)


def _worth_retrying(error: Exception) -> bool:
    return _our_own_fault(error) or (isinstance(error, LeagueError) and error.code in RETRYABLE)


def _our_own_fault(error: Exception) -> bool:
    return isinstance(error, UnforeseenError)
