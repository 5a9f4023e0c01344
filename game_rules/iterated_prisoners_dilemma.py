"""The iterated prisoner's dilemma: both cooperate or defect, turn after turn.

The standard payoffs are those of Axelrod's tournaments: 3 each for cooperation, 1 each for defection, 5 for the one who
defects alone and 0 for the other. See R. Axelrod, "The Evolution of Cooperation" (1984).
"""

from collections.abc import Mapping, Sequence
from typing import ClassVar, NamedTuple

from league_sdk.clock import Rng
from league_sdk.game import Game, Json, Move, Outcome

COOPERATE = "cooperate"
DEFECT = "defect"
MOVES = (COOPERATE, DEFECT)


class DilemmaState(NamedTuple):
    """A match after some turns: all moves and points, in seat order."""

    players: tuple[str, ...]
    moves: tuple[tuple[Move, ...], ...] = ((), ())
    points: tuple[int, ...] = (0, 0)


class IteratedPrisonersDilemma(Game[DilemmaState]):
    """The player with more points over all turns wins.

    Args:
        turns: Turns in a match, at least 1. Axelrod's first tournament had 200; a league plays each turn over the wire.
        reward: Points of each when both cooperate.
        sucker: Points of the one who cooperates while the other defects.
        temptation: Points of the one who defects while the other cooperates.
        punishment: Points of each when both defect.

    Raises:
        ValueError: The options make no prisoner's dilemma: sucker < punishment < reward < temptation, and
            sucker + temptation < 2 * reward, so that taking turns to exploit each other does not pay.
    """

    name = "iterated_prisoners_dilemma"
    display_name = "Iterated prisoner's dilemma"
    description = (
        "Both players choose 'cooperate' or 'defect' at once, over many turns. Unless the league says otherwise, both "
        "get 3 points when they cooperate and 1 when they defect; who defects alone gets 5, and the other 0. "
        "More points over all turns win the match."
    )
    hidden = False
    # Whatever the other does in a single turn, defecting pays more.
    counters: ClassVar[Mapping[str, str]] = {COOPERATE: DEFECT, DEFECT: DEFECT}

    def __init__(
        self, turns: int = 20, reward: int = 3, sucker: int = 0, temptation: int = 5, punishment: int = 1
    ) -> None:
        if turns < 1:
            raise ValueError(f"turns must be at least 1, got {turns}")
        if not sucker < punishment < reward < temptation:
            raise ValueError(
                "payoffs must rise from sucker over punishment and reward to temptation, "
                f"got {sucker}, {punishment}, {reward}, {temptation}"
            )
        if sucker + temptation >= 2 * reward:
            raise ValueError(
                f"sucker + temptation must be below 2 * reward, got {sucker + temptation} and {2 * reward}"
            )
        self.turns = turns
        self.payoffs: Mapping[tuple[Move, Move], int] = {
            (COOPERATE, COOPERATE): reward,
            (COOPERATE, DEFECT): sucker,
            (DEFECT, COOPERATE): temptation,
            (DEFECT, DEFECT): punishment,
        }

    def start(self, players: Sequence[str], rng: Rng) -> DilemmaState:
        """The state before the first turn."""
        del rng
        return DilemmaState(tuple(players))

    def to_move(self, state: DilemmaState) -> tuple[str, ...]:
        """Both at once, until all turns are played."""
        return state.players if len(state.moves[0]) < self.turns else ()

    def legal_moves(self, state: DilemmaState, player: str) -> tuple[Move, ...]:
        """`cooperate` or `defect`."""
        return MOVES if len(state.moves[0]) < self.turns and player in state.players else ()

    def apply(self, state: DilemmaState, moves: Mapping[str, Move], rng: Rng) -> DilemmaState:
        """Add a turn; chance has no part in it."""
        del rng
        one, other = state.players
        first, second = moves[one], moves[other]
        mine, theirs = state.points
        return DilemmaState(
            state.players,
            ((*state.moves[0], first), (*state.moves[1], second)),
            (mine + self.payoffs[first, second], theirs + self.payoffs[second, first]),
        )

    def outcome(self, state: DilemmaState) -> Outcome | None:
        """A win by more points, or a draw."""
        if len(state.moves[0]) < self.turns:
            return None
        score = dict(zip(state.players, state.points, strict=True))
        first, second = state.players
        winner = None if score[first] == score[second] else max(state.players, key=lambda player: score[player])
        verdict = "It is a draw." if winner is None else f"{winner} wins."
        return Outcome(
            winner=winner,
            scores={player: float(points) for player, points in score.items()},
            reason=f"{first} against {second} ended {score[first]}:{score[second]} after {self.turns} turns. {verdict}",
            details={"choices": self.public_moves(state), "total_payoffs": score},
        )

    def observe(self, state: DilemmaState, player: str) -> dict[str, Json]:
        """The turn, their number, and the points so far, for both."""
        del player
        (one, other), (mine, theirs) = state.players, state.points
        return {"turn": len(state.moves[0]) + 1, "turns": self.turns, "total_payoffs": {one: mine, other: theirs}}

    def public_moves(self, state: DilemmaState) -> dict[str, list[Move]]:
        """The moves of all finished turns."""
        (one, other), (mine, theirs) = state.players, state.moves
        return {one: list(mine), other: list(theirs)}

    def render(self, state: DilemmaState) -> str:
        """One line a player, with C and D for its moves, and its points."""
        letters = {COOPERATE: "C", DEFECT: "D"}
        return "\n".join(
            f"{player} {''.join(letters[move] for move in moves)} {points}"
            for player, moves, points in zip(state.players, state.moves, state.points, strict=True)
        )
