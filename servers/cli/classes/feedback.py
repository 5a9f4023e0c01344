"""`league class feedback`: a page for each student."""

from pathlib import Path
from typing import Annotated

import typer

from league_sdk.names import slug
from servers.agent.class_roster import class_of
from servers.cli import common, output
from servers.launcher.run_options import PlanError
from servers.read_model.class_rows import entry_of
from servers.read_model.text import count


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
    try:
        target.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise PlanError(f"{target} cannot be written to: {error.strerror}") from error
    written = 0
    for student in students:
        entry = entry_of(student, known)
        if entry is not None and entry.agent_id in known.players:
            path = target / f"{slug(student.student_id)}.html"
            output.write(page(known, entry.agent_id, student.name, student.verdict), path)
            written += 1
    write_report(workspace, league, config, store, plugins, target / REPORT)
    absent = len(students) - written
    missing = f"; {count(absent, 'student')} did not play" if absent else ""
    common.print_err(f"{count(written, 'page')} of {known.league_id} written to {target}{missing}")
