"""The loop of a match: start, ask the players to move, apply, to the outcome.

Chance of a match comes from streams of its seed, named here alone. The referee's match machine takes single steps by
`first_state` and `next_state`; the audit has a loop and streams of its own, so that it shares no mistake with these.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Generic, TypeAlias, TypeVar

from league_sdk.clock import HashRng, Rng
from league_sdk.game.rules import Game, Move, Outcome

S = TypeVar("S")

Chance: TypeAlias = Callable[[str], Rng]
"""Chance of the stream of a name."""


def first_state(game: Game[S], players: Sequence[str], seed: str, chance: Chance = HashRng) -> S:
    """The state before the first move."""
    return game.start(players, chance(f"{seed}:start"))


def next_state(game: Game[S], state: S, moves: Mapping[str, Move], seed: str, turn: int, chance: Chance = HashRng) -> S:
    """The state after the moves of a turn, which counts from 1."""
    return game.apply(state, moves, chance(f"{seed}:{turn}"))


def stand_in_move(game: Game[S], state: S, player: str, seed: str, turn: int) -> Move:
    """The move of a stand-in for a player that failed."""
    return game.stand_in(state, player, HashRng(f"{seed}:stand-in:{turn}:{player}"))


class MatchLoop(Generic[S]):
    """A match as a loop over the players to move, who choose into `moves` each time.

    Attributes:
        state: The present state; the last one after the loop.
        turn: Its turn, from 1; 0 before the first.
        moves: The choices of the turn, set by the loop's body.
        outcome: Its outcome; None while it goes on.
    """

    __slots__ = ("_chance", "_game", "_seed", "moves", "outcome", "state", "turn")

    def __init__(self, game: Game[S], players: Sequence[str], seed: str, chance: Chance) -> None:
        self._game, self._seed, self._chance = game, seed, chance
        self.state = first_state(game, players, seed, chance)
        self.turn = 0
        self.moves: Mapping[str, Move] = {}
        self.outcome: Outcome | None = None

    @property
    def end(self) -> Outcome:
        """The outcome, after the loop.

        Raises:
            ValueError: The match goes on.
        """
        if self.outcome is None:
            raise ValueError(f"{self._game.name}: the match goes on in turn {self.turn}")
        return self.outcome

    def __iter__(self) -> Iterator[tuple[str, ...]]:
        """The players to move, in seat order, turn by turn.

        Raises:
            ValueError: The game names no player to move, and gives no outcome either.
        """
        game, state, turn, seed, chance = self._game, self.state, 0, self._seed, self._chance
        while self.outcome is None:
            movers = game.to_move(state)
            if not movers:
                raise ValueError(f"{game.name}: nobody is to move, but there is no outcome either")
            self.turn = turn = turn + 1
            yield movers
            self.state = state = next_state(game, state, self.moves, seed, turn, chance)
            self.outcome = game.outcome(state)


def turns(game: Game[S], players: Sequence[str], seed: str, chance: Chance = HashRng) -> MatchLoop[S]:
    """The turns of a match, for plain and async loops.

        match = turns(game, ("P01", "P02"), "seed")
        for movers in match:
            match.moves = {player: choose(match.state, player) for player in movers}
        print(match.end.reason)

    Args:
        game: The rules.
        players: The players' ids in seat order.
        seed: The seed of all chance.
        chance: Makes the chance of a stream, such as `seed:start` and `seed:1`; by default that of a league.
    """
    return MatchLoop(game, players, seed, chance)
