"""Tie-breaks, recomputed with code of the audit's own."""

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from itertools import combinations
from typing import TypeAlias

from league_sdk.audit.pairings import Planned
from league_sdk.json_value import Json


@dataclass(frozen=True, slots=True)
class StartedRound:
    """A round that began, as far as it had come."""

    round_id: int
    fixtures: Sequence[Planned]
    byes: Mapping[str, int]  # the points that each is worth
    settled: bool  # pairings don't follow the results: a bye is worth nothing
    complete: bool
    late: Mapping[str, int] = field(default_factory=dict[str, int])  # points of those who entered after it
    game: int = 0  # the number of its matches in their series


@dataclass(frozen=True, slots=True)
class DecidedPoints:
    """A decided match."""

    match_id: str
    points: Mapping[str, int]  # in seat order
    guilty: Collection[str]
    scores: Mapping[str, Json]  # the game's own, by player
    winner: str | None = None
    not_played: bool = False  # a forfeit of a player that sits out

    def share(self, player: str) -> float:
        """1 for a win, a half for a draw that was played."""
        return 1.0 if player == self.winner else 0.5 if self.winner is None and player not in self.guilty else 0.0


@dataclass(frozen=True, slots=True)
class Slot:
    """One round of a player."""

    round_id: int
    points: int
    opponent: str | None = None
    unplayed: bool = False
    own_doing: bool = False


@dataclass(slots=True)
class Course:
    """All that the tie-breaks are computed from."""

    scoring: Mapping[str, Json] = field(default_factory=dict[str, Json])
    lots: str = ""
    equal_meetings: bool = False
    slots: dict[str, list[Slot]] = field(default_factory=dict[str, list[Slot]])
    margins: dict[str, list[float]] = field(default_factory=dict[str, list[float]])
    meetings: dict[frozenset[str], int] = field(default_factory=dict[frozenset[str], int])
    last_round: int = 0
    criteria: Collection[str] = ()

    def total(self, player: str) -> int:
        return sum(slot.points for slot in self.slots[player])

    def seen(self, player: str) -> int:
        """The score as opponents count it: with the absences at its end as draws."""
        score, leaving = 0, True
        for slot in sorted(self.slots[player], key=lambda slot: slot.round_id, reverse=True):
            leaving = leaving and slot.own_doing
            score += self.scoring["draw"] if leaving and slot.opponent is None else slot.points
        return score

    def opposition(self, player: str) -> list[tuple[int, Slot]]:
        """Each round with the score of the opponent, or of the dummy."""
        return [(self._against(player, slot), slot) for slot in self.slots[player]]

    def _against(self, player: str, slot: Slot) -> int:
        if not slot.unplayed and slot.opponent is not None:
            return self.seen(slot.opponent)
        limit = self.scoring["draw"] * self.last_round if slot.opponent is None else self.seen(slot.opponent)
        return min(self.total(player), limit)


def course_of(
    rules: Mapping[str, Json],
    players: Collection[str],
    rounds: Sequence[StartedRound],
    decided: Mapping[str, DecidedPoints],
    removed: Collection[str],
) -> Course:
    """The course of a league up to now."""
    course = Course(rules["scoring"], rules["seed"] or rules["league_id"], bool(rules.get("equal_meetings")))
    course.slots = {player: [] for player in players}
    course.margins = {player: [] for player in players}
    course.criteria = rules.get("tiebreakers", ())
    if "series_points" in course.criteria:
        rounds, decided = as_one_match(rounds, decided, course)
    for started in rounds:
        for fixture in started.fixtures:
            match = decided.get(fixture.match_id)
            if match is not None:
                _add_match(course, started, match)
        if started.complete and not started.settled:
            _add_unpaired(course, started, decided, removed)
    course.last_round = max((slot.round_id for slots in course.slots.values() for slot in slots), default=0)
    return course


def as_one_match(
    rounds: Sequence[StartedRound], decided: Mapping[str, DecidedPoints], course: Course
) -> tuple[list[StartedRound], dict[str, DecidedPoints]]:
    """Rounds and results with a match for each series; adds what counts by match."""
    merged: list[StartedRound] = []
    series: dict[str, list[DecidedPoints]] = {}
    opened: dict[frozenset[str], str] = {}  # id of the first match of each pair of the series under way
    for started in rounds:
        goes_on = started.game > 1 and bool(merged)
        if goes_on:
            merged[-1] = replace(merged[-1], complete=merged[-1].complete and started.complete)
        else:
            merged.append(replace(started, round_id=len(merged) + 1))
            opened = {}
        for fixture in started.fixtures:
            first = opened.setdefault(frozenset(fixture.players), fixture.match_id)
            match = decided.get(fixture.match_id)
            if match is not None:
                series.setdefault(first, []).append(match)
                _add_by_match(course, match)
    return merged, {first: _as_one(first, games, course.scoring) for first, games in series.items()}


