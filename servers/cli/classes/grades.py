"""`league class grades`: a line of CSV for each student, of one or more leagues."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Annotated

import typer
from rich import box
from rich.table import Table as TextTable
from rich.text import Text

from league_sdk.domain.league import League
from league_sdk.domain.lifecycles import LeagueState
from league_sdk.json_value import Json
from league_sdk.settings import Workspace
from servers.agent.class_roster import Student, class_of
from servers.cli import common, output
from servers.cli.output import ForceOption, OutputOption
from servers.launcher.run_options import PlanError
from servers.read_model import overview
from servers.read_model.class_grades import FIGURES, CourseGrade, TotalRule, by_player, course_grades, grade
from servers.read_model.class_rows import entry_of
from servers.read_model.export import to_csv
from servers.read_model.text import count, printable

GRADES = ("student_id", "name", "player", *FIGURES, "remarks", "compliance")
"""The columns of a line; remarks say in words who never came, left or sits out, and what cost points."""
LeaguesArgument = Annotated[
    list[str] | None,
    typer.Argument(metavar="[LEAGUE]…", help="The leagues' ids. Default: the most recent one."),
]
ByOption = Annotated[
    str | None,
    typer.Option("--by", metavar="sum|mean|best:N", help="Total over several leagues. Default: sum."),
]
UnfinishedOption = Annotated[
    bool, typer.Option("--unfinished", help="With several leagues: count those that are not over as they stand.")
]


def grades(
    leagues: LeaguesArgument = None,
    by: ByOption = None,
    unfinished: UnfinishedOption = False,
    target: OutputOption = None,
    force: ForceOption = False,
    data: common.DataOption = None,
    config: common.ConfigOption = None,
    store: common.StoreOption = None,
) -> None:
    """Write a line of CSV for each student, safe against formulas.

    Of several leagues each has a column with the student's points, and a total follows. A league that a student missed
    is empty there and counts as 0; with best:N only a student's best N leagues count. Students are told apart by the
    roster's ids, also where they had other names.

    [bold]Examples[/bold]

      league class grades -o grades.csv
      league class grades practice
      league class grades week-1 week-2 week-3 --by best:2 -o grades.csv
    """
    output.check_target(target, force=force)
    workspace = common.workspace_of(data)
    students = class_of(workspace).students
    if leagues and len(leagues) > 1:
        rule = _rule(by, leagues)
        known = {each: _counted(workspace, each, students, config, store, unfinished) for each in leagues}
        _write_course(course_grades(students, known, rule), rule, list(leagues), target)
        return
    if by is not None or unfinished:
        raise PlanError("--by and --unfinished are for several leagues: league class grades week-1 week-2")
    league, _ = common.read_league(workspace, leagues[0] if leagues else None, config, store)
    if league.cancelled:
        raise PlanError(f"league {league.league_id!r} was cancelled: there is nothing to grade")
    standings = by_player(league)
    output.write(to_csv(GRADES, [grade(student, league, standings) for student in students]), target)
    if target is not None:
        common.print_err(f"{count(len(students), 'student')} of {league.league_id} written to {target}")


def _rule(by: str | None, leagues: Sequence[str]) -> TotalRule:
    twice = next((league_id for league_id in leagues if leagues.count(league_id) > 1), None)
    if twice is not None:
        raise PlanError(f"league {twice!r} is named twice")
    try:
        return TotalRule.parse(by or "sum", len(leagues))
    except ValueError as error:
        raise PlanError(f"--by {by}: {error}") from error


def _counted(
    workspace: Workspace,
    league_id: str,
    students: Sequence[Student],
    config: Path | None,
    store: str | None,
    unfinished: bool,
) -> League:
    """A league that counts; refuses another class's, and one that is not over."""
    league, _ = common.read_league(workspace, league_id, config, store)
    if not any(entry_of(student, league) for student in students):
        raise PlanError(
            f"no student of this class played in league {league_id!r}: it is another class's, so leave it out"
        )
    if league.cancelled:
        raise PlanError(f"league {league_id!r} was cancelled: leave it out")
    if league.state is not LeagueState.COMPLETED and not unfinished:
        raise PlanError(
            f"league {league_id!r} is not over ({overview(league).decided_named} decided): "
            "leave it out, or count it as it stands with --unfinished"
        )
    return league


def _write_course(graded: Sequence[CourseGrade], rule: TotalRule, leagues: Sequence[str], target: Path | None) -> None:
    points = (f"points_{league_id}" for league_id in leagues)
    columns = ("student_id", "name", "player", *points, "total", "rank", "missed", "remarks")
    output.write(to_csv(columns, map(_cells, graded)), target)
    if target is None:
        return
    common.out.print(_text_table(graded, rule, leagues))
    common.print_out("A league that a student missed is empty and counts as 0.")
    for each in graded:
        if each.remarks:
            common.print_out(f"{printable(each.student.name)}, {printable(each.remarks, 400)}")
    common.print_err(f"{count(len(graded), 'student')} of {count(len(leagues), 'league')} written to {target}")


def _cells(graded: CourseGrade) -> Mapping[str, Json]:
    student = graded.student
    return {
        "student_id": student.student_id,
        "name": student.name,
        "player": student.player,
        **{f"points_{league_id}": points for league_id, points in graded.points.items()},
        "total": _number(graded.total),
        "rank": graded.rank,
        "missed": ", ".join(graded.missed),
        "remarks": graded.remarks,
    }


def _text_table(graded: Sequence[CourseGrade], rule: TotalRule, leagues: Sequence[str]) -> TextTable:
    """The grades for a person, the best first."""
    table = TextTable(box=box.SIMPLE_HEAD, pad_edge=False)
    for heading in ("#", "student", *leagues, rule.name):
        name = heading == "student"
        table.add_column(heading, justify="left" if name else "right", overflow="fold" if name else "ellipsis")
    for each in sorted(graded, key=lambda each: (each.rank is None, each.rank or 0)):
        name = Text.assemble(printable(each.student.name), " ", (printable(each.student.student_id), "dim"))
        points = ["" if each.points[league_id] is None else str(each.points[league_id]) for league_id in leagues]
        table.add_row(Text(str(each.rank or "")), name, *map(Text, points), Text(str(_number(each.total)), "bold"))
    return table


def _number(total: Fraction) -> int | float:
    """A total with at most two digits behind the point."""
    return total.numerator if total.denominator == 1 else round(float(total), 2)
