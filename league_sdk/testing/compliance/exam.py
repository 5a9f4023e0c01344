"""Asks one agent in one dialect, and writes down what each answer says about it."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import cast

import anyio

from league_sdk.domain.model import Role
from league_sdk.errors import INTERNAL, SPECS, LeagueError
from league_sdk.game import Json, MoveSpec
from league_sdk.protocol.acknowledgements import is_acknowledgement, says_only_that_it_arrived
from league_sdk.protocol.catalog import CallSpec
from league_sdk.protocol.codec import Codec
from league_sdk.protocol.queries import LeagueErrorMessage
from league_sdk.protocol.replies import UnfitReply, arguments_taken, read_reply, require_same_match
from league_sdk.testing.compliance.answers import CallAnswer, Object, as_object, said_twice
from league_sdk.testing.compliance.report import ComplianceCheck, ComplianceReport, Status
from league_sdk.testing.compliance.rules import ReplyContext, RuleResult, judge, message_type, section_of
from league_sdk.testing.compliance.script import Timeouts
from league_sdk.testing.compliance.wire import METHOD_NOT_FOUND, STRUCTURED_SINCE, Wire

ON_THE_WIRE, ALL_CALLS, ERRORS = "On the wire", "All calls", "Errors"
MOST_SILENCES = 3
"""After so many calls without an answer in time a dialect is given up: the rest would only take long."""
_UNKNOWN_TOOL = (METHOD_NOT_FOUND, -32602, None)
"""How it is said that there is no such tool; a tool result that is flagged as an error has no number."""
_RATE_LIMITED = "E023"
_MOST_WAITS = 20
_LONGEST_WAIT = 5.0
_LIMITS = {"join": "game_join_timeout_sec", "move": "move_timeout_sec", "response": "generic_response_timeout_sec"}


class GivenUp(Exception):
    """The agent is silent, or gone; the text says what is not looked at any more."""


@dataclass(slots=True)
class Exam:
    """One agent in one dialect.

    Attributes:
        wire: How it is asked, opened.
        report: Where the checks go.
        codec: Knows the messages.
        role: What the agent is.
        timeouts: Its time.
        spec: How the game spells its moves.
        agent_id: Its id, where it is registered.
        binding: Whether what is wrong fails; else it comes to an advice, since no match is lost by it.
    """

    wire: Wire
    report: ComplianceReport
    codec: Codec
    role: Role
    timeouts: Timeouts
    spec: MoveSpec
    agent_id: str | None = None
    binding: bool = True
    _offered: frozenset[str] | None = None
    _schemas: dict[str, Object] = field(default_factory=dict[str, Object])
    _names: dict[str, str] = field(default_factory=dict[str, str])
    _silences: int = 0
    _error_seen: bool = False
    _known: set[str] = field(default_factory=set[str])

    def note(
        self,
        name: str,
        section: str,
        problem: str,
        expected: str,
        answer: CallAnswer | None = None,
        *,
        skipped: bool = False,
        advice: bool = False,
        sent: Json = None,
        received: Json = None,
        fatal: bool = False,
    ) -> bool:
        """Write down one check; whether it passed. What is wrong is an advice where no match suffers from it."""
        wrong = Status.FAILED if self.binding and not advice else Status.ADVISED
        status = Status.SKIPPED if skipped else wrong if problem else Status.PASSED
        if answer is not None:
            sent, received = answer.sent, answer.received if answer.received is not None else answer.broken or None
        self.report.add(
            ComplianceCheck(name, section, status, self.wire.dialect, sent, received, expected, problem, fatal)
        )
        if status is wrong:
            self._known.add(name)
        return status is Status.PASSED

    def has_failed(self, *names: str) -> bool:
        """Whether one of these checks has failed before: what follows from it is not held against the agent again."""
        return not self._known.isdisjoint(names)

    def skip(self, name: str, section: str, why: str) -> None:
        """Write down that a check could not be made."""
        self.note(name, section, why, "", skipped=True)

    async def list_tools(self, calls: Iterable[CallSpec], *, needed: Iterable[str] | None = None) -> None:
        """Look for every tool that such an agent has, where one can ask.

        Args:
            calls: What such an agent is called with.
            needed: The tools without which it cannot play; all of them when left out.
        """
        binding, wanted = self.binding, None if needed is None else set(needed)
        listed = await self.wire.tools()
        if self.wire.dialect.startswith("mcp/"):
            expected = "tools/list names a tool, or an alias of it, for each message that such an agent gets"
            problem = "" if listed is not None else "there is no list"
            self.note("tools/list: answered", ON_THE_WIRE, problem, expected, fatal=True)
        if listed is None:
            return
        self._offered = frozenset(str(tool.get("name")) for tool in listed)
        self._schemas = {str(tool.get("name")): as_object(tool.get("inputSchema")) for tool in listed}
        for call in calls:
            known = any(name in self._offered for name in (call.tool, *call.aliases))
            problem = "" if known else f"there is none of {', '.join((call.tool, *call.aliases))}"
            offered: Json = sorted(self._offered)
            self.binding = binding and (wanted is None or call.tool in wanted)
            self.note(f"tools/list: {call.tool}", ALL_CALLS, problem, expected_tool(call), received=offered, fatal=True)
        self.binding = binding

    async def call(self, call: CallSpec, arguments: Json, request_id: int | str | None = None) -> CallAnswer:
        """Call a tool by the name that the agent has for it.

        Raises:
            GivenUp: It has been silent too often.
            Gone: It is not there any more.
        """
        if self._silences >= MOST_SILENCES:
            raise GivenUp(f"it did not answer in time {MOST_SILENCES} times")
        limit = self.timeouts.of(call.timeout)
        names = self._candidates(call)
        answer = await self._patiently(names[0], arguments, limit, request_id)
        for name in names[1:]:
            if answer.error is None or answer.error.number != METHOD_NOT_FOUND:
                break
            other = await self._patiently(name, arguments, limit, request_id)
            if other.error is None or other.error.number != METHOD_NOT_FOUND:
                answer, self._names[call.tool] = other, name
        self._silences += answer.late
        return answer

    async def ask(self, call: CallSpec, message: Mapping[str, Json], label: str = "") -> Object | None:
        """Send a message that has to be answered well, and judge the answer.

        Args:
            call: The tool.
            message: The message.
            label: Makes one check of the whole answer, with this name, instead of one for each rule.

        Returns:
            The reply, if there is one that can be gone on with.
        """
        answer = await self.call(call, message)
        return self.judge_reply(call, message, answer, label)

    def judge_reply(
        self, call: CallSpec, message: Mapping[str, Json], answer: CallAnswer, label: str = ""
    ) -> Object | None:
        """Judge an answer that has to be a reply."""
        setting = ReplyContext(call, self.codec, self.role, self.agent_id, self.spec)
        asked = message_type(call.request, self.spec)
        verdicts = list(self._of_answer(call, answer))
        reply = as_object(answer.reply)
        there = not answer.broken and answer.error is None and isinstance(answer.reply, dict)
        if there and _is_bare(reply, message, call):
            self._note_bare(label, verdicts, setting, answer)
            return reply
        named = [
            *((f"{asked}: {verdict.rule}", verdict, False) for verdict in verdicts),
            *(
                (f"{setting.reply_type}: {verdict.rule}", verdict, not there)
                for verdict in judge(message, reply, setting)
            ),
        ]
        if label:
            self._note_whole(label, [(name, verdict) for name, verdict, moot in named if not moot], setting, answer)
        else:
            for name, verdict, moot in named:
                self._note_verdict(name, verdict, answer, moot=moot)
        return reply if there else None

    def _note_bare(self, label: str, verdicts: Iterable[RuleResult], setting: ReplyContext, answer: CallAnswer) -> None:
        """Judge an answer that says no more than that the message arrived, where that is all that was asked for."""
        expected = f"a whole {setting.reply_type}; a league takes a bare acknowledgement for one"
        if label:
            self.note(label, setting.section, "", expected, answer)
            return
        asked = message_type(setting.call.request, self.spec)
        for verdict in verdicts:
            self._note_verdict(f"{asked}: {verdict.rule}", verdict, answer)
        name = f"{setting.reply_type}: a whole message"
        self.note(name, setting.section, "it says no more than that the message arrived", expected, answer, advice=True)

    def unread(self, call: CallSpec, message: Mapping[str, Json], answer: CallAnswer) -> str:
        """Why a referee cannot play on with a player's answer; empty when it can."""
        if answer.broken:
            return answer.broken
        if answer.error is not None:
            return answer.error.text
        if says_only_that_it_arrived(answer.reply, message, call.reply):
            return "it says no more than that the message arrived"
        try:
            reply = read_reply(answer.reply, message, call.reply, self.codec, spec=self.spec)
            require_same_match(reply, str(message["match_id"]), str(message["player_id"]))
        except (LeagueError, UnfitReply) as error:
            return str(error)
        return ""

    def judge_heard(self, call: CallSpec, messages: Sequence[Mapping[str, Json]]) -> None:
        """Judge what the agent sent of its own accord: one check for each rule, over all messages of a kind.

        Of a player's messages only those fail that a league refuses.
        """
        setting = ReplyContext(replace(call, reply=call.request), self.codec, self.role, self.agent_id, self.spec)
        name = message_type(call.request, self.spec)
        if not messages:
            self.note(f"{name}: is sent", setting.section, "none came", f"the agent sends a {name}", fatal=True)
            return
        verdicts = [
            (verdict, message, self.role is Role.PLAYER and self._reads(call, message))
            for message in messages
            for verdict in judge({}, message, setting)
        ]
        for rule in dict.fromkeys(verdict.rule for verdict, _, _ in verdicts):
            mine = [told for told in verdicts if told[0].rule == rule]
            verdict, message, advice = min(mine, key=lambda told: (not told[0].problem, told[2]))
            if verdict.absent:
                self.skip(f"{name}: {rule}", verdict.section, "it is left out, as it may be")
                continue
            self.note(
                f"{name}: {rule}",
                verdict.section,
                verdict.problem,
                verdict.expected,
                received=dict(message),
                advice=advice,
                fatal=self.role is Role.PLAYER,
            )

    def _reads(self, call: CallSpec, message: Mapping[str, Json]) -> bool:
        try:
            self.codec.parse(message, call.request, spec=self.spec)
        except LeagueError:
            return False
        return True

    async def refused(
        self,
        label: str,
        call: CallSpec,
        arguments: Json,
        codes: tuple[str, ...],
        section: str = ERRORS,
        *,
        request_id: int | str | None = None,
        advice: bool = False,
    ) -> CallAnswer:
        """Send something that has to be refused with one of these codes, and judge the refusal."""
        answer = await self.call(call, arguments, request_id)
        expected = " or ".join(
            f"JSON-RPC error {SPECS[code].number_for(call.kind)} whose data is a LEAGUE_ERROR with {code}"
            for code in codes
        )
        problem = self._wrong_refusal(answer, call, codes)
        self.note(label, section, problem, expected, answer, advice=advice)
        self._look_at_error(call, arguments, answer)
        return answer

    async def unknown_tool(self, message: Json) -> None:
        """Call a tool that nobody has."""
        answer = await self._patiently("a_tool_that_nobody_has", message, self.timeouts.response, None)
        problem = answer.broken
        if not problem and answer.error is None:
            problem = "it was answered, not refused"
        elif answer.error is not None and answer.error.number not in _UNKNOWN_TOOL:
            problem = answer.error.text
        expected = "JSON-RPC error -32601, or -32602 in MCP"
        self.note("a tool that does not exist is refused", ON_THE_WIRE, problem, expected, answer)

    def _wrong_refusal(self, answer: CallAnswer, call: CallSpec, codes: tuple[str, ...]) -> str:
        if answer.broken:
            return answer.broken
        if answer.error is None:
            return "it was taken, not refused"
        number, code = answer.error.number, answer.error.code
        if code is None and number in {None, *(SPECS[wanted].number_for(call.kind) for wanted in codes)}:
            return ""  # what is missing from the data is said once, for all refusals
        if code is None:
            crashed = ", which tells of a crash" if number == INTERNAL else ""
            return f"error {number}{crashed}, without an error_code in its data: {answer.error.message[:200]}"
        if code not in codes:
            return f"it is refused with {code}, not {' or '.join(codes)}"
        wanted = SPECS[code].number_for(call.kind)
        if number is not None and number != wanted:
            return f"the JSON-RPC error of {code} is {number}, not {wanted}"
        return ""

    def _look_at_error(self, call: CallSpec, arguments: Json, answer: CallAnswer) -> None:
        """Judge the first LEAGUE_ERROR of a dialect as a message."""
        if self._error_seen or answer.error is None:
            return
        self._error_seen = True
        problem = "" if answer.error.code else "there is no error_code in its data"
        expected = "the data of a JSON-RPC error is a LEAGUE_ERROR message"
        if not self.note("LEAGUE_ERROR: is there", ERRORS, problem, expected, answer):
            return
        data, message = as_object(answer.error.data), as_object(arguments)
        setting = ReplyContext(replace(call, reply=LeagueErrorMessage), self.codec, self.role, self.agent_id)
        for verdict in judge({"conversation_id": message.get("conversation_id")}, data, setting):
            self._note_verdict(f"LEAGUE_ERROR: {verdict.rule}", verdict, answer)
        token = message.get("auth_token")
        told = "" if not isinstance(token, str) or token not in str(answer.received) else "it repeats the auth_token"
        self.note("LEAGUE_ERROR: keeps tokens to itself", ERRORS, told, "tokens are never repeated", answer)

    def _of_answer(self, call: CallSpec, answer: CallAnswer) -> Iterator[RuleResult]:
        limit = self.timeouts.of(call.timeout)
        section = section_of(call.request, self.spec)
        within = f"an answer within {limit:g} s ({_LIMITS[call.timeout]})"
        yield RuleResult("answered in time", ALL_CALLS, within, answer.broken if answer.late else "")
        broken = "" if answer.late else answer.broken
        expected = "a JSON-RPC response with the id of the request"
        yield RuleResult(
            "a well-formed response", ON_THE_WIRE, expected, broken or answer.odd, minor=bool(answer.odd and not broken)
        )
        error = "" if answer.error is None else answer.error.text
        if not error and not answer.broken and not isinstance(answer.reply, dict):
            error = "the reply is no object"
        reply = message_type(call.reply, self.spec)
        yield RuleResult("a reply, and no error", section, f"the reply is a {reply}", error)
        if (
            answer.result is not None
            and not error
            and not broken
            and self.wire.dialect.removeprefix("mcp/") >= STRUCTURED_SINCE
        ):
            expected = "the reply, as structuredContent and as JSON text in content[0]"
            yield RuleResult("the reply is there twice", ON_THE_WIRE, expected, said_twice(answer), minor=True)

    def _note_verdict(self, name: str, verdict: RuleResult, answer: CallAnswer, *, moot: bool = False) -> None:
        if moot or verdict.absent:
            why = "there is no reply to look at" if moot else "it is left out, which a reply may do"
            self.note(name, verdict.section, why, verdict.expected, skipped=True)
        else:
            advice = verdict.minor and self.role is Role.PLAYER
            self.note(name, verdict.section, verdict.problem, verdict.expected, answer, advice=advice)

    def _note_whole(
        self, label: str, verdicts: Sequence[tuple[str, RuleResult]], setting: ReplyContext, answer: CallAnswer
    ) -> None:
        """Make one check of a whole answer. What is wrong with such answers anyway has been said before."""
        wrong = [(name, verdict.problem) for name, verdict in verdicts if verdict.problem]
        problem = "; ".join(f"{name}: {text}" for name, text in wrong)
        same = bool(wrong) and all(name in self._known for name, _ in wrong)
        problem = f"as before: {problem}" if same else problem
        advice = self.role is Role.PLAYER and all(verdict.minor for _, verdict in verdicts if verdict.problem)
        expected = f"a good {setting.reply_type}"
        self.note(label, setting.section, problem, expected, answer, skipped=same, advice=advice)

    def _candidates(self, call: CallSpec) -> tuple[str, ...]:
        names = (call.tool, *call.aliases)
        if self._offered is not None:
            return next(((name,) for name in names if name in self._offered), names[:1])
        return (self._names[call.tool],) if call.tool in self._names else names

    async def _patiently(self, tool: str, arguments: Json, limit: float, request_id: int | str | None) -> CallAnswer:
        """Call, and again where the agent says that this was too much at once."""
        if isinstance(arguments, dict):
            arguments = arguments_taken(self._schemas.get(tool, {}), cast("dict[str, Json]", arguments))
        answer = await self.wire.call(tool, arguments, timeout=limit, request_id=request_id)
        for _ in range(_MOST_WAITS):
            if answer.error is None or answer.error.code != _RATE_LIMITED:
                break
            wait: Json = as_object(as_object(answer.error.data).get("context")).get("retry_after_sec")
            await anyio.sleep(min(_LONGEST_WAIT, wait if isinstance(wait, int | float) and wait > 0 else 0.5))
            answer = await self.wire.call(tool, arguments, timeout=limit, request_id=request_id)
        return answer


def _is_bare(reply: Object, message: Mapping[str, Json], call: CallSpec) -> bool:
    """Whether a reply is a bare acknowledgement where one was asked for. What begins as a message has to be one."""
    begun = "protocol" in reply or "message_type" in reply
    return not begun and is_acknowledgement(call.reply) and says_only_that_it_arrived(reply, message, call.reply)


def expected_tool(call: CallSpec) -> str:
    """What a tool list has to have for a call."""
    names = " or ".join((call.tool, *call.aliases))
    return f"the tool {names}, which takes a {call.request.model_fields['message_type'].default or 'message'}"
