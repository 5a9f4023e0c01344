"""`league class …`: a class from its roster to its grades."""

import shlex
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from league_sdk.clock import SystemClock, SystemIds, to_record_time
from league_sdk.domain.league import League
from league_sdk.domain.lifecycles import LeagueState
from league_sdk.json_value import Json
from league_sdk.names import slug
from league_sdk.settings import Workspace, write_secret
from servers.agent.class_roster import ClassRoster, Student, class_of, read_roster
from servers.agent.manager_lock import leader
from servers.cli import common, output
from servers.cli.check import check_agent_at
from servers.cli.export_tables import Table, to_csv
from servers.cli.output import ForceOption, OutputOption
from servers.launcher.run_options import PlanError
from servers.read_model.text import count, printable

LARGEST_ROSTER = 5_000_000
UNSAFE_IN_QUOTES = frozenset('"$`!\\')
"""Characters that a shell expands between double quotes; other names stay in these, which Windows has too."""

class_ = typer.Typer(
    help="Run a league for a class: a join secret for each student, grades and feedback.",
    no_args_is_help=True,
    rich_markup_mode="rich",
)

Who = Annotated[str, typer.Argument(metavar="STUDENT", help="The student's id, e-mail or name.")]
Manager = Annotated[
    str, typer.Option("--manager", envvar="LEAGUE_MANAGER", help="The league manager's endpoint, for the cards.")
]

GRADES = Table(
    "a student of the class",
    {
        "student_id": "from the roster",
        "name": "from the roster",
        "player": "the name in the league",
        "rank": "empty for who did not play",
        "points": "in the standings",
        "played": "matches that count",
        "wins": "of those",
        "draws": "of those",
        "losses": "of those",
        "technical_losses": "matches lost by no answer or no valid one",
        "substituted_moves": "moves that the strategy did not choose",
        "moves": "moves in all",
        "compliance": "what `league check` said last",
    },
    lambda _: (),
)


@class_.command()
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
    common.say(f"{count(len(students), 'student')}, {new} new{left}; kept in {kept.path}")
    renamed = [s for s in students if s.student_id in before and before[s.student_id].player != s.player]
    for student in renamed:
        told = f"{before[student.student_id].player} plays as {student.player} now, with a new join secret"
        common.say(told)
    common.say("Print their cards with: league class cards -o cards.html")


def _as_before(student: Student, before: Student) -> Student:
    """A student with the card and the verdict there were before, under the same name."""
    if before.player != student.player:
        return replace(student, number=before.number + 1)
    return replace(before, name=student.name, email=student.email)


@class_.command()
def cards(
    manager_url: Manager = "http://localhost:8000/mcp",
    target: OutputOption = None,
    force: ForceOption = False,
    as_json: common.JsonOption = False,
    data: common.DataOption = None,
) -> None:
    """Write a card for each student: player's name, join secret and command.

    [bold]Examples[/bold]

      league class cards -o cards.html --manager http://192.168.1.10:8000/mcp
      league class cards --json         for sending them by mail
    """
    from servers.ui.class_pages import cards as page

    made = [_card(student, manager_url) for student in class_of(common.workspace_of(data)).students]
    if as_json:
        common.print_json({"manager": manager_url, "cards": made})
        return
    output.check_target(target, force=force)
    if target is None:
        output.write(page(made, manager_url), target)
    else:
        try:
            write_secret(target, "".join(page(made, manager_url)))
        except OSError as error:
            raise PlanError(f"{target} cannot be written: {error.strerror}") from error
        common.tell(f"{count(len(made), 'card')} written to {target}; they hold secrets")


def _card(student: Student, manager_url: str) -> dict[str, str]:
    name = shlex.quote(student.player) if UNSAFE_IN_QUOTES & set(student.player) else f'"{student.player}"'
    command = f"league player --name {name} --manager {manager_url} --join-secret={student.secret}"
    return {
        "student_id": student.student_id,
        "name": student.name,
        "email": student.email,
        "player": student.player,
        "join_secret": student.secret,
        "command": f"{command} --outbound" if student.secret else "",
    }


@class_.command()
def rotate(student: Who, data: common.DataOption = None) -> None:
    """Make a new join secret, which also takes over the student's seat.

    From now on the token that the old one gave opens nothing.

    [bold]Examples[/bold]

      league class rotate 4711
    """
    kept = class_of(common.workspace_of(data))
    known, now = kept.find(student), to_record_time(SystemClock().now())
    changed = kept.change(known, secret=SystemIds().token(), issued=now, number=known.number + 1)
    common.say(f"{changed.player}: the new join secret is {changed.secret}")


@class_.command()
def revoke(student: Who, data: common.DataOption = None) -> None:
    """Revoke a student's join secret.

    A player that is in a running league stays in it: the command that removes it is printed.

    [bold]Examples[/bold]

      league class revoke ada@example.org
    """
    kept = class_of(common.workspace_of(data))
    changed = kept.change(kept.find(student), secret="")
    common.say(f"{changed.player}: the join secret is revoked")
    for line in _removals(common.workspace_of(data), changed.player):
        common.say(line)


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


