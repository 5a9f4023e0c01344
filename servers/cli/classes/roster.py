"""`league class create`, `rotate`, `revoke`: the students and their secrets."""

import shlex
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from league_sdk.clock import SystemClock, SystemIds, to_record_time
from league_sdk.domain.lifecycles import LeagueState
from league_sdk.net.join_links import new_join_secret
from league_sdk.settings import Workspace
from servers.agent.class_roster import Student, class_of, read_roster
from servers.agent.manager_lock import leader
from servers.cli import common
from servers.cli.classes.options import StudentArgument
from servers.launcher.run_options import PlanError
from servers.read_model.text import count

LARGEST_ROSTER = 5_000_000


def create(
    roster: Annotated[
        Path,
        typer.Argument(metavar="ROSTER", help="CSV with the columns student_id,name,email, and optionally player."),
    ],
    data: common.DataOption = None,
) -> None:
    """Read a roster, and make a join secret for each student.

    Run it again after adding students: the others keep their secrets. A name in the column player is shown in the
    league in place of the student's own.

    [bold]Examples[/bold]

      league class create roster.csv
    """
    try:
        if roster.stat().st_size > LARGEST_ROSTER:
            raise PlanError(f"{roster} is too large for a roster")
        text = roster.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise PlanError(f"{roster} cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise PlanError(f"{roster} is not in UTF-8; save it in UTF-8, in Excel by the file type 'CSV UTF-8'") from error
    kept = class_of(common.workspace_of(data))
    read = read_roster(text, SystemClock(), SystemIds())
    before = {s.student_id: s for s in kept.students} if kept.path.exists() else {}
    students = tuple(_as_before(student, before.get(student.student_id, student)) for student in read)
    kept.save(students)
    new = sum(student.student_id not in before for student in students)
    gone = len(before) - (len(students) - new)
    left = f", {gone} left out" if gone else ""
    common.print_out(f"{count(len(students), 'student')}, {new} new{left}; kept in {kept.path}")
    renamed = [s for s in students if s.student_id in before and before[s.student_id].player != s.player]
    for student in renamed:
        told = f"{before[student.student_id].player} plays as {student.player} now, with a new join secret"
        common.print_out(told)
    common.print_out("Print their cards with: league class cards -o cards.html --manager http://ADDRESS:8000/mcp")


def _as_before(student: Student, before: Student) -> Student:
    """A student with the card and the verdict there were before, under the same name."""
    reference = before.reference or student.reference
    if before.player != student.player:
        return replace(student, number=before.number + 1, reference=reference)
    return replace(before, name=student.name, email=student.email, reference=reference)


def rotate(student: StudentArgument, data: common.DataOption = None) -> None:
    """Make a new join secret, which also takes over the student's seat.

    From now on the token that the old one gave opens nothing.

    [bold]Examples[/bold]

      league class rotate 4711
    """
    workspace = common.workspace_of(data)
    kept = class_of(workspace)
    known, now = kept.find(student), to_record_time(SystemClock().now())
    changed = kept.change(known, secret=new_join_secret(SystemIds()), issued=now, number=known.number + 1)
    common.print_out(f"{changed.player}: the new join secret is {changed.secret}")
    common.print_out(f"Its card: league class cards {shlex.quote(changed.student_id)}{common.data_flag(workspace)}")


def revoke(student: StudentArgument, data: common.DataOption = None) -> None:
    """Revoke a student's join secret.

    A player that is in a running league stays in it: the command that removes it is printed.

    [bold]Examples[/bold]

      league class revoke ada@example.org
    """
    kept = class_of(common.workspace_of(data))
    changed = kept.change(kept.find(student), secret="")
    common.print_out(f"{changed.player}: the join secret is revoked")
    for line in _removals(common.workspace_of(data), changed.player):
        common.print_out(line)


def _removals(workspace: Workspace, player: str) -> Iterator[str]:
    """The running leagues a player is in, with the commands that remove it."""
    for folder in sorted(workspace.leagues.iterdir()) if workspace.leagues.is_dir() else ():
        if not leader(workspace, folder.name):
            continue
        league, _ = common.read_league(workspace, folder.name)
        for player_id in league.staying():
            if league.players[player_id].display_name == player and league.state is not LeagueState.COMPLETED:
                command = common.control_command(workspace, league.league_id, f"remove {player_id}")
                yield f"It is still in {league.league_id}, as {player_id}. To remove it for good:\n  {command}"
