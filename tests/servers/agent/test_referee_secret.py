"""A referee secret: who makes it, who finds it, and to whom it is shown."""

import stat
from contextlib import ExitStack
from pathlib import Path

import pytest

from league_sdk.clock import ManualIds
from league_sdk.domain.model import Role
from league_sdk.settings import Workspace
from servers.agent.agent_spec import AgentSpec
from servers.agent.manager_lock import manager_lock
from servers.agent.referee_secret import keep_referee_secret, shown_referee_secret


def by_hand(folder: Path, manager: str = "http://localhost:8000/mcp", league_id: str = "") -> AgentSpec:
    return AgentSpec(Role.REFEREE, "Whistle", folder, manager_url=manager, league_id=league_id)


@pytest.fixture
def led(tmp_path):
    """A folder with two leagues: `summer` is led at port 8000, `winter` is over."""
    workspace = Workspace(tmp_path)
    with ExitStack() as stack:
        for league in ("summer", "winter"):
            workspace.league_dir(league).mkdir(parents=True)
            keep_referee_secret(workspace, league, f"secret of {league}", ManualIds())
        stack.enter_context(manager_lock(workspace, "summer"))("http://localhost:8000/mcp")
        yield tmp_path


def test_a_league_makes_its_secret_once_for_its_owner_alone(tmp_path):
    workspace, ids = Workspace(tmp_path), ManualIds()
    made = keep_referee_secret(workspace, "summer", None, ids)
    assert keep_referee_secret(workspace, "summer", None, ids) == made
    assert keep_referee_secret(workspace, "winter", None, ids) != made
    assert stat.S_IMODE(workspace.referee_secret_file("summer").stat().st_mode) == 0o600
    assert keep_referee_secret(workspace, "summer", "as configured", ids) == "as configured"


def test_a_referee_that_knows_its_league_finds_its_secret(led):
    assert shown_referee_secret(by_hand(led, league_id="winter"), None) == "secret of winter"
    assert shown_referee_secret(by_hand(led, league_id="autumn"), None) is None
    assert shown_referee_secret(by_hand(led, league_id="winter"), "as configured") == "as configured"


@pytest.mark.parametrize("url", ["http://localhost:8000/mcp", "http://127.0.0.1:8000/mcp", "http://[::1]:8000/mcp"])
def test_one_started_by_hand_finds_that_of_the_manager_where_it_registers(led, url):
    assert shown_referee_secret(by_hand(led, url), None) == "secret of summer"


@pytest.mark.parametrize("url", ["http://localhost:8001/mcp", "http://evil.example:8000/mcp", "no URL", ""])
def test_and_shows_it_to_nobody_else(led, url):
    assert shown_referee_secret(by_hand(led, url), None) is None


def test_a_folder_without_leagues_has_none(tmp_path):
    assert shown_referee_secret(by_hand(tmp_path), None) is None
