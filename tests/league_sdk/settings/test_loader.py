import dataclasses
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from league_sdk.settings import ConfigError, ConfigLoader, UnknownAgent
from tests.requirements.marker import requirement

MOVE = "timeouts.move_timeout_sec"
MOVE_VARIABLE = "LEAGUE_TIMEOUTS__MOVE_TIMEOUT_SEC"


def agents(**groups: Any) -> dict[str, Any]:
    return {"agents/agents_config": groups}


def player(number: int, **fields: Any) -> dict[str, Any]:
    return {"player_id": f"P{number:02d}", "endpoint": f"http://localhost:{8100 + number}/mcp", **fields}


def referee(number: int, **fields: Any) -> dict[str, Any]:
    return {"referee_id": f"REF{number:02d}", "endpoint": f"http://localhost:{8000 + number}/mcp", **fields}


@requirement("003-SDK-01", "project-CFG-03")
def test_without_values_anywhere_the_defaults_in_code_hold(build):
    system = build().load_system()
    assert system.timeouts.move_timeout_sec == 30
    assert system.retry_policy.max_retries == 3


@requirement("project-CFG-01")
def test_a_file_wins_over_the_defaults(build):
    assert build({"system": {"timeouts": {"move_timeout_sec": 7}}}).load_system().timeouts.move_timeout_sec == 7


@requirement("project-CFG-01")
def test_the_environment_wins_over_a_file(build):
    loader = build({"system": {"timeouts": {"move_timeout_sec": 7}}}, {MOVE_VARIABLE: "3"})
    assert loader.load_system().timeouts.move_timeout_sec == 3


@requirement("project-CFG-01")
def test_a_flag_wins_over_the_environment(build):
    loader = build({"system": {"timeouts": {"move_timeout_sec": 7}}}, {MOVE_VARIABLE: "3"}, {MOVE: 2})
    assert loader.load_system().timeouts.move_timeout_sec == 2


def test_a_flag_that_was_not_given_changes_nothing(build):
    loader = build({"system": {"timeouts": {"move_timeout_sec": 7}}}, overrides={MOVE: None})
    assert loader.load_system().timeouts.move_timeout_sec == 7


def test_one_value_from_above_leaves_its_neighbours_alone(build):
    loader = build({"system": {"timeouts": {"generic_response_timeout_sec": 8}}}, {MOVE_VARIABLE: "3"})
    timeouts = loader.load_system().timeouts
    assert (timeouts.move_timeout_sec, timeouts.generic_response_timeout_sec) == (3, 8)


@requirement("project-CFG-01")
@given(
    values=st.lists(st.none() | st.integers(min_value=1, max_value=100), min_size=3, max_size=3),
)
def test_the_strongest_source_that_gives_a_value_wins(values, tmp_path_factory):
    in_file, in_environment, in_flag = values
    folder = tmp_path_factory.mktemp("any")
    (folder / "config").mkdir()
    text = "{}" if in_file is None else f'{{"timeouts": {{"move_timeout_sec": {in_file}}}}}'
    (folder / "config" / "system.json").write_text(text)
    environ = {} if in_environment is None else {MOVE_VARIABLE: str(in_environment)}
    loader = ConfigLoader(None, environ, {MOVE: in_flag}, cwd=folder)
    expected = next(value for value in (in_flag, in_environment, in_file, 30) if value is not None)
    assert loader.load_system().timeouts.move_timeout_sec == expected


@requirement("001-COMP-08", "003-TREE-05", "003-SDK-08")
def test_a_file_is_read_once(build, tmp_path):
    loader = build({"system": {"system_id": "first"}})
    assert loader.load_system().system_id == "first"
    (tmp_path / "config" / "system.json").write_text('{"system_id": "second"}')
    assert loader.load_system() is loader.load_system()
    assert loader.load_system().system_id == "first"


