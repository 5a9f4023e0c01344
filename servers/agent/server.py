"""An agent: an MCP server with a table of tools and one dispatcher."""

import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from clients.meter import OK
from league_sdk import tracing
from league_sdk.bounds import shorten
from league_sdk.clock import Clock, Ids, to_wire_time
from league_sdk.errors import INVALID_PARAMS, InternalError, LeagueError, RateLimited
from league_sdk.game import MoveSpec
from league_sdk.json_value import Json
from league_sdk.ports import CallContext, CallRefused, Journal, ToolDescriptor
from league_sdk.protocol.calls import CallSpec
from league_sdk.protocol.codec import Codec, DialectCodec
from league_sdk.protocol.envelope import Message
from league_sdk.protocol.match import MoveCall
from league_sdk.protocol.queries import LeagueErrorMessage
from league_sdk.resource_provider import ResourceProvider
from servers.agent.access import Access, Caller
from servers.agent.inbound_queue import InboundQueue
from servers.agent.rate_limit import Throttle
from servers.agent.refused_calls import RefusedCalls
from servers.observability.metrics import OPERATOR, STRANGER, AgentMetrics

logger = logging.getLogger(__name__)

Handler = Callable[[Any, Caller], Awaitable[Message]]
"""A service's method for one kind of message: the message and its caller in, the reply out."""

Identify = Callable[[Access, Message, str | None, CallContext], Caller]
"""Establishes who calls, from the message, the token shown and what the transport knows; raises when refused."""


@dataclass(frozen=True, slots=True)
class Tool:
    """A row of an agent's tool table."""

    call: CallSpec  # the tool, its aliases and its messages, from the protocol's catalogue
    handler: Handler
    access: Access  # what a caller has to show
    spec: MoveSpec | None = None  # for a move, how the game spells it