def _as_one(first: str, games: Sequence[DecidedPoints], scoring: Mapping[str, Json]) -> DecidedPoints:
    """The points of a series: for more matches won, a draw counting a half."""
    won = dict.fromkeys(games[0].points, 0.0)
    for game in games:
        for player in won:
            won[player] += game.share(player)
    most = max(won.values())
    leading = [player for player, share in won.items() if share == most and most > 0]
    worth = {player: "loss" if player not in leading else "draw" if len(leading) > 1 else "win" for player in won}
    guilty = {player for player in won if all(player in game.guilty for game in games)}
    forfeited = guilty if all(game.guilty for game in games) else set[str]()
    points = {player: scoring[name] for player, name in worth.items()}
    return DecidedPoints(first, points, forfeited, {}, not_played=all(game.not_played for game in games))


def _add_match(course: Course, started: StartedRound, match: DecidedPoints) -> None:
    players = list(match.points)
    # Of opponents settled beforehand only what was played counts.
    counting: Mapping[str, int] = {} if match.not_played and started.settled else match.points
    for player, points in counting.items():
        opponent = next(other for other in players if other != player)
        unplayed = bool(match.guilty) and not started.settled
        slot = Slot(started.round_id, points, opponent, unplayed, unplayed and player in match.guilty)
        course.slots[player].append(slot)
    if "series_points" not in course.criteria:
        _add_by_match(course, match)


def _add_by_match(course: Course, match: DecidedPoints) -> None:
    """Add what every match of a series adds: meetings and margins."""
    if match.not_played:
        return
    for pair in combinations(sorted(match.points), 2):
        course.meetings[frozenset(pair)] = course.meetings.get(frozenset(pair), 0) + 1
    told = {} if match.guilty else {player: score for player, score in match.scores.items() if _is_number(score)}
    for player, own in told.items():
        rest = [score for other, score in told.items() if other != player]
        if rest:
            course.margins[player].append(own - math.fsum(rest) / len(rest))


def _is_number(value: Json) -> bool:
    return type(value) in (int, float) and -1e15 <= value <= 1e15


def _add_unpaired(
    course: Course, started: StartedRound, decided: Mapping[str, DecidedPoints], removed: Collection[str]
) -> None:
    """Add void matches, byes and absences."""
    absent = set(course.slots)
    for fixture in started.fixtures:
        absent -= set(fixture.players)
        if fixture.match_id not in decided:
            for player in fixture.players:
                course.slots[player].append(Slot(started.round_id, 0, None, True, player in removed))
    for player, points in started.byes.items():
        course.slots[player].append(Slot(started.round_id, points, None, True))
    for player, points in started.late.items():
        course.slots[player].append(Slot(started.round_id, points, None, True, True))
    for player in absent - started.byes.keys() - started.late.keys():
        course.slots[player].append(Slot(started.round_id, 0, None, True, True))


Measure: TypeAlias = Callable[[Course, str], float]
"""A player's worth; more is better."""


def _buchholz(lowest: int = 0, highest: int = 0) -> Measure:
    def measure(course: Course, player: str) -> float:
        # Matches not played by the player's own doing are cut first, then the lowest.
        scores = sorted((not slot.own_doing, score) for score, slot in course.opposition(player))
        left = sorted(score for _, score in scores[lowest:])
        return sum(left[: max(0, len(left) - highest)])

    return measure


def _koya(course: Course, player: str) -> float:
    def strong(other: str) -> bool:
        return 2 * course.total(other) >= course.scoring["win"] * len(course.slots[other])

    slots = course.slots[player]
    return sum(slot.points for slot in slots if slot.opponent and not slot.unplayed and strong(slot.opponent))


def _progressive(course: Course, player: str) -> float:
    after = 0
    for until in range(1, course.last_round + 1):
        after += sum(slot.points for slot in course.slots[player] if slot.round_id <= until)
    return after


def _lot(course: Course, player: str) -> float:
    digest = sha256(f"{course.lots}|lots|{player}".encode()).digest()
    return -int.from_bytes(digest[:6], "big")


MEASURES: Mapping[str, Measure] = {
    "series_points": lambda course, player: course.total(player),
    "buchholz": _buchholz(),
    "buchholz_cut_1": _buchholz(1),
    "buchholz_cut_2": _buchholz(2),
    "median_buchholz": _buchholz(1, 1),
    "sonneborn_berger": lambda course, player: sum(score * slot.points for score, slot in course.opposition(player)),
    "koya": _koya,
    "progressive": _progressive,
    "goal_difference": lambda course, player: math.fsum(course.margins[player]),
    "drawing_of_lots": _lot,
}


def all_met_equally(course: Course, tied: Sequence[str]) -> bool:
    """True if head-to-head may decide among them."""
    if not course.equal_meetings:
        return True
    often = {course.meetings.get(frozenset((one, other)), 0) for one in tied for other in tied if one != other}
    return len(often) == 1
