import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docs.generators.configuration import FILES, leaves
from league_sdk.json_value import dotted, why_not_json
from league_sdk.settings import ConfigError, ConfigLoader, Problem
from league_sdk.settings.reading import Document, canonical, merge, validate, value_at
from tests.requirements.marker import requirement


def problem(build, content, load="load_system", file="system"):
    with pytest.raises(ConfigError) as caught:
        getattr(build({file: content}), load)()
    (found,) = caught.value.problems
    return str(found)


@requirement("000-LM-START-05", "000-LM-FAIL-03", "003-SDK-02", "project-CFG-02")
@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({"timeouts": {"move_timeout_sec": "30"}}, 'timeouts.move_timeout_sec is "30"; expected a number'),
        ({"timeouts": {"move_timeout_sec": 0}}, "timeouts.move_timeout_sec is 0; expected a number above 0"),
        ({"timeouts": {"move_timeout_sec": True}}, "timeouts.move_timeout_sec is true; expected a number"),
        ({"timeouts": {"move_timeout_sec": None}}, "timeouts.move_timeout_sec is null; expected a number"),
        (
            {"timeouts": {"move_timeout_sec": 90_000}},
            "timeouts.move_timeout_sec is 90000; expected a number of 86400 or less",
        ),
        ({"retry_policy": {"max_retries": 2.5}}, "retry_policy.max_retries is 2.5; expected a whole number"),
        ({"retry_policy": {"max_retries": -1}}, "retry_policy.max_retries is -1; expected a number of 0 or more"),
        (
            {"retry_policy": {"backoff_strategy": "linear"}},
            "retry_policy.backoff_strategy is \"linear\"; expected 'exponential'",
        ),
        ({"timeouts": 5}, "timeouts is 5; expected an object with fields"),
        ({"timeouts": []}, "timeouts is []; expected an object with fields"),
        ({"system_id": ""}, 'system_id is ""; expected a text that is not empty'),
        ({"system_id": 5}, "system_id is 5; expected a text in quotes"),
        ({"security": {"allowed_hosts": "here"}}, 'security.allowed_hosts is "here"; expected a list'),
        ({"schema_version": "2.0.0"}, 'schema_version is "2.0.0"; expected a schema version 1.x.x'),
        ({"protocol_version": "league.v9"}, "protocol_version is \"league.v9\"; expected 'league.v2'"),
        (
            {"network": {"league_manager_port": 70_000}},
            "network.league_manager_port is 70000; expected a number of 65535",
        ),
        (
            {"network": {"default_league_manager_port": 0}},
            "network.default_league_manager_port is 0; expected a number of 1 or more",
        ),
        (
            {"network": {"referee_port_range": [8010, 8001]}},
            "network.referee_port_range is [8010, 8001]; expected two ports, the lower one first",
        ),
        ({"network": {"referee_port_range": [8001]}}, "network.referee_port_range[1]: is missing"),
    ],
)
def test_a_message_names_file_field_value_and_what_was_expected(build, content, message):
    assert problem(build, content).startswith(f"config/system.json: {message}")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "is not JSON: line 1, column 1: expected a value"),
        ('{"timeouts": {,}}', "is not JSON: line 1, column 15: expected a field's name in double quotes"),
        ("[1]", "expected a JSON object"),
        ("null", "expected a JSON object"),
        ('{"timeouts": {}, "timeouts": {}}', '"timeouts" stands twice in one object'),
        ('{"registration_timeout_sec": NaN}', "NaN is not a JSON number"),
        ('{"registration_timeout_sec": Infinity}', "Infinity is not a JSON number"),
    ],
)
def test_text_that_is_no_json_object_is_refused_with_its_place(build, content, message):
    assert message in problem(build, content)


def test_a_number_that_overflows_is_refused(build):
    assert "finite number" in problem(build, '{"registration_timeout_sec": 1e999}')


def test_a_file_that_is_not_text_is_refused(build, tmp_path):
    loader = build()
    (tmp_path / "config" / "system.json").write_bytes(b"\xff\xfe{}")
    with pytest.raises(ConfigError, match="is not JSON: it is not UTF-8"):
        loader.load_system()


def test_a_folder_in_place_of_a_file_is_refused(build, tmp_path):
    loader = build({"defaults/player": None})
    (tmp_path / "config" / "defaults" / "player.json").mkdir()
    with pytest.raises(ConfigError, match="cannot be read"):
        loader.load_player_defaults()


def test_a_byte_order_mark_does_no_harm(build):
    assert build({"system": '\ufeff{"system_id": "marked"}'}).load_system().system_id == "marked"


def test_the_value_of_a_store_url_is_never_shown(build):
    message = problem(build, {"store_url": "//user:secret@host"})
    assert "secret" not in message
    assert message.startswith("config/system.json: store_url: expected a database URL")


def test_settings_do_not_show_the_store_url(build):
    assert "swordfish" not in repr(build({"system": {"store_url": "postgresql://u:swordfish@host/x"}}).load_system())


def test_a_long_value_is_cut(build):
    message = problem(build, {"timeouts": {"move_timeout_sec": "x" * 1000}})
    assert len(message) < 250


@pytest.mark.parametrize(
    ("content", "warning"),
    [
        ({"timeout": {}}, "unknown field timeout; did you mean timeouts?"),
        (
            {"timeouts": {"move_timout_sec": 3}},
            "unknown field timeouts.move_timout_sec; did you mean move_timeout_sec?",
        ),
        (
            {"logging": {"zzz": 3}},
            "unknown field logging.zzz; known here: level, format, rotation_mb, rotation_backups",
        ),
    ],
)
def test_an_unknown_field_is_a_warning_that_names_the_nearest_one(build, content, warning):
    assert build({"system": content}).validate() == [f"config/system.json: {warning}"]


