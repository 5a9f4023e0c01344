"""Payoffs of games in which both players choose at once, found by the rules.

The payoff of a pair of moves is the score of a match in which both keep to theirs, less the opponent's, a turn. So
every game is one of zero sum here: a match is won by being ahead. Chance counts by its expectation.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from league_sdk import plugins
from league_sdk.errors import LeagueError
from league_sdk.game import Game, Move, PlayerView, StrategyFunction, turns

T = TypeVar("T")

MOST_TURNS = 500
MOST_COURSES = 2_000
"""Courses of chance that are followed for one pair of moves."""
MOST_MOVES = 20

_ME, _OPPONENT = "P01", "P02"


class NoPayoffs(Exception):
    """The game is no matrix game, or too large a one."""


@dataclass(frozen=True, slots=True)
class Payoffs:
    """The payoffs of each own move (row) against each of the opponent's (column)."""

    moves: tuple[Move, ...]
    rows: tuple[tuple[float, ...], ...]

    def expected(self, counts: Sequence[float]) -> list[float]:
        """Each own move's payoff against a mix, given by a weight for each move."""
        whole = sum(counts)
        return [sum(value * weight for value, weight in zip(row, counts, strict=True)) / whole for row in self.rows]

    def share(self, move: int, reply: int) -> float:
        """A payoff between 0, the least of the game, and 1, the most."""
        least, most = min(map(min, self.rows)), max(map(max, self.rows))
        return (self.rows[move][reply] - least) / (most - least) if most > least else 0.5


@dataclass(frozen=True, slots=True)
class PairOfMoves:
    """The moves of one turn against the present opponent, by their places."""

    move: int
    reply: int


def past_turns(view: PlayerView, payoffs: Payoffs) -> list[PairOfMoves]:
    """Every turn that was played against this opponent, oldest first."""
    matches = [(past.my_moves, past.opponent_moves) for past in view.against_opponent()]
    matches.append((view.my_moves, view.opponent_moves))
    return [
        PairOfMoves(payoffs.moves.index(mine), payoffs.moves.index(theirs))
        for own, others in matches
        for mine, theirs in zip(own, others, strict=False)
        if mine in payoffs.moves and theirs in payoffs.moves
    ]


Weights = Callable[[PlayerView, Payoffs, Sequence[PairOfMoves]], Sequence[float]]
"""Weights of the own moves, by which chance decides; all of them 0 for no preference."""


def by_payoffs(weights: Weights) -> StrategyFunction:
    """A strategy that draws a move by weights; random where payoffs are unknown."""
    known: dict[str, Payoffs | None] = {}

    def choose(view: PlayerView) -> Move:
        """A move by its weight; random in a game without payoffs."""
        if view.game_type not in known:
            known[view.game_type] = _found(view)
        payoffs = known[view.game_type]
        if payoffs is None or view.legal_moves != payoffs.moves:
            return view.rng.choice(view.legal_moves)
        found = weights(view, payoffs, past_turns(view, payoffs))
        left = view.rng.random() * sum(found)
        for move, weight in zip(payoffs.moves, found, strict=True):
            left -= weight
            if left < 0:
                return move
        return view.rng.choice(payoffs.moves)

    return choose


def best_of(values: Sequence[float]) -> list[float]:
    """Equal weights for the largest values, none for others."""
    most = max(values)
    return [float(value > most - 1e-9) for value in values]


def _found(view: PlayerView) -> Payoffs | None:
    try:
        return payoffs_of(plugins.game(view.game_type))
    except (LeagueError, plugins.PluginError, NoPayoffs):
        return None


def payoffs_of(game: Game[Any]) -> Payoffs:
    if game.min_players > 2:
        raise NoPayoffs("a match has more than two players")
    script = _Chance(())
    state = game.start((_ME, _OPPONENT), script)
    if len(game.to_move(state)) != 2:
        raise NoPayoffs("players take turns")
    moves, replies = game.legal_moves(state, _ME), game.legal_moves(state, _OPPONENT)
    if max(len(moves), len(replies)) > MOST_MOVES:
        raise NoPayoffs(f"a player has more than {MOST_MOVES} moves")
    rows = tuple(tuple(_expected(game, {_ME: move, _OPPONENT: reply}) for reply in replies) for move in moves)
    if moves != replies or any(
        abs(rows[i][j] + rows[j][i]) > 1e-9 for i in range(len(moves)) for j in range(len(moves))
    ):
        raise NoPayoffs("the seats differ, and a view does not say whose is which")
    return Payoffs(moves, rows)


def _expected(game: Game[Any], pair: Mapping[str, Move]) -> float:
    """The mean over every course of chance, each as likely as its draws are."""
    total, waiting, followed = 0.0, [()], 0
    while waiting:
        chance = _Chance(waiting.pop())
        value = _played(game, pair, chance)
        followed += 1
        if followed > MOST_COURSES:
            raise NoPayoffs("chance has too many courses")
        total += value * chance.likelihood
        # Each draw beyond the script took its first possibility: the others are followed later.
        for place in range(len(chance.script), len(chance.drawn)):
            before = tuple(taken for taken, _ in chance.drawn[:place])
            waiting += [(*before, other) for other in range(1, chance.drawn[place][1])]
    return total


def _played(game: Game[Any], pair: Mapping[str, Move], chance: "_Chance") -> float:
    """The lead of the first player a turn, when both keep to their moves."""
    match = turns(game, (_ME, _OPPONENT), "", lambda _: chance)
    for movers in match:
        if len(movers) != 2 or any(move not in game.legal_moves(match.state, at) for at, move in pair.items()):
            raise NoPayoffs("a move is not legal in every turn")
        if match.turn > MOST_TURNS:
            raise NoPayoffs(f"a match has more than {MOST_TURNS} turns")
        match.moves = pair
    scores = match.end.scores
    return (scores.get(_ME, 0.0) - scores.get(_OPPONENT, 0.0)) / match.turn


class _Chance:
    """Chance by a script of possibilities; beyond it the first one is taken."""

    def __init__(self, script: tuple[int, ...]) -> None:
        self.script = script
        self.drawn: list[tuple[int, int]] = []  # the possibility taken, and how many there were
        self.likelihood = 1.0

    def _taken(self, possibilities: int) -> int:
        place = len(self.drawn)
        taken = self.script[place] if place < len(self.script) else 0
        self.drawn.append((taken, possibilities))
        self.likelihood /= possibilities
        return taken

    def random(self) -> float:
        raise NoPayoffs("chance is continuous")

    def randint(self, low: int, high: int) -> int:
        return low + self._taken(high - low + 1)

    def choice(self, items: Sequence[T]) -> T:
        return items[self._taken(len(items))]

    def shuffled(self, items: Sequence[T]) -> list[T]:
        left = list(items)
        return [left.pop(self._taken(len(left))) for _ in items]
