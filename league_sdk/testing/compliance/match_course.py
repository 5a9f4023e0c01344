"""One match as a referee leads it: what a player loses here, it would lose in a league."""

from collections.abc import Callable, Mapping
from itertools import count
from typing import Any, Final

import anyio

from league_sdk.clock import HashRng
from league_sdk.domain.match import RETRIED_CODES
from league_sdk.domain.model import Role
from league_sdk.errors import InvalidMove
from league_sdk.game import Json
from league_sdk.protocol.catalog import CallSpec, calls_for
from league_sdk.testing.compliance.answers import AgentGone, CallAnswer, Object, as_object
from league_sdk.testing.compliance.exam import Exam, GivenUp
from league_sdk.testing.compliance.rules import A_MATCH, ReplyContext
from league_sdk.testing.compliance.script import OPPONENT, PLAYER, Script

JOIN_ACK: Final = "GAME_JOIN_ACK"
MOST_TURNS: Final = 500
"""No game that is checked with goes on for longer."""
TRIES: Final = 4
"""How often a referee asks in all: `retry_policy.max_retries` is 3."""
LATE_TRIES: Final = 2
"""Who is late twice is taken to be late always: each further try would take the whole time limit."""
_PAUSE_SEC: Final = 0.2


class MatchCourse:
    """Leads matches with a player, and says of each answer whether it loses the match.

    Args:
        exam: How the player is asked.
        script: What is said to it.
        round_id: The round that its matches are in.
        counts: Whether this is how a league would speak to the player; else what goes wrong is an advice.
    """

    def __init__(self, exam: Exam, script: Script, round_id: int, *, counts: bool) -> None:
        self._exam = exam
        self._script = script
        self._round = round_id
        self._counts = counts
        calls = {call.tool: call for call in calls_for(Role.PLAYER, [script.game.move_spec])}
        self._invite, self._move = calls["handle_game_invitation"], calls[script.game.move_spec.tool]
        self._error = calls["notify_game_error"]

    async def invite(self, match_id: str, *, second: bool = False) -> bool:
        """Invite the player, again where a referee would; whether it comes."""
        message = self._script.invitation(match_id, self._round, second=second)
        label = "GAME_INVITATION in the second seat is accepted" if second else ""
        answer = await self._settle(self._invite, message, lambda _: "", label)
        if answer is None:
            return False
        accept = as_object(answer.reply).get("accept")
        problem = "" if accept is True else f"accept is {accept!r}"
        name = f"{JOIN_ACK}: comes to the match"
        moot = bool(problem) and self._exam.has_failed(name)
        name = f"{name} in the second seat" if second else name
        self._note(name, JOIN_ACK, problem, "true: it plays; declining loses the match", answer, moot=moot)
        return accept is True

    async def play(self, match_id: str, *, second: bool = False) -> Mapping[str, Json]:
        """Play the game against an opponent that takes the first legal move; the result for GAME_OVER."""
        game, rng = self._script.game, HashRng(match_id)
        state = game.start((PLAYER, OPPONENT), rng)
        for turn in range(1, MOST_TURNS):
            asked = game.to_move(state)
            if not asked:
                break
            moves: dict[str, Any] = {OPPONENT: game.legal_moves(state, OPPONENT)[0]} if OPPONENT in asked else {}
            if PLAYER in asked:
                move = await self._ask_for_move(match_id, state, turn, second=second)
                moves[PLAYER] = game.legal_moves(state, PLAYER)[0] if move is None else move
            state = game.apply(state, moves, rng)
        outcome = game.outcome(state)
        if outcome is None:
            return {"winner_player_id": None}
        score = {name: 1 if outcome.winner is None else 3 * (name == outcome.winner) for name in (PLAYER, OPPONENT)}
        return {**outcome.details, "winner_player_id": outcome.winner, "reason": outcome.reason, "score": score}

    async def _ask_for_move(self, match_id: str, state: Any, turn: int, *, second: bool) -> Json:
        """A legal move, or None when the player gives none."""
        spec = self._script.game.move_spec
        call = self._script.move_call(match_id, self._round, state, turn)
        when = "a second match" if second else "a later turn"
        label = "" if turn == 1 and not second else f"{spec.call_type} in {when} is answered"
        answer = await self._settle(self._move, call, lambda reply: illegal(self._script, state, reply), label)
        name = f"{spec.response_type}: a legal move{' in a second match' if second else ''}"
        if answer is None:
            self._exam.skip(name, A_MATCH, "there is no reply to look at")
            return None
        reply = as_object(answer.reply)
        problem = illegal(self._script, state, reply)
        moot = bool(problem) and self._exam.has_failed(f"{spec.response_type}: a legal move")
        self._note(name, A_MATCH, problem, expected_move(self._script, state), answer, moot=moot)
        return None if problem else reply[spec.choice_field]

    async def _settle(
        self, call: CallSpec, message: Mapping[str, Json], losing: Callable[[Object], str], label: str
    ) -> CallAnswer | None:
        """Ask as often as a referee does, and judge the answer that counts; None when it cannot be read.

        Raises:
            GivenUp: The player is late, which settles it.
            Gone: It is not there any more.
        """
        exam, earlier = self._exam, ""
        for number in count(1):
            try:
                answer = await exam.call(call, message)
            except AgentGone as error:
                if number == TRIES:
                    raise
                earlier = str(error)
                await anyio.sleep(_PAUSE_SEC * number)
                continue
            unread = exam.unread(call, message, answer)
            problem = unread or losing(as_object(answer.reply))
            if not problem or not _asked_again(answer, unread, number):
                return await self._judged(call, message, answer, label, unread, "" if problem else earlier)
            earlier = problem
            if not answer.late:
                await self._tell_error(message)
        raise AssertionError("the last try has returned")

    async def _judged(
        self, call: CallSpec, message: Mapping[str, Json], answer: CallAnswer, label: str, unread: str, earlier: str
    ) -> CallAnswer | None:
        exam, before = self._exam, len(self._exam.report.failed)
        setting = ReplyContext(call, exam.codec, exam.role, exam.agent_id, exam.spec)
        asked = str(message["message_type"])
        if earlier:
            exam.note(f"{asked}: answered at the first try", A_MATCH, earlier, "a good answer at once", answer)
        exam.binding = self._counts and bool(unread)
        exam.judge_reply(call, message, answer, label)
        if exam.binding and len(exam.report.failed) == before:
            exam.note(f"{asked}: an answer that can be read", setting.section, unread, "an answer", answer)
        exam.binding = False
        if answer.late:
            times = f"{LATE_TRIES} times" if LATE_TRIES > 1 else "once"
            raise GivenUp(f"{asked} got no answer in time {times}, which loses the match: the verdict is known")
        return None if unread else answer

    def _note(
        self, name: str, section: str, problem: str, expected: str, answer: CallAnswer, *, moot: bool = False
    ) -> None:
        """Write down what loses the match, if it does; what has been said before is said no more."""
        self._exam.binding = self._counts
        problem = f"as before: {problem}" if moot else problem
        self._exam.note(name, section, problem, expected, answer, skipped=moot)
        self._exam.binding = False

    async def _tell_error(self, message: Mapping[str, Json]) -> None:
        """Tell the player before it is asked again, as a referee does; whether it listens is its own affair."""
        if message["message_type"] == self._script.game.move_spec.call_type:
            await self._exam.call(self._error, self._script.game_error(str(message["match_id"]), self._round))


def illegal(script: Script, state: Any, reply: Object) -> str:
    """What is wrong with the move in a reply; empty when it is legal."""
    field = script.game.move_spec.choice_field
    move: Json = reply.get(field)
    try:
        script.game.check(state, PLAYER, move)
    except InvalidMove:
        return f"{field} is {str(move)[:200]!r}, of type {type(move).__name__}"
    return ""


def expected_move(script: Script, state: Any) -> str:
    """What a legal move is in a state of the game."""
    return f"{script.game.move_spec.choice_field} is one of {list(script.game.legal_moves(state, PLAYER))}, exactly"


def _asked_again(answer: CallAnswer, unread: str, number: int) -> bool:
    if answer.late:
        return number < LATE_TRIES
    code = answer.error.code if answer.error is not None else None
    return number < TRIES and (answer.dropped or not unread or code in RETRIED_CODES)
