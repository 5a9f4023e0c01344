"""Points and standings, recomputed from results."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias, cast

from league_sdk.audit.pairings import Planned
from league_sdk.audit.tie_breaks import MEASURES, Course, DecidedPoints, StartedRound, all_met_equally, course_of
from league_sdk.json_value import Json

WIN, DRAW, LOSS = "WIN", "DRAW", "LOSS"
TECHNICAL_LOSS = "TECHNICAL_LOSS"


@dataclass(frozen=True, slots=True)
class Decided:
    """A match with its result."""

    record: int  # the record's number
    match_id: str
    round_id: int
    players: tuple[str, ...]  # in seat order
    status: str
    winner: str | None
    guilty: frozenset[str]  # with a technical loss
    result: Mapping[str, Json] = field(repr=False)
    at: str = ""

    def verdict(self, player: str) -> str:
        """The match from one player's side."""
        if len(self.players) > 2:
            if player in self.guilty or self.places[player] > 1:
                return LOSS
            return WIN if player == self.winner else DRAW
        if self.status == DRAW:
            return DRAW
        if self.status == TECHNICAL_LOSS:
            return LOSS if player in self.guilty else WIN
        return WIN if player == self.winner else LOSS

    def points(self, scoring: Mapping[str, Json]) -> dict[str, int]:
        if len(self.players) > 2:
            return self._points_by_place(scoring)
        worth = {WIN: "win", DRAW: "draw", LOSS: "technical_loss" if self.status == TECHNICAL_LOSS else "loss"}
        return {player: scoring[worth[self.verdict(player)]] for player in self.players}

    def _points_by_place(self, scoring: Mapping[str, Json]) -> dict[str, int]:
        """The points against every opponent: behind, beside or before a player."""
        total: dict[str, int] = {}
        for player in self.players:
            others = [self.places[other] - self.places[player] for other in self.players if other != player]
            behind, beside = sum(gap > 0 for gap in others), others.count(0)
            before = len(others) - behind - beside
            total[player] = (
                scoring["technical_loss"] * len(others)
                if player in self.guilty
                else scoring["win"] * behind + scoring["draw"] * beside + scoring["loss"] * before
            )
        return total

    @property
    def places(self) -> Mapping[str, int]:
        """Places by player, in a match of three or more."""
        return self.result["details"]["places"]

    @property
    def not_played(self) -> bool:
        """True for a forfeit of a player that sits out."""
        return self.result.get("not_played", False) is True

    @property
    def substituted(self) -> Mapping[str, Mapping[str, int]]:
        """Moves that their players called substituted; older records name none."""
        return self.result.get("substituted", {})


@dataclass(slots=True)
class _Line:
    wins: int = 0
    draws: int = 0
    losses: int = 0
    points: int = 0
    technical_losses: int = 0
    not_played: int = 0
    against: dict[str, int] = field(default_factory=dict[str, int])
    substituted: dict[str, int] = field(default_factory=dict[str, int])


Measure: TypeAlias = Callable[[Mapping[str, _Line], str, Sequence[str]], int]

_MEASURES: Mapping[str, Measure] = {
    "points": lambda lines, player, _: lines[player].points,
    "wins": lambda lines, player, _: lines[player].wins,
    "draws": lambda lines, player, _: lines[player].draws,
    "player_id": lambda lines, player, _: -sorted(lines, key=lambda known: (len(known), known)).index(player) - 1,
    "head_to_head": lambda lines, player, tied: sum(lines[player].against.get(other, 0) for other in tied),
    "fewest_losses": lambda lines, player, _: -lines[player].losses,
    "fewest_technical_losses": lambda lines, player, _: -lines[player].technical_losses,
}
KNOWN = (*_MEASURES, *MEASURES)


def decided_by(planned: Planned, result: Mapping[str, Json], record: int, at: str) -> Decided:
    """A match by its recorded result; TypeError where that does not have its form."""
    winner, status = result["winner"], result["status"]
    guilty: frozenset[str] = frozenset()
    if status == TECHNICAL_LOSS:
        named = frozenset(fault["player_id"] for fault in result["faults"])
        guilty = named or frozenset(player for player in planned.players if player != winner)
    if not all(isinstance(part, Mapping) for part in (result["details"], result["score"], *result["transcript"])):
        raise TypeError("details, score and the entries of the transcript have to be objects")
    if len(planned.players) > 2:
        places = cast(dict[str, Json] | None, result["details"].get("places"))
        if not isinstance(places, dict) or {*places} != {*planned.players} or {*map(type, places.values())} != {int}:
            raise TypeError("details of a match of three or more have to give each player a place")
    if not all(type(n) is int and n > 0 for told in result.get("substituted", {}).values() for n in told.values()):
        raise TypeError("its substituted moves have to be numbers from 1")
    match = planned.match_id, planned.round_id, planned.players
    return Decided(record, *match, status, winner, guilty, result, at)


