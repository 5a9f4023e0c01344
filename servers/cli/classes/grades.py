"""`league class grades`: a line of CSV for each student."""

from typing import Any

from league_sdk.domain.league import League
from league_sdk.json_value import Json
from servers.agent.class_roster import Student, class_of
from servers.cli import common, output
from servers.cli.export_tables import Table, to_csv
from servers.cli.output import ForceOption, OutputOption
from servers.read_model.text import count

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
