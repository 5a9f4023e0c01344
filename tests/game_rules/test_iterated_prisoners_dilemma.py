from typing import Any

import pytest

from game_rules.iterated_prisoners_dilemma import COOPERATE, DEFECT, IteratedPrisonersDilemma
from league_sdk import plugins
from league_sdk.clock import HashRng
from servers.experiments.match_loop import Contestant, play

CHANCE = HashRng("not used by this game")


def scores(first: str, second: str, turns: int = 20) -> list[float]:
    names = {"P01": first, "P02": second}
    seats = [Contestant(player, name, plugins.strategy(name)) for player, name in names.items()]
    game = IteratedPrisonersDilemma(turns)
    outcome = play(game, seats, seed="s", chance="c", match_id="R1M1").outcome
    assert outcome is not None
    return list(outcome.scores.values())


@pytest.mark.parametrize(
    ("first", "second", "payoffs"),
    [
        (COOPERATE, COOPERATE, [3, 3]),
        (COOPERATE, DEFECT, [0, 5]),
        (DEFECT, COOPERATE, [5, 0]),
        (DEFECT, DEFECT, [1, 1]),
    ],
)
def test_a_turn_pays_as_in_axelrods_tournaments(first: str, second: str, payoffs: list[float]):
    assert scores(f"always-{first}", f"always-{second}", turns=1) == payoffs


@pytest.mark.parametrize(
    ("name", "against_defect", "against_itself"),
    [
        ("tit-for-tat", [19, 24], [60, 60]),
        ("grim-trigger", [19, 24], [60, 60]),
        ("win-stay-lose-shift", [10, 60], [60, 60]),
    ],
)
def test_the_known_strategies_end_as_their_pages_say(name: str, against_defect: list[float], against_itself: Any):
    assert scores(name, "always-defect") == against_defect
    assert scores(name, name) == against_itself


def test_the_winner_has_more_points_and_is_named():
    game = IteratedPrisonersDilemma(turns=1)
    state: Any = game.start(("P01", "P02"), CHANCE)
    assert game.observe(state, "P01") == {"turn": 1, "turns": 1, "total_payoffs": {"P01": 0, "P02": 0}}
    state = game.apply(state, {"P01": DEFECT, "P02": COOPERATE}, CHANCE)
    outcome = game.outcome(state)
    assert outcome is not None
    assert outcome.winner == "P01"
    assert outcome.reason == "P01 against P02 ended 5:0 after 1 turns. P01 wins."
    assert game.render(state) == "P01 D 5\nP02 C 0"


@pytest.mark.parametrize("options", [{"turns": 0}, {"sucker": 2}, {"reward": 5}, {"punishment": 3}, {"temptation": 6}])
def test_options_that_make_no_dilemma_are_refused(options: dict[str, int]):
    with pytest.raises(ValueError, match="must"):
        IteratedPrisonersDilemma(**options)
