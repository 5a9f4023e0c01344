"""Players that register and answer nothing: neither time nor places of a league are theirs."""

from typing import Any

import pytest

from league_sdk.domain.commands import EnterPlayer
from league_sdk.domain.model import StageRules
from league_sdk.errors import LeagueFull
from tests.league_sdk.domain.season import agent
from tests.servers.league_manager.runner_harness import runner_harness
from tests.servers.league_manager.silent_players import SilentPlayers, complete

pytestmark = pytest.mark.anyio


def newcomer(name: str) -> EnterPlayer:
    return EnterPlayer(agent(name, game_types=("even_odd",)), "none")


async def test_the_fifty_six_who_answer_nothing_neither_stop_an_endless_ladder_nor_fill_it():
    """Before: 28 matches of all their tries in every round, first places out of reach, and a league full for good."""
    ladder: Any = {"stages": (StageRules("ladder", {"endless": True}),), "max_players": 60}
    async with runner_harness(
        60, 4, concurrent=8, absences_before_sitting_out=3, match_delay_sec=1.0, **ladder
    ) as held:
        silent = [f"P{number:02d}" for number in range(1, 57)]
        attack = SilentPlayers(held, *silent)
        held.begin()
        await complete(held, 1)
        with pytest.raises(LeagueFull):
            await held.manager.ledger.execute(newcomer("Too early"))
        # Every player of the middle plays each round; the first and the last every second one.
        await complete(held, 6)
        assert {*silent} == held.manager.league.sitting_out.keys()
        before = held.manager.league.rounds_completed
        await complete(held, before + 6)
        league = held.manager.league
        for played in league.rounds[before + 1 :]:
            assert not {*silent} & {player for match in played.fixtures for player in match.players}, (
                "none of their tries"
            )
        assert {player for group in league.ranking[:4] for player in group} == {"P57", "P58", "P59", "P60"}
        for number in range(61, 117):
            await held.manager.ledger.execute(newcomer(f"Newcomer {number}"))
            assert f"P{number}" in held.manager.league.players, "an id of theirs is not given again"
        with pytest.raises(LeagueFull):
            await held.manager.ledger.execute(newcomer("One too many"))
        for player in silent:
            attack.wake(player)
        await complete(held, before + 9)
        assert {*silent} == held.manager.league.sitting_out.keys(), "their places are taken"
        assert len(held.manager.league.playing()) == 60
