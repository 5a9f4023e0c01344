"""The layers that every incoming call passes, from the wire to the service.

account → ready → dialect → codec → identity → limits → record → queue → dispatch: each is told of a call and of the
rest of the way. That the same call again changes nothing is the service's part, since only it knows its state.
"""

import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

from clients.layers import Layer, Proceed, compose
from clients.meter import OK
from league_sdk import tracing
from league_sdk.bounds import shorten
from league_sdk.clock import Clock, Ids, to_wire_time
from league_sdk.errors import InternalError, LeagueError, RateLimited
from league_sdk.game import MoveSpec
from league_sdk.json_value import Json
from league_sdk.ports import CallContext, CallRefused, Journal
from league_sdk.protocol.calls import CallSpec
from league_sdk.protocol.codec import Codec, DialectCodec
from league_sdk.protocol.derived_fields import Completed
from league_sdk.protocol.envelope import Message
from league_sdk.protocol.epochs import FIELD
from league_sdk.protocol.match import MoveCall
from league_sdk.protocol.queries import LeagueErrorMessage
from servers.agent.access import Access, Caller
from servers.agent.derived_calls import DerivedCalls
from servers.agent.inbound_queue import InboundQueue
from servers.agent.rate_limit import Throttle
from servers.agent.refused_calls import RefusedCalls
from servers.observability.metrics import OPERATOR, STRANGER, AgentMetrics

logger = logging.getLogger(__name__)

NOBODY = Caller(proved=False)
"""The caller, until it is known."""
IDENTIFIERS = ("conversation_id", "league_id", "match_id", "message_type")
SUMMARY_FIELDS = (
    "conversation_id",
    "match_id",
    "round_id",
    "status",
    "accept",
    "error_code",
    "query_type",
    "player_id",
    "referee_id",
)

Handler: TypeAlias = Callable[[Any, Caller], Awaitable[Message]]
"""A service's method for one kind of message: the message and its caller in, the reply out."""

Identify: TypeAlias = Callable[[Access, Message, str | None, CallContext], Caller]
"""Establishes who calls, from the message, the token shown and what the transport knows; raises when refused."""


@dataclass(frozen=True, slots=True)
class Tool:
    """A row of an agent's tool table."""

    call: CallSpec  # the tool, its aliases and its messages, from the protocol's catalogue
    handler: Handler
    access: Access  # what a caller has to show
    spec: MoveSpec | None = None  # for a move, how the game spells it

    @property
    def message_type(self) -> str:
        """The message that it takes, as the game spells it."""
        if self.spec is not None and self.call.request is MoveCall:
            return self.spec.call_type
        return self.call.request.model_fields["message_type"].default


@dataclass(frozen=True, slots=True)
class Inbound:
    """The machinery that all calls to one agent share."""

    codec: Codec
    queue: InboundQueue
    journal: Journal
    clock: Clock
    ids: Ids
    refused_calls: RefusedCalls
    identify: Identify
    sender: Callable[[], str]  # how it signs
    ready: Callable[[], Awaitable[object]] | None = None  # returns once it can be called
    throttle: Throttle | None = None
    dialects: Mapping[str, DialectCodec] = field(default_factory=dict[str, DialectCodec])
    metrics: AgentMetrics | None = None
    derived: DerivedCalls | None = None  # None refuses calls with missing fields
    check_epoch: Callable[[Caller, Json], None] | None = None  # refuses a manager of another epoch
    epoch: Callable[[], Json] | None = None  # the own one, of a manager


@dataclass(slots=True)
class InboundCall:
    """One call on its way, and what is known of it so far."""

    tool: Tool
    arguments: Mapping[str, Json]
    context: CallContext
    codec: DialectCodec  # of the caller's dialect, once it is known
    completed: Completed | None = None  # the arguments with derived fields
    message: Any = None
    caller: Caller = NOBODY
    outcome: str = ""  # for the metrics; empty for an aborted call, which doesn't count

    @property
    def counted_as(self) -> str:
        """The caller, in the metrics."""
        if self.caller.operator:
            return OPERATOR
        return (self.caller.agent_id or str(self.caller.role or STRANGER)) if self.caller.proved else STRANGER

    @property
    def peer(self) -> str:
        """The caller, in the log."""
        return self.caller.agent_id or getattr(self.message, "sender", None) or "operator"


