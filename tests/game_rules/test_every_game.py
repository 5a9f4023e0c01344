"""Whatever lies in `game_rules` is found and keeps the contract of a game, without being listed anywhere."""

import pytest

from league_sdk import plugins
from league_sdk.game import MoveSpec
from league_sdk.testing import check_game
from tests.requirements.marker import requirement

GAMES = plugins.games()


@requirement("001-LAYER-02", "001-FUT-03", "003-ARCH-02", "003-LAYER-04", "003-IMPL-04", "project-GAMES-02")
@pytest.mark.parametrize("name", GAMES)
def test_a_game_keeps_its_contract(name: str):
    check_game(GAMES[name])


@requirement("001-FUT-03")
def test_the_games_that_are_promised_are_there():
    assert {"even_odd", "iterated_prisoners_dilemma", "rock_paper_scissors", "tic_tac_toe"} <= set(GAMES)


@pytest.mark.parametrize("name", GAMES)
def test_a_game_says_what_it_is(name: str):
    game = GAMES[name]
    assert game.display_name
    assert game.description.endswith(".")


def test_the_spellings_of_a_game_that_declares_none_are_the_general_ones():
    assert GAMES["tic_tac_toe"].move_spec == GAMES["rock_paper_scissors"].move_spec == MoveSpec()
