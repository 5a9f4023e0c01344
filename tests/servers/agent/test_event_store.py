from pathlib import Path

import pytest

from league_sdk.ports import StoreFailed
from league_sdk.settings import Workspace
from servers.agent import event_store
from servers.agent.event_store import StorageError
from tests.servers.league_history import finished


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return Workspace(tmp_path)


class TestUrls:
    @pytest.mark.parametrize("url", ["memory:", "postgresql://user@host/name", "sqlite:////var/lib/events.db"])
    def test_one_that_holds_from_everywhere_stays_as_it_is(self, url):
        assert event_store.checked(url) == url

    def test_a_relative_file_is_made_absolute_where_it_was_named(self, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        assert event_store.checked("sqlite:///events.db") == f"sqlite:///{tmp_path}/events.db"
        assert event_store.checked("sqlite+aiosqlite:///a/b.db?x=1") == f"sqlite+aiosqlite:///{tmp_path}/a/b.db?x=1"

    def test_no_url_is_the_league_s_own_file(self):
        assert event_store.checked(None) is None

    def test_an_unknown_scheme_is_refused_with_the_known_ones(self):
        with pytest.raises(StorageError, match=r"'mongodb'.*known are memory:, sqlite:, postgresql:"):
            event_store.checked("mongodb://host/name")

    def test_a_store_of_a_plug_in_is_known(self, monkeypatch):
        monkeypatch.setattr(event_store.plugins, "stores", lambda: {"mongodb": None})
        assert event_store.checked("mongodb://host/name") == "mongodb://host/name"


class TestRemembering:
    def test_where_a_league_is_kept_is_known_later_and_to_its_owner_alone(self, workspace):
        event_store.remember(workspace, "summer", "postgresql://user:password@host/name")
        assert event_store.remembered(workspace, "summer") == "postgresql://user:password@host/name"
        (file,) = [path for path in workspace.secrets.rglob("*") if path.is_file()]
        assert file.stat().st_mode & 0o077 == 0

    def test_a_league_in_its_own_file_needs_no_memory(self, workspace):
        event_store.remember(workspace, "summer", None)
        assert event_store.remembered(workspace, "summer") is None
        assert not workspace.secrets.exists()


class TestReading:
    def test_records_come_from_the_league_s_file_a_url_or_the_remembered_place(self, workspace, tmp_path):
        history = finished(2)
        history.write(workspace)
        assert event_store.read_records(workspace, "summer", None) == history.records()
        moved = (workspace.league_dir("summer") / "events.db").rename(tmp_path / "moved.db")
        assert event_store.read_records(workspace, "summer", None) == []
        assert event_store.read_records(workspace, "summer", f"sqlite:///{moved}") == history.records()
        event_store.remember(workspace, "summer", f"sqlite:///{moved}")
        assert event_store.read_records(workspace, "summer", None) == history.records()

    @pytest.mark.parametrize("file", ["events.db", "no/such/folder/events.db"])
    def test_looking_makes_no_file(self, workspace, tmp_path, file):
        assert event_store.read_records(workspace, "summer", None) == []
        assert event_store.read_records(workspace, "summer", f"sqlite:///{tmp_path}/{file}") == []
        assert [*tmp_path.iterdir()] == []

    @pytest.mark.parametrize("league_id", ["../x", "", ".hidden", "a/b", "x" * 200])
    def test_an_id_that_could_be_a_path_is_refused(self, workspace, league_id):
        with pytest.raises(StorageError, match="cannot be the id of a league"):
            event_store.read_records(workspace, league_id, None)

    def test_a_url_that_nobody_understands_is_refused(self, workspace):
        with pytest.raises(StorageError, match="is not understood"):
            event_store.read_records(workspace, "summer", "sqlite:")
        with pytest.raises(StorageError, match="is not understood"):
            event_store.new_league_id(workspace, "summer", "sqlite:")

    def test_a_store_that_cannot_be_read_is_a_failure(self, workspace, tmp_path):
        (tmp_path / "events.db").write_text("no database")
        with pytest.raises(StoreFailed):
            event_store.read_records(workspace, "summer", f"sqlite:///{tmp_path}/events.db")


def test_a_new_league_s_id_is_free_in_the_folder_and_in_the_store(workspace, tmp_path):
    finished(2).write(workspace)
    url = f"sqlite:///{workspace.league_dir('summer')}/events.db"
    assert event_store.new_league_id(workspace, "summer", None) == "summer-2"
    other = Workspace(tmp_path / "other")
    assert event_store.new_league_id(other, "summer", url) == "summer-2"
    assert event_store.new_league_id(other, "winter", url) == "winter"
