import os
import stat
import threading
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from league_sdk.settings import ConfigError, Workspace, find_config, find_workspace, paths, read_secret, write_secret
from tests.requirements.marker import requirement


def config_in(folder: Path) -> Path:
    folder.mkdir(parents=True)
    (folder / "system.json").write_text("{}")
    return folder


# --- where configuration is


def test_the_folder_that_is_named_comes_first(tmp_path):
    named = config_in(tmp_path / "named")
    config_in(tmp_path / "config")
    found = find_config(named, {"LEAGUE_CONFIG": str(tmp_path / "config")}, tmp_path)
    assert (found.path, found.origin) == (named, "as given")


def test_the_environment_comes_before_the_current_directory(tmp_path):
    config_in(tmp_path / "config")
    other = config_in(tmp_path / "other")
    assert find_config(None, {"LEAGUE_CONFIG": str(other)}, tmp_path).path == other


def test_a_config_folder_in_the_current_directory_needs_a_system_file(tmp_path):
    (tmp_path / "config").mkdir()
    assert find_config(None, {}, tmp_path).path != tmp_path / "config"
    (tmp_path / "config" / "system.json").write_text("{}")
    assert find_config(None, {}, tmp_path).path == tmp_path / "config"


def test_elsewhere_the_package_brings_its_defaults(tmp_path, monkeypatch):
    packaged = config_in(tmp_path / "packaged")
    monkeypatch.setattr(paths, "PACKAGED_CONFIG", packaged)
    found = find_config(None, {}, tmp_path)
    assert (found.path, found.origin) == (packaged, "the defaults of the package")


def test_a_checkout_stands_in_for_the_package(tmp_path, monkeypatch):
    monkeypatch.setattr(paths, "PACKAGED_CONFIG", tmp_path / "absent")
    found = find_config(None, {}, tmp_path)
    assert found.path == Path(__file__).parents[3] / "config"


def test_a_package_without_its_defaults_says_so(tmp_path, monkeypatch):
    monkeypatch.setattr(paths, "PACKAGED_CONFIG", tmp_path / "absent")
    monkeypatch.setattr(paths, "CHECKOUT_CONFIG", tmp_path / "absent")
    with pytest.raises(ConfigError, match="install it again"):
        find_config(None, {}, tmp_path)


def test_a_named_folder_that_does_not_exist_is_an_error_not_a_reason_to_look_elsewhere(tmp_path):
    config_in(tmp_path / "config")
    with pytest.raises(ConfigError, match="does not exist"):
        find_config(tmp_path / "absent", {}, tmp_path)
    with pytest.raises(ConfigError, match=r"environment variable LEAGUE_CONFIG: .*absent does not exist"):
        find_config(None, {"LEAGUE_CONFIG": str(tmp_path / "absent")}, tmp_path)
    with pytest.raises(ConfigError, match="is a file"):
        find_config(tmp_path / "config" / "system.json", {}, tmp_path)


# --- where data goes


@requirement("003-LOG-01")
def test_data_goes_where_the_flag_says_then_the_environment_then_here(tmp_path):
    environ = {"LEAGUE_DATA": str(tmp_path / "environment")}
    assert find_workspace(tmp_path / "flag", environ, tmp_path).data == tmp_path / "flag" / "data"
    assert find_workspace(None, environ, tmp_path).logs == tmp_path / "environment" / "logs"
    assert find_workspace(None, {"LEAGUE_DATA": ""}, tmp_path).data == tmp_path / "league-data" / "data"
    config_in(tmp_path / "config")
    assert find_workspace(None, {}, tmp_path).data == tmp_path / "data"


def test_nothing_is_created_by_asking_for_paths(tmp_path):
    workspace = Workspace(tmp_path / "new")
    workspace.operator_token_file("cup")
    workspace.credentials_file("cup", "player", "Ann")
    assert workspace.latest_league() is None
    assert not (tmp_path / "new").exists()


def test_preparing_makes_the_folders(tmp_path):
    workspace = Workspace(tmp_path / "new")
    workspace.prepare()
    workspace.prepare()
    assert workspace.data.is_dir()
    assert workspace.logs.is_dir()
    assert list(workspace.data.iterdir()) == []


