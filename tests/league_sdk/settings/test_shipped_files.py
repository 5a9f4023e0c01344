"""The files that are shipped, and those that the requirement documents show."""

import importlib
import json
from pathlib import Path
from typing import Any

import pytest

from league_sdk import plugins
from league_sdk.settings import (
    ConfigLoader,
    LeagueConfig,
    LeagueTimeouts,
    PlayerDefaults,
    RefereeDefaults,
    SystemConfig,
)
from league_sdk.settings.base import Section
from tests.requirements.marker import requirement

CONFIG = Path(__file__).parents[3] / "config"
GAMES = ["even_odd", "rock_paper_scissors", "tic_tac_toe"]


@pytest.fixture
def shipped() -> ConfigLoader:
    return ConfigLoader(CONFIG, {}, cwd=CONFIG.parent)


def test_the_shipped_files_raise_neither_problem_nor_warning(shipped):
    assert shipped.validate() == []


@requirement("001-DIR-01", "003-TREE-02", "003-CONF-05")
def test_every_file_of_the_configuration_layer_is_there():
    files = {str(path.relative_to(CONFIG)) for path in CONFIG.rglob("*.json")}
    assert files == {
        "system.json",
        "agents/agents_config.json",
        "games/games_registry.json",
        "defaults/referee.json",
        "defaults/player.json",
        *(f"leagues/league_{game}.json" for game in GAMES),
    }


def values(section: Section, name: str = "") -> dict[str, Any]:
    found: dict[str, Any] = {}
    for field in type(section).model_fields:
        value = getattr(section, field)
        found |= values(value, f"{name}{field}.") if isinstance(value, Section) else {f"{name}{field}": value}
    return found


def differences(file: str, model: Section) -> dict[str, Any]:
    """Values of a file that differ from the defaults in code, unless code leaves them open."""
    loader = ConfigLoader(CONFIG, {}, cwd=CONFIG.parent)
    loaded = loader._sources.load(file, type(model))
    defaults = values(model)
    return {k: v for k, v in values(loaded).items() if v != defaults[k] and defaults[k] is not None}


def test_the_defaults_in_code_are_those_of_the_shipped_files():
    assert differences("system.json", SystemConfig()) == {}
    assert differences("defaults/referee.json", RefereeDefaults()) == {}
    assert differences("defaults/player.json", PlayerDefaults()) == {}
    for game in GAMES:
        code = LeagueConfig(league_id=f"league_{game}", game_type=game)
        different = differences(f"leagues/league_{game}.json", code)
        assert set(different) <= {"display_name", "rules"}


@requirement("001-CONF-01", "003-CONF-01", "003-TECH-02")
def test_the_shipped_system_file_shows_every_setting():
    given = json.loads((CONFIG / "system.json").read_text())
    for name, value in values(SystemConfig()).items():
        here: Any = given
        for step in name.split("."):
            assert step in here, f"{name} is not in config/system.json, where its default is {value}"
            here = here[step]


@requirement("003-CONF-06")
def test_limits_of_the_referees_are_those_of_the_system(shipped):
    for field in ("parity_choice", "move", None):
        assert shipped.timeouts_for(field) == SystemConfig().timeouts
    assert shipped.load_league().timeouts == LeagueTimeouts()


@requirement(
    "000-LM-START-01",
    "000-REF-START-01",
    "000-PL-START-01",
    "003-CONF-02",
    "003-PORT-01",
    "003-PORT-02",
    "003-LM-01",
    "003-REF-01",
    "003-PLAYER-01",
    "003-TECH-02",
    "004-APP-01",
)
def test_the_agents_have_the_ports_names_and_strategies_of_the_documents(shipped):
    agents = shipped.load_agents()
    assert agents.league_manager.endpoint == "http://localhost:8000/mcp"
    assert [(r.referee_id, r.endpoint) for r in agents.referees] == [
        ("REF01", "http://localhost:8001/mcp"),
        ("REF02", "http://localhost:8002/mcp"),
    ]
    assert [(p.player_id, p.display_name, p.endpoint, p.strategy) for p in agents.players] == [
        ("P01", "Agent Alpha", "http://localhost:8101/mcp", "random"),
        ("P02", "Agent Beta", "http://localhost:8102/mcp", "frequency"),
        ("P03", "Agent Gamma", "http://localhost:8103/mcp", "pattern"),
        ("P04", "Agent Delta", "http://localhost:8104/mcp", "alternating"),
    ]