@requirement("001-COMP-08", "003-TREE-05", "003-SDK-08")
def test_a_file_is_read_only_when_it_is_asked_for(build):
    loader = build({"games/games_registry": "no JSON at all"})
    loader.load_system()
    with pytest.raises(ConfigError, match="games_registry"):
        loader.load_games_registry()


@requirement("001-COMP-08", "003-TREE-05", "003-SDK-08")
def test_the_agents_are_read_once_too(build):
    loader = build(agents(players=[player(1)]))
    assert loader.load_agents() is loader.load_agents()


@requirement("project-CFG-03")
def test_a_file_that_is_missing_is_replaced_by_the_defaults_and_said_so(build):
    loader = build({"defaults/player": None})
    assert loader.load_player_defaults().default_settings.strategy == "random"
    assert any("config/defaults/player.json does not exist" in line for line in loader.warnings)


def test_settings_cannot_be_changed(build):
    system = build().load_system()
    with pytest.raises(ValueError, match="frozen"):
        system.timeouts.move_timeout_sec = 1


@requirement("000-LM-START-05", "000-LM-FAIL-03", "003-SDK-02", "project-CFG-02")
def test_validate_lists_every_problem_of_every_source_at_once(build):
    loader = build(
        {
            "system": {"timeouts": {"move_timeout_sec": "soon"}, "logging": {"level": "LOUD"}},
            "agents/agents_config": {"players": [{"player_id": "P01"}]},
            "leagues/cup": {"league_id": "cup", "game_type": "Chess!"},
            "defaults/player": "[]",
        },
        {"LEAGUE_RETRY_POLICY__MAX_RETRIES": "-1"},
    )
    with pytest.raises(ConfigError) as caught:
        loader.validate()
    lines = str(caught.value).splitlines()
    assert lines[0] == "The configuration cannot be used, 6 problems:"
    for expected in (
        'config/system.json: timeouts.move_timeout_sec is "soon"; expected a number',
        "environment variable LEAGUE_RETRY_POLICY__MAX_RETRIES: retry_policy.max_retries is -1; expected a number of 0",
        'config/system.json: logging.level is "LOUD"; expected',
        "config/agents/agents_config.json: players[0].endpoint: is missing",
        'config/leagues/cup.json: game_type is "Chess!"; expected a game',
        "config/defaults/player.json: expected a JSON object",
    ):
        assert any(line.strip().startswith(expected) for line in lines), expected


def test_a_wrong_variable_for_leagues_is_reported_once_however_many_leagues_there_are(build):
    loader = build(
        {"leagues/second": {"league_id": "second", "game_type": "chess"}, "system": {"default_league": "cup"}},
        {"LEAGUE_LEAGUE__MAX_ATTEMPTS": "0"},
    )
    with pytest.raises(ConfigError) as caught:
        loader.validate()
    assert len(caught.value.problems) == 1


def test_validate_returns_the_warnings(build):
    assert build().validate() == []
    (warning,) = build({"system": {"timeout": {}}}).validate()
    assert warning == "config/system.json: unknown field timeout; did you mean timeouts?"


def test_validate_refuses_a_default_league_that_has_no_file(build):
    with pytest.raises(ConfigError, match=r"there is no league 'other'; known leagues: cup"):
        build({"system": {"default_league": "other"}}).validate()


# --- agents


@requirement("001-COMP-08", "003-SDK-09")
def test_agents_are_found_by_id(build):
    loader = build(agents(players=[player(1, display_name="Ann")], referees=[referee(1)]))
    assert loader.get_player_by_id("P01").display_name == "Ann"
    assert loader.get_referee_by_id("REF01").endpoint == "http://localhost:8001/mcp"


@requirement("001-COMP-08", "003-SDK-09")
def test_an_unknown_agent_is_a_value_error_that_names_those_that_are_known(build):
    loader = build(agents(players=[player(1), player(2)]))
    with pytest.raises(ValueError, match=r"Player not found: P03; known ids: P01, P02"):
        loader.get_player_by_id("P03")
    with pytest.raises(UnknownAgent, match=r"Referee not found: REF01; known ids: none"):
        loader.get_referee_by_id("REF01")


