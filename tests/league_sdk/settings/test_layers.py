import pytest

from league_sdk.settings import OTHER_VARIABLES, ConfigError, ConfigLoader, variables
from league_sdk.settings.layers import environment, read_text, settable
from tests.requirements.marker import requirement


def system_with(build, name, text):
    return build(environ={name: text}).load_system()


def test_two_underscores_lead_into_a_section(build):
    assert system_with(build, "LEAGUE_RETRY_POLICY__MAX_RETRIES", "7").retry_policy.max_retries == 7


def test_a_text_stays_a_text_even_when_it_looks_like_a_number(build):
    assert system_with(build, "LEAGUE_SYSTEM_ID", "42").system_id == "42"


def test_a_list_is_written_with_commas_or_as_json(build):
    assert system_with(build, "LEAGUE_NETWORK__PLAYER_PORT_RANGE", "9000, 9010").network.player_port_range == (
        9000,
        9010,
    )
    assert system_with(build, "LEAGUE_NETWORK__PLAYER_PORT_RANGE", "[9000,9010]").network.player_port_range == (
        9000,
        9010,
    )
    assert system_with(build, "LEAGUE_SECURITY__ALLOWED_HOSTS", "a.b,c:1").security.allowed_hosts == ("a.b", "c:1")


def test_a_whole_section_can_be_given_as_json(build):
    system = system_with(build, "LEAGUE_TIMEOUTS", '{"move_timeout_sec": 2, "game_join_ack_timeout_sec": 1}')
    assert (system.timeouts.move_timeout_sec, system.timeouts.game_join_timeout_sec) == (2, 1)


@pytest.mark.parametrize(("text", "value"), [("true", True), ("YES", True), ("1", True), ("off", False), ("0", False)])
def test_yes_and_no_have_several_spellings(build, text, value):
    loader = build(environ={"LEAGUE_PLAYER__AUTO_REGISTER": text})
    assert loader.load_player_defaults().default_settings.auto_register is value


def test_a_text_that_is_no_yes_or_no_is_refused(build):
    with pytest.raises(ConfigError, match=r'AUTO_REGISTER: .* is "maybe"; expected true or false'):
        build(environ={"LEAGUE_PLAYER__AUTO_REGISTER": "maybe"}).load_player_defaults()


def test_null_unsets_what_a_file_sets(build):
    loader = build({"system": {"store_url": "memory:"}}, {"LEAGUE_STORE_URL": "null"})
    assert loader.load_system().store_url is None


def test_an_empty_variable_counts_as_not_set(build):
    assert system_with(build, "LEAGUE_TIMEOUTS__MOVE_TIMEOUT_SEC", "").timeouts.move_timeout_sec == 30


def test_a_field_is_read_under_its_other_names_too(build):
    assert system_with(build, "LEAGUE_NETWORK__DEFAULT_LEAGUE_MANAGER_PORT", "7000").network.league_manager_port == 7000
    assert system_with(build, "LEAGUE_TIMEOUTS__GAME_JOIN_ACK_TIMEOUT_SEC", "1").timeouts.game_join_timeout_sec == 1


def test_the_settings_of_a_role_need_no_mention_of_default_settings(build):
    for name in ("LEAGUE_REFEREE__RETRY_ON_TIMEOUT", "LEAGUE_REFEREE__DEFAULT_SETTINGS__RETRY_ON_TIMEOUT"):
        loader = build(environ={name: "false"})
        assert loader.load_referee_defaults().default_settings.retry_on_timeout is False
    assert build(environ={"LEAGUE_REFEREE__LOGGING__LEVEL": "error"}).logging_for("referee").level == "ERROR"


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("LEAGUE_TIMEOUT__MOVE_TIMEOUT_SEC", "did you mean timeouts?"),
        ("LEAGUE_TIMEOUTS__MOVE_TIMEOUT", "did you mean move_timeout_sec?"),
        ("LEAGUE_STORE_URL__X", "x is inside a single value"),
        ("LEAGUE_LOGGING__ZZZ", "known are level, rotation_mb, rotation_backups"),
        ("LEAGUE_REFEREE__MAX_CONCURRENT_GAME", "did you mean max_concurrent_games?"),
    ],
)
def test_an_unknown_variable_is_a_warning_with_a_hint(build, name, hint):
    loader = build(environ={name: "1"})
    assert loader.warnings == [f"environment variable {name} is unknown; {hint}"]


