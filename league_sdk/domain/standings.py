"""The standings: a tally that grows by results, and a ranking by criteria.

Criteria are data: a league names them, the strongest first. Each sorts only players whom the ones before left equal, so
`head_to_head` counts only the matches among the tied. Players who are equal in all of them have an equal rank (1, 1,
3); the player id then only settles the order of the rows, P99 before P100.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TypeAlias

from league_sdk.domain.model import DEFAULT_TIEBREAKERS, MatchResult, ResultStatus, Standing


class Verdict(StrEnum):
    """A match from one player's side."""

    WIN = "WIN"
    DRAW = "DRAW"
    LOSS = "LOSS"


def at_fault(result: MatchResult) -> frozenset[str]:
    """The players with a technical loss; empty if the match was played to its end.

    A result may name them in `faults`. A referee that knows only the required fields names none: then all but the
    winner are meant.
    """
    if result.status is not ResultStatus.TECHNICAL_LOSS:
        return frozenset()
    named = frozenset(fault.player_id for fault in result.faults)
    return named or frozenset(player for player in result.players if player != result.winner)


def verdict(result: MatchResult, player_id: str) -> Verdict:
    """The match from one player's side."""
    if result.status is ResultStatus.DRAW:
        return Verdict.DRAW
    if result.status is ResultStatus.TECHNICAL_LOSS:
        return Verdict.LOSS if player_id in at_fault(result) else Verdict.WIN
    return Verdict.WIN if player_id == result.winner else Verdict.LOSS


def added(counts: Mapping[str, int], more: Mapping[str, int]) -> dict[str, int]:
    """The sum of two counts, by name."""
    return {name: counts.get(name, 0) + more.get(name, 0) for name in {**counts, **more}}


def id_order(agent_id: str) -> tuple[int, str]:
    """A sort key that puts `P99` before `P100`."""
    return len(agent_id), agent_id


@dataclass(frozen=True, slots=True)
class Tally:
    """Wins, losses and points so far; `met` is by player and opponent."""

    rows: Mapping[str, Standing] = field(default_factory=dict[str, Standing])  # unranked and unnamed
    met: Mapping[str, Mapping[str, int]] = field(default_factory=dict[str, Mapping[str, int]])

    def add(self, result: MatchResult) -> "Tally":
        """The tally with one more result; the cost depends on the number of players only."""
        rows, met = dict(self.rows), dict(self.met)
        faults = at_fault(result)
        for player in result.players:
            points = result.score[player]
            told = result.substituted.get(player, {})
            rows[player] = _one_more(self.row(player), verdict(result, player), points, player in faults, told)
            opponents = dict(met.get(player, {}))
            for opponent in result.players:
                if opponent != player:
                    opponents[opponent] = opponents.get(opponent, 0) + points
            met[player] = opponents
        return Tally(rows, met)

    def add_byes(self, players: Iterable[str], points: int) -> "Tally":
        """The tally after a round that these players sat out for `points` each."""
        sat_out = {
            player: replace(row, points=row.points + points, byes=row.byes + 1)
            for player, row in ((player, self.row(player)) for player in players)
        }
        return Tally({**self.rows, **sat_out}, self.met)

    def row(self, player_id: str) -> Standing:
        """A player's row, not ranked; all zero before the first result."""
        return self.rows.get(player_id) or Standing(rank=0, player_id=player_id, display_name="")

    def ranked(
        self,
        players: Mapping[str, str],
        tiebreakers: Sequence[str] = DEFAULT_TIEBREAKERS,
        removed: Collection[str] = (),
    ) -> tuple[Standing, ...]:
        """The standings of players (display name by id), those `removed` included.

        Raises ValueError for an unknown tie-breaker.
        """
        chosen = criteria(tiebreakers)
        groups = [sorted(players, key=id_order)]
        for criterion in chosen:
            groups = [part for group in groups for part in self._split(group, criterion)]
        table: list[Standing] = []
        for group in groups:
            rank = len(table) + 1
            table += [
                replace(self.row(player), rank=rank, display_name=players[player], removed=player in removed)
                for player in group
            ]
        return tuple(table)

    def leaders(self, players: Mapping[str, str], tiebreakers: Sequence[str] = DEFAULT_TIEBREAKERS) -> tuple[str, ...]:
        """Players with rank 1, without ranking the others."""
        best = sorted(players, key=id_order)
        for criterion in criteria(tiebreakers):
            if len(best) < 2:
                break
            best = self._split(best, criterion)[0]
        return tuple(best)

    def _split(self, group: list[str], criterion: "Criterion") -> list[list[str]]:
        """Parts of equal value, the best first; the order within a part is kept."""
        if len(group) < 2:
            return [group] if group else []
        tied = frozenset(group)
        parts: dict[float, list[str]] = {}
        for player in group:
            parts.setdefault(criterion(self, player, tied), []).append(player)
        return [parts[value] for value in sorted(parts, reverse=True)]


def ranked_as(rows: Sequence[Standing], ranking: Sequence[Sequence[str]]) -> tuple[Standing, ...]:
    """The rows in the order of a ranking, whose groups share a rank."""
    places = {player: rank for rank, group in enumerate(ranking) for player in group}
    before = [sum(map(len, ranking[:rank])) for rank in range(len(ranking))]
    ordered = sorted(rows, key=lambda row: places[row.player_id])
    return tuple(replace(row, rank=before[places[row.player_id]] + 1) for row in ordered)


Criterion: TypeAlias = Callable[[Tally, str, Collection[str]], float]
"""A player's worth among those who are tied with it so far, itself included; more is better."""


def _head_to_head(tally: Tally, player: str, tied: Collection[str]) -> float:
    points = tally.met.get(player, {})
    if len(points) < len(tied):
        return sum(value for opponent, value in points.items() if opponent in tied)
    return sum(points.get(opponent, 0) for opponent in tied)


def _column(name: str, sign: int = 1) -> Criterion:
    def worth(tally: Tally, player: str, _tied: Collection[str]) -> float:
        return sign * getattr(tally.row(player), name)

    return worth


CRITERIA: Mapping[str, Criterion] = {
    "points": _column("points"),
    "wins": _column("wins"),
    "draws": _column("draws"),
    "head_to_head": _head_to_head,
    "fewest_losses": _column("losses", -1),
    "fewest_technical_losses": _column("technical_losses", -1),
}
"""Every ranking criterion by the name that a league's config uses."""


def criteria(names: Sequence[str]) -> tuple[Criterion, ...]:
    """The criteria of these names; ValueError for an unknown one."""
    for name in names:
        if name not in CRITERIA:
            raise ValueError(f"unknown tie-breaker {name!r}; known: {', '.join(CRITERIA)}")
    return tuple(CRITERIA[name] for name in names)


def table(
    players: Mapping[str, str],
    results: Iterable[MatchResult],
    tiebreakers: Sequence[str] = DEFAULT_TIEBREAKERS,
) -> tuple[Standing, ...]:
    """The standings after `results`, in any order, one a match, from nothing."""
    tally = Tally()
    for result in results:
        tally = tally.add(result)
    return tally.ranked(players, tiebreakers)


def _one_more(row: Standing, how: Verdict, points: int, technical: bool, substituted: Mapping[str, int]) -> Standing:
    return replace(
        row,
        played=row.played + 1,
        wins=row.wins + (how is Verdict.WIN),
        draws=row.draws + (how is Verdict.DRAW),
        losses=row.losses + (how is Verdict.LOSS),
        points=row.points + points,
        technical_losses=row.technical_losses + technical,
        substituted=added(row.substituted, substituted) if substituted else row.substituted,
    )
