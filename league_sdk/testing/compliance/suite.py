"""A suite of cases for one agent in one dialect: calls, and judges the answers."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import cast

import anyio

from league_sdk.domain.model import Role
from league_sdk.errors import INTERNAL, SPECS, LeagueError
from league_sdk.json_value import Json
from league_sdk.protocol.acknowledgements import is_acknowledgement, says_only_that_it_arrived
from league_sdk.protocol.calls import CallSpec
from league_sdk.protocol.catalog import calls_for
from league_sdk.protocol.queries import LeagueErrorMessage
from league_sdk.protocol.replies import arguments_taken
from league_sdk.testing.compliance.bad_messages import BadMessage, changed
from league_sdk.testing.compliance.check_report import ComplianceCheck, ComplianceReport, Status
from league_sdk.testing.compliance.reply_rules import (
    ENVELOPE,
    EVERY_MESSAGE,
    ReplyContext,
    RuleResult,
    judge,
    message_type,
    section_of,
)
from league_sdk.testing.compliance.responses import CallAnswer, Object, Refusal, as_object, said_twice
from league_sdk.testing.compliance.script import Script
from league_sdk.testing.compliance.wire import METHOD_NOT_FOUND, STRUCTURED_SINCE, Wire

ON_THE_WIRE, ALL_CALLS, ERRORS = "On the wire", "All calls", "Errors"
MOST_SILENCES = 3
"""Calls without an answer in time, after which a dialect is given up: the rest would only take long."""
_UNKNOWN_TOOL = (METHOD_NOT_FOUND, -32602, None)
"""Errors for an unknown tool; a tool result flagged as an error has no number."""
_RATE_LIMITED = "E023"
_MOST_WAITS = 20
_LONGEST_WAIT = 5.0
_LIMITS = {"join": "game_join_timeout_sec", "move": "move_timeout_sec", "response": "generic_response_timeout_sec"}


class GivenUp(Exception):
    """The agent is silent, or gone; the text says what is skipped."""


@dataclass
class Suite:
    """One agent in one dialect (`number` counts them); each role has its own cases.

    A fault fails while `binding` is set; else it is advice, since no match is lost by it. While the agent is `in_play`,
    being gone fails.
    """

    wire: Wire
    report: ComplianceReport
    script: Script
    role: Role
    agent_id: str | None = None
    number: int = 1
    binding: bool = field(default=True, init=False)
    in_play: bool = field(default=True, init=False)
    given_up: str = field(default="", init=False)
    _schemas: dict[str, Object] | None = field(default=None, init=False)
    _names: dict[str, str] = field(default_factory=dict[str, str], init=False)
    _silences: int = field(default=0, init=False)
    _error_seen: bool = field(default=False, init=False)
    _known: set[str] = field(default_factory=set[str], init=False)

    def __post_init__(self) -> None:
        self.spec = self.script.game.move_spec
        self.calls = {call.tool: call for call in calls_for(self.role, [self.spec])}

    def match_id(self, number: int) -> str:
        """The id of a match, different in each dialect."""
        return f"R{self.number}M{number}"

    def note(
        self,
        name: str,
        section: str,
        problem: str,
        expected: str,
        answer: CallAnswer | None = None,
        *,
        skipped: bool = False,
        moot: bool = False,
        advice: bool = False,
        sent: Json = None,
        received: Json = None,
        fatal: bool = False,
    ) -> bool:
        """Add one check to the report; true if it passed. A moot one was noted before."""
        if moot:
            skipped, problem = True, f"as before: {problem}"
        wrong = Status.FAILED if self.binding and not advice else Status.ADVISED
        status = Status.SKIPPED if skipped else wrong if problem else Status.PASSED
        if answer is not None:
            sent, received = answer.sent, answer.received if answer.received is not None else answer.broken or None
        dialect = self.wire.dialect
        self.report.add(ComplianceCheck(name, section, status, dialect, sent, received, expected, problem, fatal))
        if status is wrong:
            self._known.add(name)
        return status is Status.PASSED

    def has_failed(self, *names: str) -> bool:
        """True if one of these checks has failed, so that its consequences do not count."""
        return not self._known.isdisjoint(names)

    def skip(self, name: str, section: str, why: str) -> None:
        """Note that a check could not be made."""
        self.note(name, section, why, "", skipped=True)

    async def list_tools(self, *needed: str) -> None:
        """Check the tool list, if there is one; only missing `needed` tools fail, if any."""
        binding, listed = self.binding, await self.wire.tools()
        if self.wire.dialect.startswith("mcp/"):
            expected = "tools/list names a tool, or an alias of it, for each message that such an agent gets"
            problem = "" if listed is not None else "there is no list"
            self.note("tools/list: answered", ON_THE_WIRE, problem, expected, fatal=True)
        if listed is None:
            return
        self._schemas = {str(tool.get("name")): as_object(tool.get("inputSchema")) for tool in listed}
        for call in self.calls.values():
            names = (call.tool, *call.aliases)
            problem = "" if self._schemas.keys() & set(names) else f"there is none of {', '.join(names)}"
            kind = call.request.model_fields["message_type"].default or "message"
            expected = f"the tool {' or '.join(names)}, which takes a {kind}"
            self.binding = binding and (not needed or call.tool in needed)
            offered: Json = sorted(self._schemas)
            self.note(f"tools/list: {call.tool}", ALL_CALLS, problem, expected, received=offered, fatal=True)
        self.binding = binding

    async def call(self, tool: str, arguments: Json, request_id: int | str | None = None) -> CallAnswer:
        """Call a tool by the agent's name for it; GivenUp after too many silences."""
        if self._silences >= MOST_SILENCES:
            raise GivenUp(f"it did not answer in time {MOST_SILENCES} times")
        known, translator = self.calls[tool], self.script.translator
        limit = self.script.timeouts.of(known.timeout)
        first, *others = self._candidates(known)
        player = self.role is Role.PLAYER
        sent = translator.written(arguments, known.request) if player else arguments
        answer = await self._call(first, sent, limit, request_id)
        for name in others:
            if answer.error is None or answer.error.number != METHOD_NOT_FOUND:
                break
            other = await self._call(name, sent, limit, request_id)
            if other.error is None or other.error.number != METHOD_NOT_FOUND:
                answer, self._names[tool] = other, name
        self._silences += answer.late
        if not player:
            return answer
        return replace(answer, reply=translator.read(answer.reply, known.reply, sent, arguments))

    def _candidates(self, call: CallSpec) -> tuple[str, ...]:
        names = (call.tool, *call.aliases)
        if self._schemas is not None:
            return next(((name,) for name in names if name in self._schemas), names[:1])
        return (self._names[call.tool],) if call.tool in self._names else names

    async def _call(self, tool: str, arguments: Json, limit: float, request_id: int | str | None = None) -> CallAnswer:
        """Call, and again if the agent says that its rate limit is exceeded."""
        if isinstance(arguments, dict):
            schema = (self._schemas or {}).get(tool, {})
            arguments = arguments_taken(schema, cast("dict[str, Json]", arguments))
        answer = await self.wire.call(tool, arguments, timeout=limit, request_id=request_id)
        for _ in range(_MOST_WAITS):
            if answer.error is None or answer.error.code != _RATE_LIMITED:
                break
            wait: Json = as_object(as_object(answer.error.data).get("context")).get("retry_after_sec")
            await anyio.sleep(min(_LONGEST_WAIT, wait if isinstance(wait, int | float) and wait > 0 else 0.5))
            answer = await self.wire.call(tool, arguments, timeout=limit, request_id=request_id)
        return answer

    # Answers that have to be replies

    async def ask(self, tool: str, message: Mapping[str, Json], label: str = "") -> Object | None:
        """Send a valid message, and judge the answer; return the reply if it is usable.

        A label makes one check of the whole answer, with this name, instead of one for each rule.
        """
        return self.judge_reply(tool, message, await self.answered(tool, message), label)

    async def answered(self, tool: str, message: Mapping[str, Json]) -> CallAnswer:
        """Send a valid message; the answer to judge."""
        return await self.call(tool, message)

    def judge_reply(self, tool: str, message: Mapping[str, Json], answer: CallAnswer, label: str = "") -> Object | None:
        call = self.calls[tool]
        context = self._context(call)
        asked = message_type(call.request, self.spec)
        verdicts = [(f"{asked}: {result.rule}", result, False) for result in self._of_answer(call, answer)]
        reply = as_object(answer.reply)
        there = not answer.broken and answer.error is None and isinstance(answer.reply, dict)
        bare = there and _is_bare(reply, message, call)
        if not bare:
            judged = judge(message, reply, context)
            verdicts += [(f"{context.reply_type}: {result.rule}", result, not there) for result in judged]
        if label and bare:
            expected = f"a whole {context.reply_type}; a league takes a bare acknowledgement for one"
            self.note(label, context.section, "", expected, answer)
        elif label:
            self._note_whole(label, [(name, result) for name, result, moot in verdicts if not moot], context, answer)
        else:
            for name, result, moot in verdicts:
                self._note_result(name, result, answer, moot=moot)
            if bare:
                expected = f"a whole {context.reply_type}; a league takes a bare acknowledgement for one"
                told = "it says no more than that the message arrived"
                self.note(
                    f"{context.reply_type}: a whole message", context.section, told, expected, answer, advice=True
                )
        return reply if there else None

    def _context(self, call: CallSpec) -> ReplyContext:
        return ReplyContext(call, self.script.codec, self.role, self.agent_id, self.spec)

    def _of_answer(self, call: CallSpec, answer: CallAnswer) -> Iterator[RuleResult]:
        limit = self.script.timeouts.of(call.timeout)
        within = f"an answer within {limit:g} s ({_LIMITS[call.timeout]})"
        yield RuleResult("answered in time", ALL_CALLS, within, answer.broken if answer.late else "")
        broken = "" if answer.late else answer.broken
        expected = "a JSON-RPC response with the id of the request"
        minor = bool(answer.odd and not broken)
        yield RuleResult("a well-formed response", ON_THE_WIRE, expected, broken or answer.odd, minor=minor)
        error = "" if answer.error is None else answer.error.text
        if not error and not answer.broken and not isinstance(answer.reply, dict):
            error = "the reply is no object"
        expected = f"the reply is a {message_type(call.reply, self.spec)}"
        yield RuleResult("a reply, and no error", section_of(call.request, self.spec), expected, error)
        structured = self.wire.dialect.removeprefix("mcp/") >= STRUCTURED_SINCE
        if answer.result is not None and structured and not error and not broken:
            expected = "the reply, as structuredContent and as JSON text in content[0]"
            yield RuleResult("the reply is there twice", ON_THE_WIRE, expected, said_twice(answer), minor=True)

    def _note_result(self, name: str, result: RuleResult, answer: CallAnswer, *, moot: bool = False) -> None:
        if moot or result.absent:
            why = "there is no reply to look at" if moot else "it is left out, which a reply may do"
            self.note(name, result.section, why, result.expected, skipped=True)
        else:
            advice = result.minor and self.role is Role.PLAYER
            self.note(name, result.section, result.problem, result.expected, answer, advice=advice)

    def _note_whole(
        self, label: str, results: Sequence[tuple[str, RuleResult]], context: ReplyContext, answer: CallAnswer
    ) -> None:
        """Make one check of a whole answer; faults noted before do not fail again."""
        wrong = [(name, result) for name, result in results if result.problem]
        problem = "; ".join(f"{name}: {result.problem}" for name, result in wrong)
        same = bool(wrong) and all(name in self._known for name, _ in wrong)
        advice = self.role is Role.PLAYER and all(result.minor for _, result in wrong)
        expected = f"a good {context.reply_type}"
        self.note(label, context.section, problem, expected, answer, moot=same, advice=advice)

    def judge_heard(self, call: CallSpec, messages: Sequence[Mapping[str, Json]]) -> None:
        """Judge messages that the agent sent of its own accord: one check for each rule.

        Of a player's faults only those fail that a league refuses; a field that no receiver needs is advised.
        """
        context = self._context(replace(call, reply=call.request))
        name = message_type(call.request, self.spec)
        if not messages:
            self.note(f"{name}: is sent", context.section, "none came", f"the agent sends a {name}", fatal=True)
            return
        player = self.role is Role.PLAYER
        results = [
            (result, message, result.minor or (player and self._reads(call, message)))
            for message in messages
            for result in judge({}, message, context)
        ]
        for rule in dict.fromkeys(result.rule for result, _, _ in results):
            mine = [told for told in results if told[0].rule == rule]
            result, message, advice = min(mine, key=lambda told: (not told[0].problem, told[2]))
            title, told = f"{name}: {rule}", dict(message)
            if result.absent:
                self.skip(title, result.section, "it is left out, as it may be")
                continue
            self.note(
                title, result.section, result.problem, result.expected, received=told, advice=advice, fatal=player
            )

    def _reads(self, call: CallSpec, message: Mapping[str, Json]) -> bool:
        try:
            self.script.codec.parse(message, call.request, spec=self.spec)
        except LeagueError:
            return False
        return True

    # Messages that have to be refused

    async def refuse_all(
        self, tool: str, message: Mapping[str, Json], cases: Iterable[BadMessage], *, advice: bool = False
    ) -> None:
        """Send a valid message with each case's changes, and judge the refusals."""
        for case in cases:
            of_envelope = case.changes.keys() & {*ENVELOPE, "auth_token"}
            section = case.section or (EVERY_MESSAGE if of_envelope else self._section(tool))
            await self.refused(
                tool,
                changed(message, case.changes),
                case.how,
                case.codes,
                section,
                advice=advice,
                derivable=case.derivable,
            )

    async def refused(
        self,
        tool: str,
        arguments: Json,
        how: str,
        codes: str,
        section: str = "",
        *,
        advice: bool = False,
        derivable: bool = False,
    ) -> None:
        """Send a message to be refused with one of these codes, and judge the refusal."""
        call, allowed = self.calls[tool], codes.split()
        answer = await self.call(tool, arguments)
        expected = " or ".join(
            f"JSON-RPC error {SPECS[code].number_for(call.kind)} whose data is a LEAGUE_ERROR with {code}"
            for code in allowed
        )
        label = f"a {message_type(call.request, self.spec)} {how} is refused"
        taken = derivable and not answer.broken and answer.error is None
        problem = "" if taken else _wrong_refusal(answer, call, allowed)
        self.note(label, section or self._section(tool), problem, expected, answer, advice=advice)
        if not self._error_seen and answer.error is not None:
            self._error_seen = True
            self._look_at_error(call, as_object(arguments), answer, answer.error)

    def _section(self, tool: str) -> str:
        return section_of(self.calls[tool].request, self.spec)

    def _look_at_error(self, call: CallSpec, message: Object, answer: CallAnswer, error: Refusal) -> None:
        """Judge the first LEAGUE_ERROR of a dialect as a message."""
        problem = "" if error.code else "there is no error_code in its data"
        expected = "the data of a JSON-RPC error is a LEAGUE_ERROR message"
        if not self.note("LEAGUE_ERROR: is there", ERRORS, problem, expected, answer):
            return
        context = self._context(replace(call, reply=LeagueErrorMessage))
        asked = {"conversation_id": message.get("conversation_id")}
        for result in judge(asked, as_object(error.data), context):
            self._note_result(f"LEAGUE_ERROR: {result.rule}", result, answer)
        token = message.get("auth_token")
        told = "" if not isinstance(token, str) or token not in str(answer.received) else "it repeats the auth_token"
        self.note("LEAGUE_ERROR: keeps tokens to itself", ERRORS, told, "tokens are never repeated", answer)

    async def unknown_tool(self, message: Json) -> None:
        answer = await self._call("a_tool_that_nobody_has", message, self.script.timeouts.response)
        problem = answer.broken
        if not problem and answer.error is None:
            problem = "it was answered, not refused"
        elif answer.error is not None and answer.error.number not in _UNKNOWN_TOOL:
            problem = answer.error.text
        expected = "JSON-RPC error -32601, or -32602 in MCP"
        self.note("a tool that does not exist is refused", ON_THE_WIRE, problem, expected, answer)


def _is_bare(reply: Object, message: Mapping[str, Json], call: CallSpec) -> bool:
    """True for a bare acknowledgement where one is enough, unless a message is begun."""
    begun = "protocol" in reply or "message_type" in reply
    return not begun and is_acknowledgement(call.reply) and says_only_that_it_arrived(reply, message, call.reply)


def _wrong_refusal(answer: CallAnswer, call: CallSpec, codes: Sequence[str]) -> str:
    if answer.broken:
        return answer.broken
    if answer.error is None:
        return "it was taken, not refused"
    number, code = answer.error.number, answer.error.code
    if code is None and number in {None, *(SPECS[wanted].number_for(call.kind) for wanted in codes)}:
        return ""  # data without an error_code is noted once, for all refusals
    if code is None:
        crashed = ", which tells of a crash" if number == INTERNAL else ""
        return f"error {number}{crashed}, without an error_code in its data: {answer.error.message[:200]}"
    if code not in codes:
        return f"it is refused with {code}, not {' or '.join(codes)}"
    wanted = SPECS[code].number_for(call.kind)
    if number is not None and number != wanted:
        return f"the JSON-RPC error of {code} is {number}, not {wanted}"
    return ""
