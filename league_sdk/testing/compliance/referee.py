"""What a referee is put through: matches with players of the checker's, and everything that it has to refuse."""

from collections.abc import Mapping
from typing import Any

import anyio

from league_sdk.domain.model import Role
from league_sdk.game import Json
from league_sdk.protocol.catalog import CallSpec, calls_for
from league_sdk.protocol.match import GameError, GameInvitation, GameOver, MatchResultReport, MoveCall
from league_sdk.testing.compliance.answers import Object, as_object
from league_sdk.testing.compliance.desk import Desk
from league_sdk.testing.compliance.exam import Exam
from league_sdk.testing.compliance.player import with_token, without
from league_sdk.testing.compliance.rivals import Plan, Rival, possible_winners
from league_sdk.testing.compliance.rules import A_MATCH, EVERY_MESSAGE
from league_sdk.testing.compliance.script import OPPONENT, PLAYER, Script

START, REPORT = "START_MATCH", "MATCH_RESULT_REPORT"
ASK_SEC = 0.1
_POINTS: Mapping[str, int] = {"win": 3, "draw": 1, "loss": 0}


class RefereeExam:
    """One referee in one dialect.

    Args:
        exam: How it is asked.
        script: What is said to it.
        desk: Its league manager.
        rivals: The players, by id.
        plans: What they do, by match; filled in here.
        number: Which dialect this is, from 1. What takes a referee's pauses is looked at in the first alone.
    """

    def __init__(
        self, exam: Exam, script: Script, desk: Desk, rivals: Mapping[str, Rival], plans: dict[str, Plan], number: int
    ) -> None:
        self._exam = exam
        self._script = script
        self._desk = desk
        self._rivals = rivals
        self._plans = plans
        self._round = number
        self._calls = {call.tool: call for call in calls_for(Role.REFEREE, [script.game.move_spec])}

    async def run(self) -> None:
        """Everything but the end of the league."""
        await self._exam.list_tools(tuple(self._calls.values()))
        await self._tell("notify_round", self._script.round_announcement(self._round, self._match(1)))
        await self._good_match()
        if self._round == 1:
            await self._corrected_match()
        await self._forfeit(self._match(3), (PLAYER,), OPPONENT)
        await self._forfeit(self._match(4), (PLAYER, OPPONENT), None)
        await self._tell("notify_round_completed", self._script.round_completed(self._round))
        await self._refusals()

    async def end(self) -> None:
        """The end of the league, after which an agent may go."""
        await self._tell("notify_league_completed", self._script.league_completed())

    def _match(self, number: int) -> str:
        return f"R{self._round}M{number}"

    async def _tell(self, tool: str, message: Mapping[str, Json], label: str = "") -> Object | None:
        return await self._exam.ask(self._calls[tool], message, label)

    def _assignment(self, match_id: str) -> dict[str, Json]:
        endpoints = {player: rival.agent.endpoint for player, rival in self._rivals.items()}
        return self._script.start_match(match_id, self._round, endpoints)

    # Matches

    async def _good_match(self) -> None:
        """A match without trouble, given out twice."""
        match_id = self._match(1)
        assignment = self._assignment(match_id)
        begun = await self._tell("start_match", assignment)
        again = await self._tell("start_match", assignment, "a START_MATCH a second time is accepted again")
        if begun is not None and again is not None:
            problem = "" if begun.get("game_session_id") == again.get("game_session_id") else "it is another session"
            self._exam.note(
                "START_MATCH a second time is the same match",
                START,
                problem,
                "the same game_session_id",
                received=again,
            )
        report = await self._report_of(match_id)
        if report is None:
            return
        self._look_at_course(match_id)
        self._look_at_result(match_id, report)
        await self._look_at_state(match_id)

    async def _report_of(self, match_id: str) -> Object | None:
        """Wait for a match to be reported; its result."""
        limits = self._script.timeouts
        patience = limits.join + limits.move + 2 * limits.response
        await self._desk.agent.bell.wait_for(lambda: bool(self._reports(match_id)), patience)
        reports = self._reports(match_id)
        problem = "" if reports else f"no report came within {patience:g} s"
        self._exam.note(
            f"{REPORT}: the match is reported", REPORT, problem, "a match has one result, and it is reported"
        )
        return as_object(reports[0].get("result")) if reports else None

    def _reports(self, match_id: str) -> list[Mapping[str, Json]]:
        return [heard.message for heard in self._desk.reports if heard.message.get("match_id") == match_id]

    def _look_at_course(self, match_id: str) -> None:
        """What the players were told, in what order, and with which token."""
        tool = self._script.game.move_spec.tool
        for player, rival in self._rivals.items():
            order = [heard.call.tool for heard in rival.agent.heard if heard.message.get("match_id") == match_id]
            kinds = list(dict.fromkeys(order))
            wanted = ["handle_game_invitation", tool, "notify_match_result"]
            problem = "" if kinds == wanted else f"{player} was sent {', '.join(order) or 'nothing'}"
            name = f"a match: {player} is invited, asked and told"
            self._exam.note(name, A_MATCH, problem, "invitation, calls for moves, result", received=order)
            shown = {heard.token for heard in rival.agent.heard if heard.message.get("match_id") == match_id}
            right = shown == {self._script.player_ticket(player, match_id)}
            problem = "" if right else "another auth_token was shown, or none"
            name = f"a match: {player} is shown its ticket"
            self._exam.note(name, START, problem, "the ticket from START_MATCH, as auth_token in every message")
        told = [as_object(heard.message.get("game_result")) for heard in self._overs(match_id)]
        problem = "" if all(result == told[0] for result in told) else "the players are told different results"
        self._exam.note("GAME_OVER: both are told the same", "GAME_OVER", problem, "one result for both", received=told)

    def _overs(self, match_id: str) -> list[Any]:
        return [heard for rival in self._rivals.values() for heard in rival.heard("notify_match_result", match_id)]

    def _look_at_result(self, match_id: str, result: Object) -> None:
        """Whether the report is in itself right, and one that the moves can have come to."""
        winner: Json = result.get("winner")
        points = {"win": PLAYER, "loss": OPPONENT} if winner == PLAYER else {"win": OPPONENT, "loss": PLAYER}
        score = (
            {PLAYER: _POINTS["draw"], OPPONENT: _POINTS["draw"]}
            if winner is None
            else {player: _POINTS[how] for how, player in points.items()}
        )
        problem = "" if result.get("score") == score else f"the winner is {winner}, and the score {result.get('score')}"
        expected = "3 points for a win, 1 for a draw, 0 for a loss, as START_MATCH tells"
        self._exam.note(f"{REPORT}: the score fits the winner", REPORT, problem, expected, received=result)
        moves = {player: rival.moves.get(match_id, []) for player, rival in self._rivals.items()}
        possible = possible_winners(self._script.game, moves)
        problem = "" if winner in possible else f"{winner} cannot have won with the moves {moves}"
        expected = f"the winner is one of {sorted(map(str, possible))}"
        self._exam.note(f"{REPORT}: the moves can have led to it", A_MATCH, problem, expected, received=result)
        tokens = {heard.token for heard in self._desk.reports if heard.message.get("match_id") == match_id}
        problem = "" if tokens == {self._desk.auth_token} else "another auth_token was shown, or none"
        expected = "the auth_token from registration"
        self._exam.note(f"{REPORT}: shows the referee's token", EVERY_MESSAGE, problem, expected)
        overs = [as_object(heard.message.get("game_result")).get("winner_player_id") for heard in self._overs(match_id)]
        problem = "" if set(overs) <= {winner} else f"the players are told {overs}, the manager {winner}"
        self._exam.note(f"{REPORT}: tells what the players are told", REPORT, problem, "one winner", received=result)
        seen = len({str(report.get("result")) for report in self._reports(match_id)})
        problem = "" if seen == 1 else f"{seen} different results were reported"
        self._exam.note(f"{REPORT}: there is one result", "Results", problem, "a match has one result")

    async def _look_at_state(self, match_id: str) -> None:
        """How far the match is, once its report has been taken."""
        call, message = self._calls["match_status"], self._script.match_status(match_id)
        with anyio.move_on_after(self._script.timeouts.response):
            while True:
                answer = await self._exam.call(call, message)
                if as_object(answer.reply).get("reported") is not False or answer.broken:
                    break
                await anyio.sleep(ASK_SEC)
        reply = await self._tell("match_status", message)
        if reply is not None:
            problem = "" if reply.get("reported") is True else f"reported is {reply.get('reported')!r}"
            expected = "once the manager has acknowledged the report, the match is reported"
            self._exam.note("MATCH_STEP_RESPONSE: reported", "MATCH_STEP_RESPONSE", problem, expected, received=reply)

    async def _corrected_match(self) -> None:
        """A match in which a player moves illegally at first, and is told and asked again."""
        match_id = self._match(2)
        self._plans[match_id] = Plan(illegal_once=(OPPONENT,))
        if await self._tell("start_match", self._assignment(match_id), "a second match is begun") is None:
            return
        result = await self._report_of(match_id)
        errors = [heard.message for heard in self._rivals[OPPONENT].heard("notify_game_error", match_id)]
        codes = [error.get("error_code") for error in errors]
        problem = "" if codes == ["E004"] else f"it is told {codes or 'nothing'}"
        expected = "GAME_ERROR with E004 to the player, before it is asked again"
        self._exam.note("an illegal move is told to the player", "GAME_ERROR", problem, expected, received=errors[:1])
        asked = len(self._rivals[OPPONENT].heard(self._script.game.move_spec.tool, match_id))
        problem = "" if asked >= 2 else f"the player was asked {asked} times"
        self._exam.note(
            "an illegal move is asked for again", "GAME_ERROR", problem, "the same call, up to max_retries times"
        )
        if result is not None:
            status: Json = as_object(result.get("details")).get("status")
            problem = "" if status in ("WIN", "DRAW", None) else f"its status is {status}"
            expected = "a player that then moves legally has lost nothing"
            self._exam.note(
                "a match after an illegal move is played to its end", A_MATCH, problem, expected, received=result
            )

    async def _forfeit(self, match_id: str, declining: tuple[str, ...], winner: str | None) -> None:
        """A match that somebody, or nobody, comes to."""
        who = "one player declines" if len(declining) == 1 else "both players decline"
        self._plans[match_id] = Plan(declining=declining)
        if await self._tell("start_match", self._assignment(match_id), f"a match that {who} is begun") is None:
            return
        result = await self._report_of(match_id)
        if result is None:
            return
        score = {player: _POINTS["win"] * (player == winner) for player in (PLAYER, OPPONENT)}
        status: Json = as_object(result.get("details")).get("status")
        said = {"status": status, "winner": result.get("winner"), "score": result.get("score")}
        wanted = {"status": "TECHNICAL_LOSS", "winner": winner, "score": score}
        problem = "" if said == wanted else f"it is {said}"
        self._exam.note(f"a match that {who} is a technical loss", REPORT, problem, f"{wanted}", received=result)

    def judge_heard(self) -> None:
        """Judge every message that the referee sent of its own accord, in all dialects."""
        spec = self._script.game.move_spec
        kinds = {
            "handle_game_invitation": GameInvitation,
            spec.tool: MoveCall,
            "notify_game_error": GameError,
            "notify_match_result": GameOver,
        }
        for tool in kinds:
            heard = [heard for rival in self._rivals.values() for heard in rival.agent.of(tool)]
            if heard or tool != "notify_game_error":
                call = next(call for call in calls_for(Role.PLAYER, [spec]) if call.tool == tool)
                self._exam.judge_heard(call, [one.message for one in heard])
        report = next(call for call in calls_for(Role.LEAGUE_MANAGER) if call.request is MatchResultReport)
        self._exam.judge_heard(report, [heard.message for heard in self._desk.reports])

    # What has to be refused

    async def _refusals(self) -> None:
        start, status = self._calls["start_match"], self._calls["match_status"]
        message = self._assignment(self._match(9))
        unknown = self._script.match_status("R99M99")
        cases: tuple[tuple[str, CallSpec, dict[str, Json], str, str], ...] = (
            ("a START_MATCH without auth_token", start, without(message, "auth_token"), "E011", EVERY_MESSAGE),
            ("a START_MATCH with a wrong auth_token", start, with_token(message, "wrong"), "E012", EVERY_MESSAGE),
            ("a START_MATCH without match_id", start, without(message, "match_id"), "E003", START),
            ("a START_MATCH with a number as match_id", start, message | {"match_id": 7}, "E002", START),
            ("a START_MATCH without a player's endpoint", start, without(message, "player_A_endpoint"), "E003", START),
            ("a START_MATCH of a player against itself", start, message | {"player_B_id": PLAYER}, "E002", START),
            ("a START_MATCH of an unknown game", start, message | {"game_type": "no_such_game"}, "E017", START),
            ("a START_MATCH in another protocol", start, message | {"protocol": "league.v99"}, "E018", EVERY_MESSAGE),
            (
                "a START_MATCH without a zone in its timestamp",
                start,
                message | {"timestamp": "2025-01-15T10:00:00"},
                "E021",
                EVERY_MESSAGE,
            ),
            ("a MATCH_STATUS of an unknown match", status, unknown, "E007", "MATCH_STATUS"),
            ("a MATCH_STATUS without auth_token", status, without(unknown, "auth_token"), "E011", EVERY_MESSAGE),
        )
        for what, call, invalid, code, section in cases:
            await self._exam.refused(f"{what} is refused", call, invalid, (code,), section)
        announcement = self._script.round_announcement(self._round, self._match(1))
        told = self._calls["notify_round"]
        label = "a ROUND_ANNOUNCEMENT without matches is refused"
        await self._exam.refused(label, told, without(announcement, "matches"), ("E003",), "ROUND_ANNOUNCEMENT")
        await self._exam.unknown_tool(self._script.standings(1))
        again = self._assignment(self._match(1))
        await self._tell("start_match", again, "a START_MATCH after invalid ones is accepted")