@class_.command()
def grades(
    league: common.LeagueArgument = None,
    target: OutputOption = None,
    force: ForceOption = False,
    data: common.DataOption = None,
    config: common.ConfigOption = None,
    store: common.StoreOption = None,
) -> None:
    """Write a line of CSV for each student, safe against formulas.

    [bold]Examples[/bold]

      league class grades -o grades.csv
      league class grades practice
    """
    output.check_target(target, force=force)
    workspace = common.workspace_of(data)
    known, _ = common.read_league(workspace, league, config, store)
    students = class_of(workspace).students
    output.write(to_csv(GRADES, [grade(student, known) for student in students]), target)
    if target is not None:
        common.tell(f"{count(len(students), 'student')} of {known.league_id} written to {target}")


def grade(student: Student, league: League) -> dict[str, Json]:
    """A student's row, also of one who did not play."""
    rows = {row.display_name: row for row in league.standings()}
    row = rows.get(student.player)
    figures: dict[str, Any] = {} if row is None else {name: getattr(row, name) for name in _FIGURES}
    return {
        "student_id": student.student_id,
        "name": student.name,
        "player": student.player,
        **dict.fromkeys(_FIGURES),
        **figures,
        "compliance": student.verdict or "not checked",
    }


_FIGURES = ("rank", "points", "played", "wins", "draws", "losses", "technical_losses", "substituted_moves", "moves")


@class_.command()
def feedback(
    league: common.LeagueArgument = None,
    target: Annotated[Path, typer.Option("--output", "-o", help="The folder to write to.")] = Path("feedback"),
    data: common.DataOption = None,
    config: common.ConfigOption = None,
    store: common.StoreOption = None,
    plugins: common.PluginsOption = None,
) -> None:
    """Write a feedback page for each student, and the league's report beside them.

    A page has every match with its replay, why it was lost, slow answers, and the verdict of the protocol check.

    [bold]Examples[/bold]

      league class feedback -o feedback
    """
    from servers.cli.report import write_report
    from servers.ui.class_pages import REPORT
    from servers.ui.class_pages import feedback as page

    workspace = common.workspace_of(data)
    known, _ = common.read_league(workspace, league, config, store)
    students = class_of(workspace).students
    ids = {player.display_name: player_id for player_id, player in known.players.items()}
    try:
        target.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise PlanError(f"{target} cannot be written to: {error.strerror}") from error
    written = 0
    for student in students:
        player_id = ids.get(student.player)
        if player_id is not None:
            path = target / f"{slug(student.student_id)}.html"
            output.write(page(known, player_id, student.name, student.verdict), path)
            written += 1
    write_report(workspace, league, config, store, plugins, target / REPORT)
    absent = len(students) - written
    missing = f"; {count(absent, 'student')} did not play" if absent else ""
    common.tell(f"{count(written, 'page')} of {known.league_id} written to {target}{missing}")


@class_.command(name="check")
def check_player(
    student: Who,
    url: Annotated[str, typer.Argument(metavar="URL", help="The student's player, such as http://localhost:8101/mcp.")],
    game: common.GameOption = None,
    plugins: common.PluginsOption = None,
    data: common.DataOption = None,
) -> None:
    """Check a student's player as `league check` does, and keep the verdict.

    A league with `--set security.require_check=true` admits only students whose player has passed. The player is
    checked before it joins: start it with `league player --standalone`.

    [bold]Examples[/bold]

      league class check 4711 http://192.168.1.23:8101/mcp
    """
    kept = class_of(common.workspace_of(data))
    found = kept.find(student)
    report = check_agent_at(url, game=game, plugins=plugins)
    _keep(kept, found, str(report.verdict), complies=report.complies)
    common.end(0 if report.complies else common.FAILED)


def _keep(kept: ClassRoster, student: Student, text: str, *, complies: bool) -> None:
    changed = kept.change(student, verdict=printable(text, 300), complies=complies)
    common.say(f"{changed.player}: {changed.verdict}")


@class_.command()
def verdict(
    student: Who,
    report: Annotated[Path, typer.Argument(metavar="REPORT", help="File with the output of `league check … --json`.")],
    data: common.DataOption = None,
) -> None:
    """Store a student's `league check` report, for grades and feedback.

    [bold]Examples[/bold]

      league check http://localhost:8101/mcp --json > ada.json
      league class verdict 4711 ada.json
    """
    import json

    try:
        told = json.loads(report.read_text(encoding="utf-8"))
        text, complies = str(told["verdict"]["text"]), told["complies"] is True
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise PlanError(f"{report} is not what 'league check --json' prints: {error!r}") from error
    kept = class_of(common.workspace_of(data))
    _keep(kept, kept.find(student), text, complies=complies)
