"""Rock-paper-scissors over a fixed number of rounds, with simultaneous choices.

All rounds are played, even when the lead cannot be caught up any more: every match then has the same length, and the
reported score is the whole score. Equal scores are a draw.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from league_sdk.clock import Rng
from league_sdk.game import Game, Json, Move, Outcome

MOVES = ("rock", "paper", "scissors")
BEATEN_BY: Mapping[str, str] = {"rock": "paper", "paper": "scissors", "scissors": "rock"}
"""Each move, and the one that beats it."""


@dataclass(frozen=True, slots=True)
class RpsState:
    """A match after some of its rounds, with the moves of each in seat order."""

    players: tuple[str, ...]
    played: tuple[tuple[str, ...], ...] = ()


class RockPaperScissors(Game[RpsState]):
    """The player who wins more rounds wins the match.

    Args:
        rounds: Rounds in a match, at least 1.
    """

    name = "rock_paper_scissors"
    display_name = "Rock-paper-scissors"
    description = (
        "Both players choose 'rock', 'paper' or 'scissors' at once, over several rounds. "
        "Rock beats scissors, scissors beats paper, paper beats rock; whoever wins more rounds wins the match."
    )
    hidden = False
    scored: ClassVar[bool] = True
    counters: ClassVar[Mapping[str, str]] = BEATEN_BY

    def __init__(self, rounds: int = 5) -> None:
        if rounds < 1:
            raise ValueError(f"rounds must be at least 1, got {rounds}")
        self.rounds = rounds

    def start(self, players: Sequence[str], rng: Rng) -> RpsState:
        """The state before the first round."""
        del rng
        return RpsState(tuple(players))

    def to_move(self, state: RpsState) -> tuple[str, ...]:
        """Both at once, until all rounds are played."""
        return state.players if len(state.played) < self.rounds else ()

    def legal_moves(self, state: RpsState, player: str) -> tuple[Move, ...]:
        """`rock`, `paper` or `scissors`."""
        return MOVES if player in self.to_move(state) else ()

    def apply(self, state: RpsState, moves: Mapping[str, Move], rng: Rng) -> RpsState:
        """Add a round; chance has no part in it."""
        del rng
        return replace(state, played=(*state.played, tuple(moves[player] for player in state.players)))

    def outcome(self, state: RpsState) -> Outcome | None:
        """A win by more rounds, or a draw."""
        if self.to_move(state):
            return None
        score = self._score(state)
        first, second = state.players
        tally = f"{score[first]}:{score[second]}"
        winner = None if score[first] == score[second] else max(state.players, key=lambda player: score[player])
        if winner is None:
            reason = f"{first} and {second} won {score[first]} of {self.rounds} rounds each. It is a draw."
        else:
            reason = f"{first} against {second} ended {tally} after {self.rounds} rounds. {winner} wins."
        return Outcome(
            winner=winner,
            scores={player: float(points) for player, points in score.items()},
            reason=reason,
            details={"choices": self.public_moves(state), "rounds_won": score, "rounds_played": len(state.played)},
        )

    def observe(self, state: RpsState, player: str) -> dict[str, Json]:
        """The round and the score so far, for both; a state has no hidden choices."""
        del player
        return {"round": len(state.played) + 1, "rounds": self.rounds, "rounds_won": self._score(state)}

    def public_moves(self, state: RpsState) -> dict[str, list[Move]]:
        """The moves of all finished rounds."""
        return {player: [moves[seat] for moves in state.played] for seat, player in enumerate(state.players)}

    def render(self, state: RpsState) -> str:
        """One line a finished round, then the score."""
        first, second = state.players
        lines = [f"round {number}: {' - '.join(moves)}" for number, moves in enumerate(state.played, start=1)]
        score = self._score(state)
        return "\n".join([*lines, f"{first} {score[first]}:{score[second]} {second}, {self.rounds} rounds in all"])

    def _score(self, state: RpsState) -> dict[str, int]:
        first, second = state.players
        return {
            first: sum(BEATEN_BY[theirs] == mine for mine, theirs in state.played),
            second: sum(BEATEN_BY[theirs] == mine for theirs, mine in state.played),
        }
