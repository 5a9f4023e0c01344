"""A class: its students, the join secret of each, and the file that keeps them."""

import contextlib
import csv
import io
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from league_sdk import tokens
from league_sdk.clock import Clock, Ids, to_record_time
from league_sdk.confusables import skeleton
from league_sdk.domain.model import Agent
from league_sdk.errors import Forbidden, RateLimited
from league_sdk.names import display_name, name_key
from league_sdk.net.join_links import canonical_secret, new_join_secret
from league_sdk.settings import ConfigError, Workspace, read_secret, write_secret

COLUMNS = ("student_id", "name", "email")
SEPARATORS = ",;\t"
PLAYER = "player"
LONGEST_CELL = 200
_RENAME = "give one of them another name in a column 'player'"


class RosterError(Exception):
    """A roster that cannot be used; the message names the lines."""


@dataclass(frozen=True, slots=True)
class Student:
    """A student, and the invitation to play under one name."""

    student_id: str
    name: str
    email: str  # for sending the card
    player: str  # the display name that the secret is bound to
    secret: str = field(repr=False)  # the join secret; empty once revoked
    issued: str  # when the secret was made
    verdict: str = ""  # what `league check` said of the student's player last; empty before
    complies: bool = False  # true once the player has passed it
    checked: str = ""  # when it was checked last; empty before, and where that was not kept
    advised: int = 0  # number of the rules that it came to an advice for
    number: int = 1  # of the secret: one more with each new one
    reference: str = ""  # random, and the same for good: stands for the student in records of leagues


def read_roster(text: str, clock: Clock, ids: Ids) -> tuple[Student, ...]:
    """Read the roster's CSV, and make a secret for each student.

    Spreadsheets of many countries put semicolons or tabs between the cells; the first line says which. Excel may
    have a line `sep=;` above it, which keeps its number.
    """
    text, above = re.subn(r"\Asep=[,;\t]\r?\n", "", text.removeprefix("\ufeff"))
    separator = max(SEPARATORS, key=text.partition("\n")[0].count)
    rows = csv.DictReader(io.StringIO(text), delimiter=separator, strict=True)
    try:
        named = [_column(title) for title in rows.fieldnames or ()]
        missing = [column for column in COLUMNS if column not in named]
        if missing:
            raise RosterError(
                f"the roster has no column {', '.join(missing)}: its first line has to be {','.join(COLUMNS)}, and may "
                f"add {PLAYER}"
            )
        rows.fieldnames = named
        numbered = [(above + rows.line_num, row) for row in rows]
    except csv.Error as error:
        raise RosterError(f"line {above + rows.line_num}: {error}") from error
    students: list[Student] = []
    wrong: list[str] = []
    seen: dict[tuple[str, str], int] = {}
    now = to_record_time(clock.now())
    for line, row in numbered:
        found = list(_problems(row))
        if not found:
            student_id, name, email = (row[column].strip() for column in COLUMNS)
            player = display_name((row.get(PLAYER) or "").strip() or name)
            made = Student(student_id, name, email, player=player, secret=new_join_secret(ids), issued=now)
            students.append(replace(made, reference=ids.conversation()))
            found = list(_doubles(students[-1], line, seen))
        wrong += [f"line {line}: {problem}" for problem in found]
    if wrong:
        raise RosterError("\n".join(["the roster is not usable, and nothing was written:", *wrong]))
    if not students:
        raise RosterError("the roster has no students")
    return tuple(students)


def _column(title: str) -> str:
    """A column's name, also from a title such as `Student ID` or `E-mail`."""
    name = re.sub(r"[ \-]+", "_", title.strip().lower())
    return "email" if name == "e_mail" else name


def _problems(row: Mapping[str | None, str | list[str] | None]) -> Iterator[str]:
    """The reason why a line cannot be read."""
    if None in row:
        yield "more cells than columns"
        return
    for column in COLUMNS:
        cell = row.get(column)
        if not isinstance(cell, str) or not cell.strip():
            yield f"no {column}"
        elif len(cell) > LONGEST_CELL or not cell.strip().isprintable():
            yield f"{column} has to be one line of at most {LONGEST_CELL} visible characters"
        elif column == "email" and "@" not in cell:
            yield f"{cell.strip()!r} is no e-mail address"
    given = row.get(PLAYER) or row.get("name")
    try:
        display_name(given.strip() if isinstance(given, str) else "")
    except ValueError as error:
        yield f"the player's name has to be {error}"


def _doubles(student: Student, line: int, seen: dict[tuple[str, str], int]) -> Iterator[str]:
    for what, value in (("student_id", student.student_id), ("email", student.email), (PLAYER, student.player)):
        first = seen.setdefault((what, name_key(value)), line)
        if first != line:
            advice = f"; {_RENAME}" if what == PLAYER else ""
            yield f"{what} {value!r} is on line {first} already{advice}"
        elif what == PLAYER and (alike := seen.setdefault(("looks", skeleton(value)), line)) != line:
            yield f"{what} {value!r} looks like the one on line {alike}; {_RENAME}"


