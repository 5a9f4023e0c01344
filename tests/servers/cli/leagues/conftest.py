"""An interrupted league, and a folder to which it is restored."""

from pathlib import Path
from typing import Any

import pytest

from league_sdk.settings import Workspace
from servers.cli.leagues import sealed_secrets
from servers.cli.leagues.passphrase import VARIABLE
from tests.league_sdk.stores.conftest import postgres_server, postgres_url
from tests.ports import free_base
from tests.servers.cli.test_new_token import QUICK
from tests.servers.cli.test_run import interrupted_after

__all__ = ["postgres_server", "postgres_url"]
PASSPHRASE = "correct horse battery staple"


@pytest.fixture(autouse=True)
def _passphrase(monkeypatch: pytest.MonkeyPatch) -> None:
    """The passphrase, and a quick scrypt: test_sealed_secrets.py has its real cost."""
    monkeypatch.setenv(VARIABLE, PASSPHRASE)
    monkeypatch.setattr(sealed_secrets, "COST", {"n": 2**10, "r": 8, "p": 1})


@pytest.fixture
def cup(league: Any, workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> str:
    """A league whose first match is recorded."""
    with interrupted_after("MatchRecorded", monkeypatch):
        league("run", *QUICK, "--port-base", free_base(), "--league-id", "cup", "--seed", 7)
    return "cup"


@pytest.fixture
def bare(tmp_path: Path) -> Workspace:
    """A folder that is not there yet."""
    return Workspace(tmp_path / "bare")


@pytest.fixture
def saved(league: Any, cup: str, tmp_path: Path) -> Path:
    """The league's backup."""
    file = tmp_path / "cup.backup"
    ran = league("backup", cup, file)
    assert ran.code == 0, ran.err
    return file
