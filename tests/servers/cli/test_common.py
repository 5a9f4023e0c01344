import io
import json
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from league_sdk.settings import ConfigLoader, Workspace, write_secret
from servers.cli import common, main
from servers.launcher.run_options import PlanError
from tests.servers.league_history import finished


@given(st.dictionaries(st.text(), st.text() | st.integers() | st.none()))
def test_json_is_the_same_object_and_cannot_steer_a_terminal(value):
    for indent in (None, 2):
        text = common.json_text(value, indent)
        assert json.loads(text) == value
        assert text.replace("\n", "").isprintable()


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("a.b=3", 3),
        ("a.b=0.5", 0.5),
        ("a.b=true", True),
        ("a.b=text", "text"),
        ("a.b=[1, 2]", [1, 2]),
        ("a.b=x=y", "x=y"),
        (" a.b = 3 ", 3),
        ("a.b=", ""),
    ],
)
def test_a_setting_is_read_as_what_it_looks_like(text, value):
    assert common.overrides_of([text]) == {"a.b": value}


def test_flags_that_are_not_given_set_nothing():
    given_ = common.overrides_of(None, timeouts__move_timeout_sec=None, timeouts__game_join_timeout_sec=2.0)
    assert given_ == {"timeouts.game_join_timeout_sec": 2.0}


@pytest.mark.parametrize("text", ["a.b", "=3", ""])
def test_a_setting_without_name_or_value_is_refused(text):
    with pytest.raises(PlanError, match="expected KEY=VALUE"):
        common.overrides_of([text])


def test_the_manager_is_where_it_is_configured_unless_it_is_named():
    loader = ConfigLoader(overrides={"network.league_manager_port": 7999})
    assert common.manager_url_of(loader, None) == "http://localhost:7999/mcp"
    assert common.manager_url_of(loader, "http://far:1/mcp") == "http://far:1/mcp"


def test_a_folder_is_named_in_advice_only_when_it_would_not_be_found(tmp_path, monkeypatch):
    assert common.data_flag(Workspace(tmp_path / "league-data")) == ""
    assert common.data_flag(Workspace(tmp_path / "my data")) == f" --data '{tmp_path}/my data'"
    monkeypatch.setenv("LEAGUE_DATA", str(tmp_path / "my data"))
    assert common.data_flag(Workspace(tmp_path / "my data")) == ""


class TestOperatorToken:
    def test_the_one_that_is_given_counts(self, workspace):
        assert common.operator_token(workspace, None, "given") == "given"

    def test_else_it_is_the_one_that_the_manager_left(self, workspace):
        finished(2).write(workspace)
        write_secret(workspace.operator_token_file("summer"), "kept")
        assert common.operator_token(workspace, None, None) == "kept"
        assert common.operator_token(workspace, "summer", None) == "kept"

    def test_without_any_it_says_where_to_get_it(self, workspace):
        finished(2).write(workspace)
        with pytest.raises(PlanError, match=r"--operator-token.*--data"):
            common.operator_token(workspace, None, None)


def test_on_a_terminal_that_lacks_letters_the_rest_is_still_shown(workspace, monkeypatch):
    history = finished(2)
    history.write(workspace)
    narrow = io.TextIOWrapper(io.BytesIO(), encoding="ascii", write_through=True)
    monkeypatch.setattr(sys, "stdout", narrow)
    monkeypatch.setattr(sys, "argv", ["league", "standings"])
    with pytest.raises(SystemExit) as end:
        main()
    assert end.value.code in (0, None)
    assert b"Player 1 P01" in narrow.buffer.getvalue()


def test_a_misspelt_variable_is_told(league, workspace, monkeypatch):
    monkeypatch.setenv("LEAGUE_TIMEOUTS__MOV", "3")
    ran = league("manager", "--league-id", "no id")
    assert "warning: environment variable LEAGUE_TIMEOUTS__MOV is unknown" in ran.err


def test_a_manager_of_the_registry_on_another_machine_is_looked_for_there(tmp_path):
    (tmp_path / "agents").mkdir()
    file = tmp_path / "agents" / "agents_config.json"
    for endpoint, found in (
        ("http://192.0.2.7:8600/mcp", "http://192.0.2.7:8600/mcp"),
        ("http://localhost:8600/mcp", "http://localhost:9000/mcp"),
    ):
        file.write_text(json.dumps({"league_manager": {"endpoint": endpoint}}))
        loader = ConfigLoader(tmp_path, {}, {"network.league_manager_port": 9000})
        assert common.manager_url_of(loader, None) == found
        assert common.manager_url_of(loader, "http://localhost:7/mcp") == "http://localhost:7/mcp"
