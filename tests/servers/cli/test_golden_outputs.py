"""Exports and JSON of the command line, the same to the byte as they were recorded."""

from collections.abc import Callable

import pytest

from league_sdk.settings import Workspace
from tests.servers.cli.conftest import Ran
from tests.servers.golden_leagues import GOLDEN, golden
from tests.servers.league_history import LeagueHistory

pytestmark = pytest.mark.tampers  # leagues led by hand
EXPORTED = {
    "standings": None,
    "rounds": None,
    "matches": 7,
    "faults": None,
    "messages": 25,
    "agents": None,
}
"""Lines of each table that are compared; None for all. Events are records, whose fields grow."""


@pytest.fixture(params=GOLDEN, ids=lambda made: made.__name__)
def name(request: pytest.FixtureRequest) -> str:
    return request.param.__name__


@pytest.fixture
def history(name: str) -> LeagueHistory:
    (made,) = (each for each in GOLDEN if each.__name__ == name)
    return made()


@pytest.mark.parametrize("form", ["csv", "jsonl"])
def test_exports(
    history: LeagueHistory, name: str, form: str, league: Callable[..., Ran], workspace: Workspace
) -> None:
    history.write(workspace)
    told = ""
    for what, lines in EXPORTED.items():
        out = league("export", "--what", what, "--format", form).out
        told += f"# {what}\n{''.join(out.splitlines(keepends=True)[:lines])}"
    golden(f"{name}.export.{form}", told)


def test_an_export_of_one_table_as_json(
    history: LeagueHistory, name: str, league: Callable[..., Ran], workspace: Workspace
) -> None:
    history.write(workspace)
    golden(f"{name}.export.json", league("export", "--what", "standings", "--format", "json").out)


def test_json_of_the_command_line(
    history: LeagueHistory, name: str, league: Callable[..., Ran], workspace: Workspace
) -> None:
    history.write(workspace)
    commands = (("standings",), ("schedule",), ("matches",), ("show", "R1M1"), ("show", "R1M2"))
    told = [f"# {' '.join(each)}\n{league(*each, '--json').out}" for each in commands]
    golden(f"{name}.cli.json", "".join(told).replace(str(workspace.root), "~"))
