import json
import re

import pytest

from league_sdk.domain.model import LeagueRules
from league_sdk.settings import ConfigError, LeagueConfig
from tests.requirements.marker import requirement


def refusal(build, **fields):
    loader = build({"leagues/cup": {"league_id": "cup", "game_type": "chess", **fields}})
    with pytest.raises(ConfigError) as caught:
        loader.load_league("cup")
    return str(caught.value)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"participants": {"min_players": 5, "max_players": 4}}, "a max_players that is not below min_players"),
        ({"participants": {"max_players": 4, "expected_players": 5}}, "an expected_players between"),
        ({"participants": {"max_referees": 1, "expected_referees": 2}}, "an expected_referees that is not above"),
        ({"participants": {"min_players": 1}}, "participants.min_players is 1; expected a number of 2 or more"),
        ({"scoring": {"tiebreakers": ["points", "luck"]}}, "unknown tie-breaker 'luck'; known: points, wins, .*"),
        ({"scoring": {"tiebreakers": []}}, "a list that is not empty"),
        ({"scoring": {"win_points": -3}}, "scoring.win_points is -3; expected a number of 0 or more"),
        ({"schedule": {"algorithm": "Swiss!"}}, "expected a format's name, such as round_robin"),
        ({"format": "swiss", "schedule": {"algorithm": "knockout"}}, "expected a format and a schedule.algorithm"),
        (
            {"format": "swiss", "schedule": {"stages": [{"format": "knockout"}]}},
            "expected either schedule.stages or one format",
        ),
        ({"game_type": "Chess"}, "a game's name: lower-case letters"),
        ({"seed": True}, "seed is true; expected a text in quotes"),
    ],
)
def test_a_league_that_cannot_be_played_is_refused(build, fields, message):
    assert re.search(message, refusal(build, **fields))


def test_a_league_without_its_game_is_refused_with_what_is_missing(build):
    with pytest.raises(ConfigError, match=r"cup\.json: game_type: is missing. The one game of this league"):
        build({"leagues/cup": {"league_id": "cup"}}).load_league("cup")


@requirement("001-PERF-01")
def test_the_defaults_of_a_league_are_those_of_the_domain(build):
    rules = build().league_rules("cup")
    assert rules == LeagueRules("cup", "chess", display_name="cup")
    assert LeagueConfig(league_id="cup", game_type="chess").player_ids == ()


def test_a_game_stands_in_the_registry_once(build):
    entry = {"game_type": "chess", "rules_module": "x"}
    with pytest.raises(ConfigError, match="one entry a game, but chess"):
        build({"games/games_registry": {"games": [entry, entry]}}).load_games_registry()


def test_a_game_has_room_for_its_players(build):
    entry = {"game_type": "chess", "rules_module": "x", "min_players": 3}
    with pytest.raises(ConfigError, match=r"games\[0\]: expected a max_players"):
        build({"games/games_registry": {"games": [entry]}}).load_games_registry()


@requirement("003-CONF-04")
def test_a_game_is_found_in_the_registry_by_its_name(build):
    registry = build(
        {"games/games_registry": {"games": [{"game_type": "chess", "rules_module": "x"}]}}
    ).load_games_registry()
    found = registry.game("chess")
    assert found is not None
    assert found.rules_module == "x"
    assert registry.game("go") is None


@pytest.mark.parametrize("league_id", ["", "../x", "a/b", ".hidden", "x" * 65, "cup 1"])
def test_an_id_that_could_be_no_files_name_is_refused(build, tmp_path, league_id):
    (tmp_path / "own.json").write_text(json.dumps({"league_id": league_id, "game_type": "chess"}))
    with pytest.raises(ConfigError, match=r"league_id is .*; expected 1 to 64 letters"):
        build().load_league("own.json")
