"""Laws of a Swiss tournament's rounds; its best pairing is not searched again."""

from collections import Counter
from collections.abc import Iterator
from itertools import combinations
from math import ceil, log2

from league_sdk.audit.stage_course import StageCourse
from league_sdk.names import listed


def swiss_pairings(course: StageCourse, players: int) -> int:
    """As many as set; else enough to leave one player without a loss."""
    return course.option("rounds") or min(ceil(log2(players)), (players + 1) // 2)


def swiss_rounds(course: StageCourse, players: int) -> int:
    """The pairings, times the matches of a series."""
    return swiss_pairings(course, players) * course.option("best_of", 1)


def swiss_end(course: StageCourse) -> str:
    """A sentence if the tournament has too few rounds, or too many; else empty."""
    owed = swiss_pairings(course, course.starters)
    met = {frozenset(seats) for played in course.rounds for seats in played.pairings}
    unmet = any(frozenset(pair) not in met for pair in combinations(course.there(len(course.rounds)), 2))
    if len(course.rounds) == owed or (len(course.rounds) < owed and not unmet):
        return ""
    return f"it has {len(course.rounds)} rounds, and {owed} are due"


def swiss_faults(course: StageCourse, complete: int) -> Iterator[str]:
    """Contradictions between the round after `complete` and the laws."""
    paired, before = course.rounds[complete], course.rounds[:complete]
    met = {frozenset(seats) for played in before for seats in played.pairings}
    if again := sorted(" - ".join(sorted(seats)) for seats in paired.pairings if frozenset(seats) in met):
        yield f"{listed(again)} meet a second time"
    idle = Counter(player for played in before for player in played.byes)
    if twice := sorted(player for player in paired.byes if idle[player]):
        yield f"{listed(twice)} have a second bye"
    seated = [*paired.byes, *(player for seats in paired.pairings for player in seats)]
    there = course.there(complete)
    if absent := sorted({*there} - {*seated}):
        yield f"{listed(absent)} has not left, and is left out"
    always = not course.left and not course.missed and not any(played.resting for played in course.rounds)
    if always and len(paired.byes) != len(there) % 2:
        yield f"{listed(sorted(paired.byes))} sit out, of {len(there)} players"
    if course.options.get("pairing", "matching") == "matching":
        yield from _by_matching(course, complete)


def _by_matching(course: StageCourse, complete: int) -> Iterator[str]:
    """Check the first round, and who has the first seat."""
    paired, line = course.rounds[complete], _ranked(course, complete)
    if not complete and not course.options.get("accelerated"):
        half = len(line) // 2
        owed = {frozenset(pair) for pair in zip(line[:half], line[half:], strict=False)}
        if {frozenset(seats) for seats in paired.pairings} != owed:
            yield "the upper half of the seeding has to meet the lower half"
    taken: dict[str, list[int]] = {player: [] for player in course.players}
    for played in course.rounds[:complete]:
        for first, second in played.pairings:
            taken[first].append(1)
            taken[second].append(-1)
    exact = course.option("best_of", 1) == 1  # else points are those of series
    wrong = [
        f"{first} - {second}"
        for first, second in paired.pairings
        if (better := _latest(taken[first], taken[second])) is False
        or (better is None and exact and not _by_rank(line, first, second, len(taken[first])))
    ]
    if wrong:
        yield f"{listed(wrong)} have each other's seats"


def _latest(first: list[int], second: list[int]) -> bool | None:
    """True if the first seat is due to the first by history, else None or False."""
    if sum(first) != sum(second):
        return sum(first) < sum(second)
    latest = zip(reversed(first), reversed(second), strict=False)
    return next((one < other for one, other in latest if one != other), None)


def _by_rank(line: list[str], first: str, second: str, matches: int) -> bool:
    """True if the first seat is due to the first of two by rank."""
    upper = min(line.index(first), line.index(second))
    return (line[upper] == first) is ((upper + matches) % 2 == 0)


def _ranked(course: StageCourse, complete: int) -> list[str]:
    """The players of a round by points, lent ones included, and seed."""
    lent, points = _lent(course, complete), Counter[str]()
    for played in course.rounds[:complete]:
        points.update(played.points)
    upper = 2 * ceil(course.starters / 4)
    seed = {player: place for place, player in enumerate(course.players)}
    return sorted(course.there(complete), key=lambda p: (-points[p] - lent * (seed[p] < upper), seed[p]))


def _lent(course: StageCourse, complete: int) -> int:
    """The points that Baku acceleration lends: of a win, then of a draw."""
    half = ceil(swiss_pairings(course, course.starters) / 2) if course.options.get("accelerated") else 0
    if complete >= half:
        return 0
    return course.scoring["win"] if complete < ceil(half / 2) else course.scoring["draw"]
