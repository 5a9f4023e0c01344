"""The strategies that search: `minimax` and `mcts`."""

import asyncio
from dataclasses import replace
from datetime import timedelta
from types import ModuleType
from typing import Any

import pytest

from game_rules.even_odd import EvenOdd
from game_rules.tic_tac_toe import TicTacToe
from league_sdk import plugins
from league_sdk.clock import HashRng, ManualClock
from league_sdk.game import Game, PlayerView
from servers.player.positions import NotSearchable, position_of
from servers.player.strategies import mcts, minimax

PLAYERS = ("P01", "P02")


def view(game: Game[Any], *moves: str) -> PlayerView:
    """The view of the player to move after `moves`, made in turn."""
    state = game.start(PLAYERS, HashRng("start"))
    for move in moves:
        state = game.apply(state, {game.to_move(state)[0]: move}, HashRng("turn"))
    me = game.to_move(state)[0]
    other = PLAYERS[me == PLAYERS[0]]
    public = game.public_moves(state)
    return PlayerView(
        *(game.name, "L", "R1M1", 1, me, other),
        legal_moves=game.legal_moves(state, me),
        observation=game.observe(state, me),
        my_moves=tuple(public[me]),
        opponent_moves=tuple(public[other]),
        rng=HashRng("view"),
    )


def choose(name: str, seen: PlayerView) -> Any:
    async def ask() -> Any:
        answer: Any = plugins.strategy(name)(seen)
        return await answer

    return asyncio.run(ask())


@pytest.mark.parametrize("name", ["minimax", "mcts-100"])
@pytest.mark.parametrize(
    ("moves", "best"),
    [
        (("a1", "a2", "b1", "b2"), "c1"),  # wins at once
        (("a1", "b2", "b1"), "c1"),  # stops the line of the other
    ],
)
def test_a_search_finds_the_only_move(name: str, moves: tuple[str, ...], best: str):
    assert choose(name, view(TicTacToe(), *moves)) == best


def test_a_search_by_time_is_no_worse_for_a_position_that_it_can_solve():
    assert choose("minimax-5s", view(TicTacToe(), "a1")) == "b2"


def test_minimax_takes_the_centre_against_a_corner():
    assert choose("minimax", view(TicTacToe(), "a1")) == "b2"  # every other reply loses


@pytest.mark.parametrize("name", ["minimax", "mcts"])
def test_a_game_of_simultaneous_moves_is_played_at_random(name: str):
    seen = view(EvenOdd())
    with pytest.raises(NotSearchable, match="at once"):
        position_of(seen)
    assert choose(name, seen) in seen.legal_moves


@pytest.mark.parametrize("name", ["minimax-0", "minimax-x", "mcts-0", "mcts-x"])
def test_a_budget_that_is_no_number_is_refused(name: str):
    with pytest.raises(plugins.BrokenPlugin, match="takes a number"):
        plugins.strategy(name)


class _TickingClock(ManualClock):
    """Continues by a hundredth of a second whenever it is looked at."""

    def monotonic(self) -> float:
        self.advance(0.01)
        return super().monotonic()


@pytest.mark.parametrize("search", [mcts, minimax], ids=["mcts", "minimax"])
@pytest.mark.parametrize(("left", "spent"), [(None, 0.5), (10.0, 0.5), (0.4, 0.2), (-1.0, 0.0)])
def test_a_search_by_time_ends_at_its_seconds_or_half_way_to_the_deadline(
    search: ModuleType, left: float | None, spent: float
):
    clock = _TickingClock()
    begin = clock.now()
    seen = view(TicTacToe(), "a1")
    seen = seen if left is None else replace(seen, deadline=begin + timedelta(seconds=left))

    async def ask() -> Any:
        answer: Any = search.make("0.5s", clock)(seen)
        return await answer

    assert asyncio.run(ask()) in seen.legal_moves
    assert (clock.now() - begin).total_seconds() == pytest.approx(spent, abs=0.03)


@pytest.mark.parametrize("argument", ["0s", "-1s", "s", "1e3s", "1.s", "99999s", "٣s"])
def test_a_time_that_is_none_is_refused(argument: str):
    with pytest.raises(ValueError, match=r"mcts takes a number of seconds, such as mcts-0\.5s, or of simulations"):
        mcts.make(argument)
    with pytest.raises(ValueError, match=r"minimax takes a number of seconds, such as minimax-0\.5s, or of positions"):
        minimax.make(argument)
