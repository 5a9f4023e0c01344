"""Players that answer nothing, as a league's referee and manager meet them."""

from typing import Any

import anyio

from league_sdk.errors import ResponseTimeout
from league_sdk.protocol.operator import StartMatch
from league_sdk.protocol.rounds import LeagueStandingsUpdate
from tests.servers.fakes import Sent, begun, result_report
from tests.servers.league_manager.runner_harness import RunnerHarness


class SilentPlayers:
    """Some players of a league are silent: they lose technically, after so many seconds of a referee's tries."""

    def __init__(self, held: RunnerHarness, *silent: str, tries_sec: float = 10.0) -> None:
        self.silent = {*silent}
        self._held = held
        self._tries_sec = tries_sec
        held.peers.script(StartMatch, self._start)
        for player in silent:
            held.peers.script(LeagueStandingsUpdate, ResponseTimeout(f"{player} is silent"), to=player)

    def wake(self, player: str) -> None:
        """Let a player answer from now on."""
        self.silent.discard(player)
        self._held.peers.script(LeagueStandingsUpdate, to=player)

    def _start(self, call: Sent) -> Any:
        self._held.tasks.start_soon(self._report, call)
        return begun(call)

    async def _report(self, call: Sent) -> None:
        seats = (call.message.player_a_id, call.message.player_b_id)
        out = [player for player in seats if player in self.silent]
        if not out:
            await self._held.report(call)
            return
        await self._held.clock.sleep(self._tries_sec)
        rest = [player for player in seats if player not in out]
        winner = rest[0] if rest else None
        result = {
            "winner": winner,
            "score": {player: 3 * (player == winner) for player in seats},
            "details": {"drawn_number": None, "status": "TECHNICAL_LOSS"},
            "faults": [
                {
                    "player_id": player,
                    "cause": "no_join",
                    "phase": "join",
                    "error_code": "E001",
                    "tries": 4,
                    "description": "no answer",
                }
                for player in out
            ],
        }
        message = result_report(call.message.match_id, referee=call.to, result=result, attempt=call.message.attempt)
        await self._held.manager.call("report_match_result", message)


async def complete(held: RunnerHarness, rounds: int) -> None:
    """Let time pass until so many rounds are complete."""
    with anyio.fail_after(20):
        while held.manager.league.rounds_completed < rounds:
            await held.clock.pass_by(5)


async def end(held: RunnerHarness) -> None:
    """Let time pass until the league is over."""
    with anyio.fail_after(20):
        while not held.over.is_set():
            await held.clock.pass_by(5)
