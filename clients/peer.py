"""The client for calls to other agents, which every outgoing message passes.

queue turn → circuit breaker → session → tool name → one try with its timeout → reply checked → or tried again.
"""

import logging
import math
import re
from collections import deque
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar, cast

import anyio

from clients.circuit import CircuitBreakers
from clients.message_queue import MessageQueue, Overloaded
from clients.meter import OK, CallMeter, NoMeter, outcome_of
from clients.retry import RetryPolicy
from clients.session_manager import SessionManager
from clients.tool_registry import ToolRegistry
from clients.unforeseen import unforeseen_as_error
from league_sdk import tracing
from league_sdk.bounds import as_evidence, shorten
from league_sdk.clock import Clock
from league_sdk.errors import (
    INVALID_PARAMS,
    SPECS,
    InternalError,
    InvalidField,
    LeagueError,
    PeerUnreachable,
    ResponseTimeout,
    error_for,
)
from league_sdk.game import MoveSpec
from league_sdk.json_value import Json
from league_sdk.ports import (
    ANSWER_WITHIN,
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
from league_sdk.protocol.replies import UnfitReply, read_reply, told_context, told_description

M = TypeVar("M", bound=Message)

logger = logging.getLogger(__name__)

HOSTED_GRACE_SEC = 5.0
"""Seconds beyond a hosted player's time in which its seats process has to say that the player is silent."""
METHOD_NOT_FOUND = -32601
_UNKNOWN_FIELDS = re.compile(
    r"unexpected keyword argument|extra (inputs|fields) (are )?not permitted|additional ?properties", re.IGNORECASE
)
"""Refusals of unknown arguments by pydantic, FastMCP and validators of JSON Schema."""

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


class PeerClient:
    """Implements PeerCalls.

    Args:
        outbound: Sessions, queue, retry policy, breakers and registry.
        codec: Converts messages to and from JSON.
        route: Finds the tool for a message.
        journal: Log of messages sent and received.
        dialects: Codecs of other protocols, by name, for peers that speak or answer in them.
    """

    def __init__(
        self,
        outbound: Outbound,
        codec: CallerCodec,
        route: Callable[[Message], Route],
        journal: Journal,
        dialects: Mapping[str, CallerCodec] | None = None,
    ) -> None:
        self._outbound = outbound
        self._codec = codec
        self._dialects = dialects or {}
        self._route = route
        self._journal = journal
        # Broadcasts overlap little: standings and the end of a round, then the beginning of the next one.
        self._said: deque[tuple[Message, CallerCodec, dict[str, Any]]] = deque(maxlen=4)

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
        """Send `message` and return the answer; see `PeerCalls.call`.

        The time of a try starts when the request goes out; waiting for a turn and opening the connection have limits of
        their own. `retry=False` means one try: the caller counts its tries itself. Only an unforeseen failure on this
        side is retried even then, since it is no try of the peer's.
        """
        kind = str(getattr(message, "message_type", "?"))
        with self._logged(peer, kind), unforeseen_as_error(peer.agent_id):
            route = self._route(message)
            codec = self._dialects.get(peer.dialect.protocol, self._codec)
            request: dict[str, Any] = self._written(
                codec, message, peer.token, route, once=priority is not Priority.BROADCAST
            )
            if peer.hosted:
                request, timeout = {**request, ANSWER_WITHIN: timeout}, timeout + HOSTED_GRACE_SEC
        meter, tool = self._outbound.meter, route.tools[0]

        async def one_try() -> M:
            watch = _Stopwatch(self._outbound.retry.clock)
            try:
                with self._logged(peer, kind), unforeseen_as_error(peer.agent_id):
                    answer = await timed_try(watch)
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

        async def timed_try(watch: _Stopwatch) -> M:
            async with self._outbound.queue.turn(priority):
                # A match counts its own tries, and a result must arrive: an open circuit must not stop these.
                insist = priority <= Priority.RESULT
                with self._outbound.breakers.of(peer.endpoint).guard(insist=insist):
                    received = await self._exchange(peer, route, request, timeout, watch)
                    watch.answered = True
                if says_only_that_it_arrived(received, request, reply):
                    return self._acknowledged(peer, message, received, reply)
                return self._read(peer, route, request, received, reply)

        def note(error: Exception, failed: int, wait: float) -> None:
            details = {"message_type": _text(request, "message_type"), "peer": peer.agent_id, "error": str(error)}
            self._journal.event("RETRY", "WARNING", **details, failed_tries=failed, wait_seconds=round(wait, 3))
            meter.tries_again(tool, outcome_of(error))

        with tracing.span(
            f"call {tool}", peer=peer.agent_id, **{name: request.get(name) for name in ("conversation_id", "match_id")}
        ):
            worth_it = _worth_retrying if retry else _our_own_fault
            return await self._outbound.retry.run(one_try, retryable=worth_it, on_retry=note)

    @contextmanager
    def _logged(self, peer: Peer, what: str) -> Generator[None]:
        """Log unforeseen errors in full: the caller gets no details."""
        try:
            yield
        except UnforeseenError as error:
            logger.exception("%s to %s failed in an unforeseen way", what, peer.agent_id)
            cause = repr(error.__cause__ or error)
            self._journal.event(
                "CALL_BROKE",
                "ERROR",
                error_code=error.code,
                message_type=what,
                peer=peer.agent_id,
                error=shorten(cause),
            )
            raise

    def _written(
        self, codec: CallerCodec, message: Message, token: str | None, route: Route, *, once: bool
    ) -> dict[str, Any]:
        """A message as JSON; a broadcast is rendered once, with each peer's own token."""
        if once or token is None or getattr(message, "auth_token", None) is not None:
            return codec.render(_with_token(message, token), spec=route.spec)
        for known, by, written in self._said:
            if known is message and by is codec:
                return {**written, "auth_token": token}
        written = codec.render(_with_token(message, token), spec=route.spec)
        if written.get("auth_token") == token:
            self._said.append((message, codec, written))
        return written

    async def ping(self, peer: Peer, *, timeout: float) -> None:
        """Check that `peer` still answers; see `PeerCalls.ping`.

        It bypasses queue and circuit breaker: it is the fresh look that shows that a peer is back.
        """
        try:
            with anyio.fail_after(timeout), self._logged(peer, "PING"), unforeseen_as_error(peer.agent_id):
                async with self._outbound.sessions.lease(peer.endpoint, peer.dialect.certain_wire) as connection:
                    await connection.ping(timeout=timeout)
        except (CallRefused, MalformedReply):
            return  # an error is an answer too
        except TimeoutError as error:
            raise ResponseTimeout(f"{peer.agent_id} did not answer a ping within {timeout:g} s") from error

    async def _exchange(
        self, peer: Peer, route: Route, request: dict[str, Json], timeout: float, watch: "_Stopwatch"
    ) -> Json:
        with anyio.move_on_after(peer.connect_sec) as connecting:
            try:
                async with self._outbound.sessions.lease(peer.endpoint, peer.dialect.certain_wire) as connection:
                    names = await self._outbound.registry.names(peer.agent_id, connection, route.tools)
                    connecting.deadline = math.inf
                    details = {"conversation_id": request.get("conversation_id"), "tool": names[0]}
                    self._journal.sent(_text(request, "message_type"), peer.agent_id, details)
                    watch.connected()
                    return await self._call_first_known(peer, route, connection, names, request, timeout)
            except CallRefused as refused:
                said = {"code": refused.number, "message": shorten(refused.message)}
                self._journal.received("JSONRPC_ERROR", peer.agent_id, said)
                error = refused_fields(refused, request) or _league_error(refused)
                if isinstance(error, PeerUnreachable) and not (peer.hosted and NO_PULSE in (refused.data or {})):
                    error = SaysUnreachable(error.message, **error.context)
                raise error from refused
        raise PeerUnreachable(f"no connection within {peer.connect_sec:g} s")

    async def _call_first_known(
        self,
        peer: Peer,
        route: Route,
        connection: Connection,
        names: Sequence[str],
        request: dict[str, Json],
        timeout: float,
    ) -> Json:
        """Call the tool; if its name is a guess, try the next after "method not found"."""
        name, *others = names
        try:
            taken = self._outbound.registry.accepted(peer.agent_id, name, request)
            received = await connection.call(name, taken, timeout=timeout)
        except CallRefused as refused:
            if refused.number != METHOD_NOT_FOUND or not others:
                raise
            return await self._call_first_known(peer, route, connection, others, request, timeout)
        self._outbound.registry.proved(peer.agent_id, route.tools, name)
        return received

    def _acknowledged(self, peer: Peer, message: Message, received: Json, expect: type[M]) -> M:
        """The reply for a bare acknowledgement, if no more was expected."""
        self._journal.received("ACKNOWLEDGED", peer.agent_id, {})
        answer = acknowledgement(message, expect, peer.agent_id)
        if answer is None:
            text = f"it says that the request arrived, and is no {expect.__name__}"
            raise Acknowledged(text, as_evidence(received))
        return answer

    def _read(self, peer: Peer, route: Route, request: dict[str, Json], received: Json, expect: type[M]) -> M:
        if isinstance(received, dict):
            answer = cast("dict[str, Json]", received)
            details = {"conversation_id": as_evidence(answer.get("conversation_id"))}
            self._journal.received(_text(answer, "message_type"), peer.agent_id, details)
        try:
            return read_reply(received, request, expect, self._codec, dialects=self._dialects, spec=route.spec)
        except UnfitReply as unfit:
            raise MalformedReply(str(unfit), unfit.received) from unfit
        except PeerUnreachable as error:
            raise SaysUnreachable(error.message, **error.context) from error


class _Stopwatch:
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
        now = self._clock.monotonic()
        if self._connected is None:
            return {"transport_sec": round(now - self._began, 3), "agent_sec": 0.0}
        return {
            "transport_sec": round(self._connected - self._began, 3),
            "agent_sec": round(now - self._connected, 3),
        }


def _with_token(message: Message, token: str | None) -> Message:
    if token is None or getattr(message, "auth_token", token) is not None:
        return message
    return message.model_copy(update={"auth_token": token})


def _unanswered(error: Exception) -> bool:
    """True for a failure of transport or seats process; a player may answer alike."""
    if isinstance(error.__cause__, CallRefused):
        return OWN_PART in (error.__cause__.data or {})
    return isinstance(error, PeerUnreachable | ResponseTimeout)


def _worth_retrying(error: Exception) -> bool:
    return _our_own_fault(error) or (isinstance(error, LeagueError) and error.code in RETRYABLE)


def _our_own_fault(error: Exception) -> bool:
    return isinstance(error, UnforeseenError)


def refused_fields(refused: CallRefused, request: Mapping[str, Json]) -> LeagueError | None:
    """The error of a peer whose framework refuses unknown arguments; else None."""
    if "error_code" in (refused.data or {}) or not _UNKNOWN_FIELDS.search(refused.message):
        return None
    named = [name for name in request if re.search(rf"\b{re.escape(name)}\b", refused.message)]
    return InvalidField(f"refuses fields it does not know: {', '.join(named) or shorten(refused.message)}")


def _league_error(refused: CallRefused) -> LeagueError:
    """The protocol's error for a JSON-RPC error, by its E-code or its number."""
    data, message = refused.data or {}, shorten(refused.message)
    code = data.get("error_code")
    if isinstance(code, str) and code in SPECS:
        said = told_description(data)
        # A description that is no more than the error's name says less than the sentence beside it.
        text = message if said is None or (message and said == SPECS[code].name) else said
        return error_for(code, text, told_context(data))
    if refused.number == INVALID_PARAMS:
        return InvalidField(message)
    for spec in SPECS.values():
        if refused.number > 0 and refused.number in (spec.number, *spec.numbers.values()):
            return spec.error(message)
    return InternalError(message, number=refused.number)


def _text(message: Mapping[str, Json], key: str) -> str:
    value = message.get(key)
    return shorten(value, 100) if isinstance(value, str) else "?"