@requirement("003-CONF-05", "003-CONF-07")
def test_an_agent_that_says_nothing_gets_the_defaults_of_its_role(build):
    loader = build(
        agents(
            players=[player(1), player(2, strategy="mirror")], referees=[referee(1), referee(2, max_concurrent_games=4)]
        )
        | {
            "defaults/player": {"default_settings": {"strategy": "pattern"}},
            "defaults/referee": {"default_settings": {"max_concurrent_games": 7}},
        }
    )
    assert [p.strategy for p in loader.load_agents().players] == ["pattern", "mirror"]
    assert [r.max_concurrent_matches for r in loader.load_agents().referees] == [7, 4]


def test_a_stronger_source_for_the_defaults_wins_over_what_the_registry_says(build):
    loader = build(
        agents(players=[player(2, strategy="mirror")], referees=[referee(2, max_concurrent_games=4)]),
        {"LEAGUE_REFEREE__MAX_CONCURRENT_GAMES": "9"},
        {"player.strategy": "frequency"},
    )
    assert loader.get_player_by_id("P02").strategy == "frequency"
    assert loader.get_referee_by_id("REF02").max_concurrent_matches == 9


# --- leagues


def test_a_league_is_found_by_its_id(build):
    assert build().load_league("cup").game_type == "chess"


def test_without_an_id_the_default_league_is_meant(build):
    second = {"leagues/second": {"league_id": "second", "game_type": "go"}}
    assert build(second | {"system": {"default_league": "second"}}).load_league().league_id == "second"


def test_the_only_league_needs_no_naming(build):
    assert build().load_league().league_id == "cup"


def test_of_several_leagues_one_has_to_be_named(build):
    loader = build({"leagues/second": {"league_id": "second", "game_type": "go"}})
    with pytest.raises(ConfigError, match=r"default_league is null; expected one of cup, second"):
        loader.load_league()


def test_without_any_league_the_message_says_where_one_would_be(build):
    with pytest.raises(ConfigError, match=r"there is no file in leagues/"):
        build({"leagues/cup": None}).load_league()


@pytest.mark.parametrize("name", ["absent", "../system", "a/b", ".cup", "x" * 65])
def test_an_unknown_league_is_refused_by_naming_those_that_are_known(build, name):
    with pytest.raises(ConfigError, match=r"[Kk]nown leagues: cup"):
        build().load_league(name)


def test_a_league_can_be_a_file_elsewhere(build, tmp_path):
    (tmp_path / "mine.json").write_text('{"league_id": "own", "game_type": "go"}')
    loader = build()
    assert loader.load_league("mine.json").league_id == "own"
    assert loader.load_league(str(tmp_path / "mine.json")).league_id == "own"


def test_a_league_file_that_does_not_exist_is_an_error(build):
    with pytest.raises(ConfigError, match=r"gone\.json: does not exist"):
        build().load_league("gone.json")


def test_a_league_must_be_called_like_its_file(build):
    loader = build({"leagues/cup": {"league_id": "mug", "game_type": "chess"}})
    with pytest.raises(ConfigError, match='league_id is "mug"; expected cup'):
        loader.load_league("cup")


def test_variables_reach_the_league(build):
    loader = build(environ={"LEAGUE_LEAGUE__SCORING__WIN_POINTS": "2", "LEAGUE_LEAGUE__RULES__ROUNDS": "9"})
    assert loader.load_league("cup").scoring.win_points == 2
    assert loader.load_league("cup").rules == {"rounds": 9}


def test_a_game_leads_to_the_default_league_when_that_plays_it(build):
    files = {"leagues/another": {"league_id": "another", "game_type": "chess"}, "system": {"default_league": "cup"}}
    assert build(files).league_for_game("chess").league_id == "cup"