def standings(
    names: Mapping[str, str],
    matches: Iterable[Decided],
    rules: Mapping[str, Json],
    rounds: Sequence[StartedRound] = (),
    removed: Collection[str] = (),
) -> list[dict[str, Json]]:
    """The standings, the best first; equal in every criterion means equal rank.

    All players in `names` (display name by id) get a row. Raises ValueError for an unknown tie-breaker.
    """
    scoring, tiebreakers = rules["scoring"], list(rules["tiebreakers"])
    unknown = [name for name in tiebreakers if name not in KNOWN]
    if unknown:
        raise ValueError(f"the tie-breaker {unknown[0]!r} is not known")
    lines = {player: _Line() for player in names}
    decided: dict[str, DecidedPoints] = {}
    for match in matches:
        points = match.points(scoring)
        _count(lines, match, points)
        scores = match.result["details"].get("scores")
        known = cast(Mapping[str, Json], scores) if isinstance(scores, dict) else dict[str, Json]()
        told = {player: known.get(player) for player in match.players}
        decided[match.match_id] = DecidedPoints(
            match.match_id, points, match.guilty, told, match.winner, match.not_played
        )
    for started in rounds:
        for player, points in started.byes.items() if started.complete and not started.settled else ():
            lines[player].points += points
        for player, points in started.late.items() if started.complete else ():
            lines[player].points += points
    course = course_of(rules, names, rounds, decided, removed)
    rows: list[dict[str, Json]] = []
    for tied in _ranked(lines, course, sorted(lines, key=lambda player: (len(player), player)), tiebreakers):
        rank = len(rows) + 1
        rows += [_row(rank, player, names[player], lines[player]) for player in tied]
    return rows


def ranked_as(rows: Sequence[Mapping[str, Json]], ranking: Sequence[Sequence[str]]) -> list[dict[str, Json]]:
    """The rows in the order of a ranking, whose groups share a rank; others last."""
    ordered: list[dict[str, Json]] = []
    known = {player for group in ranking for player in group}
    for group in (*ranking, [row["player_id"] for row in rows if row["player_id"] not in known]):
        rank = len(ordered) + 1
        ordered += [{**row, "rank": rank} for row in rows if row["player_id"] in group]
    return ordered


def _count(lines: Mapping[str, _Line], match: Decided, points: Mapping[str, int]) -> None:
    for player in match.players:
        line, verdict = lines[player], match.verdict(player)
        line.wins += verdict == WIN
        line.draws += verdict == DRAW
        line.losses += verdict == LOSS
        line.technical_losses += player in match.guilty
        line.not_played += match.not_played
        line.points += points[player]
        for reason, number in match.substituted.get(player, {}).items():
            line.substituted[reason] = line.substituted.get(reason, 0) + number
        for other in match.players:
            if other != player and not match.not_played:
                line.against[other] = line.against.get(other, 0) + points[player]


def _ranked(lines: Mapping[str, _Line], course: Course, tied: list[str], criteria: list[str]) -> list[list[str]]:
    """Groups of players who are equal in all criteria, the best group first."""
    if len(tied) <= 1 or not criteria:
        return [tied] if tied else []
    name = criteria[0]
    if name == "head_to_head" and not all_met_equally(course, tied):
        return _ranked(lines, course, tied, criteria[1:])
    if name in MEASURES:
        worth = {player: MEASURES[name](course, player) for player in tied}
    else:
        worth = {player: float(_MEASURES[name](lines, player, tied)) for player in tied}
    groups: list[list[str]] = []
    for value in sorted(set(worth.values()), reverse=True):
        groups += _ranked(lines, course, [player for player in tied if worth[player] == value], criteria[1:])
    return groups


def _row(rank: int, player: str, name: str, line: _Line) -> dict[str, Json]:
    return {
        "rank": rank,
        "player_id": player,
        "display_name": name,
        "played": line.wins + line.draws + line.losses,
        "wins": line.wins,
        "draws": line.draws,
        "losses": line.losses,
        "points": line.points,
        **({"not_played": line.not_played} if line.not_played else {}),
        **({"substituted": line.substituted} if line.substituted else {}),
    }
