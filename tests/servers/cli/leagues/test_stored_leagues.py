"""`league list`, `archive`, `delete` and `move`."""

import pytest

from league_sdk.ports import StoreFailed
from league_sdk.settings import Workspace
from league_sdk.stores import SqlEventStore
from servers.agent.manager_lock import manager_lock
from servers.cli import common
from tests.ports import free_base
from tests.servers.cli.test_new_token import QUICK
from tests.servers.cli.test_run import interrupted_after


@pytest.fixture
def shared(league, tmp_path, monkeypatch) -> str:
    """A database with two leagues that were interrupted."""
    url = f"sqlite:///{tmp_path}/shared.db"
    for name in ("cup", "league-2"):
        with interrupted_after("MatchRecorded", monkeypatch):
            league("run", *QUICK, "--port-base", free_base(), "--league-id", name, "--store", url)
    return url


def ids(workspace: Workspace, league_id: str, store: str | None = None) -> list[str]:
    return [record.digest for record in common.read_records(workspace, league_id, None, store)]


def test_leagues_are_listed_with_their_state_of_a_folder_and_of_a_database(league, shared, workspace, tmp_path):
    league("resume", "cup", "--in-process", "--quiet")
    for where in ((), ("--store", shared, "--data", tmp_path / "elsewhere")):
        listed = league("list", "--json", *where).json["leagues"]
        assert {row["league_id"]: row["state"] for row in listed} == {"cup": "COMPLETED", "league-2": "STOPPED"}
    assert "cup  COMPLETED" in league("list").out
    assert "there is no league" in league("list", "--data", tmp_path / "nothing").err


def test_an_archived_league_is_read_and_never_changed(league, shared, workspace, tmp_path):
    assert league("archive", "cup").code == 0
    before = ids(workspace, "cup")
    assert league("resume", "cup", "--in-process").code == 2
    assert league("archive", "cup").code == 0
    assert ids(workspace, "cup") == before
    assert league("audit", "cup").code == 0
    assert league("report", "cup", "--output", tmp_path / "cup.html").code == 0
    assert "archived" in (tmp_path / "cup.html").read_text()
    assert league("standings", "cup").code == 0
    assert [row["read_only"] for row in league("list", "--json").json["leagues"]] == ["archived", ""]
    assert league("lead", "cup", "--yes").code == 0
    assert league("resume", "cup", "--in-process", "--quiet").code == 0


def test_a_complete_league_is_archived_and_its_audit_holds(league, shared):
    league("resume", "cup", "--in-process", "--quiet")
    assert league("archive", "cup").code == 0
    assert league("audit", "cup").code == 0


def test_a_league_is_deleted_alone_and_only_after_a_yes(league, shared, workspace, monkeypatch):
    other = ids(workspace, "league-2")
    monkeypatch.setattr("typer.confirm", lambda *_, **__: False)
    assert league("delete", "cup").code == 1
    assert ids(workspace, "cup") != []
    monkeypatch.setattr("typer.confirm", lambda *_, **__: True)
    assert league("delete", "cup").code == 0
    assert not workspace.league_dir("cup").exists()
    assert not workspace.operator_token_file("cup").exists()
    assert ids(workspace, "cup", shared) == []
    assert ids(workspace, "league-2") == other


def test_a_league_that_is_led_is_neither_deleted_nor_moved_nor_archived(league, shared, workspace, tmp_path):
    before = ids(workspace, "cup")
    with manager_lock(workspace, "cup"):
        for command in (("delete", "--yes"), ("move", "--store", f"sqlite:///{tmp_path}/new.db"), ("archive",)):
            ran = league(command[0], "cup", *command[1:])
            assert (ran.code, "stop it first" in ran.err) == (2, True), command
    assert ids(workspace, "cup") == before


def test_one_league_of_a_shared_database_comes_out_alone_and_goes_on(league, shared, workspace, tmp_path):
    before, other = ids(workspace, "cup"), ids(workspace, "league-2")
    new = f"sqlite:///{tmp_path}/new.db"
    ran = league("move", "cup", "--store", new)
    assert ran.code == 0, ran.err
    assert ids(workspace, "cup") == before == ids(workspace, "cup", new)
    assert ids(workspace, "cup", shared) == []
    assert ids(workspace, "league-2") == other
    assert league("resume", "cup", "--in-process", "--quiet").code == 0
    assert league("audit", "cup").code == 0


@pytest.mark.postgres
def test_a_league_moves_to_postgresql_and_back(league, shared, workspace, postgres_url, tmp_path):
    before = ids(workspace, "cup")
    for store in (postgres_url, f"sqlite:///{tmp_path}/back.db"):
        assert league("move", "cup", "--store", store).code == 0
        assert ids(workspace, "cup") == before
    assert ids(workspace, "cup", postgres_url) == []


@pytest.mark.parametrize("step", ["adopt", "delete"])
def test_a_move_that_ended_in_the_middle_is_run_again(league, shared, workspace, tmp_path, monkeypatch, step):
    before, new = ids(workspace, "cup"), f"sqlite:///{tmp_path}/new.db"

    async def ended(*_: object) -> None:
        raise StoreFailed("the machine is gone")

    with monkeypatch.context() as patch:
        patch.setattr(SqlEventStore, step, ended)
        assert league("move", "cup", "--store", new).code != 0
    assert ids(workspace, "cup") == before, "it can be read all the time"
    assert league("move", "cup", "--store", new).code == 0
    assert ids(workspace, "cup") == before
    assert ids(workspace, "cup", shared) == []


def test_a_league_is_not_moved_over_another_of_its_name(league, shared, workspace, tmp_path):
    elsewhere = f"sqlite:///{tmp_path}/elsewhere.db"
    league("run", *QUICK, "--port-base", free_base(), "--league-id", "cup", "--store", elsewhere, "--data", "other")
    before = ids(workspace, "cup")
    ran = league("move", "cup", "--store", elsewhere)
    assert (ran.code, "another league 'cup' is in that store" in ran.err) == (2, True)
    assert ids(workspace, "cup", shared) == before