def test_a_game_leads_to_the_first_league_that_plays_it(build):
    files = {"leagues/second": {"league_id": "second", "game_type": "go"}}
    assert build(files).league_for_game("go").league_id == "second"


def test_a_game_that_no_league_plays_gets_one_with_the_default_rules(build):
    league = build().league_for_game("checkers")
    assert (league.league_id, league.game_type, league.scoring.win_points) == ("league_checkers", "checkers", 3)


def test_variables_reach_a_league_that_has_no_file(build):
    loader = build(environ={"LEAGUE_LEAGUE__SCORING__WIN_POINTS": "2", "LEAGUE_LEAGUE__RULES__ROUNDS": "9"})
    league = loader.league_for_game("checkers")
    assert (league.game_type, league.scoring.win_points, league.rules) == ("checkers", 2, {"rounds": 9})


# --- rules


@requirement("001-PRIN-04", "001-CONF-03")
def test_the_rules_take_everything_from_the_configuration(build):
    league = {
        "league_id": "cup",
        "game_type": "chess",
        "display_name": "The Cup",
        "scoring": {
            "win_points": 2,
            "technical_loss_points": 0,
            "tiebreakers": ["points"],
            "departed_results": "expunge_below_half",
        },
        "participants": {
            "min_players": 3,
            "max_players": 9,
            "max_referees": 4,
            "expected_players": 5,
            "standings_window": 50,
            "absences_before_sitting_out": 5,
            "referees_expected": [{"display_name": "Rex", "endpoint": "http://rex:8001/mcp"}],
        },
        "max_attempts": 2,
        "on_bad_move": "tell",
        "seed": 42,
        "rules": {"rounds": 9},
    }
    loader = build({"leagues/cup": league, "system": {"registration_timeout_sec": 12}})
    rules = loader.league_rules("cup")
    assert dataclasses.asdict(rules) == {
        "league_id": "cup",
        "game_type": "chess",
        "display_name": "The Cup",
        "scoring": {"win": 2, "draw": 1, "loss": 0, "technical_loss": 0},
        "tiebreakers": ("points",),
        "min_players": 3,
        "max_players": 9,
        "max_referees": 4,
        "expected_players": 5,
        "expected_referees": 1,
        "registration_timeout_sec": 12,
        "roster": {},
        "referee_roster": {},
        "max_attempts": 2,
        "on_bad_move": "tell",
        "seed": "42",
        "game_options": {"rounds": 9},
        "timeouts": {},
        "match_delay_sec": 0.0,
        "start_date": None,
        "registration_deadline": None,
        "stages": ({"format": "round_robin", "options": {}, "advance": 0},),
        "equal_meetings": True,
        "standings_window": 50,
        "departed_results": "expunge_below_half",
        "overlapping_rounds": False,
        "absences_before_sitting_out": 5,
        "referees_expected": {"Rex": "http://rex:8001/mcp"},
    }


def test_the_registry_reserves_ids_by_name_and_says_how_many_are_expected(build):
    registry = agents(
        players=[player(1, display_name="Ann"), player(2), player(3, display_name="Cy", status="SUSPENDED")],
        referees=[referee(1, display_name="Rita"), referee(2, game_types=["go"])],
    )
    rules = build(registry).league_rules()
    assert rules.roster == {"Ann": "P01", "P02": "P02", "Cy": "P03"}
    assert rules.referee_roster == {"Rita": "REF01", "REF02": "REF02"}
    assert (rules.expected_players, rules.expected_referees) == (2, 1)


@pytest.mark.parametrize("place", ["players", "participants"])
def test_a_league_can_seat_a_part_of_the_registry(build, place):
    listed = (
        {"players": ["P02", "P03"]} if place == "players" else {"participants": {"registered_players": ["P02", "P03"]}}
    )
    league = {"league_id": "cup", "game_type": "chess", "referees": ["REF02"], **listed}
    registry = agents(players=[player(n) for n in (1, 2, 3)], referees=[referee(1), referee(2)])
    rules = build({"leagues/cup": league} | registry).league_rules()
    assert list(rules.roster.values()) == ["P02", "P03"]
    assert list(rules.referee_roster.values()) == ["REF02"]


