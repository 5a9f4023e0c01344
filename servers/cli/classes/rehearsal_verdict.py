"""The verdict of a rehearsal: what would fail on the day, and advice."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from league_sdk import plugins
from league_sdk.clock import to_wire_time
from league_sdk.domain.league import League
from league_sdk.domain.lifecycles import LeagueState
from league_sdk.json_value import Json
from league_sdk.names import game_name
from league_sdk.net.addresses import is_loopback
from league_sdk.settings import Workspace
from servers.agent import event_store
from servers.agent.class_roster import Student
from servers.cli.classes.rehearsal_run import RehearsalCourse
from servers.cli.free_space import LEAST_FREE_BYTES, existing_folder, free_bytes
from servers.launcher.run_options import PlanError, check_deadline
from servers.read_model.class_grades import by_player, standing_of
from servers.read_model.text import count, fault_sentence, printable

TIMES_THE_REHEARSAL = 10
"""Free space, in sizes of what the rehearsal wrote."""
MOST_LINES = 5
"""Lines of the league's own that a verdict repeats."""
_REMEDIES = ("league resume", "To start again", "To continue", "Add --port-base")
"""Parts of the league's lines that say how to continue it, which are not for a rehearsal."""
CLOCK_SEC = 60.0
"""A clock that is behind what was written before by more than this is wrong."""


@dataclass(frozen=True, slots=True)
class RehearsalVerdict:
    """The end of a rehearsal, for people and programs."""

    failures: tuple[str, ...]  # what would fail on the day
    advice: tuple[str, ...]
    summary: str  # what was played, in a sentence; empty if nothing was

    @property
    def passed(self) -> bool:
        """True if the league would be played."""
        return not self.failures

    def as_json(self, course: RehearsalCourse) -> dict[str, Json]:
        """The verdict as one JSON object."""
        return {
            "passed": self.passed,
            "failures": list(self.failures),
            "advice": list(self.advice),
            "summary": self.summary,
            "students": len(course.joined),
            "join_sec": None if course.join_sec is None else round(course.join_sec, 3),
            "total_sec": round(course.seconds, 3),
        }


def before_the_league(
    workspace: Workspace, students: Sequence[Student], options: Mapping[str, Any], deadline: str | None, now: datetime
) -> Iterator[str]:
    """Failures that a league in another folder does not show."""
    league_id: str | None = options["league_id"]
    if (
        league_id is not None
        and workspace.league_dir(league_id).exists()
        and not event_store.is_cancelled(workspace, league_id, options["store"])
    ):
        yield f"there is a league {league_id!r} already in {workspace.root}: choose another --league-id"
    try:
        check_deadline(deadline, now)
    except PlanError as error:
        yield str(error)
    issued = max((datetime.fromisoformat(student.issued) for student in students), default=now)
    if issued - now > timedelta(seconds=CLOCK_SEC):
        yield f"this machine's clock is wrong: it is {to_wire_time(now)}, but cards were made at {to_wire_time(issued)}"
    revoked = [student.player for student in students if not student.secret]
    if len(revoked) == len(students):
        yield "no student has a card that holds: league class rotate STUDENT makes a new one"


def judge(
    course: RehearsalCourse, league: League | None, students: Sequence[Student], first: Sequence[str]
) -> tuple[str, ...]:
    """The failures of the day, the causes first."""
    found = [*first, *_not_joined(course)]
    if course.code is None and not found:
        found.append(f"the league was not over after {course.seconds:.0f} s, and was ended")
    if course.code and not course.trouble:
        lines = [line.removeprefix("league: ") for line in course.errors if not any(each in line for each in _REMEDIES)]
        if any(line.startswith("Traceback") for line in lines):
            lines = lines[-1:]  # the error: the rest is where it was
        found += lines[:MOST_LINES] or ["the league failed, and did not say why"]
    if league is None or league.state is not LeagueState.COMPLETED:
        return tuple(dict.fromkeys(found))
    found += [f"{match_id} was void: {printable(cause, 200)}" for match_id, cause in _first(league.unplayed)]
    lost = [fault for result in league.results.values() for fault in result.faults]
    found += [f"a stand-in lost technically: {fault_sentence(league, fault)}" for fault in lost[:1]]
    standings = by_player(league)
    ungraded = [student for student in students if standing_of(student, standings, league) is None]
    if ungraded:
        found.append(f"{count(len(ungraded), 'student')} would get no grade, such as {printable(ungraded[0].name)}")
    return tuple(dict.fromkeys(found))


def _not_joined(course: RehearsalCourse) -> Iterator[str]:
    """The first stand-in that could not join, with the reason."""
    refused = (told for told in course.trouble.items() if told[0] not in course.joined)
    for player, text in list(refused)[:1]:
        of_all = f"{len(course.joined)} of {len(course.expected)} stand-ins could join"
        yield f"{of_all}; {printable(player)} not: {printable(text, 500)}"


def _first(told: Mapping[str, str]) -> list[tuple[str, str]]:
    return list(told.items())[:MOST_LINES]


def lacking_space(workspace: Workspace, used: int) -> Iterator[str]:
    """A sentence where the data folder has too little space."""
    folder = existing_folder(workspace.data)
    free, needed = free_bytes(folder), max(LEAST_FREE_BYTES, TIMES_THE_REHEARSAL * used)
    if free < needed:
        yield f"{folder} has {_megabytes(free)} free; a league like this one should have {_megabytes(needed)}"


def size_of(folder: Path) -> int:
    """Bytes of all files of a folder."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def _megabytes(number: int) -> str:
    return f"{number / 1e6:.0f} MB"


def advice(
    students: Sequence[Student], options: Mapping[str, Any], deadline: str | None, public_host: str, now: datetime
) -> Iterator[str]:
    """Remarks that are no failure."""
    if options["host"] not in (None, "127.0.0.1", "localhost") and is_loopback(public_host):
        yield (
            f"players on other machines cannot call {public_host}: add --set network.base_host=ADDRESS, with this "
            "machine's address in the network"
        )
    if options["host"] is None:
        yield "the league listens to this machine alone: add --host 0.0.0.0 for students on other machines"
    left = None if deadline is None else datetime.fromisoformat(deadline) - now
    if left is not None and left > timedelta():
        yield f"registration closes in {timedelta(seconds=round(left.total_seconds()))} (h:mm:ss)"
    revoked = sum(not student.secret for student in students)
    if revoked:
        yield f"{count(revoked, 'student')} without a card did not take part"


def unnamed_game(game: str, folders: tuple[str, ...]) -> Iterator[str]:
    """A remark on a game that players have to name."""
    if game not in plugins.game_classes(folders):
        game = game_name(game)
        yield f"players name this game: league player --game {game}, or Player(…, game={game!r})"


def summary(course: RehearsalCourse, league: League | None) -> str:
    """The league that was played, in a sentence."""
    if league is None or league.state is not LeagueState.COMPLETED:
        return ""
    joined = "" if course.join_sec is None else f" joined within {course.join_sec:.1f} s"
    matches = f"{count(league.total_rounds, 'round')}, {count(len(league.results), 'match')}"
    return f"{count(len(league.players), 'stand-in')}{joined}; {matches}; grades for all; {course.seconds:.1f} s in all"