class ClassRoster:
    """A class as it is kept; its file is read anew for each question.

    With `require_check` only players that have passed `league check` are admitted.
    """

    def __init__(self, path: Path, *, require_check: bool = False) -> None:
        self.path = path
        self._require_check = require_check
        self._read: tuple[int, ...] = ()
        self._numbers: Mapping[str, int] = {}

    @property
    def students(self) -> tuple[Student, ...]:
        return self._load()[0]

    def _load(self) -> tuple[tuple[Student, ...], bool]:
        """The students, and whether they are the stand-ins of a rehearsal."""
        text = read_secret(self.path)
        if text is None:
            raise RosterError(f"there is no class in {self.path.parent}; make one with: league class create roster.csv")
        try:
            document = json.loads(text)
            return tuple(Student(**row) for row in document["students"]), document.get("rehearsal") is True
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise RosterError(f"{self.path} is damaged: {error!r}") from error

    def save(self, students: tuple[Student, ...], *, rehearsal: bool = False) -> None:
        document: dict[str, Any] = {"students": [asdict(student) for student in students]}
        document |= {"rehearsal": True} if rehearsal else {}
        write_secret(self.path, json.dumps(document, indent=2, ensure_ascii=False) + "\n")

    @property
    def invited(self) -> int:
        """Number of students who may play."""
        return sum(bool(student.secret) for student in self.students)

    def find(self, text: str) -> Student:
        """A student by id, e-mail, name or player's name."""
        key = name_key(text)
        for names in ("student_id",), ("email", "name", PLAYER):
            found = [s for s in self.students if any(name_key(str(getattr(s, name))) == key for name in names)]
            if len(found) == 1:
                return found[0]
        raise RosterError(f"{text!r} names no student of this class; use the student_id")

    def change(self, student: Student, **changes: Any) -> Student:
        changed = replace(student, **changes)
        self.save(tuple(changed if s.student_id == student.student_id else s for s in self.students))
        return changed

    def current(self, player: str) -> int:
        """The number of a player's secret now; 0 for one of nobody.

        As last read, where the file cannot be read: a running league goes on.
        """
        with contextlib.suppress(OSError, RosterError, ConfigError):
            found = self.path.stat()
            version = (found.st_ino, found.st_mtime_ns, found.st_size)
            if version != self._read:
                self._numbers = {student.player: student.number for student in self.students}
                self._read = version
        return self._numbers.get(player, 0)

    def is_newer(self, seat: Agent, secret: str | None) -> bool:
        """True for the secret of a student whose card is newer than its seat's."""
        student = next((each for each in self.students if each.player == seat.display_name), None)
        if student is None or not student.secret or not 0 < seat.card < student.number:
            return False
        return tokens.same(canonical_secret(secret or ""), canonical_secret(student.secret))

    def admit(self, player: str, secret: str | None, seat: Agent | None, seated_at: datetime | None) -> Student:
        """Check a join secret, for the `seat` of that name if there is one; its student.

        A secret takes a seat once. `seated_at` is when it was last taken.
        """
        students, rehearsal = self._load()
        try:
            return self._admit(students, player, secret, seat, seated_at)
        except Forbidden as refused:
            if rehearsal:  # a student that waits for the league goes on waiting
                raise RateLimited("a rehearsal is going on; the league opens after it", rehearsal=True) from refused
            raise

    def _admit(
        self,
        students: tuple[Student, ...],
        player: str,
        secret: str | None,
        seat: Agent | None,
        seated_at: datetime | None,
    ) -> Student:
        student = next((s for s in students if s.player == player), None)
        if student is None:
            raise _refused(f"nobody of this class is invited as {player!r}: use the player's name on your card")
        if not student.secret:
            raise _refused(f"the invitation of {player!r} was revoked; ask your instructor")
        if secret is None:
            raise _refused("this league asks for the join secret on your card")
        if not tokens.same(canonical_secret(secret), canonical_secret(student.secret)):
            raise _refused(f"this is not the join secret of {player!r}: look at your card, or ask for a new one")
        if self._require_check and not student.complies:
            found = f"it {student.verdict}" if student.verdict else "your instructor runs 'league class check' for it"
            raise _refused(f"{player!r} has to pass 'league check' before it joins: {found}")
        if seat is not None and seated_at is not None and _used(student, seat, seated_at):
            raise _refused(
                f"the join secret of {player!r} was used on {seated_at:%Y-%m-%d at %H:%M} UTC; from another folder or "
                "machine ask your instructor for a new one"
            )
        return student


def _used(student: Student, seat: Agent, seated_at: datetime) -> bool:
    """True if a seat was taken with a secret; by its time where no number is kept."""
    return seat.card >= student.number if seat.card else datetime.fromisoformat(student.issued) <= seated_at


def class_of(workspace: Workspace) -> ClassRoster:
    """The class that is kept in a folder."""
    return ClassRoster(workspace.secrets / "class.json")


def _refused(why: str) -> Forbidden:
    return Forbidden(why, field="join_secret")
