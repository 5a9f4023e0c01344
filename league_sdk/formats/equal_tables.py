"""Tables: matches of three or more, where everybody meets about equally often."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import ceil, comb, gcd
from typing import ClassVar

from league_sdk.clock import HashRng, Rng
from league_sdk.fairness import seed_of_deal
from league_sdk.tournament import Format, FormatDoesNotFit, PairedRound, Seats, Tournament

_MOST_PLAYERS = 2_000
_DEALS = 50
"""Deals of a small round, of which the one with the fewest repeated meetings is taken."""
_WORK = 20_000
"""Comparisons that a round may cost in all its deals; a large one is dealt once."""


@dataclass(frozen=True, slots=True)
class Tables(Format):
    """Rounds in which the players are dealt to tables of equal size.

    Exact designs, in which all pairs meet equally often, exist for few numbers of players (Kirkman systems); a greedy
    deal fits all of them. Those without a table sit out, and everybody sits out equally often.

    Attributes:
        seats: Players at a table.
        cycles: The number of times that two players meet, about.
        rounds: The number of rounds; 0 for as many as the cycles take.
    """

    name: ClassVar[str] = "tables"
    description: ClassVar[str] = "Matches of three or more: everybody meets everybody about equally often."

    seats: int = 3
    cycles: int = 1
    rounds: int = 0

    def __post_init__(self) -> None:
        for option, fewest in (("seats", 2), ("cycles", 1), ("rounds", 0)):
            if getattr(self, option) < fewest:
                raise FormatDoesNotFit(f"{option} is {getattr(self, option)}; tables take {fewest} or more")

    @property
    def table_sizes(self) -> range:
        """The one size of all tables."""
        return range(self.seats, self.seats + 1)

    def check(self, players: int) -> None:
        """Refuse fewer players than a table has seats, and more than can be played."""
        if not self.seats <= players <= _MOST_PLAYERS:
            raise FormatDoesNotFit(
                f"tables of {self.seats} take {self.seats} to {_MOST_PLAYERS:,} players, got {players}"
            )

    def expected_rounds(self, players: int) -> int:
        """As many as all meetings take, and more until all have sat out equally often."""
        if self.rounds:
            return self.rounds
        tables, byes = divmod(players, self.seats)
        needed = ceil(self.cycles * comb(players, 2) / (tables * comb(self.seats, 2)))
        block = players // gcd(players, byes)
        return ceil(needed / block) * block if byes else needed

    def next_round(self, tournament: Tournament) -> PairedRound | None:
        """The deal of the next round; None at the end, or when too few are left."""
        number, active = len(tournament.rounds), [entrant.player_id for entrant in tournament.active]
        if number >= self.expected_rounds(len(tournament.entrants)) or len(active) < self.seats:
            return None
        byes = Counter(player for played in tournament.rounds for player in played.paired.byes)
        rng = HashRng(f"{_chance(tournament)}|tables|{number}")
        resting = sorted(rng.shuffled(active), key=lambda player: byes[player])[: len(active) % self.seats]
        playing = [player for player in active if player not in resting]
        met, seated = _history(tournament)
        deals = [_deal(playing, self.seats, met, rng) for _ in range(min(_DEALS, _WORK // len(playing) ** 2) or 1)]
        best = min(deals, key=lambda tables: _repeats(tables, met))
        return PairedRound(
            tuple(tuple(sorted(table, key=lambda player: (-seated[player], player))) for table in best),
            tuple(player for player in active if player in resting),
            paired_by="tables",
        )


def _chance(tournament: Tournament) -> str:
    """The seed of the next deal: nobody can deal a round before the one before it."""
    if not tournament.lots_from_draws:
        return tournament.seed
    draws = [result.draw for played in tournament.rounds for result in played.results if result.draw]
    return seed_of_deal(tournament.seed, draws) if draws else tournament.seed


def _history(tournament: Tournament) -> tuple[Counter[frozenset[str]], Counter[str]]:
    """The number of meetings of each pair, and the sum of each player's seats."""
    met, seated = Counter[frozenset[str]](), Counter[str]()
    for played in tournament.rounds:
        for seats in played.paired.pairings:
            met.update(map(frozenset, combinations(seats, 2)))
            seated.update({player: seat for seat, player in enumerate(seats)})
    return met, seated


def _deal(players: Sequence[str], seats: int, met: Mapping[frozenset[str], int], rng: Rng) -> list[Seats]:
    """Fill one table after the other with those who have met its players least."""
    waiting, tables = rng.shuffled(players), list[Seats]()
    while waiting:
        table = [waiting.pop()]
        while len(table) < seats:
            known = [sum(met.get(frozenset((player, other)), 0) ** 2 for other in table) for player in waiting]
            table.append(waiting.pop(known.index(min(known))))
        tables.append(tuple(table))
    return tables


def _repeats(tables: Sequence[Seats], met: Mapping[frozenset[str], int]) -> int:
    """The cost of a deal: twice met counts more than two met once."""
    return sum(met.get(frozenset(pair), 0) ** 2 for table in tables for pair in combinations(table, 2))
