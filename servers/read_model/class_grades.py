"""Grades of a class: a student's row in one league, and its total over several."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from league_sdk.domain.league import League
from league_sdk.domain.lifecycles import LeagueState
from league_sdk.domain.ranking.standing import Standing
from league_sdk.json_value import Json
from servers.agent.class_roster import Student
from servers.read_model import columns
from servers.read_model.class_rows import entry_of
from servers.read_model.players import cause_of
from servers.read_model.text import count

_COLUMNS = (columns.IDENTITY[0], columns.POINTS, *columns.COUNTS, columns.TECHNICAL, columns.SUBSTITUTED)
FIGURES = (*(column.name for column in _COLUMNS), "moves")
"""Figures of the standings that grades have."""


@dataclass(frozen=True, slots=True)
class TotalRule:
    """A total of a student's points in several leagues; a missed one counts as 0."""

    name: str
    counted: int  # number of the best leagues that count
    mean: bool = False

    @classmethod
    def parse(cls, text: str, leagues: int) -> "TotalRule":
        """Read `sum`, `mean` or `best:N`; ValueError says what is wrong."""
        if text in ("sum", "mean"):
            return cls(text, leagues, mean=text == "mean")
        name, colon, number = text.partition(":")
        if name != "best" or not colon or not number.isdecimal() or int(number) < 1:
            raise ValueError("use sum, mean or best:N, such as best:2")
        if int(number) > leagues:
            raise ValueError(f"there are only {leagues} leagues")
        return cls(text, int(number))

    def total(self, points: Sequence[int]) -> Fraction:
        """The total of a student's points, one number for each league that it played in."""
        best = sum(sorted(points, reverse=True)[: self.counted])
        return Fraction(best, self.counted) if self.mean else Fraction(best)


@dataclass(frozen=True, slots=True)
class CourseGrade:
    """A student's grade over several leagues."""

    student: Student
    points: Mapping[str, int | None]  # by league; None in one that it missed
    total: Fraction
    rank: int | None  # None for one that missed all; equal totals share a rank
    remarks: str

    @property
    def missed(self) -> tuple[str, ...]:
        """The leagues in which it did not play."""
        return tuple(league_id for league_id, points in self.points.items() if points is None)


def standing_of(student: Student, standings: Mapping[str, Standing], league: League) -> Standing | None:
    """The student's row of the standings; None for one that is not in them."""
    entry = entry_of(student, league)
    return None if entry is None else standings.get(entry.agent_id)


def by_player(league: League) -> dict[str, Standing]:
    """The standings by id of the player."""
    return {row.player_id: row for row in league.standings()}


def grade(student: Student, league: League, standings: Mapping[str, Standing]) -> dict[str, Json]:
    """A student's row in one league, also of one who did not play."""
    row = standing_of(student, standings, league)
    figures: dict[str, Any] = {} if row is None else {name: getattr(row, name) for name in FIGURES}
    return {
        "student_id": student.student_id,
        "name": student.name,
        "player": student.player if row is None else row.display_name,
        **dict.fromkeys(FIGURES),
        **figures,
        "remarks": remarks(row, league),
        "compliance": student.verdict or "not checked",
    }


def remarks(row: Standing | None, league: League) -> str:
    """All that an instructor has to know beside the points, in words."""
    if row is None:
        return "has not joined" if league.state is LeagueState.WAITING_FOR_REGISTRATIONS else "never came"
    substituted = f"{row.substitution}, by its own account" if row.substitution else ""
    return "; ".join(filter(None, [row.mark, *_technical_losses(row.player_id, league), substituted]))


def _technical_losses(player_id: str, league: League) -> list[str]:
    """The causes of a player's technical losses in matches that were played."""
    faults = [fault for result in league.results.values() for fault in result.faults if not result.not_played]
    causes = Counter(cause_of(fault) for fault in faults if fault.player_id == player_id)
    return [f"{count(number, 'match')} lost: {cause}" for cause, number in causes.items()]


def course_grades(
    students: Sequence[Student], leagues: Mapping[str, League], rule: TotalRule
) -> tuple[CourseGrade, ...]:
    """The grades of a class over several leagues, in the roster's order."""
    tables = {league_id: by_player(league) for league_id, league in leagues.items()}
    totals: list[tuple[Student, Mapping[str, int | None], Fraction, str]] = []
    for student in students:
        rows = {known: standing_of(student, tables[known], league) for known, league in leagues.items()}
        points = {known: None if row is None else row.points for known, row in rows.items()}
        told = {known: remarks(row, leagues[known]) for known, row in rows.items() if row is not None}
        said = "; ".join(f"{known}: {text}" for known, text in told.items() if text)
        totals.append((student, points, rule.total([each for each in points.values() if each is not None]), said))
    ranked = [total for _, points, total, _ in totals if any(each is not None for each in points.values())]
    return tuple(
        CourseGrade(student, points, total, _rank(total, ranked, points), said)
        for student, points, total, said in totals
    )


def _rank(total: Fraction, totals: Sequence[Fraction], points: Mapping[str, int | None]) -> int | None:
    if all(each is None for each in points.values()):
        return None
    return 1 + sum(other > total for other in totals)