def test_a_registry_with_too_few_players_leaves_the_number_open(build):
    assert build(agents(players=[player(1)])).league_rules().expected_players is None


def test_the_league_decides_over_the_system_when_registration_ends(build):
    league = {"league_id": "cup", "game_type": "chess", "registration_timeout_sec": 0}
    assert build({"leagues/cup": league}).league_rules().registration_timeout_sec == 0


def test_rules_can_be_changed_for_one_league(build):
    loader = build()
    rules = loader.league_rules("cup", as_id="cup-2", expected_players=6, seed=None, game_type="go")
    assert (rules.league_id, rules.expected_players, rules.seed, rules.game_type) == ("cup-2", 6, None, "go")
    assert loader.league_rules(loader.load_league("cup")).league_id == "cup"


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"expected_players": 1}, "1 players do not fit; expected 2 to 10000"),
        ({"max_players": 3, "expected_players": 4}, "4 players do not fit; expected 2 to 3"),
        ({"min_players": 5, "max_players": 3}, "at least 5 players, but at most 3, cannot be"),
        ({"expected_referees": 101}, "101 referees do not fit; expected 1 to 100"),
        ({"expected_referees": 0}, "0 referees do not fit; expected 1 to 100"),
    ],
)
def test_changes_that_do_not_fit_are_refused(build, changes, message):
    with pytest.raises(ConfigError, match=message):
        build().league_rules(**changes)


# --- time limits


PARITY = {"default_settings": {"parity_choice_timeout_sec": 20, "move_timeout_sec": 15}}


def test_without_a_game_the_referees_own_limit_holds(build):
    assert build({"defaults/referee": PARITY}).timeouts_for().move_timeout_sec == 15


def test_a_limit_for_the_games_choice_field_wins_over_the_general_one(build):
    loader = build({"defaults/referee": PARITY})
    assert loader.timeouts_for("parity_choice").move_timeout_sec == 20
    assert loader.timeouts_for("move").move_timeout_sec == 15


def test_the_leagues_own_limit_wins_over_that_of_the_referees(build):
    league = {"league_id": "cup", "game_type": "chess", "timeouts": {"move_timeout_sec": 9}}
    loader = build({"defaults/referee": PARITY, "leagues/cup": league})
    own = loader.league_rules("cup").timeouts
    assert own == {"move_timeout_sec": 9}
    assert loader.timeouts_for("parity_choice", own).move_timeout_sec == 9
    assert loader.timeouts_for("parity_choice").move_timeout_sec == 20


def test_a_general_flag_wins_over_the_leagues_own_limit_and_its_own_flag_over_that(build):
    league = {"league_id": "cup", "game_type": "chess", "timeouts": {"move_timeout_sec": 9}}
    assert build({"leagues/cup": league}, overrides={MOVE: 2}).league_rules("cup").timeouts == {}
    flags = {MOVE: 2, "league.timeouts.move_timeout_sec": 4}
    assert build({"leagues/cup": league}, overrides=flags).league_rules("cup").timeouts == {"move_timeout_sec": 4}
    narrow = {"LEAGUE_REFEREE__PARITY_CHOICE_TIMEOUT_SEC": "4"}
    assert build({"leagues/cup": league}, narrow).league_rules("cup").timeouts == {}


def test_a_general_variable_wins_over_a_narrow_setting_in_a_file(build):
    loader = build({"defaults/referee": PARITY}, {MOVE_VARIABLE: "3"})
    assert loader.timeouts_for("parity_choice").move_timeout_sec == 3


