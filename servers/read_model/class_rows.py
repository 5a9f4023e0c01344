"""The students of a class beside a league: cards, checks, and their states.

Names and ids of students are for the instructor alone: no page without the operator's token shows these rows.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from league_sdk.domain.league import League
from league_sdk.domain.lifecycles import LeagueState
from league_sdk.domain.model import Agent
from league_sdk.domain.ranking.standing import Standing
from league_sdk.json_value import Json
from league_sdk.names import nearest
from servers.agent.class_roster import Student
from servers.read_model.text import count, mark_of, printable


class StudentState(StrEnum):
    """A student's state in the league, or before it."""

    REVOKED = "revoked"
    INVITED = "invited"
    MISSING = "missing"
    JOINED = "joined"
    PLAYS = "plays"
    SITS_OUT = "sits out"
    LEFT = "left"
    PLAYED = "played"
    ABSENT = "never came"
    WAS_IN = "was in it"
    WAS_NOT_IN = "was not in it"


IN_ALL: Mapping[StudentState, str] = {
    StudentState.MISSING: "missing",
    StudentState.ABSENT: "never came",
    StudentState.INVITED: "invited",
    StudentState.JOINED: "joined",
    StudentState.PLAYS: "playing",
    StudentState.SITS_OUT: "sitting out",
    StudentState.LEFT: "left",
    StudentState.PLAYED: "played",
    StudentState.WAS_IN: "in it",
    StudentState.WAS_NOT_IN: "not in it",
    StudentState.REVOKED: "without a card",
}
"""The words behind a number of students in each state, in the order in which they are counted up."""


@dataclass(frozen=True, slots=True)
class StudentRow:
    """A student, and how it stands."""

    student_id: str
    name: str
    player: str  # its name in the league
    card: bool  # false once the card was revoked
    check: str  # the last check in words, such as `passed, 2 advised, 10 minutes ago`
    complies: bool  # true once its player has passed the check
    state: StudentState
    detail: str = ""  # more on the state: why it sits out, or its rank at the end
    player_id: str = ""  # empty for one that is not in the league

    @property
    def words(self) -> str:
        """The state with its detail."""
        return f"{self.state}: {self.detail}" if self.detail else str(self.state)

    def as_json(self) -> dict[str, Json]:
        """The row as one JSON object."""
        return {
            "student_id": self.student_id,
            "name": self.name,
            "player": self.player,
            "card": self.card,
            "check": self.check,
            "complies": self.complies,
            "state": str(self.state),
            "detail": self.detail,
            "words": self.words,
            "player_id": self.player_id,
        }


def class_rows(students: Sequence[Student], league: League | None, now: datetime) -> tuple[StudentRow, ...]:
    """A row for each student; without a league, the roster alone."""
    standings = {} if league is None else {row.player_id: row for row in league.standings()}
    return tuple(_row(student, league, standings, now) for student in students)


def summary(rows: Sequence[StudentRow]) -> str:
    """The students in each state, in numbers: `1 missing, 6 playing, 1 sitting out`."""
    counted = Counter(row.state for row in rows)
    return ", ".join(f"{counted[state]} {words}" for state, words in IN_ALL.items() if counted[state])


def entry_of(student: Student, league: League) -> Agent | None:
    """The student's place in a league, whatever name it had there; None without one.

    Leagues from before the reference was kept know it by its name alone.
    """
    known = (*league.players.values(), *league.dismissed.values())
    own = [agent for agent in known if agent.student and agent.student == student.reference]
    named = [agent for agent in own or known if agent.display_name == student.player and (own or not agent.student)]
    return next(iter(named or own[-1:]), None)


def strangers(students: Sequence[Student], league: League) -> Iterator[Agent]:
    """The players of a league that are no student's."""
    ours = {found.agent_id for student in students if (found := entry_of(student, league)) is not None}
    return (agent for agent in league.players.values() if agent.agent_id not in ours)


def _row(student: Student, league: League | None, standings: Mapping[str, Standing], now: datetime) -> StudentRow:
    entry = None if league is None else entry_of(student, league)
    state, detail = _state(student, league, entry, standings)
    return StudentRow(
        student_id=student.student_id,
        name=student.name,
        player=student.player if entry is None else entry.display_name,
        card=bool(student.secret),
        check=check_words(student, now),
        complies=student.complies,
        state=state,
        detail=printable(detail, 200),
        player_id="" if entry is None else entry.agent_id,
    )


def _state(
    student: Student, league: League | None, entry: Agent | None, standings: Mapping[str, Standing]
) -> tuple[StudentState, str]:
    """A student's state, with its detail."""
    if league is None or entry is None:
        if not student.secret:
            return StudentState.REVOKED, ""
        if league is None:
            return StudentState.INVITED, ""
        if league.cancelled:
            return StudentState.WAS_NOT_IN, ""
        return (StudentState.ABSENT if league.finished else StudentState.MISSING), ""
    row = standings.get(entry.agent_id)
    if row is None or entry.agent_id in league.removed:
        return StudentState.LEFT, mark_of(league, entry.agent_id)
    lost = f"{count(row.technical_losses, 'match')} lost technically" if row.technical_losses else ""
    if league.cancelled:
        return StudentState.WAS_IN, ""
    if league.state is LeagueState.COMPLETED:
        place = f"rank {row.rank}, {count(row.points, 'point')}"
        return StudentState.PLAYED, "; ".join(filter(None, [place, row.mark, lost]))
    if sitting := league.sitting_out.get(entry.agent_id):
        return StudentState.SITS_OUT, sitting.detail or str(sitting.reason)
    return (StudentState.PLAYS, lost) if league.rounds_started else (StudentState.JOINED, "")


def refusal_words(name: str, reason: str, at: datetime, rows: Sequence[StudentRow], now: datetime) -> str:
    """A refused registration in a sentence, and the missing student that it may be."""
    missing = {row.player: row for row in rows if not row.player_id}
    meant = missing.get(nearest(name, list(missing)) or "")
    close = meant is not None and meant.player != name
    hint = f"; missing is {meant.player!r} ({meant.name}, {meant.student_id})" if meant and close else ""
    return printable(f"{name!r}, {ago((now - at).total_seconds())}: {reason}{hint}", 400)


def check_words(student: Student, now: datetime) -> str:
    """The last check of a student's player, in words."""
    if not student.verdict:
        return "not checked"
    words = ["passed" if student.complies else "failed"]
    if student.advised:
        words.append(f"{student.advised} advised")
    if student.checked:
        words.append(ago((now - datetime.fromisoformat(student.checked)).total_seconds()))
    return ", ".join(words)


_UNITS = ((86400, "day"), (3600, "hour"), (60, "minute"))


def ago(seconds: float) -> str:
    """A time in the past, in its largest unit: `10 minutes ago`."""
    for size, unit in _UNITS:
        if seconds >= size:
            return f"{count(int(seconds // size), unit)} ago"
    return "just now"
