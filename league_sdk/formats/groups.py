"""Groups: a round-robin in each of several groups, all at the same time."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import ClassVar

from league_sdk.domain.pairings.circle_method import circle_round, circle_rounds
from league_sdk.tournament import (
    Format,
    FormatDoesNotFit,
    PairedRound,
    Ranking,
    RoundView,
    Seats,
    Tournament,
    next_of_table,
    paired_round,
)


@dataclass(frozen=True, slots=True)
class Groups(Format):
    """A round-robin in each group, usually before a knockout among the best of each.

    Attributes:
        groups: The number of groups.
        cycles: The number of times each pair of a group meets; every second cycle swaps the seats.
    """

    name: ClassVar[str] = "groups"
    description: ClassVar[str] = "A round-robin in each of several groups; usually followed by a knockout."
    settled: ClassVar[bool] = True

    final_stage: ClassVar[str] = "knockout"
    view: ClassVar[RoundView] = RoundView.CROSS_TABLE

    groups: int = 2
    cycles: int = 1

    def __post_init__(self) -> None:
        for option in ("groups", "cycles"):
            if getattr(self, option) < 1:
                raise FormatDoesNotFit(f"{option} is {getattr(self, option)}; there must be 1 or more")

    def check(self, players: int) -> None:
        """Refuse groups of fewer than two."""
        if players < 2 * self.groups:
            raise FormatDoesNotFit(
                f"{self.groups} groups need at least {2 * self.groups} players, got {players}; "
                f"{players} players make up to {players // 2} groups"
            )

    def expected_rounds(self, players: int) -> int:
        """Those of the largest group."""
        return circle_rounds(-(-players // self.groups)) * self.cycles

    def advancing(self, players: int) -> int:
        """The best two of each group."""
        return min(players, 2 * self.groups)

    def schedule(self, players: Sequence[str]) -> tuple[PairedRound, ...]:
        """All rounds."""
        return tuple(self._round(players, number) for number in range(self.expected_rounds(len(players))))

    def next_round(self, tournament: Tournament) -> PairedRound | None:
        """The next round of every group. The opponents of a player that has left sit out."""
        players = tournament.players
        fewest = max(map(len, self.pools(players))) // 2
        return next_of_table(
            tournament,
            self.expected_rounds(len(players)),
            fewest,
            lambda number, left: self._round(players, number, left),
        )

    def ranking(self, tournament: Tournament) -> Ranking | None:
        """The winners of all groups, then all who came second, and so on."""
        if tournament.rank is None:
            return None
        tables = [tournament.rank(group, tournament.rounds) for group in self.pools(tournament.players)]
        places = [[player for rank in table for player in rank] for table in tables]
        return tuple(
            tuple(player for player in row if player is not None) for row in zip_longest(*places, fillvalue=None)
        )

    def pools(self, players: Sequence[str]) -> list[list[str]]:
        """The players of each group, dealt out back and forth along the seeding."""
        groups: list[list[str]] = [[] for _ in range(self.groups)]
        for place, player in enumerate(players):
            turn, group = divmod(place, self.groups)
            groups[self.groups - 1 - group if turn % 2 else group].append(player)
        return groups

    def _round(self, players: Sequence[str], number: int, left: Collection[str] = ()) -> PairedRound:
        pairings: list[Seats] = []
        for group in self.pools(players):
            cycle, step = divmod(number, circle_rounds(len(group)))
            if cycle < self.cycles:
                pairs = circle_round(group, step)
                pairings += [seats[::-1] for seats in pairs] if cycle % 2 else pairs
        return paired_round(players, pairings, left=left, title=f"Groups, round {number + 1}")