def test_a_narrow_variable_wins_over_a_general_one(build):
    loader = build(environ={MOVE_VARIABLE: "3", "LEAGUE_REFEREE__PARITY_CHOICE_TIMEOUT_SEC": "4"})
    assert loader.timeouts_for("parity_choice").move_timeout_sec == 4
    assert loader.timeouts_for("other").move_timeout_sec == 3


def test_a_general_flag_wins_over_a_narrow_variable(build):
    loader = build(environ={"LEAGUE_REFEREE__PARITY_CHOICE_TIMEOUT_SEC": "4"}, overrides={MOVE: 2})
    assert loader.timeouts_for("parity_choice").move_timeout_sec == 2


@requirement("000-CL-TIME-01")
def test_limits_that_nobody_sets_are_those_in_code(build):
    timeouts = build().timeouts_for("parity_choice")
    limits = (timeouts.game_join_timeout_sec, timeouts.move_timeout_sec, timeouts.generic_response_timeout_sec)
    assert limits == (5, 30, 10)
    assert timeouts.http_request_timeout_sec == 5


def test_a_league_from_a_file_elsewhere_has_its_limits_too(build, tmp_path):
    (tmp_path / "own.json").write_text('{"league_id": "own", "game_type": "go", "timeouts": {"move_timeout_sec": 1}}')
    assert build().league_rules("own.json").timeouts == {"move_timeout_sec": 1}


def test_the_join_limit_follows_the_same_order(build):
    loader = build({"defaults/referee": {"default_settings": {"game_join_ack_timeout_sec": 2}}})
    assert loader.timeouts_for().game_join_timeout_sec == 2


def test_a_limit_that_is_changed_for_everything_but_not_for_a_game_is_pointed_out(build):
    shipped = {"default_settings": {"parity_choice_timeout_sec": 30, "game_join_timeout_sec": 5}}
    (warning,) = build({"defaults/referee": shipped, "system": {"timeouts": {"move_timeout_sec": 3}}}).validate()
    assert warning == (
        "config/defaults/referee.json: default_settings.parity_choice_timeout_sec is still 30 and wins over "
        "timeouts.move_timeout_sec = 3 in config/system.json; change it as well, or remove it"
    )


def test_a_limit_that_was_chosen_for_a_game_is_not_pointed_out(build):
    chosen = {"default_settings": {"parity_choice_timeout_sec": 60}}
    assert build({"defaults/referee": chosen, "system": {"timeouts": {"move_timeout_sec": 3}}}).validate() == []


# --- logging


def test_agents_log_as_their_role_says_else_as_the_system_does(build):
    loader = build(
        {
            "system": {"logging": {"level": "WARNING", "rotation_mb": 1}},
            "defaults/referee": {"logging": {"level": "debug"}},
        }
    )
    assert loader.logging_for("referee").level == "DEBUG"
    assert loader.logging_for("player").level == "WARNING"
    assert loader.logging_for("league_manager").level == "WARNING"
    assert loader.logging_for("referee").rotation_mb == 1


def test_a_variable_for_all_logging_wins_over_the_file_of_one_role(build):
    loader = build({"defaults/player": {"logging": {"level": "INFO"}}}, {"LEAGUE_LOGGING__LEVEL": "ERROR"})
    assert loader.logging_for("player").level == "ERROR"


# --- where from


def test_the_loader_says_which_folder_it_reads(build, tmp_path):
    loader = build()
    assert (loader.root, loader.origin) == (tmp_path / "config", "in the current directory")


def test_a_folder_that_is_named_is_read(build, tmp_path):
    build({"system": {"system_id": "here"}})
    loader = ConfigLoader(tmp_path / "config", {}, cwd=Path("/"))
    assert loader.load_system().system_id == "here"


def test_the_environment_of_the_process_is_the_default(monkeypatch, build, tmp_path):
    build({"system": {}})
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv(MOVE_VARIABLE, "4")
    assert ConfigLoader().load_system().timeouts.move_timeout_sec == 4
