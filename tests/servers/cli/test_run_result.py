"""The end of an incomplete league, in words."""

from types import SimpleNamespace
from typing import Any, cast

import pytest

from league_sdk.domain.commands import StopLeague
from league_sdk.domain.league import League
from league_sdk.settings import Workspace
from servers.cli.run_result import explain
from servers.launcher.supervisor import RunEnding, RunOutcome
from tests.servers.league_history import waiting


def stopped_before_it_began() -> League:
    history = waiting(1)
    history.do(StopLeague("registration closed with 1 players"))
    return history.league


@pytest.mark.parametrize(
    ("league", "reasons", "hinted"),
    [
        (stopped_before_it_began(), [], False),
        (None, ["Referee 1: it ended with exit code 1"], False),
        (
            None,
            ["League: port 8000 on 127.0.0.1 is in use; stop the program that has it, or choose another port"],
            True,
        ),
        (None, ["Player 1: cannot listen on port 80 of 127.0.0.1: Permission denied"], True),
    ],
)
def test_other_ports_are_advised_where_a_port_was_the_cause(
    league: League | None, reasons: list[str], hinted: bool, tmp_path: Any, capsys: pytest.CaptureFixture[str]
):
    plan = cast(Any, SimpleNamespace(league_id="summer", workspace=Workspace(tmp_path)))
    explain(plan, RunOutcome(RunEnding.STOPPED if league else RunEnding.FAILED, league, reasons), "")
    told = capsys.readouterr().err
    assert "To start again:" in told
    assert ("--port-base" in told) is hinted
