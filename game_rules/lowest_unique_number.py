"""Lowest unique number, for three players or more.

The game of the Swedish lottery Limbo, and of reverse auctions for the lowest unique bid. See R. Östling et al.,
"Testing Game Theory in the Field: Swedish LUPI Lottery Games", American Economic Journal: Microeconomics 3 (2011).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, cast

from league_sdk.clock import Rng
from league_sdk.game import Game, Json, Move, Outcome


@dataclass(frozen=True, slots=True)
class NumbersState:
    """A match after some of its rounds, with the numbers of each in seat order."""

    players: tuple[str, ...]
    played: tuple[tuple[int, ...], ...] = ()


class LowestUniqueNumber(Game[NumbersState]):
    """The player who wins more rounds wins the match.

    Args:
        rounds: Rounds in a match, at least 1.
        highest: The highest number, at least 2.
    """

    name = "lowest_unique_number"
    display_name = "Lowest unique number"
    description = (
        "All players choose a whole number from 1 at once, over several rounds. The lowest number that nobody else has "
        "chosen wins the round; if there is none, nobody does. Whoever wins more rounds is placed higher."
    )
    hidden = False
    scored: ClassVar[bool] = True
    min_players: ClassVar[int] = 3
    max_players: ClassVar[int] = 8

    def __init__(self, rounds: int = 5, highest: int = 5) -> None:
        if rounds < 1:
            raise ValueError(f"rounds must be at least 1, got {rounds}")
        if highest < 2:
            raise ValueError(f"highest must be at least 2, got {highest}")
        self.rounds = rounds
        self.highest = highest

    def start(self, players: Sequence[str], rng: Rng) -> NumbersState:
        """The state before the first round."""
        del rng
        return NumbersState(tuple(players))

    def to_move(self, state: NumbersState) -> tuple[str, ...]:
        """All at once, until all rounds are played."""
        return state.players if len(state.played) < self.rounds else ()

    def legal_moves(self, state: NumbersState, player: str) -> tuple[Move, ...]:
        """The numbers from 1 to the highest."""
        return tuple(range(1, self.highest + 1)) if player in self.to_move(state) else ()

    def apply(self, state: NumbersState, moves: Mapping[str, Move], rng: Rng) -> NumbersState:
        """Add a round; chance has no part in it."""
        del rng
        return replace(state, played=(*state.played, tuple(cast(int, moves[player]) for player in state.players)))

    def outcome(self, state: NumbersState) -> Outcome | None:
        """The places by rounds won."""
        if self.to_move(state):
            return None
        score = self._score(state)
        best = max(score.values())
        first = [player for player in state.players if score[player] == best]
        told = ", ".join(f"{player} {score[player]}" for player in state.players)
        verdict = f"{first[0]} wins." if len(first) == 1 else f"{' and '.join(first)} share the first place."
        return Outcome(
            winner=first[0] if len(first) == 1 else None,
            scores={player: float(won) for player, won in score.items()},
            reason=f"Rounds won of {self.rounds}: {told}. {verdict}",
            details={"choices": self.public_moves(state), "rounds_won": score},
        )

    def observe(self, state: NumbersState, player: str) -> dict[str, Json]:
        """The round, their number, and the rounds won so far, for everybody."""
        del player
        return {"round": len(state.played) + 1, "rounds": self.rounds, "rounds_won": self._score(state)}

    def public_moves(self, state: NumbersState) -> dict[str, list[Move]]:
        """The numbers of all finished rounds."""
        return {player: [numbers[seat] for numbers in state.played] for seat, player in enumerate(state.players)}

    def render(self, state: NumbersState) -> str:
        """One line a player, with its numbers and the rounds that it has won."""
        score = self._score(state)
        return "\n".join(
            f"{player} {' '.join(map(str, numbers))} ({score[player]})"
            for player, numbers in self.public_moves(state).items()
        )

    def _score(self, state: NumbersState) -> dict[str, int]:
        won = dict.fromkeys(state.players, 0)
        for numbers in state.played:
            alone = [number for number in numbers if numbers.count(number) == 1]
            if alone:
                won[state.players[numbers.index(min(alone))]] += 1
        return won
