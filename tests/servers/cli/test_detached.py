"""`league attach` and `league stop` where nothing has to be followed or ended, and mistakes in them."""

import os
from contextlib import ExitStack
from pathlib import Path

import pytest

from league_sdk.settings import Workspace
from servers.agent.manager_lock import manager_lock
from servers.launcher.launcher_lock import Launcher, launcher, launcher_lock, running


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return Workspace(tmp_path)


def test_a_league_is_run_by_the_process_that_holds_its_lock_and_by_none_afterwards(workspace: Workspace):
    assert launcher(workspace, "summer") is None
    with launcher_lock(workspace, "summer", "ray") as serves:
        assert launcher(workspace, "summer") == Launcher(os.getpid(), "ray")
        serves("http://localhost:8000/")
        assert launcher(workspace, "summer") == Launcher(os.getpid(), "ray", "http://localhost:8000/")
        assert running(workspace) == ["summer"]
    assert launcher(workspace, "summer") is None
    assert running(workspace) == []


@pytest.mark.parametrize("command", ["attach", "stop"])
def test_of_two_leagues_that_run_one_has_to_be_named(league, workspace: Workspace, command: str):
    with ExitStack() as stack:
        for league_id in ("spring", "summer"):
            stack.enter_context(launcher_lock(workspace, league_id, ""))
        shown = league(command, "--data", str(workspace.root))
    assert shown.code == 2
    assert "2 leagues run" in shown.err
    assert f"league {command} spring" in shown.err


@pytest.mark.parametrize("command", ["attach", "stop"])
def test_without_any_league_the_way_to_play_one_is_told(league, workspace: Workspace, command: str):
    shown = league(command, "--data", str(workspace.root))
    assert shown.code == 2
    assert "play one with 'league run'" in shown.err


@pytest.mark.parametrize("command", ["attach", "stop"])
def test_a_league_that_was_started_by_hand_is_left_to_its_manager(league, workspace: Workspace, command: str):
    with manager_lock(workspace, "summer") as at:
        at("http://localhost:8000/mcp")
        shown = league(command, "summer", "--data", str(workspace.root))
    assert shown.code == 2
    assert "was not started with 'league run'" in shown.err
    assert "http://localhost:8000/mcp leads it" in shown.err


def test_a_complete_league_shows_its_result_and_there_is_nothing_to_stop(league, workspace: Workspace):
    played = league("run", "--in-process", "--players", 2, "--port-base", 0, "-q", "--data", workspace.root)
    assert played.code == 0, played.err
    shown = league("attach", "--data", workspace.root)
    assert (shown.code, "\nChampion" in shown.out) == (0, True)
    stopped = league("stop", "--data", workspace.root)
    assert stopped.code == 0
    assert "is complete" in stopped.err


def test_what_keeps_a_detached_league_from_being_planned_is_told_at_once(league, tmp_path: Path):
    refused = league("run", "--detach", "--game", "chess_boxing", "--data", tmp_path)
    assert refused.code == 2
    assert "chess_boxing" in refused.err
    assert not (tmp_path / "data" / "leagues").exists()
