"""Swiss system: players of like scores meet, no pair twice, for some rounds.

Rules that always hold: no rematch; at most one bye a player, worth a win; a player has one seat at most two times more
than the other. Within them, as in FIDE's Dutch system (Handbook C.04.3): a score group meets within itself, its upper
half against its lower half; who finds no opponent there joins the group below. It is no implementation of the Dutch
system: players that must be moved are moved along the shortest alternating path, not by FIDE's order of transpositions.

Every round can be paired as long as there are no more rounds than half of the players: each player then has at least
half of the field left to meet, so a perfect matching exists (Dirac 1952).
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from math import ceil, log2
from typing import ClassVar

from league_sdk.domain.pairings.dutch_pairing import MOST_PLAYERS, dutch_round, require_dutch
from league_sdk.domain.pairings.matching import FREE, augment
from league_sdk.domain.pairings.series import check_best_of, next_of_series
from league_sdk.tournament import ByePoints, Format, FormatDoesNotFit, PairedRound, Seats, Tournament

_NEAR = 48
"""Opponents looked at, to either side in the ranking, before all others are: keeps a round of thousands fast."""


@dataclass(frozen=True, slots=True)
class Swiss(Format):
    """Players of like scores meet, for a fixed number of rounds.

    Attributes:
        rounds: The number of rounds; 0 stands for enough to leave one player without a loss, log2 of the players.
        pairing: `matching` for this module's own; `dutch` for FIDE's Dutch system, which needs the extra `swiss`.
        late_entry_points: `refused` takes nobody after the start; `none` or `draw` takes players until the last round
            is paired, with so many points for each missed round.
        best_of: Matches of a series, with the seats swapped each time.
        accelerated: Whether the upper half is lent points in the first rounds (Baku acceleration, FIDE C.04.5.1).
    """

    name: ClassVar[str] = "swiss"
    description: ClassVar[str] = "Players of like scores meet, nobody twice; a few rounds rank many players."

    tie_breaks: ClassVar[tuple[str, ...]] = ("points", "buchholz_cut_1", "buchholz", "sonneborn_berger")

    rounds: int = 0
    pairing: str = "matching"
    accelerated: bool = False
    late_entry_points: str = "refused"
    best_of: int = 1

    def __post_init__(self) -> None:
        if self.rounds < 0:
            raise FormatDoesNotFit(f"rounds is {self.rounds}; a Swiss tournament has 1 or more, or 0 for enough")
        if self.pairing not in ("matching", "dutch"):
            raise FormatDoesNotFit(f"pairing is {self.pairing!r}; it is matching or dutch")
        if self.pairing == "dutch":
            require_dutch()
        if self.late_entry_points not in ("refused", "none", "draw"):
            raise FormatDoesNotFit(f"late_entry_points is {self.late_entry_points!r}; it is refused, none or draw")
        check_best_of(self.best_of)
        if self.best_of > 1 and self.late_entry_points != "refused":
            raise FormatDoesNotFit("players cannot enter series that have begun: best_of 1 takes late_entry_points")

    def late_entry(self, tournament: Tournament) -> ByePoints | None:
        """As the option says, until the last round is paired."""
        if self.late_entry_points == "refused":
            return None
        full = self.pairing == "dutch" and len(tournament.entrants) >= MOST_PLAYERS
        over = bool(tournament.rounds) and len(tournament.rounds) >= self.expected_rounds(tournament.starters)
        return None if full or over else ByePoints(self.late_entry_points)

    def check(self, players: int) -> None:
        """Refuse more rounds than half of the players, and too many for Dutch."""
        if players < 2:
            raise FormatDoesNotFit(f"a Swiss tournament needs at least 2 players, got {players}")
        if self.pairing == "dutch" and players > MOST_PLAYERS:
            raise FormatDoesNotFit(
                f"pairing=dutch takes up to {MOST_PLAYERS} players, got {players:,}; pairing=matching takes them all"
            )
        most = (players + 1) // 2
        if self.rounds > most:
            raise FormatDoesNotFit(
                f"{self.rounds} rounds are too many for a Swiss tournament of {players} players: without rematches "
                f"{most} are certain to work. The format round_robin has {players - 1 + players % 2}"
            )

    def expected_rounds(self, players: int) -> int:
        """As set; else the base-2 logarithm of the players, rounded up."""
        return self._pairings(players) * self.best_of

    def _pairings(self, players: int) -> int:
        # A manager asks for late entries before anybody is in.
        return self.rounds or min(ceil(log2(max(players, 2))), (players + 1) // 2)

    def next_round(self, tournament: Tournament) -> PairedRound | None:
        """Pair by score; None after the last round, and without unplayed pairs."""
        return next_of_series(tournament, self.best_of, self._paired)

    def _paired(self, tournament: Tournament) -> PairedRound | None:
        if len(tournament.rounds) >= self._pairings(tournament.starters) or len(tournament.active) < 2:
            return None
        if self.pairing == "dutch":
            rounds = self._pairings(tournament.starters)
            paired = dutch_round(tournament, rounds, lambda seed, complete: self._lent(tournament, seed, complete))
            if paired is not None and paired.pairings:
                return paired
            matched = self._matched(tournament)
            return matched and replace(matched, title="No Dutch pairing: by matching")
        return self._matched(tournament)

    def _lent(self, tournament: Tournament, seed: int, complete: int) -> int:
        """The points that a player is lent for the pairing after so many rounds."""
        players = tournament.starters
        accelerated = ceil(self._pairings(players) / 2) if self.accelerated else 0
        if complete >= accelerated or seed > 2 * ceil(players / 4):
            return 0
        return tournament.win if complete < ceil(accelerated / 2) else tournament.draw

    def _matched(self, tournament: Tournament) -> PairedRound | None:
        """The round; None where all who are there have met."""
        field = _Field(tournament, lambda seed: self._lent(tournament, seed, len(tournament.rounds)))
        mate = field.matching()
        pairs = [(one, other) for one, other in enumerate(mate) if FREE < other > one]
        if all(other == field.bye for _, other in pairs):
            return None
        byes = [one for one, other in enumerate(mate) if other == FREE and one != field.bye]
        byes += [one for one, other in pairs if other == field.bye]
        return PairedRound(
            tuple(field.seats(one, other) for one, other in pairs if other != field.bye),
            tuple(field.players[one] for one in sorted(byes)),
            bye_points=ByePoints.WIN,
            paired_by="points",
        )


class _Field:
    """The players of a round by rank, and all that decides which pairs may meet.

    Players are numbered by rank from 0. When their number is odd, one more stands for the bye; it ranks last.
    """

    def __init__(self, tournament: Tournament, lent: Callable[[int], int]) -> None:
        points = tournament.points()
        for entrant in tournament.entrants:
            points[entrant.player_id] += lent(entrant.seed)
        ranked = sorted(tournament.active, key=lambda entrant: (-points[entrant.player_id], entrant.seed))
        self.players = [entrant.player_id for entrant in ranked]
        self._scores = [points[player] for player in self.players]
        self._size = len(self.players) + len(self.players) % 2
        self.bye = len(self.players) if self._size > len(self.players) else FREE
        place = {player: number for number, player in enumerate(self.players)}
        self._met: list[set[int]] = [set() for _ in range(self._size)]
        self._seats: list[list[int]] = [[] for _ in range(self._size)]
        self._balance = [0] * self._size
        for played in tournament.rounds:
            for first, second in played.paired.pairings:
                self._note(place.get(first), place.get(second), 1)
                self._note(place.get(second), place.get(first), -1)
            if self.bye != FREE:
                for number in (place[player] for player in played.paired.byes if player in place):
                    self._met[number].add(self.bye)
                    self._met[self.bye].add(number)

    def _note(self, player: int | None, opponent: int | None, seat: int) -> None:
        if player is not None:
            self._seats[player].append(seat)
            self._balance[player] += seat
            if opponent is not None:
                self._met[player].add(opponent)

    def matching(self) -> list[int]:
        """The opponent of each by rank; FREE for none, which takes many who have left."""
        mate = [FREE] * self._size
        floating: list[int] = []
        for _, members in groupby(range(len(self.players)), key=lambda number: self._scores[number]):
            group = [*floating, *members]
            self._fold(group, mate)
            for number in group:
                if mate[number] == FREE:
                    augment(mate, number, lambda vertex, within=frozenset(group): self._allowed(vertex, within))
            floating = [number for number in group if mate[number] == FREE]
        everybody = range(self._size)
        for seats_matter in (True, False):
            for number in everybody:
                if mate[number] == FREE:
                    augment(mate, number, lambda vertex, strict=seats_matter: self._nearest(vertex, strict))
        return mate

    def _fold(self, group: Sequence[int], mate: list[int]) -> None:
        """Let the upper half of a group meet its lower half, where allowed."""
        half = len(group) // 2
        upper, lower = group[:half], list(group[half:])
        for number in upper:
            opponent = next((other for other in lower[:_NEAR] if self._may_meet(number, other)), None)
            if opponent is not None:
                lower.remove(opponent)
                mate[number], mate[opponent] = opponent, number

    def _allowed(self, vertex: int, within: frozenset[int]) -> Iterator[int]:
        """Opponents within a score group."""
        for other in self._around(vertex, _NEAR):
            if other in within and self._may_meet(vertex, other):
                yield other

    def _nearest(self, vertex: int, seats_matter: bool) -> Iterator[int]:
        """Opponents in the whole field, the nearest in rank first."""
        for other in self._around(vertex, self._size):
            if self._may_meet(vertex, other, seats_matter):
                yield other

    def _around(self, vertex: int, distance: int) -> Iterator[int]:
        for step in range(1, distance + 1):
            if vertex + step < self._size:
                yield vertex + step
            if vertex >= step:
                yield vertex - step

    def _may_meet(self, one: int, other: int, seats_matter: bool = True) -> bool:
        if other in self._met[one]:
            return False
        mine, theirs = self._balance[one], self._balance[other]
        # Two players who both had the same seat two times more cannot both get the other one.
        return not (seats_matter and abs(mine) >= 2 and abs(theirs) >= 2 and (mine > 0) == (theirs > 0))

    def seats(self, one: int, other: int) -> Seats:
        """Give the first seat to the player who had it less often, or longer ago."""
        first = self._balance[one] < self._balance[other]
        if self._balance[one] == self._balance[other]:
            mine, theirs = self._seats[one][::-1], self._seats[other][::-1]
            first = next((a < b for a, b in zip(mine, theirs, strict=False) if a != b), (one + len(mine)) % 2 == 0)
        pair = self.players[one], self.players[other]
        return pair if first else (pair[1], pair[0])
