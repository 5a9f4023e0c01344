"""Gauntlet: the first players of the seeding meet all others."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import ClassVar

from league_sdk.tournament import (
    Format,
    FormatDoesNotFit,
    PairedRound,
    RoundView,
    Seats,
    Tournament,
    next_of_table,
    paired_round,
)


@dataclass(frozen=True, slots=True)
class Gauntlet(Format):
    """A few against all: to place new agents among known ones in few matches.

    Attributes:
        challengers: The number of players, from the top of the seeding, who meet all others.
        cycles: The number of times each pair meets; every second cycle swaps the seats.
    """

    name: ClassVar[str] = "gauntlet"
    description: ClassVar[str] = "The first players of the seeding meet all others, who do not meet each other."
    view: ClassVar[RoundView] = RoundView.CROSS_TABLE
    settled: ClassVar[bool] = True

    challengers: int = 1
    cycles: int = 1

    def __post_init__(self) -> None:
        for option in ("challengers", "cycles"):
            if getattr(self, option) < 1:
                raise FormatDoesNotFit(f"{option} is {getattr(self, option)}; a gauntlet has 1 or more")

    def check(self, players: int) -> None:
        """Refuse a field in which a challenger has no opponent."""
        if players <= self.challengers:
            raise FormatDoesNotFit(
                f"a gauntlet of {self.challengers} challengers needs more players than these, got {players}"
            )

    def expected_rounds(self, players: int) -> int:
        """The larger of both sides, in every cycle: one match a player and round."""
        return max(self.challengers, players - self.challengers) * self.cycles

    def schedule(self, players: Sequence[str]) -> tuple[PairedRound, ...]:
        """All rounds."""
        return tuple(self._round(players, number) for number in range(self.expected_rounds(len(players))))

    def next_round(self, tournament: Tournament) -> PairedRound | None:
        """The next round of the table. The opponents of a player that has left sit out."""
        players = tournament.players
        fewest = min(self.challengers, len(players) - self.challengers)
        return next_of_table(
            tournament,
            self.expected_rounds(len(players)),
            fewest,
            lambda number, left: self._round(players, number, left),
        )

    def _round(self, players: Sequence[str], number: int, left: Collection[str] = ()) -> PairedRound:
        """Both sides in two rows, of which the longer moves on by one place a round."""
        short, long = sorted((players[: self.challengers], players[self.challengers :]), key=len)
        cycle, step = divmod(number, len(long))
        pairs: list[Seats] = []
        for place, player in enumerate(short):
            other = long[(place + step) % len(long)]
            # Seats alternate along both rows, and every second cycle swaps them.
            pairs.append((player, other) if (place + step + cycle) % 2 == 0 else (other, player))
        return paired_round(players, pairs, left=left)
