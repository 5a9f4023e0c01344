"""The file in which a manager says what its matches wait for."""

from pathlib import Path

from league_sdk.settings import Workspace
from servers.agent.manager_lock import manager_lock
from servers.agent.waits_file import WAITS_FILE, read_waits, write_waits

LINES = [("R1M1 waits for TeX", "2025-01-15T10:00:18.000Z"), ("R1M2 waits for Ada", "")]


def test_it_is_read_while_its_manager_lives_and_gone_when_nothing_waits(tmp_path: Path):
    workspace = Workspace(tmp_path)
    with manager_lock(workspace, "summer"):
        assert read_waits(workspace, "summer") == []
        write_waits(workspace, "summer", LINES)
        assert read_waits(workspace, "summer") == LINES
        write_waits(workspace, "summer", [])
        assert read_waits(workspace, "summer") == []
        write_waits(workspace, "summer", LINES)
    assert read_waits(workspace, "summer") == [], "the manager is gone"


def test_a_file_that_is_no_such_is_nothing(tmp_path: Path):
    workspace = Workspace(tmp_path)
    with manager_lock(workspace, "summer"):
        for text in ("", "[]", '{"waits": 7}', '{"waits": [["one"]]}'):
            (workspace.league_dir("summer") / WAITS_FILE).write_text(text)
            assert read_waits(workspace, "summer") == []