def test_a_variable_that_resembles_none_of_ours_is_somebody_else_s(build):
    assert build(environ={"LEAGUE_OF_GENTLEMEN": "1"}).warnings == []


def test_a_limit_that_looks_like_a_typing_error_is_a_warning(build):
    loader = build(environ={"LEAGUE_REFEREE__GAME_JION_TIMEOUT_SEC": "1"})
    assert "did you mean game_join_timeout_sec?" in loader.warnings[0]


def test_variables_that_say_where_to_look_and_those_of_others_are_left_alone():
    layer = environment({**dict.fromkeys(OTHER_VARIABLES, "x"), "PATH": "/bin", "LEAGUES": "x", "league_x": "y"})
    assert (layer.documents, layer.warnings) == ({}, [])


def test_a_value_of_the_command_line_is_said_to_be_from_there(build):
    with pytest.raises(ConfigError, match=r"command line: timeouts.move_timeout_sec is -1; expected a number above 0"):
        build(overrides={"timeouts.move_timeout_sec": -1}).load_system()


def test_a_flag_that_leads_nowhere_is_refused_at_once(build):
    with pytest.raises(ConfigError, match=r"command line: timeouts\.sped: there is no such setting"):
        build(overrides={"timeouts.sped": 1})


def test_flags_can_be_nested_and_can_be_texts_or_values(build):
    loader = build(
        overrides={"network": {"player_port_range": (1, 2), "base_host": "here"}, "timeouts.move_timeout_sec": "4"}
    )
    system = loader.load_system()
    assert (system.network.player_port_range, system.network.base_host) == ((1, 2), "here")
    assert system.timeouts.move_timeout_sec == 4


def test_the_last_of_two_names_of_one_flag_wins(build):
    overrides = {"timeouts.game_join_timeout_sec": 1, "timeouts.game_join_ack_timeout_sec": 2}
    assert build(overrides=overrides).load_system().timeouts.game_join_timeout_sec == 2


def test_when_two_sources_make_a_conflict_the_stronger_one_is_named(build):
    loader = build({"system": {"retry_policy": {"backoff_base_sec": 9}}}, {"LEAGUE_RETRY_POLICY__BACKOFF_MAX_SEC": "1"})
    with pytest.raises(
        ConfigError, match=r"^The .*: environment variable LEAGUE_RETRY_POLICY__BACKOFF_MAX_SEC: retry_policy"
    ):
        loader.load_system()


def test_a_text_that_is_no_json_is_left_for_the_model_to_refuse():
    assert read_text("soon", float) == "soon"


def test_every_listed_variable_is_known(build):
    unknown = [name for name, _ in variables() if build(environ={name: "1"}).warnings]
    assert unknown == []


@requirement("project-CFG-04")
@pytest.mark.parametrize(
    ("key", "hint"),
    [
        ("scoring.win_points", "did you mean league.scoring.win_points?"),
        ("move_timeout_sec", "did you mean timeouts.move_timeout_sec?"),
        ("schedule.total_rounds", "did you mean league.schedule.total_rounds?"),
        ("league.schedule.start", "did you mean start_date?"),
        (
            "schedule",
            "known are default_league, store_url, heartbeat_interval_sec, manager_absence_sec, "
            "registration_timeout_sec, network.…,",
        ),
    ],
)
def test_an_unknown_flag_is_answered_with_settings_that_work(build, key, hint):
    with pytest.raises(ConfigError) as caught:
        build(overrides={key: 1})
    assert f"{key}: there is no such setting; {hint}" in str(caught.value)


def test_all_that_is_offered_for_an_unknown_flag_can_be_set():
    keys = settable()
    for part in ("", "league.", "referee.", "player.", *{f"{key.rpartition('.')[0]}." for key in keys if "." in key}):
        with pytest.raises(ConfigError) as caught:
            ConfigLoader(environ={}, overrides={f"{part}qqqqq": 1})
        _, _, offered = str(caught.value).partition("known are ")
        for name in offered.split(", "):
            assert any(key == part + name or key.startswith(part + name.removesuffix("…")) for key in keys), name


def test_a_flag_that_changes_nothing_is_a_warning(build):
    assert build(overrides={"system_id": "mine"}).warnings == ["command line: setting system_id changes nothing"]
    assert not {key for key in settable() if key.endswith(("schema_version", "system_id"))}