def test_the_strategies_of_the_registry_exist(shipped):
    for player in shipped.load_agents().players:
        assert plugins.strategy(player.strategy)
    assert plugins.strategy(shipped.load_player_defaults().default_settings.strategy)


@requirement("003-CONF-04")
@pytest.mark.parametrize("game_type", GAMES)
def test_the_registry_of_games_agrees_with_the_games(shipped, game_type):
    entry = shipped.load_games_registry().game(game_type)
    game = plugins.game(game_type)
    assert (entry.display_name, entry.min_players, entry.max_players) == (
        game.display_name,
        game.min_players,
        game.max_players,
    )
    assert type(game).__module__ == entry.rules_module
    assert importlib.import_module(entry.rules_module)


@pytest.mark.parametrize("game_type", GAMES)
def test_every_game_has_a_league_whose_options_it_takes(shipped, game_type):
    league = shipped.league_for_game(game_type)
    assert league.league_id == f"league_{game_type}"
    assert plugins.game(game_type, options=league.rules)
    rules = shipped.league_rules(league)
    assert (rules.expected_players, rules.expected_referees) == (4, 2)
    assert rules.roster == {"Agent Alpha": "P01", "Agent Beta": "P02", "Agent Gamma": "P03", "Agent Delta": "P04"}


# --- the forms in which the requirement documents show these files

SHOWN_FIRST = {
    "system": {
        "schema_version": "1.0.0",
        "system_id": "league_system_prod",
        "protocol_version": "league.v2",
        "timeouts": {"move_timeout_sec": 30, "generic_response_timeout_sec": 10},
        "retry_policy": {"max_retries": 3, "backoff_strategy": "exponential"},
    },
    "agents/agents_config": {
        "schema_version": "1.0.0",
        "league_manager": {"id": "LM01", "endpoint": "http://localhost:8000/mcp", "status": "ACTIVE"},
        "referees": [
            {
                "id": "REF01",
                "endpoint": "http://localhost:8001/mcp",
                "supported_games": ["even_odd"],
                "status": "ACTIVE",
            }
        ],
        "players": [
            {
                "id": "P01",
                "display_name": "Player One",
                "endpoint": "http://localhost:8101/mcp",
                "status": "REGISTERED",
            }
        ],
    },
    "leagues/cup": {
        "league_id": "cup",
        "game_type": "even_odd",
        "status": "ACTIVE",
        "scoring": {"win_points": 3, "draw_points": 1, "loss_points": 0},
        "participants": {"min_players": 2, "max_players": 10000},
        "schedule": {"algorithm": "round_robin", "total_rounds": 3},
    },
    "games/games_registry": {
        "schema_version": "1.0.0",
        "games": [
            {
                "game_type": "even_odd",
                "display_name": "Even-Odd Parity Game",
                "rules_module": "game_logic.even_odd",
                "max_round_time_sec": 30,
                "min_players": 2,
                "max_players": 2,
                "description": "Players predict parity of a random number 1-10",
            }
        ],
    },
    "defaults/referee": {
        "schema_version": "1.0.0",
        "default_settings": {
            "game_join_timeout_sec": 5,
            "parity_choice_timeout_sec": 30,
            "max_concurrent_games": 1,
            "retry_on_timeout": False,
        },
        "logging": {"level": "INFO", "format": "jsonl"},
    },
    "defaults/player": {
        "schema_version": "1.0.0",
        "default_settings": {"response_timeout_sec": 5, "strategy": "random", "auto_register": True},
        "logging": {"level": "INFO", "format": "jsonl"},
    },
}

