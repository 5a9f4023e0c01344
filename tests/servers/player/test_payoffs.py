"""Payoffs that are found by asking the rules of a game."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import pytest

from league_sdk import plugins
from league_sdk.clock import Rng
from league_sdk.game import Game, Move, Outcome
from servers.player.payoffs import NoPayoffs, Payoffs, payoffs_of


@dataclass(frozen=True, slots=True)
class Throw:
    players: tuple[str, ...]
    lead: float | None = None


class Dice(Game[Throw]):
    """Whoever is alone in being bold wins 1 with the chance of 5 in 6, and loses 2 else."""

    name = "dice"

    def start(self, players: Sequence[str], rng: Rng) -> Throw:
        return Throw(tuple(players))

    def to_move(self, state: Throw) -> tuple[str, ...]:
        return state.players if state.lead is None else ()

    def legal_moves(self, state: Throw, player: str) -> tuple[Move, ...]:
        return ("bold", "shy")

    def apply(self, state: Throw, moves: Mapping[str, Move], rng: Rng) -> Throw:
        first, second = (moves[player] == "bold" for player in state.players)
        won = 1.0 if rng.randint(1, 6) > 1 else -2.0
        return replace(state, lead=won * (first - second))

    def outcome(self, state: Throw) -> Outcome | None:
        if state.lead is None:
            return None
        one, other = state.players
        return Outcome(None, {one: state.lead, other: 0.0}, "It is over.")


class Guess(Dice):
    """As dice, with a number between 0 and 1."""

    name = "guess"

    def apply(self, state: Throw, moves: Mapping[str, Move], rng: Rng) -> Throw:
        return replace(state, lead=rng.random())


class Favour(Dice):
    """As dice, but the first seat always leads."""

    name = "favour"

    def apply(self, state: Throw, moves: Mapping[str, Move], rng: Rng) -> Throw:
        return replace(state, lead=1.0)


@pytest.mark.parametrize(
    ("game", "rows"),
    [
        ("even_odd", ((0, 0), (0, 0))),
        ("rock_paper_scissors", ((0, -1, 1), (1, 0, -1), (-1, 1, 0))),
        ("iterated_prisoners_dilemma", ((0, -5), (5, 0))),
    ],
)
def test_payoffs_are_leads_a_turn(game: str, rows: tuple[tuple[float, ...], ...]):
    assert payoffs_of(plugins.game(game)).rows == rows


def test_chance_counts_by_its_expectation():
    assert [value for row in payoffs_of(Dice()).rows for value in row] == pytest.approx([0, 0.5, -0.5, 0])


@pytest.mark.parametrize(
    ("game", "reason"),
    [
        (plugins.game("tic_tac_toe"), "take turns"),
        (plugins.game("lowest_unique_number"), "more than two players"),
        (Guess(), "continuous"),
        (Favour(), "seats differ"),
    ],
    ids=lambda value: value if isinstance(value, str) else value.name,
)
def test_other_games_are_refused(game: Game, reason: str):
    with pytest.raises(NoPayoffs, match=reason):
        payoffs_of(game)


def test_a_share_lies_between_the_least_and_the_most_payoff():
    payoffs = Payoffs(("a", "b"), ((0, -5), (5, 0)))
    assert [payoffs.share(move, reply) for move in (0, 1) for reply in (0, 1)] == [0.5, 0, 1, 0.5]
    assert Payoffs(("a",), ((3,),)).share(0, 0) == 0.5