class InboundLayers:
    """The layers of one agent; `receive` takes a call through all of them."""

    def __init__(self, inbound: Inbound) -> None:
        self._inbound = inbound
        self.order: tuple[Layer[InboundCall], ...] = (
            self.account,
            self.ready,
            self.dialect,
            self.codec,
            self.identity,
            self.limits,
            self.record,
            self.queue,
            self.dispatch,
        )
        self.receive = compose(self.order)

    async def account(self, proceed: Proceed[InboundCall], call: InboundCall) -> dict[str, Json]:
        """Write down how it ended, and let out nothing but a refusal."""
        inbound, tool = self._inbound, call.tool.call.tool
        began = inbound.clock.monotonic()
        try:
            reply = await proceed(call)
            self._note_rejection(call, reply)
            inbound.journal.sent(str(reply.get("message_type", tool)), call.peer, _summary(reply))
            return reply
        except LeagueError as error:
            call.outcome = error.code
            raise self._refusal(error, call) from error
        except Exception as error:
            # The boundary of the agent: whatever went wrong inside stays in our log, in full.
            logger.exception("%s: %s failed", inbound.sender(), tool)
            call.outcome = InternalError.code
            raise self._refusal(InternalError(), call) from error
        finally:
            if inbound.metrics is not None and call.outcome:
                inbound.metrics.received(tool, call.counted_as, call.outcome, inbound.clock.monotonic() - began)

    async def ready(self, proceed: Proceed[InboundCall], call: InboundCall) -> Any:
        """Wait until the agent knows who may call it."""
        if self._inbound.ready is not None:
            await self._inbound.ready()
        return await proceed(call)

    async def dialect(self, proceed: Proceed[InboundCall], call: InboundCall) -> Any:
        """Derive what the call left out, and speak the caller's protocol."""
        if self._inbound.derived is not None:
            shown = call.arguments.get("auth_token")
            token = shown if isinstance(shown, str) and shown else call.context.bearer_token
            tool = call.tool
            call.completed = self._inbound.derived.complete(tool.call, tool.spec, tool.access, call.arguments, token)
            call.arguments = call.completed.message
        said = call.arguments.get("protocol")
        if isinstance(said, str):
            call.codec = self._inbound.dialects.get(said, call.codec)
        return await proceed(call)

    async def codec(self, proceed: Proceed[InboundCall], call: InboundCall) -> dict[str, Json]:
        """Read the message, and write the reply."""
        try:
            call.message = call.codec.parse(call.arguments, call.tool.call.request, spec=call.tool.spec)
        except LeagueError as error:
            self._count_stranger(call, error)
            raise
        reply = call.codec.render(await proceed(call), spec=call.tool.spec)
        own = self._inbound.epoch() if self._inbound.epoch is not None else None
        return reply if own is None else {**reply, FIELD: own}

    async def identity(self, proceed: Proceed[InboundCall], call: InboundCall) -> Any:
        """Establish who calls, before anything is counted for an agent's name."""
        token = getattr(call.message, "auth_token", None) or call.context.bearer_token
        try:
            caller = self._inbound.identify(call.tool.access, call.message, token, call.context)
            if self._inbound.check_epoch is not None:
                self._inbound.check_epoch(caller, call.arguments.get(FIELD))
        except LeagueError as error:
            self._count_stranger(call, error)
            raise
        said = call.arguments.get("protocol")
        call.caller = replace(caller, protocol=said) if said in self._inbound.dialects else caller
        return await proceed(call)

    async def limits(self, proceed: Proceed[InboundCall], call: InboundCall) -> Any:
        """Count connection and call for the caller, before it may wait for a turn."""
        caller = call.caller
        call.context.attribute(caller.identity if caller.operator or caller.proved else "", kept=caller.keeps_going)
        if self._inbound.throttle is not None:
            self._inbound.throttle.caller(caller)
        return await proceed(call)

    async def record(self, proceed: Proceed[InboundCall], call: InboundCall) -> Any:
        """Log what came, unless it was refused: callers could fill a log with it."""
        if tracing.is_on():
            tracing.annotate(agent=self._inbound.sender(), peer=call.counted_as, **_identifiers(call.arguments))
        if self._inbound.derived is not None and call.completed is not None:
            self._inbound.derived.note(call.message, call.completed, call.peer)
        kind = str(call.arguments.get("message_type") or call.tool.call.tool)
        self._inbound.journal.received(kind, call.peer, _summary(call.arguments))
        return await proceed(call)

    async def queue(self, proceed: Proceed[InboundCall], call: InboundCall) -> Any:
        """Wait for a turn of the caller's share."""
        async with self._inbound.queue.turn(call.caller):
            return await proceed(call)

    async def dispatch(self, proceed: Proceed[InboundCall], call: InboundCall) -> Message:
        """Let the service answer."""
        del proceed  # this is the last
        return await call.tool.handler(call.message, call.caller)

    def _count_stranger(self, call: InboundCall, error: LeagueError) -> None:
        """Count a call that is refused before its caller is established."""
        if self._inbound.throttle is not None:
            self._inbound.throttle.stranger(call.context.address)
        text = f"{call.tool.call.tool}: {error.message} ({error.code})"
        self._inbound.refused_calls.refused(error.code, call.context.address, text, logged=True)

    def _note_rejection(self, call: InboundCall, reply: Mapping[str, Json]) -> None:
        call.outcome = str(reply.get("error_code", OK)) if reply.get("status") == "REJECTED" else OK
        if call.outcome != OK:
            kind = call.arguments.get("message_type") or call.tool.call.tool
            text = f"{kind} of {call.peer} is rejected: {reply.get('reason')} ({call.outcome})"
            self._inbound.refused_calls.refused(call.outcome, call.context.address, text)

    def _refusal(self, error: LeagueError, call: InboundCall) -> CallRefused:
        inbound, tool = self._inbound, call.tool
        conversation = call.arguments.get("conversation_id")
        invalid_move = error.code == "E004" and tool.spec is not None
        message = LeagueErrorMessage(
            sender=inbound.sender(),
            timestamp=to_wire_time(inbound.clock.now()),
            conversation_id=shorten(conversation) if isinstance(conversation, str) else inbound.ids.conversation(),
            error_code=error.code,
            error_description=tool.spec.invalid_move_name if invalid_move and tool.spec else error.spec.name,
            context={"action": tool.message_type, **error.context},
        )
        data = call.codec.render(message)
        # Whoever calls too often does not fill the log as well.
        level = "DEBUG" if isinstance(error, RateLimited) else "WARNING"
        inbound.journal.event("CALL_REFUSED", level, tool=tool.call.tool, code=error.code, message=error.message)
        number = error.spec.number_for(tool.call.kind) if error.number is None else error.number
        return CallRefused(number, error.message, data)


def _identifiers(message: Mapping[str, Json]) -> dict[str, str]:
    return {name: shorten(said, 100) for name in IDENTIFIERS if isinstance(said := message.get(name), str)}


def _summary(message: Mapping[str, Json]) -> dict[str, Json]:
    """The few fields of a message that a log line carries."""
    return {field: message[field] for field in SUMMARY_FIELDS if message.get(field) is not None}