def test_an_unknown_field_in_a_list_is_found(build):
    loader = build({"agents/agents_config": {"players": [{"id": "P01", "endpoint": "http://h/mcp", "strateggy": "x"}]}})
    (warning,) = loader.validate()
    assert warning.endswith("unknown field players[0].strateggy; did you mean strategy?")


def test_comments_and_schemas_are_no_unknown_fields(build):
    assert build({"system": {"$schema": "x", "_comment": "y", "timeouts": {"_why": "z"}}}).validate() == []


def test_a_limit_for_some_games_choice_field_is_known(build):
    loader = build({"defaults/referee": {"default_settings": {"bid_timeout_sec": 9}}})
    assert loader.validate() == []
    assert loader.load_referee_defaults().default_settings.by_choice == {"bid": 9}


def test_a_limit_that_looks_like_a_typing_error_is_a_warning(build):
    loader = build({"defaults/referee": {"default_settings": {"game_jion_timeout_sec": 9}}})
    (warning,) = loader.validate()
    assert "did you mean game_join_timeout_sec?" in warning


def test_a_limit_for_a_choice_field_has_to_be_a_number(build):
    message = problem(
        build,
        {"default_settings": {"bid_timeout_sec": "long"}},
        load="load_referee_defaults",
        file="defaults/referee",
    )
    assert message == 'config/defaults/referee.json: default_settings.bid_timeout_sec is "long"; expected a number'


def test_one_field_under_two_names_must_say_the_same(build):
    both = {"timeouts": {"game_join_timeout_sec": 5, "game_join_ack_timeout_sec": 6}}
    message = problem(build, both)
    assert message == (
        "config/system.json: timeouts.game_join_ack_timeout_sec is 6; "
        "expected what timeouts.game_join_timeout_sec says, or one of the two"
    )
    both["timeouts"]["game_join_ack_timeout_sec"] = 5
    assert build({"system": both}).load_system().timeouts.game_join_timeout_sec == 5


@requirement("003-SDK-02")
def test_every_wrong_field_of_a_file_is_listed(build):
    with pytest.raises(ConfigError) as caught:
        build({"system": {"system_id": 1, "timeouts": {"move_timeout_sec": 0}, "limits": 3}}).load_system()
    assert [found.field for found in caught.value.problems] == ["system_id", "timeouts.move_timeout_sec", "limits"]


def test_values_that_do_not_fit_together_are_refused(build):
    assert problem(build, {"retry_policy": {"backoff_base_sec": 40}}) == (
        "config/system.json: retry_policy: expected a backoff_max_sec that is not below backoff_base_sec"
    )


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


@requirement("003-SDK-01")
@given(content=JSON | st.fixed_dictionaries({}, optional={"timeouts": JSON, "network": JSON, "store_url": JSON}))
def test_whatever_a_file_holds_it_loads_or_is_refused_in_order(content, tmp_path_factory):
    folder = tmp_path_factory.mktemp("any")
    (folder / "system.json").write_text(json.dumps(content))
    problems: tuple[Problem, ...] = ()
    try:
        ConfigLoader(folder, {}, cwd=folder).load_system()
    except ConfigError as error:
        problems = error.problems
    assert all(found.source == "system.json" for found in problems)


def test_merging_goes_into_objects_and_replaces_everything_else():
    assert merge({"a": {"b": 1, "c": [1]}, "d": 1}, {"a": {"c": [2]}, "d": {"e": 2}}) == {
        "a": {"b": 1, "c": [2]},
        "d": {"e": 2},
    }


def test_paths_are_written_as_people_write_them():
    assert dotted(("players", 0, "endpoint")) == "players[0].endpoint"
    assert dotted(()) == ""


def test_a_null_counts_as_not_given():
    document = Document("x", {"a": {"b": None, "c": 0}})
    assert not document.has(("a", "b"))
    assert document.has(("a", "c"))
    assert not document.has(("a", "c", "d"))
    assert value_at({"l": [1]}, ("l", 0)) == 1


def test_every_refused_setting_says_in_plain_words_what_was_expected():
    wrong = (None, True, -1, 0, 1.5, 1e99, 10**30, "", "x", "x" * 5000, [], [1], ["a"], {"a": 1})
    said: set[str] = set()
    for file, model, _ in FILES:
        for path, _ in leaves(model):
            for value in wrong:
                document: Any = value
                for step in reversed(path.split(".")):
                    document = {step[:-2]: [document]} if step.endswith("[]") else {step: document}
                try:
                    validate(model, [canonical(model, document, file)])
                except ConfigError as error:
                    said |= {
                        problem.expected for problem in error.problems if not problem.expected.startswith("is missing")
                    }
    assert len(said) > 50
    assert [
        text for text in said if re.search(r"\b(valid|should|Input|type|dictionary|tuple|parse|mapping)\b", text)
    ] == []


def test_what_is_wrong_with_json_is_said_in_plain_words():
    faulty = ("", "{", '{"a" 1}', '{"a": 1 "b"}', "{} {}", '{"a": "', '{"a": 1,}', "[1,]", '"\\x"', '"\x01"', "nul")
    for text in faulty:
        with pytest.raises(json.JSONDecodeError) as raised:
            json.loads(text)
        assert re.fullmatch(r"line 1, column \d+: expected (a|nothing|no) .+", why_not_json(raised.value))
        assert "xpecting" not in why_not_json(raised.value)