class AgentServer:
    """Serves a tool table: parse, authenticate, dispatch, render."""

    def __init__(
        self,
        *,
        name: str,
        version: str,
        instructions: str,
        tools: Sequence[Tool],
        codec: Codec,
        identify: Identify,
        queue: InboundQueue,
        journal: Journal,
        clock: Clock,
        ids: Ids,
        sender: Callable[[], str],
        ready: Callable[[], Awaitable[None]] | None = None,
        throttle: Throttle | None = None,
        dialects: Mapping[str, DialectCodec] | None = None,
        resources: ResourceProvider | None = None,
        metrics: AgentMetrics | None = None,
        say: Callable[[str], None] | None = None,
    ) -> None:
        self.resources = resources
        self.name = name
        self.version = version
        self.instructions = instructions
        self._tools = {alias: tool for tool in tools for alias in (tool.call.tool, *tool.call.aliases)}
        self._codec = codec
        self._dialects = dialects or {}
        self._identify = identify
        self._queue = queue
        self._journal = journal
        self._clock = clock
        self._ids = ids
        self._sender = sender
        self._ready = ready
        self._throttle = throttle
        self._metrics = metrics
        self._refused_calls = RefusedCalls(clock, journal, say)

    def tools(self) -> list[ToolDescriptor]:
        """Every tool and alias with its schemas, in the order of the table."""
        return [self._describe(name, tool) for name, tool in self._tools.items()]

    async def call(self, tool: str, arguments: Mapping[str, Json], context: CallContext) -> dict[str, Json]:
        """Handle one call and return the reply message as JSON."""
        entry = self._tools.get(tool)
        if entry is None:
            self._refused_calls.refused("unknown", context.address, f"there is no tool {shorten(tool, 100)!r}")
            raise CallRefused(INVALID_PARAMS, f"Unknown tool: {shorten(tool, 100)}")
        began, course = self._clock.monotonic(), _Course()
        try:
            return await self._handle(entry, arguments, context, course)
        except LeagueError as error:
            course.outcome = error.code
            raise self._refusal(error, entry, arguments) from error
        except Exception as error:
            # The boundary of the agent: whatever went wrong inside stays in our log, in full.
            logger.exception("%s: %s failed", self.name, tool)
            course.outcome = InternalError.code
            raise self._refusal(InternalError(), entry, arguments) from error
        finally:
            if self._metrics is not None and course.outcome:
                self._metrics.received(entry.call.tool, course.peer, course.outcome, self._clock.monotonic() - began)

    def refuse_body(self, address: str, reason: str) -> None:
        """Tell the operator of a body that is no request."""
        self._refused_calls.refused("malformed", address, reason)

    async def _handle(
        self, entry: Tool, arguments: Mapping[str, Json], context: CallContext, course: "_Course"
    ) -> dict[str, Json]:
        if self._ready is not None:
            await self._ready()
        message, caller = self._receive(entry, arguments, context)
        course.peer = _counted_as(caller)
        peer = caller.agent_id or getattr(message, "sender", None) or "operator"
        kind = arguments.get("message_type") or entry.call.tool
        if tracing.is_on():
            tracing.annotate(agent=self._sender(), peer=course.peer, **_identifiers(arguments))
        self._journal.received(str(kind), peer, _summary(arguments))
        async with self._queue.turn(caller):
            reply = await entry.handler(message, caller)
        rendered = self._codec_for(arguments).render(reply, spec=entry.spec)
        course.outcome = str(rendered.get("error_code", OK)) if rendered.get("status") == "REJECTED" else OK
        if course.outcome != OK:
            text = f"{kind} of {peer} is rejected: {rendered.get('reason')} ({course.outcome})"
            self._refused_calls.refused(course.outcome, context.address, text)
        self._journal.sent(str(rendered.get("message_type", entry.call.tool)), peer, _summary(rendered))
        return rendered

    def _receive(self, entry: Tool, arguments: Mapping[str, Json], context: CallContext) -> tuple[Any, Caller]:
        """The message and who sent it; both are counted, the good and the bad."""
        try:
            message = self._codec_for(arguments).parse(arguments, entry.call.request, spec=entry.spec)
            token = getattr(message, "auth_token", None) or context.bearer_token
            caller = self._identify(entry.access, message, token, context)
        except LeagueError as error:
            if self._throttle is not None:
                self._throttle.stranger(context.address)
            text = f"{entry.call.tool}: {error.message} ({error.code})"
            self._refused_calls.refused(error.code, context.address, text, logged=True)
            raise
        context.attribute(caller.identity if caller.operator or caller.proved else "", kept=caller.keeps_going)
        if self._throttle is not None:
            self._throttle.caller(caller)
        said = arguments.get("protocol")
        return message, replace(caller, protocol=said) if said in self._dialects else caller

    def _codec_for(self, arguments: Mapping[str, Json]) -> DialectCodec:
        said = arguments.get("protocol")
        return self._dialects.get(said, self._codec) if isinstance(said, str) else self._codec

    def _refusal(self, error: LeagueError, entry: Tool, arguments: Mapping[str, Json]) -> CallRefused:
        conversation = arguments.get("conversation_id")
        name = error.spec.name
        if error.code == "E004" and entry.spec is not None:
            name = entry.spec.invalid_move_name
        message = LeagueErrorMessage(
            sender=self._sender(),
            timestamp=to_wire_time(self._clock.now()),
            conversation_id=shorten(conversation) if isinstance(conversation, str) else self._ids.conversation(),
            error_code=error.code,
            error_description=name,
            context={"action": _message_type(entry), **error.context},
        )
        data = self._codec_for(arguments).render(message)
        # Whoever calls too often does not fill the log as well.
        level = "DEBUG" if isinstance(error, RateLimited) else "WARNING"
        self._journal.event("CALL_REFUSED", level, tool=entry.call.tool, code=error.code, message=error.message)
        number = error.spec.number_for(entry.call.kind) if error.number is None else error.number
        return CallRefused(number, error.message, data)

    def _describe(self, name: str, tool: Tool) -> ToolDescriptor:
        alias = "" if name == tool.call.tool else f" (Another name of {tool.call.tool}.)"
        return ToolDescriptor(
            name=name,
            title=tool.call.title,
            description=tool.call.description + alias,
            input_schema=self._codec.input_schema(tool.call.request, spec=tool.spec),
            output_schema=self._codec.output_schema(tool.call.reply, spec=tool.spec),
            read_only=tool.call.read_only,
            idempotent=tool.call.idempotent,
            destructive=tool.call.destructive,
            open_world=tool.call.open_world,
        )


def _message_type(entry: Tool) -> str:
    """The message that a tool takes, as the game spells it."""
    if entry.spec is not None and entry.call.request is MoveCall:
        return entry.spec.call_type
    return entry.call.request.model_fields["message_type"].default


@dataclass(slots=True)
class _Course:
    """Metrics of one call: caller and outcome; aborted calls don't count."""

    peer: str = STRANGER
    outcome: str = ""


def _counted_as(caller: Caller) -> str:
    if caller.operator:
        return OPERATOR
    if not caller.proved:
        return STRANGER
    return caller.agent_id or str(caller.role or STRANGER)


IDENTIFIERS = ("conversation_id", "league_id", "match_id", "message_type")


def _identifiers(message: Mapping[str, Json]) -> dict[str, str]:
    return {name: shorten(said, 100) for name in IDENTIFIERS if isinstance(said := message.get(name), str)}


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


def _summary(message: Mapping[str, Json]) -> dict[str, Json]:
    """The few fields of a message that a log line carries."""
    return {field: message[field] for field in SUMMARY_FIELDS if message.get(field) is not None}