SHOWN_SECOND = {
    "system": {
        "protocol_version": "league.v2",
        "network": {
            "base_host": "localhost",
            "league_manager_port": 8000,
            "referee_port_range": [8001, 8010],
            "player_port_range": [8101, 8200],
        },
        "timeouts": {
            "move_timeout_sec": 30,
            "game_join_ack_timeout_sec": 5,
            "generic_response_timeout_sec": 10,
            "http_request_timeout_sec": 5,
        },
        "retry_policy": {"max_retries": 3, "backoff_strategy": "exponential", "backoff_base_sec": 1},
        "circuit_breaker": {"failure_threshold": 5, "timeout_sec": 30, "half_open_max_calls": 1},
        "logging": {"level": "INFO", "format": "jsonl", "rotation_mb": 100},
    },
    "agents/agents_config": {
        "league_manager": {
            "manager_id": "LEAGUE_MANAGER_01",
            "display_name": "Central League Manager",
            "endpoint": "http://localhost:8000/mcp",
            "version": "1.0.0",
        },
        "referees": [
            {
                "referee_id": "REF01",
                "display_name": "Referee Alpha",
                "endpoint": "http://localhost:8001/mcp",
                "version": "1.0.0",
                "game_types": ["even_odd"],
                "max_concurrent_matches": 2,
                "active": True,
            }
        ],
        "players": [
            {
                "player_id": "P01",
                "display_name": "Agent Alpha",
                "endpoint": "http://localhost:8101/mcp",
                "version": "1.0.0",
                "game_types": ["even_odd"],
                "strategy": "random",
            }
        ],
    },
    "leagues/cup": {
        "league_id": "cup",
        "display_name": "Even/Odd Championship",
        "game_type": "even_odd",
        "format": "round_robin",
        "scoring": {"win_points": 3, "draw_points": 1, "loss_points": 0, "technical_loss_points": 0},
        "participants": {"min_players": 2, "max_players": 10, "registered_players": []},
        "schedule": {"start_date": "2025-12-31T00:00:00Z", "match_delay_sec": 5},
        "rules": {"number_range_min": 1, "number_range_max": 10, "draw_on_both_wrong": True},
    },
}


@requirement("001-CONF-02", "001-CONF-03", "003-CONF-02", "003-CONF-03")
@pytest.mark.parametrize("files", [SHOWN_FIRST, SHOWN_SECOND], ids=["003", "001"])
def test_the_files_that_the_documents_show_are_read_without_a_warning(build, files):
    loader = build(files)
    assert loader.validate() == []
    assert loader.get_referee_by_id("REF01").game_types == ("even_odd",)
    assert loader.get_player_by_id("P01").endpoint == "http://localhost:8101/mcp"
    assert loader.timeouts_for("parity_choice") == SystemConfig().timeouts


@requirement("001-CONF-02", "001-CONF-03", "003-CONF-02", "003-CONF-03")
def test_both_spellings_mean_the_same(build):
    first = build(SHOWN_FIRST)
    first.validate()
    second = build(SHOWN_SECOND)
    assert first.load_agents().league_manager.manager_id == "LM01"
    assert second.load_agents().league_manager.manager_id == "LEAGUE_MANAGER_01"
    assert first.get_referee_by_id("REF01").max_concurrent_matches == 1
    assert second.get_referee_by_id("REF01").max_concurrent_matches == 2
    assert second.load_league("cup").rules["number_range_max"] == 10


def test_the_older_names_of_ports_are_read(build):
    network = {
        "base_host": "localhost",
        "default_league_manager_port": 8000,
        "default_referee_port_range": [8001, 8099],
        "default_player_port_range": [8101, 8200],
    }
    assert build({"system": {"network": network}}).load_system() == SystemConfig()
