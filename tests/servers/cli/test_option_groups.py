"""Option groups: a dataclass in a command's signature stands for its options."""

import inspect
from dataclasses import dataclass
from typing import Annotated, ClassVar, get_args

import typer
from typer.testing import CliRunner

from servers.cli.option_groups import grouped

Speed = Annotated[int, typer.Option("--speed", min=1, help="Speed.")]


@dataclass(frozen=True, slots=True)
class Engine:
    panel: ClassVar = "Engine"
    speed: Speed = 3
    loud: Annotated[bool, typer.Option("--loud", help="Loud.")] = False


seen = []


@grouped
def drive(*, where: Annotated[str, typer.Argument(help="Where to.")], engine: Engine) -> None:
    """Drive."""
    seen.append((where, engine))


def test_a_command_gets_its_groups_with_their_values_and_defaults():
    app = typer.Typer()
    app.command()(drive)
    runner = CliRunner()
    assert runner.invoke(app, ["home"]).exit_code == 0
    assert runner.invoke(app, ["home", "--speed", "5", "--loud"]).exit_code == 0
    assert runner.invoke(app, ["home", "--speed", "0"]).exit_code == 2
    assert seen == [("home", Engine()), ("home", Engine(5, True))]


def test_options_stand_in_their_groups_panel_and_others_use_of_them_does_not():
    parameters = inspect.signature(drive).parameters
    assert list(parameters) == ["where", "speed", "loud"]
    assert parameters["speed"].annotation.__metadata__[0].rich_help_panel == "Engine"
    assert get_args(Speed)[1].rich_help_panel is None
    assert (drive.__name__, drive.__doc__) == ("drive", "Drive.")
