"""Cases for a referee: matches with scripted players, and messages to refuse."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import anyio

from league_sdk.domain.model import Role
from league_sdk.game import Game, turns
from league_sdk.json_value import Json
from league_sdk.protocol.catalog import calls_for
from league_sdk.protocol.match import MatchResultReport
from league_sdk.testing.compliance.bad_messages import TOKENS, BadMessage
from league_sdk.testing.compliance.reply_rules import A_MATCH, EVERY_MESSAGE
from league_sdk.testing.compliance.responses import Object, as_object
from league_sdk.testing.compliance.script import OPPONENT, PLAYER
from league_sdk.testing.compliance.scripted_agents import ScriptedManager, ScriptedPlayer
from league_sdk.testing.compliance.suite import Suite

START, REPORT = "START_MATCH", "MATCH_RESULT_REPORT"
ASK_SEC = 0.1
STARTS = (
    *TOKENS,
    BadMessage("without match_id", {"match_id": None}, "E003"),
    BadMessage("with a number as match_id", {"match_id": 7}, "E002"),
    BadMessage("without a player's endpoint", {"player_A_endpoint": None}, "E003"),
    BadMessage("of a player against itself", {"player_B_id": PLAYER}, "E002"),
    BadMessage("of an unknown game", {"game_type": "no_such_game"}, "E017"),
    BadMessage("in another protocol", {"protocol": "league.v99"}, "E018"),
    BadMessage("without a zone in its timestamp", {"timestamp": "2025-01-15T10:00:00"}, "E021"),
)
STATUSES = (
    BadMessage("of an unknown match", {"match_id": "R99M99"}, "E007"),
    BadMessage("without auth_token", {"match_id": "R99M99", "auth_token": None}, "E011"),
)
_SEEDS = 64
"""Replays, each with other chance, to find the possible winners."""


@dataclass(kw_only=True)
class RefereeSuite(Suite):
    """One referee in one dialect, with a scripted manager and two scripted players.

    Cases that take a referee's pauses run in the first dialect only.
    """

    manager: ScriptedManager
    players: Mapping[str, ScriptedPlayer]

    async def run(self) -> None:
        """Everything but the end of the league."""
        await self.list_tools()
        await self.ask("notify_round", self.script.round_announcement(self.number, self.match_id(1)))
        await self._good_match()
        if self.number == 1:
            await self._corrected_match()
        await self._forfeit(self.match_id(3), "one player declines", (PLAYER,), OPPONENT)
        await self._forfeit(self.match_id(4), "both players decline", (PLAYER, OPPONENT), None)
        await self.ask("notify_round_completed", self.script.round_completed(self.number))
        await self._refusals()

    async def end(self) -> None:
        """The end of the league, after which an agent may go."""
        await self.ask("notify_league_completed", self.script.league_completed())

    def _assignment(self, match_id: str) -> dict[str, Json]:
        endpoints = {player_id: player.endpoint for player_id, player in self.players.items()}
        return self.script.start_match(match_id, self.number, endpoints)

    # Matches

    async def _good_match(self) -> None:
        """A match without faults, assigned twice."""
        match_id = self.match_id(1)
        assignment = self._assignment(match_id)
        begun = await self.ask("start_match", assignment)
        again = await self.ask("start_match", assignment, "a START_MATCH a second time is accepted again")
        if begun is not None and again is not None:
            problem = "" if begun.get("game_session_id") == again.get("game_session_id") else "it is another session"
            name, expected = "START_MATCH a second time is the same match", "the same game_session_id"
            self.note(name, START, problem, expected, received=again)
        report = await self._report_of(match_id)
        if report is not None:
            self._look_at_course(match_id)
            self._look_at_result(match_id, report)
            await self._look_at_state(match_id)

    async def _report_of(self, match_id: str) -> Object | None:
        """Wait for the report of a match; return its result."""
        limits = self.script.timeouts
        patience = limits.join + limits.move + 2 * limits.response
        await self.manager.bell.wait_for(lambda: bool(self.manager.reports(match_id)), patience)
        reports = self.manager.reports(match_id)
        problem = "" if reports else f"no report came within {patience:g} s"
        expected = "a match has one result, and it is reported"
        self.note(f"{REPORT}: the match is reported", REPORT, problem, expected)
        return as_object(reports[0].message.get("result")) if reports else None

    def _look_at_course(self, match_id: str) -> None:
        """Judge the messages to the players, their order and their tokens."""
        wanted = ["handle_game_invitation", self.spec.tool, "notify_match_result"]
        for player_id, player in self.players.items():
            heard = player.of(match_id=match_id)
            order = [one.call.tool for one in heard]
            told = list(dict.fromkeys(order)) == wanted
            problem = "" if told else f"{player_id} was sent {', '.join(order) or 'nothing'}"
            name, expected = f"a match: {player_id} is invited, asked and told", "invitation, calls for moves, result"
            self.note(name, A_MATCH, problem, expected, received=order)
            right = {one.token for one in heard} == {self.script.player_ticket(player_id, match_id)}
            problem = "" if right else "another auth_token was shown, or none"
            expected = "the ticket from START_MATCH, as auth_token in every message"
            self.note(f"a match: {player_id} is shown its ticket", START, problem, expected)
        results = self._told_results(match_id)
        problem = "" if all(one == results[0] for one in results) else "the players are told different results"
        name, expected = "GAME_OVER: both are told the same", "one result for both"
        self.note(name, "GAME_OVER", problem, expected, received=results)

    def _told_results(self, match_id: str) -> list[Object]:
        overs = [over for player in self.players.values() for over in player.of("notify_match_result", match_id)]
        return [as_object(over.message.get("game_result")) for over in overs]

    def _look_at_result(self, match_id: str, result: Object) -> None:
        """Judge if the report is consistent, and possible by the moves."""
        winner, said = result.get("winner"), result.get("score")
        score = {player: 1 if winner is None else 3 * (player == winner) for player in self.players}
        problem = "" if said == score else f"the winner is {winner}, and the score {said}"
        expected = "3 points for a win, 1 for a draw, 0 for a loss, as START_MATCH tells"
        self.note(f"{REPORT}: the score fits the winner", REPORT, problem, expected, received=result)
        moves = {player_id: player.moves.get(match_id, []) for player_id, player in self.players.items()}
        possible = possible_winners(self.script.game, moves)
        problem = "" if winner in possible else f"{winner} cannot have won with the moves {moves}"
        expected = f"the winner is one of {sorted(map(str, possible))}"
        self.note(f"{REPORT}: the moves can have led to it", A_MATCH, problem, expected, received=result)
        reports = self.manager.reports(match_id)
        right = {report.token for report in reports} == {self.manager.auth_token}
        problem = "" if right else "another auth_token was shown, or none"
        name = f"{REPORT}: shows the referee's token"
        self.note(name, EVERY_MESSAGE, problem, "the auth_token from registration")
        told = [one.get("winner_player_id") for one in self._told_results(match_id)]
        problem = "" if set(told) <= {winner} else f"the players are told {told}, the manager {winner}"
        self.note(f"{REPORT}: tells what the players are told", REPORT, problem, "one winner", received=result)
        seen = len({str(report.message.get("result")) for report in reports})
        problem = "" if seen == 1 else f"{seen} different results were reported"
        self.note(f"{REPORT}: there is one result", "Results", problem, "a match has one result")

    async def _look_at_state(self, match_id: str) -> None:
        """Ask for the state of the match, once its report has been taken."""
        message = self.script.match_status(match_id)
        with anyio.move_on_after(self.script.timeouts.response):
            while True:
                answer = await self.call("match_status", message)
                if as_object(answer.reply).get("reported") is not False or answer.broken:
                    break
                await anyio.sleep(ASK_SEC)
        reply = await self.ask("match_status", message)
        if reply is not None:
            problem = "" if reply.get("reported") is True else f"reported is {reply.get('reported')!r}"
            expected = "once the manager has acknowledged the report, the match is reported"
            self.note("MATCH_STEP_RESPONSE: reported", "MATCH_STEP_RESPONSE", problem, expected, received=reply)

    async def _corrected_match(self) -> None:
        """A match in which a player moves illegally at first, and is asked again."""
        match_id = self.match_id(2)
        self.players[OPPONENT].slips.add(match_id)
        if await self.ask("start_match", self._assignment(match_id), "a second match is begun") is None:
            return
        result = await self._report_of(match_id)
        errors = [heard.message for heard in self.players[OPPONENT].of("notify_game_error", match_id)]
        codes = [error.get("error_code") for error in errors]
        problem = "" if codes == ["E004"] else f"it is told {codes or 'nothing'}"
        expected = "GAME_ERROR with E004 to the player, before it is asked again"
        self.note("an illegal move is told to the player", "GAME_ERROR", problem, expected, received=errors[:1])
        asked = len(self.players[OPPONENT].of(self.spec.tool, match_id))
        problem = "" if asked >= 2 else f"the player was asked {asked} times"
        expected = "the same call, up to max_retries times"
        self.note("an illegal move is asked for again", "GAME_ERROR", problem, expected)
        if result is not None:
            status: Json = as_object(result.get("details")).get("status")
            problem = "" if status in ("WIN", "DRAW", None) else f"its status is {status}"
            name = "a match after an illegal move is played to its end"
            self.note(name, A_MATCH, problem, "a player that then moves legally has lost nothing", received=result)

    async def _forfeit(self, match_id: str, how: str, declining: tuple[str, ...], winner: str | None) -> None:
        """A match that one or both players decline."""
        for name in declining:
            self.players[name].declined.add(match_id)
        if await self.ask("start_match", self._assignment(match_id), f"a match that {how} is begun") is None:
            return
        result = await self._report_of(match_id)
        if result is None:
            return
        status: Json = as_object(result.get("details")).get("status")
        said = {"status": status, "winner": result.get("winner"), "score": result.get("score")}
        score = {player: 3 * (player == winner) for player in self.players}
        wanted = {"status": "TECHNICAL_LOSS", "winner": winner, "score": score}
        problem = "" if said == wanted else f"it is {said}"
        self.note(f"a match that {how} is a technical loss", REPORT, problem, f"{wanted}", received=result)

    def judge_all_heard(self) -> None:
        """Judge every message that the referee sent of its own accord, in all dialects."""
        calls = {call.tool: call for call in calls_for(Role.PLAYER, [self.spec])}
        for tool in ("handle_game_invitation", self.spec.tool, "notify_game_error", "notify_match_result"):
            heard = [heard.message for player in self.players.values() for heard in player.of(tool)]
            if heard or tool != "notify_game_error":
                self.judge_heard(calls[tool], heard)
        report = next(call for call in calls_for(Role.LEAGUE_MANAGER) if call.request is MatchResultReport)
        self.judge_heard(report, [heard.message for heard in self.manager.reports()])

    async def _refusals(self) -> None:
        await self.refuse_all("start_match", self._assignment(self.match_id(9)), STARTS)
        await self.refuse_all("match_status", self.script.match_status(self.match_id(9)), STATUSES)
        announcement = self.script.round_announcement(self.number, self.match_id(1))
        await self.refuse_all(
            "notify_round", announcement, [BadMessage("without round_id", {"round_id": None}, "E003")]
        )
        await self.unknown_tool(self.script.standings(1))
        again = self._assignment(self.match_id(1))
        await self.ask("start_match", again, "a START_MATCH after invalid ones is accepted")


def possible_winners(game: Game[Any], moves: Mapping[str, list[Json]]) -> set[str | None]:
    """Every possible winner of a match with these moves; None stands for a draw."""
    winners: set[str | None] = set()
    for seed in range(_SEEDS):
        left = {player: list(made) for player, made in moves.items()}
        match = turns(game, (PLAYER, OPPONENT), f"seed {seed}")
        for asked in match:
            if not all(left.get(player) for player in asked):
                break
            match.moves = {player: left[player].pop(0) for player in asked}
        if match.outcome is not None:
            winners.add(match.outcome.winner)
    return winners
