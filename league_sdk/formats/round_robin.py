"""Round-robin: every player meets every other, once in each cycle."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import ClassVar

from league_sdk.domain.pairings.circle_method import circle_round, circle_rounds
from league_sdk.domain.pairings.series import check_best_of, next_of_series
from league_sdk.tournament import (
    Format,
    FormatDoesNotFit,
    PairedRound,
    RoundView,
    Tournament,
    next_of_table,
    paired_round,
)

_MOST_PLAYERS = 2_000
"""1,999,000 matches in a cycle: at a hundred matches a second, five and a half hours."""


@dataclass(frozen=True, slots=True)
class RoundRobin(Format):
    """Every pair of players meets.

    Attributes:
        cycles: The number of times; every second cycle swaps the seats.
        best_of: Matches of a series, with the seats swapped each time.
    """

    name: ClassVar[str] = "round_robin"
    description: ClassVar[str] = "Every pair of players meets, once in each cycle."
    view: ClassVar[RoundView] = RoundView.CROSS_TABLE
    settled: ClassVar[bool] = True
    tie_breaks: ClassVar[tuple[str, ...]] = ("points", "wins", "draws", "head_to_head", "player_id")

    cycles: int = 1
    best_of: int = 1

    def __post_init__(self) -> None:
        if self.cycles < 1:
            raise FormatDoesNotFit(f"cycles is {self.cycles}; a round-robin has 1 or more")
        check_best_of(self.best_of)

    def check(self, players: int) -> None:
        """Refuse fewer than 2 players, and more than can be played."""
        if players < 2:
            raise FormatDoesNotFit(f"a round-robin needs at least 2 players, got {players}")
        if players > _MOST_PLAYERS:
            matches = players * (players - 1) // 2 * self.cycles * self.best_of
            raise FormatDoesNotFit(
                f"a round-robin of {players:,} players has {matches:,} matches; it takes up to {_MOST_PLAYERS:,} "
                "players. The format swiss ranks more of them in some 15 rounds"
            )

    def expected_rounds(self, players: int) -> int:
        """Players less one, in every cycle; as many as players, when their number is odd."""
        return circle_rounds(players) * self.cycles * self.best_of

    def schedule(self, players: Sequence[str]) -> tuple[PairedRound, ...] | None:
        """All rounds; None for series, which may end early."""
        if self.best_of > 1:
            return None
        return tuple(self._round(players, number) for number in range(self.expected_rounds(len(players))))

    def next_round(self, tournament: Tournament) -> PairedRound | None:
        """The next round of the table; the opponents of players that have left sit out."""
        return next_of_series(tournament, self.best_of, self._paired)

    def _paired(self, tournament: Tournament) -> PairedRound | None:
        players = tournament.players
        total = circle_rounds(len(players)) * self.cycles
        return next_of_table(
            tournament, total, len(players) // 2, lambda number, left: self._round(players, number, left)
        )

    def _round(self, players: Sequence[str], number: int, left: Collection[str] = ()) -> PairedRound:
        cycle, step = divmod(number, circle_rounds(len(players)))
        pairs = circle_round(players, step)
        return paired_round(players, [seats[::-1] for seats in pairs] if cycle % 2 else pairs, left=left)
