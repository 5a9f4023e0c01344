"""TextArena's games, where it is installed: `make slow-test` does."""

import random
from collections import defaultdict
from typing import Any

import pytest

from game_rules.textarena import FAMILIES
from league_sdk import plugins
from league_sdk.clock import HashRng
from league_sdk.errors import UnsupportedGameType
from league_sdk.game import Game
from league_sdk.testing import check_game
from tests.requirements.marker import requirement

pytestmark = pytest.mark.slow
pytest.importorskip("textarena", reason="TextArena is not installed: pip install textarena")

GAMES = {entry.name: entry for entry in plugins.game_libraries()["textarena"].games()}
PLAYABLE = sorted(name for name, entry in GAMES.items() if not entry.refusal)
# Variants differ by sizes: the smallest of each game is enough.
TRIED = (
    *("connectfour", "gameofpurestrategy", "iteratedmatchingpennies", "iteratedrockpaperscissors", "kuhnpoker_short"),
    *("liarsdice_small", "nim", "othello_tiny", "pigdice_50", "threeplayergops", "threeplayertictactoe", "tictactoe"),
    *("ultimatetictactoe", "wildtictactoe"),
)


def arena(text: str) -> Game[Any]:
    return plugins.game(f"textarena:{text}")


@requirement("project-GAMES-03")
@pytest.mark.parametrize("text", TRIED)
def test_a_game_of_textarena_keeps_the_contract(text: str):
    check_game(arena(text), matches=1)


@requirement("project-GAMES-03")
def test_one_game_of_each_rules_is_tried():
    assert len(TRIED) == len(FAMILIES)
    assert set(TRIED) <= set(PLAYABLE)


@requirement("project-GAMES-03")
def test_a_player_sees_nothing_of_the_others_card():
    """Deals of Kuhn poker that differ in the opponent's card alone look the same to a player."""
    game, seen = arena("kuhnpoker_short"), defaultdict[Any, set[str]](set)
    for seed in range(40):
        state = game.start(("P01", "P02"), HashRng(f"deal {seed}"))
        cards = state.env.state.game_state["player_cards"]
        seen[cards[0]].add(str(game.observe(state, "P01")["text"]))
    assert len(seen) == 3
    assert all(len(texts) == 1 for texts in seen.values())


def test_pythons_own_generator_goes_on_as_if_nobody_had_played():
    random.seed(7)
    expected = [random.random() for _ in range(3)]
    random.seed(7)
    game, drawn = arena("pigdice_50"), list[float]()
    state = game.start(("P01", "P02"), HashRng("match"))
    for _ in range(3):
        (player,) = game.to_move(state)
        state = game.apply(state, {player: "[roll]"}, HashRng("turn"))
        drawn.append(random.random())
    assert drawn == expected


@pytest.mark.parametrize(
    ("text", "said"),
    [("debate", "cannot be played: moves: they are free text"), ("sudoku", "cannot be played: moves")],
)
def test_a_game_whose_moves_cannot_be_listed_is_refused(text: str, said: str):
    with pytest.raises(plugins.BrokenPlugin, match=said):
        arena(text)


def test_an_unknown_name_is_answered_with_the_nearest():
    with pytest.raises(UnsupportedGameType, match="did you mean textarena:connectfour"):
        arena("conectfour")
