"""Cases of a match under a referee; a fault that loses here loses in a league."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from itertools import count
from typing import Any

import anyio

from league_sdk.domain.matches.match import RETRIED_CODES
from league_sdk.errors import InvalidMove, LeagueError
from league_sdk.json_value import Json
from league_sdk.protocol.acknowledgements import says_only_that_it_arrived
from league_sdk.protocol.replies import Answering, UnfitReply, read_reply, require_same_match
from league_sdk.testing.compliance.reply_rules import A_MATCH, section_of
from league_sdk.testing.compliance.responses import AgentGone, CallAnswer, Object, as_object
from league_sdk.testing.compliance.script import PLAYER
from league_sdk.testing.compliance.scripted_referee import ScriptedReferee
from league_sdk.testing.compliance.suite import GivenUp, Suite

INVITE, OVER, ERROR = "handle_game_invitation", "notify_match_result", "notify_game_error"
JOIN_ACK = "GAME_JOIN_ACK"
TRIES = 4
"""Requests of a referee in all: `retry_policy.max_retries` is 3."""
LATE_TRIES = 2
"""Late answers that settle the verdict: each further try would take the whole time limit."""
_PAUSE_SEC = 0.2
ARRIVED = "2025-01-15T10:30:00Z"  # stands for the time of an answer that tells none
OWN_MOVES = "moves of its own"
JUDGED = frozenset({"raised", "illegal"})
"""Reasons of substituted moves that a league which asks to be told judges as invalid moves."""
_WHY: Mapping[str, str] = {
    "raised": "the strategy raised an error",
    "illegal": "the strategy chose what is not a legal move",
    "late": "the strategy was late",
    "over_budget": "the strategy had spent its budget",
    "busy": "earlier calls of the strategy were still running",
}


@dataclass(kw_only=True)
class MatchSuite(Suite):
    """Leads matches with a player, and judges if an answer loses the match.

    In the first dialect, in which a league would call the player, its faults count; in others they are advice.
    """

    referee: ScriptedReferee

    @property
    def counts(self) -> bool:
        return self.number == 1

    async def invite(self, match_id: str, *, second: bool = False) -> bool:
        """Invite the player, again if a referee would; true if it comes."""
        message = self.script.invitation(match_id, self.number, second=second)
        label = "GAME_INVITATION in the second seat is accepted" if second else ""
        answer = await self._settle(INVITE, message, lambda _: "", label)
        if answer is None:
            return False
        accept = as_object(answer.reply).get("accept")
        problem = "" if accept is True else f"accept is {accept!r}"
        name = f"{JOIN_ACK}: comes to the match"
        moot = bool(problem) and self.has_failed(name)
        name = f"{name} in the second seat" if second else name
        self._note_loss(name, JOIN_ACK, problem, "true: it plays; declining loses the match", answer, moot=moot)
        return accept is True

    async def play(self, match_id: str, *, second: bool = False) -> Mapping[str, Json]:
        """Play a whole game; return the result for GAME_OVER."""

        async def ask(state: Any, turn: int) -> Json:
            return await self._ask_for_move(match_id, state, turn, second=second)

        return await self.script.play(match_id, ask)

    async def _ask_for_move(self, match_id: str, state: Any, turn: int, *, second: bool) -> Json:
        """A legal move, or None if the player gives none."""
        call = self.script.move_call(match_id, self.number, state, turn)
        when = "a second match" if second else "a later turn"
        label = "" if turn == 1 and not second else f"{self.spec.call_type} in {when} is answered"
        answer = await self._settle(self.spec.tool, call, lambda reply: self.illegal(state, reply), label)
        legal = f"{self.spec.response_type}: a legal move"
        name = f"{legal} in a second match" if second else legal
        if answer is None:
            self.skip(name, A_MATCH, "there is no reply to look at")
            return None
        reply = as_object(answer.reply)
        problem = self.illegal(state, reply)
        moot = bool(problem) and self.has_failed(legal)
        self._note_loss(name, A_MATCH, problem, self.expected_move(state), answer, moot=moot)
        self._note_own(reply, answer)
        return None if problem else reply[self.spec.choice_field]

    def _note_own(self, reply: Object, answer: CallAnswer) -> None:
        """Note a move that is not the strategy's own, by the player's word; a fault once."""
        if self.has_failed(OWN_MOVES):
            return
        claim = as_object(reply.get("substituted"))
        why = _WHY.get(str(claim.get("reason")), "") if claim else ""
        detail = f" ({claim['detail']})" if claim.get("detail") else ""
        problem = f"{why}{detail}, and a legal move was sent in its place" if why else ""
        self.binding = self.counts and claim.get("reason") in JUDGED
        self.note(OWN_MOVES, A_MATCH, problem, "the strategy's own move: classes and ladders judge a bad one", answer)
        self.binding = False

    def illegal(self, state: Any, reply: Object) -> str:
        """The fault of the move in a reply; empty if it is legal."""
        field = self.spec.choice_field
        move: Json = reply.get(field)
        try:
            self.script.game.check(state, PLAYER, move)
        except InvalidMove:
            return f"{field} is {str(move)[:200]!r}, of type {type(move).__name__}"
        return ""

    def expected_move(self, state: Any) -> str:
        return f"{self.spec.choice_field} is one of {list(self.script.game.legal_moves(state, PLAYER))}, exactly"

    async def answered(self, tool: str, message: Mapping[str, Json]) -> CallAnswer:
        """Call; an answer that the player pushes to the referee counts as its reply."""
        if tool not in (INVITE, self.spec.tool):
            return await self.call(tool, message)
        question = self.referee.ask(message)
        answer = await self.call(tool, message)
        if question.answer is None and says_only_that_it_arrived(answer.reply, message, self.calls[tool].reply):
            limit = self.script.timeouts.of(self.calls[tool].timeout)
            await self.referee.bell.wait_for(lambda: question.answer is not None, limit - answer.seconds)
            told = f"it acknowledged the message, and no answer followed within {limit:g} s"
            answer = replace(answer, broken=told, late=True)
        if question.answer is None:
            return answer
        pushed = dict(question.answer)
        return CallAnswer(answer.sent, pushed, answer.seconds, reply=pushed)

    async def _settle(
        self, tool: str, message: Mapping[str, Json], losing: Callable[[Object], str], label: str
    ) -> CallAnswer | None:
        """Ask as often as a referee does, and judge the last answer; None if unreadable."""
        earlier = ""
        for number in count(1):
            try:
                answer = await self.answered(tool, message)
            except AgentGone as error:
                if number == TRIES:
                    raise
                earlier = str(error)
                await anyio.sleep(_PAUSE_SEC * number)
                continue
            unread = self._unread(tool, message, answer)
            problem = unread or losing(as_object(answer.reply))
            if not problem or not _asked_again(answer, unread, number):
                return self._judge(tool, message, answer, label, unread, "" if problem else earlier)
            earlier = problem
            if not answer.late and tool == self.spec.tool:
                # Like a referee, report the error before asking again; the player may ignore it.
                await self.call(ERROR, self.script.game_error(str(message["match_id"]), self.number))
        raise AssertionError("the last try has returned")

    def _judge(
        self, tool: str, message: Mapping[str, Json], answer: CallAnswer, label: str, unread: str, earlier: str
    ) -> CallAnswer | None:
        before, asked = len(self.report.failed), str(message["message_type"])
        if earlier:
            self.note(f"{asked}: answered at the first try", A_MATCH, earlier, "a good answer at once", answer)
        self.binding = self.counts and bool(unread)
        self.judge_reply(tool, message, answer, label)
        if self.binding and len(self.report.failed) == before:
            section = section_of(self.calls[tool].reply, self.spec)
            self.note(f"{asked}: an answer that can be read", section, unread, "an answer", answer)
        self.binding = False
        if answer.late:
            raise GivenUp(
                f"{asked} got no answer in time {LATE_TRIES} times, which loses the match: the verdict is known"
            )
        return None if unread else answer

    def _unread(self, tool: str, message: Mapping[str, Json], answer: CallAnswer) -> str:
        """The reason why a referee cannot use a player's answer; empty if it can."""
        if answer.broken:
            return answer.broken
        if answer.error is not None:
            return answer.error.text
        expect = self.calls[tool].reply
        if says_only_that_it_arrived(answer.reply, message, expect):
            return "it says no more than that the message arrived"
        try:
            answering = Answering(str(message["player_id"]), ARRIVED)
            reply = read_reply(answer.reply, message, expect, self.script.codec, spec=self.spec, answering=answering)
            require_same_match(reply, str(message["match_id"]), str(message["player_id"]))
        except (LeagueError, UnfitReply) as error:
            return str(error)
        return ""

    def _note_loss(
        self, name: str, section: str, problem: str, expected: str, answer: CallAnswer, *, moot: bool = False
    ) -> None:
        """Note a fault that loses the match; a `moot` one has been noted before."""
        self.binding = self.counts
        self.note(name, section, problem, expected, answer, moot=moot)
        self.binding = False


def _asked_again(answer: CallAnswer, unread: str, number: int) -> bool:
    if answer.late:
        return number < LATE_TRIES
    code = answer.error.code if answer.error is not None else None
    return number < TRIES and (answer.dropped or not unread or code in RETRIED_CODES)
