"""`league class check`, `verdict`: the protocol check of a student's player."""

import json
from pathlib import Path
from typing import Annotated

import typer

from league_sdk.clock import SystemClock, to_record_time
from league_sdk.names import name_key
from servers.agent.class_roster import ClassRoster, Student, class_of
from servers.cli import common
from servers.cli.check import check_agent_at
from servers.cli.classes.options import StudentArgument
from servers.launcher.run_options import PlanError
from servers.read_model.text import printable


def check(
    student: StudentArgument,
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
    if not report.dialects and not report.counts["passed"]:
        raise PlanError(
            f"{url} speaks neither MCP nor JSON-RPC, so nothing was kept: is the URL the player's, path included?"
        )
    _refuse_another(kept, found, report.agent_name, url)
    _keep(kept, found, str(report.verdict), complies=report.complies, advised=len(report.advised))
    common.end(0 if report.complies else common.FAILED)


def _refuse_another(kept: ClassRoster, student: Student, name: str, where: object) -> None:
    """Refuse a check of another student's player, which says whose it is by its name."""
    key = name_key(name)
    owner = next((each for each in kept.students if name_key(each.player) == key), student)
    if owner.student_id != student.student_id:
        raise PlanError(
            f"{where} is the player {printable(owner.player)!r} of {printable(owner.student_id)}, not of "
            f"{printable(student.student_id)}, so nothing was kept; {printable(student.student_id)} plays as "
            f"{printable(student.player)!r}"
        )


def _keep(kept: ClassRoster, student: Student, text: str, *, complies: bool, advised: int) -> None:
    now = to_record_time(SystemClock().now())
    changed = kept.change(student, verdict=printable(text, 300), complies=complies, advised=advised, checked=now)
    more = f"; {advised} advised, which 'league check' shows" if advised else ""
    common.print_out(f"{changed.player}: {changed.verdict}{more}")


def verdict(
    student: StudentArgument,
    report: Annotated[Path, typer.Argument(metavar="REPORT", help="File with the output of `league check … --json`.")],
    data: common.DataOption = None,
) -> None:
    """Store a student's `league check` report, for grades and feedback.

    [bold]Examples[/bold]

      league check http://localhost:8101/mcp --json > ada.json
      league class verdict 4711 ada.json
    """
    try:
        told = json.loads(report.read_text(encoding="utf-8"))
        text, complies = str(told["verdict"]["text"]), told["complies"] is True
        advised = int(told["counts"]["advised"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise PlanError(f"{report} is not what 'league check --json' prints: {error!r}") from error
    kept = class_of(common.workspace_of(data))
    _refuse_another(kept, kept.find(student), str(told.get("agent_name", "")), report)
    _keep(kept, kept.find(student), text, complies=complies, advised=advised)