@requirement("000-LM-START-06")
def test_a_folder_that_cannot_be_written_is_named_with_what_to_do(tmp_path):
    (tmp_path / "data").write_text("a file is in the way")
    with pytest.raises(ConfigError, match=r"data: cannot be written to .*--data or LEAGUE_DATA"):
        Workspace(tmp_path).prepare()


@given(league=st.text(), role=st.text(), name=st.text())
def test_no_name_leads_out_of_the_workspace(league, role, name):
    workspace = Workspace(Path("/somewhere"))
    assert workspace.league_dir(league).parent == workspace.leagues
    assert workspace.operator_token_file(league).parent.parent == workspace.secrets
    credentials = workspace.credentials_file(league, role, name)
    assert credentials.parent.parent == workspace.secrets
    assert ".." not in credentials.parts


@given(names=st.lists(st.text(), min_size=2, max_size=2, unique=True))
def test_different_names_have_different_files(names):
    first, second = (Workspace(Path("/w")).credentials_file("cup", "player", name) for name in names)
    assert first != second


# --- ids of leagues


@requirement("project-RUN-06")
def test_a_new_league_takes_the_first_free_id(tmp_path):
    workspace = Workspace(tmp_path)
    assert [workspace.new_league_id("cup") for _ in range(3)] == ["cup", "cup-2", "cup-3"]
    assert workspace.new_league_id("mug") == "mug"


def test_ids_that_are_taken_elsewhere_are_passed_over(tmp_path):
    assert Workspace(tmp_path).new_league_id("cup", taken=["cup", "cup-2"]) == "cup-3"


@requirement("project-RUN-06")
def test_ids_that_are_asked_for_at_the_same_time_differ(tmp_path):
    workspace = Workspace(tmp_path)
    found: list[str] = []
    start = threading.Barrier(8)

    def ask() -> None:
        start.wait(timeout=10)
        found.append(workspace.new_league_id("cup"))

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=10)
    assert sorted(found) == sorted(["cup", *(f"cup-{n}" for n in range(2, 9))])


def test_the_latest_league_is_the_one_written_to_last(tmp_path):
    workspace = Workspace(tmp_path)
    for number, league_id in enumerate(["b", "c", "a"]):
        folder = workspace.league_dir(workspace.new_league_id(league_id))
        (folder / "events.db").write_text("")
        for path in (folder / "events.db", folder):
            os.utime(path, (1000 + number, 1000 + number))
    assert workspace.latest_league() == "a"
    os.utime(workspace.league_dir("c") / "events.db", (2000, 2000))
    assert workspace.latest_league() == "c"


def test_a_file_among_the_leagues_is_no_league(tmp_path):
    workspace = Workspace(tmp_path)
    workspace.leagues.mkdir(parents=True)
    (workspace.leagues / "note.txt").write_text("")
    assert workspace.latest_league() is None


# --- secrets


def test_a_secret_comes_back_and_only_its_owner_can_read_it(tmp_path):
    path = tmp_path / "secrets" / "cup" / "operator.token"
    write_secret(path, "s3cret\n")
    assert read_secret(path) == "s3cret"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert list(path.parent.iterdir()) == [path]


def test_a_secret_is_replaced_whole(tmp_path):
    path = tmp_path / "token"
    path.write_text("old and open")
    path.chmod(0o644)
    write_secret(path, "new")
    assert read_secret(path) == "new"


def test_a_secret_that_is_not_there_is_none(tmp_path):
    assert read_secret(tmp_path / "absent") is None


def test_a_secret_that_others_can_read_is_refused_with_the_command_that_helps(tmp_path):
    path = tmp_path / "token"
    path.write_text("open")
    path.chmod(0o640)
    with pytest.raises(ConfigError, match=r"others can read this secret; run: chmod 600 .*token"):
        read_secret(path)


def test_a_secret_that_is_no_text_is_refused(tmp_path):
    path = tmp_path / "token"
    path.write_bytes(b"\xff")
    path.chmod(0o600)
    with pytest.raises(ConfigError, match="cannot be read"):
        read_secret(path)


def test_a_failed_write_leaves_the_old_secret_and_nothing_else(tmp_path):
    path = tmp_path / "token"
    write_secret(path, "old")
    with pytest.raises(UnicodeEncodeError):
        write_secret(path, "\ud800")
    assert read_secret(path) == "old"
    assert list(tmp_path.iterdir()) == [path]
