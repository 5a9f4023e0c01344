"""Leagues that are resumed where nothing is but their records and secrets."""

import shutil

import pytest

from league_sdk.settings import Workspace
from servers.launcher.plan_document import plan_file
from tests.ports import free_base
from tests.servers.cli.test_new_token import QUICK
from tests.servers.cli.test_run import interrupted_after


@pytest.fixture
def store(league, tmp_path, monkeypatch) -> str:
    """The records of a league that was interrupted, and whose folder is lost but for its secrets."""
    url = f"sqlite:///{tmp_path}/elsewhere.db"
    with interrupted_after("MatchRecorded", monkeypatch):
        league("run", *QUICK, "--port-base", free_base(), "--store", url, "--league-id", "cup", "--seed", 7)
    return url


@pytest.fixture
def bare(store, tmp_path, workspace) -> Workspace:
    """Another folder, with the secrets of the league alone."""
    other = Workspace(tmp_path / "bare")
    shutil.copytree(workspace.secrets / "cup", other.secrets / "cup")
    (other.secrets / "cup" / "store.url").unlink()
    shutil.rmtree(workspace.root)
    return other


def test_a_bare_folder_with_the_secrets_resumes_a_league_by_the_plan_in_its_records(league, store, bare):
    ran = league("resume", "cup", "--store", store, "--data", bare.root, "--in-process", "--json")
    assert (ran.code, ran.json["state"]) == (0, "COMPLETED"), ran.err
    assert "VOID" not in ran.out
    audit = league("audit", "cup", "--data", bare.root, "--json")
    assert (audit.code, audit.json["findings"]) == (0, [])
    assert not any(text.startswith("run.json") for text in audit.json["unchecked"])
    assert league("standings", "cup", "--data", bare.root).code == 0, "the store is remembered"


def test_a_bare_folder_without_the_secrets_does_not_lead(league, store, bare):
    shutil.rmtree(bare.secrets)
    ran = league("resume", "cup", "--store", store, "--data", bare.root, "--in-process")
    assert (ran.code, ran.out) == (2, "")
    assert "the operator's token of league 'cup' is not in" in ran.err


def test_a_league_that_the_store_does_not_have_is_not_resumed(league, store, bare):
    ran = league("resume", "autumn", "--store", store, "--data", bare.root)
    assert (ran.code, ran.out) == (2, "")
    assert "there is no league 'autumn'" in ran.err
    assert not plan_file(bare, "autumn").exists()


def test_a_run_goes_by_the_plan_in_its_records_and_not_by_a_file_that_was_changed(league, store, workspace):
    file = plan_file(workspace, "cup")
    file.write_text(file.read_text().replace('"frequency"', '"random"'))
    ran = league("resume", "cup", "--in-process", "--json")
    assert (ran.code, ran.json["state"]) == (0, "COMPLETED"), ran.err
    assert '"frequency"' in file.read_text()
