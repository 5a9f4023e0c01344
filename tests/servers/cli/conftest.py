"""The command line, run in this process."""

import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import typer.main

from league_sdk.settings import Workspace
from servers.cli import main

made_once = cache(typer.main.get_command)
"""A process makes the commands out of their functions once. So do all tests together."""


@dataclass(frozen=True)
class Ran:
    """The outcome of a command.

    Attributes:
        code: Its exit code.
        out: Its standard output.
        err: Its standard error.
    """

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The one JSON object on standard output."""
        return json.loads(self.out)


@pytest.fixture(autouse=True)
def _surroundings(monkeypatch, tmp_path):
    """Nothing from outside decides what a command does."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("TERM", "dumb")
    for name in ("LEAGUE_CONFIG", "LEAGUE_DATA", "LEAGUE_MANAGER", "LEAGUE_OPERATOR_TOKEN", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    """The commands' default folder."""
    return Workspace(tmp_path / "league-data")


@pytest.fixture
def league(monkeypatch, capsys) -> Callable[..., Ran]:
    """Run `league` with arguments."""

    def run(*arguments: object) -> Ran:
        monkeypatch.setattr(typer.main, "get_command", made_once)
        monkeypatch.setattr(sys, "argv", ["league", *(str(argument) for argument in arguments)])
        capsys.readouterr()
        code = 0
        try:
            main()
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else int(end.code is not None)
        printed = capsys.readouterr()
        return Ran(code, printed.out, printed.err)

    return run
