"""A class in a folder of its own, and its commands."""

import sys

import pytest

from league_sdk.settings import Workspace
from servers.cli import main
from tests.servers.cli.classes.class_league import ROSTER, League


@pytest.fixture
def workspace(tmp_path, monkeypatch) -> Workspace:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "roster.csv").write_text(ROSTER, encoding="utf-8")
    return Workspace(tmp_path / "play")


@pytest.fixture
def league(monkeypatch) -> League:
    """Runs `league class …`, and returns its exit code."""

    def run(*words: str) -> int:
        monkeypatch.setattr(sys, "argv", ["league", "class", *words, "--data", "play"])
        with pytest.raises(SystemExit) as end:
            main()
        return int(end.value.code or 0)

    return run
