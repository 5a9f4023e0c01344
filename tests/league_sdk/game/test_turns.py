"""The loop of a match."""

import asyncio
from typing import Any

import pytest

from league_sdk import plugins
from league_sdk.clock import HashRng
from league_sdk.game import first_state, next_state, turns

PLAYERS = ("P01", "P02")
GAMES = plugins.games()


def first_legal(game, match, movers):
    return {player: game.legal_moves(match.state, player)[0] for player in movers}


@pytest.mark.parametrize("name", ["tic_tac_toe", "even_odd", "rock_paper_scissors", "iterated_prisoners_dilemma"])
def test_the_loop_takes_the_steps_that_the_match_machine_takes_one_by_one(name):
    game: Any = GAMES[name]
    state, match = first_state(game, PLAYERS, "seed"), turns(game, PLAYERS, "seed")
    assert state == match.state == game.start(PLAYERS, HashRng("seed:start"))
    for movers in match:
        assert (match.state, movers, match.outcome) == (state, game.to_move(state), None)
        match.moves = first_legal(game, match, movers)
        assert next_state(game, state, match.moves, "seed", match.turn) == game.apply(
            state, match.moves, HashRng(f"seed:{match.turn}")
        )
        state = next_state(game, state, match.moves, "seed", match.turn)
    assert (match.state, match.end) == (state, game.outcome(state))


def test_a_coroutine_awaits_choices_in_the_same_loop():
    game: Any = GAMES["tic_tac_toe"]

    async def played():
        match = turns(game, PLAYERS, "seed")
        for movers in match:
            await asyncio.sleep(0)
            match.moves = first_legal(game, match, movers)
        return match

    match = asyncio.run(played())
    assert (match.turn, match.end.winner) == (7, "P01")


def test_chance_can_be_the_callers_own():
    asked = []

    def chance(stream):
        asked.append(stream)
        return HashRng("always the same")

    game: Any = GAMES["even_odd"]
    match = turns(game, PLAYERS, "s", chance)
    for movers in match:
        match.moves = first_legal(game, match, movers)
    assert asked == ["s:start", "s:1"]


def test_a_match_that_is_left_early_has_no_outcome():
    game: Any = GAMES["tic_tac_toe"]
    match = turns(game, PLAYERS, "seed")
    for _ in match:
        break
    assert match.outcome is None
    with pytest.raises(ValueError, match="tic_tac_toe: the match goes on in turn 1"):
        _ = match.end


def test_a_game_in_which_nobody_is_to_move_and_nothing_is_decided_is_an_error():
    class Stuck(type(GAMES["tic_tac_toe"])):
        def to_move(self, state):
            return ()

    stuck: Any = Stuck
    with pytest.raises(ValueError, match="tic_tac_toe: nobody is to move, but there is no outcome either"):
        list(turns(stuck(), PLAYERS, "seed"))
