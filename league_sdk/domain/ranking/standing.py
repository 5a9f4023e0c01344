"""A row of the standings."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from league_sdk.json_value import Json


def departure(withdrew: int | None, expunged: bool = False) -> str:
    """The words for a player that withdrew in a round, or, without one, was removed."""
    told = "removed" if withdrew is None else f"withdrew in round {withdrew}" if withdrew else "withdrew before round 1"
    return f"{told}, results expunged" if expunged else told


@dataclass(frozen=True, slots=True)
class Standing:
    """One row of the standings.

    Attributes:
        rank: From 1; equal in all criteria means equal rank.
        player_id: The player.
        display_name: Its name.
        played: Matches decided.
        wins: Of these, won (technical wins included).
        draws: Of these, drawn.
        losses: Of these, lost (technical losses included).
        points: League points.
        technical_losses: Of the losses, technical ones.
        not_played: Of the matches, those that were not played because somebody sat out; they have points as others.
        removed: True if the player has left, removed or by itself: the row stays, and cannot win the league.
        withdrew: The round in which it withdrew, 0 before the first; None if it did not.
        expunged: True if its results count for nobody, because it left before half of its matches were decided.
        substituted: Of its moves, those that the player called substituted: number by reason. They cost nothing.
        moves: Moves that it sent in all, its own and substituted ones, as far as transcripts tell.
        sitting_out: The reason why it sits out now; empty while it plays.
        byes: Rounds that it sat out for points; they are in `points`, and not in `played`.
        tie_breaks: The values of the league's other criteria by name; those of the tied alone only where they decided.
        decided_by: The criterion that puts it behind the row before; empty for the first, and where ranks are equal.
    """

    rank: int
    player_id: str
    display_name: str
    played: int = 0
    wins: int = 0
    draws: int = 0
    losses: int = 0
    points: int = 0
    technical_losses: int = 0
    not_played: int = 0
    removed: bool = False
    withdrew: int | None = None
    expunged: bool = False
    substituted: Mapping[str, int] = field(default_factory=dict[str, int])
    moves: int = 0
    sitting_out: str = ""
    byes: int = 0
    tie_breaks: Mapping[str, float] = field(default_factory=dict[str, float])
    decided_by: str = ""

    def to_json(self) -> dict[str, Json]:
        """The row as files and messages tell it, without marks that say nothing."""
        marks = {name: getattr(self, name) for name in _MARKS}
        told = {name: mark for name, mark in marks.items() if mark != getattr(_UNMARKED, name)}
        return {**{name: getattr(self, name) for name in _COUNTS}, "games_played": self.played, **told}

    @property
    def win_rate(self) -> float:
        """Wins by matches decided, from 0 to 1; 0 before the first."""
        return round(self.wins / self.played, 4) if self.played else 0.0

    @property
    def departure(self) -> str:
        """The words that mark a player that has left; empty for others."""
        return departure(self.withdrew, self.expunged) if self.removed else ""

    @property
    def mark(self) -> str:
        """The words that mark a player that has left or sits out; empty for others."""
        return self.departure or (f"sits out: {self.sitting_out}" if self.sitting_out else "")

    @property
    def substitution(self) -> str:
        """Words such as `5 of 5 moves were substituted`; empty without any."""
        number = self.substituted_moves
        if not number:
            return ""
        of_all, total = (f"{number} of ", self.moves) if self.moves >= number else ("", number)
        moves = f"{of_all}{total} {'move' if total == 1 else 'moves'}"
        return f"{moves} {'was' if number == 1 else 'were'} substituted"

    @property
    def substituted_moves(self) -> int:
        """The number of moves that the player called substituted."""
        return sum(self.substituted.values())


_COUNTS = ("rank", "player_id", "display_name", "played", "wins", "draws", "losses", "points")
_MARKS = ("removed", "withdrew", "expunged", "sitting_out", "not_played", "substituted")
_UNMARKED = Standing(0, "", "")
