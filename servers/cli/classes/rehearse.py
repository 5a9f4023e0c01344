"""`league class rehearse`: the whole event with stand-ins, a few minutes before."""

from typing import TYPE_CHECKING, Annotated

import typer

from servers.cli import common

if TYPE_CHECKING:
    from servers.cli.classes.rehearsal_run import RehearsalCourse
    from servers.cli.classes.rehearsal_verdict import RehearsalVerdict

CardManager = Annotated[
    str | None,
    typer.Option(
        "--manager", envvar="LEAGUE_MANAGER", help="The league manager's endpoint on the cards. Default: where it is."
    ),
]


def rehearse(
    context: typer.Context,
    manager_url: CardManager = None,
    as_json: common.JsonOption = False,
    data: common.DataOption = None,
) -> None:
    """Play the whole event with stand-ins, by the day's ports and rules.

    Take the line of your league, with 'class rehearse' in place of 'run'. Each student of the roster is replaced by one
    of our strategies, which joins with a card of the rehearsal's own, in the same way. The rehearsal is played in a
    temporary folder that is removed: no card is used up, and no league is left. Students who wait for the league
    meanwhile go on waiting.

    [bold]Examples[/bold]

      league class rehearse --seats
      league class rehearse --seats --host 0.0.0.0 --format swiss --rounds 5

    Exit code: 0 the event would work, 1 it would not, 2 a mistake in the command.
    """
    from servers.cli.classes.rehearsal import rehearse_class  # brings the agents, which other commands do without

    tell = common.print_err if as_json else common.print_out
    verdict, course = rehearse_class(common.workspace_of(data), context.args, manager_url, tell)
    if as_json:
        common.print_json(verdict.as_json(course))
    else:
        _print(verdict, course)
    common.end(0 if verdict.passed else common.FAILED)


def _print(verdict: "RehearsalVerdict", course: "RehearsalCourse") -> None:
    if verdict.passed:
        common.print_out(f"The rehearsal passed: {verdict.summary}.", style="bold green")
    else:
        common.print_out(f"The rehearsal failed, after {course.seconds:.1f} s:", style="bold red")
    for text in verdict.failures:
        common.print_out(f"  {text}")
    for text in verdict.advice:
        common.print_out(f"Advice: {text}")
