"""`league class cards`: a card for each student."""

import shlex
from typing import Annotated

import typer

from league_sdk.settings import write_secret
from servers.agent.class_roster import Student, class_of
from servers.cli import common, output
from servers.cli.output import ForceOption, OutputOption
from servers.launcher.run_options import PlanError
from servers.read_model.text import count

UNSAFE_IN_QUOTES = frozenset('"$`!\\')
"""Characters that a shell expands between double quotes; other names stay in these, which Windows has too."""

Manager = Annotated[
    str, typer.Option("--manager", envvar="LEAGUE_MANAGER", help="The league manager's endpoint, for the cards.")
]


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
