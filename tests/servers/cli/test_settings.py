"""Every documented setting has an effect that a test sees, is refused when changed, or is said to have none."""

import ast
import json
import shutil
from collections.abc import Callable
from contextlib import AsyncExitStack
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import anyio
import pytest

from docs.generators.configuration import FILES, leaves
from league_sdk.dialect import V1
from league_sdk.domain.model import LeagueRules, Role
from league_sdk.settings import ConfigError, ConfigLoader
from league_sdk.settings.base import Informational
from servers.agent import bootstrap
from servers.agent.agent_spec import AgentSpec
from servers.agent.bootstrap import AgentContext, agent_context
from servers.league_manager import main as manager
from servers.referee import main as referee
from tests.league_sdk.testing.compliance.handmade import Call, Handmade, served
from tests.ports import free_base
from tests.requirements.marker import requirement

ROOT = Path(__file__).parents[3]
SYSTEM, AGENTS, LEAGUE, GAMES, REFEREE, PLAYER = (name for name, _, _ in FILES)
Setting = tuple[str, str]

REFUSED: dict[Setting, Any] = {
    (SYSTEM, "protocol_version"): "league.v9",
    (SYSTEM, "retry_policy.backoff_strategy"): "linear",
    (SYSTEM, "schema_version"): "2.0.0",
    (AGENTS, "schema_version"): "2.0.0",
    (LEAGUE, "schema_version"): "2.0.0",
    (GAMES, "schema_version"): "2.0.0",
    (REFEREE, "schema_version"): "2.0.0",
    (PLAYER, "schema_version"): "2.0.0",
    (SYSTEM, "logging.format"): "text",
    (REFEREE, "logging.format"): "text",
    (PLAYER, "logging.format"): "text",
}
"""Settings that have one value: another one is refused in a sentence that names the field."""


KEPT_OUT: dict[Setting, tuple[Any, str]] = {
    (LEAGUE, "status"): ("SUSPENDED", 'status is "SUSPENDED"; expected "ACTIVE"'),
    (LEAGUE, "league_manager"): ("LM02", 'league_manager is "LM02"; expected LM01'),
    (LEAGUE, "matches_per_round"): (3, "matches_per_round is 3; 4 players have 2"),
    (LEAGUE, "participants.min_players"): (5, "4 players do not fit; expected 5 to 10000"),
    (LEAGUE, "participants.max_players"): (3, "4 players do not fit; expected 2 to 3"),
    (LEAGUE, "participants.max_referees"): (1, "2 referees do not fit; expected 1 to 1"),
    (AGENTS, "league_manager.status"): ("SUSPENDED", "league_manager.active is false; expected true"),
    (AGENTS, "league_manager.active"): (False, "league_manager.active is false; expected true"),
    (AGENTS, "league_manager.manager_id"): ("LM02", 'league_manager is "LM01"; expected LM02'),
    (GAMES, "games[].min_players"): (1, "even_odd.min_players is 1; expected 2, as the installed game has it"),
    (GAMES, "games[].max_players"): (4, "even_odd.max_players is 4; expected 2, as the installed game has it"),
    (GAMES, "games[].game_type"): ("tic_tac_toe", "tic_tac_toe.max_players is 7; expected 2"),
}
"""Settings by which a league is not started at all: the value, and the sentence that is said."""


def _rules(tools: AgentContext) -> LeagueRules:
    return tools.config.league_rules("league_even_odd")


def _serving(tools: AgentContext) -> Any:
    """The arguments of this agent's server."""
    return tools._listen(SimpleNamespace(refuse_body=None), [], None)  # type: ignore[arg-type]


BUILT: dict[Setting, tuple[Any, Callable[[Any], Any]]] = {
    (SYSTEM, "heartbeat_interval_sec"): (2.5, lambda tools: tools.outbound.sessions._settings.heartbeat_interval),
    (SYSTEM, "timeouts.http_request_timeout_sec"): (7.5, lambda tools: tools.outbound.sessions._settings.open_timeout),
    (SYSTEM, "timeouts.generic_response_timeout_sec"): (
        7.5,
        lambda tools: manager._timeouts(tools, _rules(tools)).response,
    ),
    (SYSTEM, "timeouts.match_timeout_sec"): (75.0, lambda tools: manager._timeouts(tools, _rules(tools)).match),
    (SYSTEM, "timeouts.referee_timeout_sec"): (
        7.5,
        lambda tools: manager._timeouts(tools, _rules(tools)).silence,
    ),
    (SYSTEM, "timeouts.referee_trial_sec"): (0.7, lambda tools: manager._timeouts(tools, _rules(tools)).trial),
    (SYSTEM, "timeouts.seats_away_sec"): (7.5, lambda tools: referee._limits(tools)("", {}).seats),
    (SYSTEM, "retry_policy.max_retries"): (7, lambda tools: tools.outbound.retry.max_retries),
    (SYSTEM, "retry_policy.backoff_base_sec"): (0.5, lambda tools: tools.outbound.retry.base),
    (SYSTEM, "retry_policy.backoff_max_sec"): (7.5, lambda tools: tools.outbound.retry.max_delay),
    (SYSTEM, "circuit_breaker.failure_threshold"): (7, lambda tools: tools.outbound.breakers._settings.threshold),
    (SYSTEM, "circuit_breaker.timeout_sec"): (7.5, lambda tools: tools.outbound.breakers._settings.reset_timeout),
    (SYSTEM, "circuit_breaker.half_open_max_calls"): (
        7,
        lambda tools: tools.outbound.breakers._settings.half_open_max_calls,
    ),
    (SYSTEM, "protocol.lenient"): (False, lambda tools: tools.outbound.derivations is not None),
    (SYSTEM, "logging.level"): ("ERROR", lambda tools: "WARNING" if tools.logs.wants("WARNING") else "ERROR"),
    (SYSTEM, "logging.rotation_mb"): (7.0, lambda tools: tools.logs._max_bytes / 1_000_000),
    (SYSTEM, "logging.rotation_backups"): (7, lambda tools: tools.logs._backups),
    (SYSTEM, "security.join_secret"): ("open sesame", lambda tools: manager._admission(tools)._join_secret),
    (SYSTEM, "security.registrations_per_address"): (7, lambda tools: manager._admission(tools)._per_address),
    (SYSTEM, "security.allowed_hosts"): (["league.example"], lambda tools: [*_serving(tools)["allowed_hosts"]]),
    (SYSTEM, "security.max_message_bytes"): (200_000, lambda tools: _serving(tools)["max_body"]),
    (SYSTEM, "security.max_json_depth"): (20, lambda tools: tools.codec._bounds.depth),
    (SYSTEM, "security.max_text_length"): (3000, lambda tools: tools.codec._bounds.text),
    (SYSTEM, "security.max_items"): (2000, lambda tools: tools.codec._bounds.items),
    (SYSTEM, "limits.max_concurrent_calls"): (7, lambda tools: tools.inbound_queue()._others._concurrency),
    (SYSTEM, "limits.queue_capacity"): (7, lambda tools: tools.outbound.queue._capacity),
    (SYSTEM, "limits.queue_patience_sec"): (7.5, lambda tools: tools.outbound.queue._patience),
    (SYSTEM, "limits.session_idle_sec"): (7.5, lambda tools: tools.outbound.sessions._settings.idle_timeout),
    (SYSTEM, "limits.requests_per_sec"): (7.5, lambda tools: tools.throttle()._agents._rate.per_sec),
    (SYSTEM, "limits.request_burst"): (7, lambda tools: tools.throttle()._agents._rate.burst),
    (SYSTEM, "limits.stranger_requests_per_sec"): (7.5, lambda tools: tools.throttle()._strangers._rate.per_sec),
    (SYSTEM, "limits.stranger_burst"): (7, lambda tools: tools.throttle()._strangers._rate.burst),
    (SYSTEM, "limits.max_connections"): (77, lambda tools: _serving(tools)["limits"].total),
    (SYSTEM, "limits.max_connections_per_address"): (7, lambda tools: _serving(tools)["limits"].per_address),
    (SYSTEM, "limits.max_connections_per_agent"): (7, lambda tools: _serving(tools)["limits"].per_identity),
    (SYSTEM, "limits.client_patience_sec"): (7.5, lambda tools: _serving(tools)["limits"].patience),
    (LEAGUE, "timeouts.generic_response_timeout_sec"): (
        2.5,
        lambda tools: manager._timeouts(tools, _rules(tools)).response,
    ),
    (REFEREE, "default_settings.retry_on_timeout"): (False, lambda tools: referee._retries(tools) > 0),
    (REFEREE, "default_settings.game_join_timeout_sec"): (2.5, lambda tools: tools.dialects[V1]._join_sec),
    (REFEREE, "default_settings.move_timeout_sec"): (2.5, lambda tools: referee._limits(tools)("choice", {}).move),
}
"""Parts of agents by the setting that they are made of: the changed value, and where it is seen.

What these parts do with it is tested beside them.
"""

PLAYED: dict[Setting, tuple[Any, Callable[[Any], Any]]] = {
    (SYSTEM, "default_league"): ("cup", lambda seen: seen["found"]["league_id"]),
    (SYSTEM, "network.base_host"): ("127.0.0.1", lambda seen: seen["plan"]["manager"]["public_host"]),
    (SYSTEM, "network.league_manager_port"): (0, lambda seen: seen["plan"]["manager"]["port"] - seen["base"]),
    (SYSTEM, "network.referee_port_range"): ([7, 8], lambda seen: _ports(seen, "referees")),
    (SYSTEM, "network.player_port_range"): ([21, 22, 23], lambda seen: _ports(seen, "players")),
    (AGENTS, "league_manager.display_name"): ("Boss", lambda seen: seen["plan"]["manager"]["name"]),
    (AGENTS, "referees[].display_name"): (["Rex", "Tess"], lambda seen: _names(seen, "referees")),
    (AGENTS, "referees[].active"): (2, lambda seen: len(seen["found"]["referees"])),
    (AGENTS, "referees[].status"): (2, lambda seen: len(seen["found"]["referees"])),
    (AGENTS, "referees[].game_types"): (2, lambda seen: len(seen["found"]["referees"])),
    (AGENTS, "referees[].referee_id"): (["Rex", "Tess"], lambda seen: _names(seen, "referees")),
    (AGENTS, "referees[].max_concurrent_matches"): (3, lambda seen: _referee(seen, "Rex")["max_concurrent_matches"]),
    (AGENTS, "players[].player_id"): (["Uma", "Vic", "Zed"], lambda seen: _names(seen, "players")),
    (AGENTS, "players[].display_name"): (["Uma", "Vic", "Zed"], lambda seen: _names(seen, "players")),
    (AGENTS, "players[].active"): (3, lambda seen: len(seen["found"]["players"])),
    (AGENTS, "players[].status"): (3, lambda seen: len(seen["found"]["players"])),
    (AGENTS, "players[].game_types"): (3, lambda seen: len(seen["found"]["players"])),
    (AGENTS, "players[].strategy"): ("mirror", lambda seen: _strategies(seen)["Uma"]),
    (PLAYER, "default_settings.strategy"): ("frequency", lambda seen: _strategies(seen)["Vic"]),
    (LEAGUE, "league_id"): ("cup", lambda seen: seen["found"]["league_id"]),
    (LEAGUE, "display_name"): ("The Cup", lambda seen: seen["plan"]["created"]["rules"]["display_name"]),
    (LEAGUE, "game_type"): ("even_odd", lambda seen: seen["found"]["game_type"]),
    (LEAGUE, "scoring.win_points"): (True, lambda seen: _points(seen) <= {(7, 2), (2, 7), (4, 4)}),
    (LEAGUE, "scoring.draw_points"): (True, lambda seen: _points(seen) <= {(7, 2), (2, 7), (4, 4)}),
    (LEAGUE, "scoring.loss_points"): (True, lambda seen: _points(seen) <= {(7, 2), (2, 7), (4, 4)}),
    (LEAGUE, "players"): (["Uma", "Vic", "Zed"], lambda seen: _names(seen, "players")),
    (LEAGUE, "referees"): (["Rex", "Tess"], lambda seen: _names(seen, "referees")),
    (LEAGUE, "schedule.algorithm"): (["swiss"], lambda seen: _stages(seen, "format")),
    (LEAGUE, "schedule.options"): (1, lambda seen: len(seen["found"]["matches"])),
    (REFEREE, "default_settings.max_concurrent_matches"): (
        6,
        lambda seen: _referee(seen, "Tess")["max_concurrent_matches"],
    ),
    (REFEREE, "logging.level"): ([], lambda seen: _logged(seen, "REF01", "INFO")),
    (PLAYER, "logging.level"): ([], lambda seen: _logged(seen, "P01", "INFO")),
    (LEAGUE, "seed"): ("99", lambda seen: seen["found"]["seed"]),
    (LEAGUE, "rules"): (True, lambda seen: _drawn(seen) <= {41, 42}),
}
"""One league with many settings changed, and where each is seen in it."""

_LOADER = "tests/league_sdk/settings/test_loader.py::"
_PLAN = "tests/servers/launcher/test_plan.py::"
_COURSE = "tests/servers/league_manager/test_league_runner.py::"
_MODEL = "tests/servers/player/test_language_model.py::"
_EXPECTED = "tests/dialects/test_other_roles.py::test_a_bare_referee_leads_the_matches_of_mcp_and_bare_players"
_TLS = "tests/security/test_tls.py::test_a_whole_league_over_tls"

_WEBHOOK = "tests/servers/league_manager/test_webhook.py::"

ELSEWHERE: dict[Setting, str] = {
    (SYSTEM, "notify.webhook"): "tests/end_to_end/test_webhook.py::test_a_whole_league_tells_its_webhook",
    (SYSTEM, "notify.shape"): f"{_WEBHOOK}test_agents_words_are_text_in_every_shape",
    (SYSTEM, "notify.secret_file"): f"{_WEBHOOK}test_settings_that_do_not_belong_together_are_refused",
    (SYSTEM, "notify.allowed_targets"): f"{_WEBHOOK}test_a_target_that_is_not_on_the_list_gets_nothing",
    (SYSTEM, "notify.events"): f"{_WEBHOOK}test_only_what_is_asked_for_is_told",
    (SYSTEM, "notify.stall_after_sec"): f"{_WEBHOOK}test_a_league_in_which_nothing_happens_is_told_once",
    (LEAGUE, "schedule.rounds"): "tests/servers/league_manager/test_overlapping_rounds.py::"
    "test_a_slow_match_holds_up_its_own_players_alone",
    (AGENTS, "league_manager.endpoint"): (
        "tests/servers/cli/test_common.py::test_a_manager_of_the_registry_on_another_machine_is_looked_for_there"
    ),
    (AGENTS, "players[].endpoint"): f"{_PLAN}test_a_registered_player_on_another_machine_is_invited_there",
    (AGENTS, "players[].preferred_leagues"): f"{_PLAN}test_those_who_like_the_league_best_play_where_not_all_do",
    (AGENTS, "players[].requirements"): f"{_PLAN}test_a_registered_player_has_the_requirements_of_the_registry",
    (LEAGUE, "scoring.points_by"): (
        "tests/servers/launcher/test_league_stages.py::test_points_by_series_rank_before_all_others"
    ),
    (LEAGUE, "schedule.total_rounds"): (
        "tests/servers/launcher/test_league_stages.py"
        "::test_the_rounds_of_the_file_are_those_of_a_format_that_takes_them"
    ),
    (SYSTEM, "manager_absence_sec"): "tests/servers/agent/test_manager_heartbeat.py"
    "::test_a_manager_that_is_away_for_too_long_is_given_up",
    (SYSTEM, "store_url"): "tests/servers/cli/test_run.py::test_a_store_of_ones_own_is_used_and_remembered",
    (SYSTEM, "registration_timeout_sec"): f"{_LOADER}test_the_league_decides_over_the_system_when_registration_ends",
    (SYSTEM, "network.bind_host"): "tests/servers/launcher/test_plan.py::test_the_address_to_listen_on_can_be_chosen",
    (SYSTEM, "timeouts.move_timeout_sec"): f"{_LOADER}test_the_strongest_source_that_gives_a_value_wins",
    (SYSTEM, "timeouts.game_join_timeout_sec"): f"{_LOADER}test_the_join_limit_follows_the_same_order",
    (SYSTEM, "security.token_ttl_sec"): (
        "tests/security/test_tokens.py::test_an_old_token_has_expired_and_a_return_in_time_renews_it"
    ),
    (SYSTEM, "security.allowed_endpoints"): (
        "tests/security/test_registration.py::test_and_whom_its_operator_has_listed"
    ),
    (SYSTEM, "security.trusted_proxies"): (
        "tests/security/test_proxies.py::test_metrics_are_for_the_callers_address_and_not_for_the_proxys"
    ),
    (SYSTEM, "security.metrics_token"): "tests/servers/observability/test_health.py"
    "::test_a_token_of_their_own_opens_the_metrics_from_anywhere",
    (SYSTEM, "security.metrics_readers"): "tests/servers/observability/test_health.py::test_nobody_else_may",
    (SYSTEM, "security.tls_cert"): _TLS,
    (SYSTEM, "security.tls_key"): _TLS,
    (SYSTEM, "security.tls_ca"): _TLS,
    (LEAGUE, "participants.standings_window"): (
        "tests/servers/league_manager/test_message_sizes.py"
        "::test_a_player_is_told_the_top_and_its_own_row_with_its_neighbours"
    ),
    (SYSTEM, "security.referee_secret"): (
        "tests/servers/agent/test_referee_secret.py::test_a_league_makes_its_secret_once_for_its_owner_alone"
    ),
    (LEAGUE, "participants.referees_expected[].display_name"): _EXPECTED,
    (LEAGUE, "participants.referees_expected[].endpoint"): _EXPECTED,
    (LEAGUE, "participants.absences_before_sitting_out"): (
        "tests/league_sdk/domain/participants/test_sitting_out.py"
        "::test_a_player_that_misses_every_try_in_three_matches_running_sits_out"
    ),
    (LEAGUE, "registration_timeout_sec"): f"{_LOADER}test_the_league_decides_over_the_system_when_registration_ends",
    (LEAGUE, "max_attempts"): f"{_COURSE}test_a_match_that_nobody_can_referee_is_void_and_the_league_still_completes",
    (LEAGUE, "scoring.departed_results"): (
        "tests/servers/launcher/test_league_stages.py::test_results_can_be_expunged_only_where_the_schedule_is_settled"
    ),
    (SYSTEM, "security.require_check"): (
        "tests/servers/league_manager/test_class.py"
        "::test_a_league_that_asks_for_the_check_admits_who_has_passed_it_and_names_what_failed"
    ),
    (PLAYER, "default_settings.response_timeout_sec"): (
        "tests/servers/player/test_runtime.py::test_a_strategy_is_told_over_the_wire_until_when_it_may_think"
    ),
    (PLAYER, "default_settings.on_bad_move"): (
        "tests/servers/player/test_bad_moves.py::test_what_the_invitation_asks_for_wins_over_the_players_own_setting"
    ),
    (LEAGUE, "on_bad_move"): (
        "tests/servers/launcher/test_league_stages.py"
        "::test_classes_and_ladders_are_told_of_bad_moves_unless_the_file_says_otherwise"
    ),
    (PLAYER, "default_settings.auto_register"): (
        "tests/servers/cli/test_foreground_agents.py::test_a_player_that_is_configured_not_to_register_waits_to_be_called"
    ),
    **{
        (PLAYER, f"default_settings.llm.{name}"): f"{_MODEL}test_it_is_asked_as_configured"
        for name in ("model", "temperature", "thinking", "max_tokens")
    },
    (PLAYER, "default_settings.llm.base_url"): f"{_MODEL}test_a_server_of_ones_own_needs_no_key_but_a_price",
    (PLAYER, "default_settings.llm.prompt"): (
        "tests/servers/cli/test_language_models.py::test_with_a_prompt_that_is_not_there"
    ),
    (PLAYER, "default_settings.llm.timeout_sec"): (
        "tests/servers/player/test_strategy_loader.py::test_when_it_is_slow_the_fallback_plays_in_time"
    ),
    (PLAYER, "default_settings.llm.max_cost_per_league"): (
        "tests/servers/player/test_strategy_loader.py::test_when_the_cap_is_reached_nobody_is_asked"
    ),
    (PLAYER, "default_settings.llm.input_price"): f"{_MODEL}test_prices_of_ones_own_count_more_than_published_ones",
    (PLAYER, "default_settings.llm.output_price"): f"{_MODEL}test_prices_of_ones_own_count_more_than_published_ones",
}
"""Settings whose effect another test sees."""

SETTINGS = {(file, path): field for file, model, _ in FILES for path, field in leaves(model)}


def _without_effect() -> set[Setting]:
    marks = {place: field.metadata for place, field in SETTINGS.items()}
    return {place for place, given in marks.items() if any(isinstance(mark, Informational) for mark in given)}


@requirement("001-CONF-01", "001-CONF-03", "003-CONF-01")
def test_every_setting_is_in_one_of_the_tables_and_nothing_else_is():
    seen = (set(BUILT), set(PLAYED), set(LED), set(REGISTERED), set(ELSEWHERE))
    tables = (set(REFUSED), set(KEPT_OUT), *seen, _without_effect())
    entries = [place for table in tables for place in table]
    assert sorted(set(SETTINGS) - set(entries)) == []
    assert sorted(set(entries) - set(SETTINGS)) == []
    assert sorted(place for place in set(entries) if entries.count(place) > 1) == []


@cache
def _tests(file: str) -> frozenset[str]:
    nodes = ast.walk(ast.parse((ROOT / file).read_text(encoding="utf-8")))
    return frozenset(node.name for node in nodes if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))


def test_the_tests_that_see_an_effect_exist():
    split = {place: test.split("::") for place, test in ELSEWHERE.items()}
    assert [place for place, (file, name) in split.items() if name not in _tests(file)] == []


def _file_with(folder: Path, file: str, path: str, value: Any) -> None:
    """Write a folder of settings in which one has another value."""
    shutil.copytree(ROOT / "config", folder)
    target = folder / file.replace("LEAGUE", "league_even_odd")
    document = json.loads(target.read_text(encoding="utf-8"))
    *sections, name = path.split(".")
    section = document
    for step in sections:
        section = section.setdefault(step, {})
    section[name] = value
    target.write_text(json.dumps(document), encoding="utf-8")


@pytest.mark.parametrize(("file", "path"), REFUSED, ids=lambda part: part)
def test_another_value_is_refused_in_a_sentence(tmp_path, file, path):
    _file_with(tmp_path / "config", file, path, REFUSED[file, path])
    with pytest.raises(ConfigError) as refused:
        ConfigLoader(tmp_path / "config", {}).validate()
    assert f"{path} is {json.dumps(REFUSED[file, path])}; expected" in str(refused.value)


@pytest.mark.anyio
@pytest.mark.parametrize(("file", "path"), BUILT, ids=lambda part: part)
async def test_an_agent_is_built_as_configured(tmp_path, monkeypatch, file, path):
    monkeypatch.setattr(bootstrap, "serve", lambda agent, **given: given)
    value, seen = BUILT[file, path]
    shutil.copytree(ROOT / "config", tmp_path / "usual")
    _file_with(tmp_path / "changed", file, path, value)
    observed: list[Any] = []
    async with AsyncExitStack() as stack:
        for config in ("usual", "changed"):
            spec = AgentSpec(Role.LEAGUE_MANAGER, "manager", tmp_path, tmp_path / config, game_types=("even_odd",))
            observed.append(seen(await stack.enter_async_context(agent_context(spec))))
    assert observed[1] == value
    assert observed[0] != value


def _ports(seen: Any, kind: str) -> list[int]:
    return [agent["port"] - seen["base"] for agent in seen["plan"][kind]]


def _names(seen: Any, kind: str) -> list[str]:
    return sorted(agent["name"] for agent in seen["plan"][kind])


def _referee(seen: Any, name: str) -> Any:
    (found,) = [agent for agent in seen["plan"]["referees"] if agent["name"] == name]
    return found


def _stages(seen: Any, field: str) -> list[Any]:
    return [stage[field] for stage in seen["plan"]["created"]["rules"]["stages"]]


def _logged(seen: Any, agent: str, level: str) -> list[str]:
    """The lines of a level in an agent's log."""
    file = seen["logs"] / "agents" / f"{agent}.log.jsonl"
    lines = file.read_text(encoding="utf-8").splitlines() if file.exists() else []
    return [line for line in lines if json.loads(line)["level"] == level]


def _strategies(seen: Any) -> dict[str, str]:
    return {agent["name"]: agent["strategy"] for agent in seen["plan"]["players"]}


def _points(seen: Any) -> set[tuple[int, ...]]:
    return {tuple(match["score"].values()) for match in seen["found"]["matches"]}


def _drawn(seen: Any) -> set[int]:
    return {match["details"]["drawn_number"] for match in seen["found"]["matches"]}


def test_a_league_shows_its_settings(league, tmp_path):
    base, config = free_base(), tmp_path / "config"
    shutil.copytree(ROOT / "config", config)

    def write(file: str, document: Any) -> None:
        (config / file).write_text(json.dumps(document), encoding="utf-8")

    def agent(kind: str, agent_id: str, name: str, **more: Any) -> Any:
        endpoint = f"http://localhost:9000/{agent_id}"
        return {f"{kind}_id": agent_id, "display_name": name, "endpoint": endpoint, **more}

    network = {
        "base_host": "127.0.0.1",
        "league_manager_port": base,
        "referee_port_range": [base + 7, base + 9],
        "player_port_range": [base + 21, base + 29],
    }
    write("system.json", {"default_league": "cup", "network": network})
    write("defaults/player.json", {"default_settings": {"strategy": "frequency"}, "logging": {"level": "ERROR"}})
    write(
        "defaults/referee.json",
        {"default_settings": {"max_concurrent_matches": 6}, "logging": {"level": "ERROR"}},
    )
    write(
        "agents/agents_config.json",
        {
            "league_manager": {"display_name": "Boss"},
            "referees": [
                agent("referee", "REF01", "Rex", max_concurrent_matches=3),
                agent("referee", "REF02", "Asleep", active=False),
                agent("referee", "REF03", "Sent off", status="SUSPENDED"),
                agent("referee", "REF04", "Of another game", game_types=["tic_tac_toe"]),
                agent("referee", "REF05", "Not listed"),
                agent("referee", "REF06", "Tess"),
            ],
            "players": [
                agent("player", "P01", "Zed"),
                agent("player", "P02", "Asleep", active=False),
                agent("player", "P03", "Sent off", status="SUSPENDED"),
                agent("player", "P04", "Of another game", game_types=["tic_tac_toe"]),
                agent("player", "P05", "Uma", strategy="mirror"),
                agent("player", "P06", "Vic"),
                agent("player", "P07", "Not listed"),
            ],
        },
    )
    write(
        "leagues/cup.json",
        {
            "league_id": "cup",
            "display_name": "The Cup",
            "game_type": "even_odd",
            "scoring": {"win_points": 7, "draw_points": 4, "loss_points": 2},
            "players": ["P01", "P02", "P03", "P04", "P05", "P06"],
            "referees": ["REF01", "REF02", "REF03", "REF04", "REF06"],
            "schedule": {"algorithm": "swiss", "options": {"rounds": 1}},
            "seed": "99",
            "rules": {"number_range_min": 41, "number_range_max": 42},
        },
    )
    ran = league("run", "--config", config, "--in-process", "--json", "--data", tmp_path)
    assert (ran.code, ran.err) == (0, "")
    data = tmp_path / "data"
    seen = {
        "base": base,
        "found": ran.json,
        "plan": json.loads((data / "leagues" / "cup" / "run.json").read_text(encoding="utf-8")),
        "logs": tmp_path / "logs",
    }
    assert {place: look(seen) for place, (_, look) in PLAYED.items()} == {
        place: value for place, (value, _) in PLAYED.items()
    }


LED: dict[Setting, tuple[Any, Callable[[Any], Any]]] = {
    (LEAGUE, "timeouts.move_timeout_sec"): ({7.5}, lambda seen: {call["time_limit_sec"] for call in seen["calls"]}),
    (LEAGUE, "timeouts.game_join_timeout_sec"): (
        True,
        lambda seen: seen["invitations"] > len(seen["found"]["matches"]),
    ),
    (LEAGUE, "scoring.technical_loss_points"): ({(3, 1)}, lambda seen: _points_by_player(seen)),
    (LEAGUE, "scoring.tiebreakers"): (["points", "fewest_losses"], lambda seen: _created(seen)["tiebreakers"]),
    (LEAGUE, "participants.expected_referees"): (3, lambda seen: len(seen["found"]["referees"])),
    (LEAGUE, "schedule.stages[].format"): (["round_robin", "knockout"], lambda seen: _stages(seen, "format")),
    (LEAGUE, "schedule.stages[].options"): (True, lambda seen: {1, 2} <= _rounds(seen)),
    (LEAGUE, "schedule.stages[].advance"): (3, lambda seen: len(seen["found"]["matches"])),
    (LEAGUE, "schedule.match_delay_sec"): (True, lambda seen: _pause(seen) >= 0.2),
    (LEAGUE, "schedule.registration_deadline"): (
        "2099-12-31T00:00:00Z",
        lambda seen: _created(seen)["registration_deadline"],
    ),
    (LEAGUE, "schedule.start_date"): (
        (True, True),
        lambda seen: (
            datetime.fromisoformat(_created(seen)["start_date"]) == seen["start"],
            min(_moments(seen, "created_at", 1)) >= seen["start"],
        ),
    ),
}
"""A league of two players that are called from outside: who is late once, and who never moves legally."""

REGISTERED: dict[Setting, tuple[Any, Callable[[Any], Any]]] = {
    (LEAGUE, "format"): (["swiss"], lambda seen: _stages(seen, "format")),
    (LEAGUE, "total_rounds"): ({1}, lambda seen: _rounds(seen)),
    (LEAGUE, "participants.registered_players"): (
        ["Agent Alpha", "Agent Delta"],
        lambda seen: [name for name in _names(seen, "players") if "'" not in name and not name[-1].isdigit()],
    ),
    (LEAGUE, "participants.expected_players"): (4, lambda seen: len(seen["found"]["players"])),
}
"""A league of some registered players and as many more as are expected."""


def _created(seen: Any) -> Any:
    return seen["plan"]["created"]["rules"]


def _points_by_player(seen: Any) -> set[tuple[int, int]]:
    return {(match["score"]["P01"], match["score"]["P02"]) for match in seen["found"]["matches"]}


def _rounds(seen: Any) -> set[int]:
    return {match["round_id"] for match in seen["found"]["matches"]}


def _moments(seen: Any, name: str, round_id: int) -> list[datetime]:
    files = [json.loads(file.read_text(encoding="utf-8")) for file in seen["matches"].glob("*.json")]
    return [datetime.fromisoformat(file["lifecycle"][name]) for file in files if file["round_id"] == round_id]


def _pause(seen: Any) -> float:
    return (min(_moments(seen, "created_at", 2)) - max(_moments(seen, "finished_at", 1))).total_seconds()


def _ran(league: Any, tmp_path: Path, document: Any, *arguments: Any) -> Any:
    """Run a league from a file; what is seen of it."""
    config, data = tmp_path / "config", tmp_path / "data"
    shutil.copytree(ROOT / "config", config)
    (config / "leagues" / "cup.json").write_text(
        json.dumps({"league_id": "cup", "game_type": "even_odd", **document}), encoding="utf-8"
    )
    calm = ("--set", "retry_policy.backoff_base_sec=0.01", "--set", "retry_policy.max_retries=3")
    run = ("run", "--config", config, "--league", "cup", "--port-base", free_base(), "--data", tmp_path)
    ran = league(*run, "--in-process", "--json", *calm, *arguments)
    assert (ran.code, ran.err) == (0, "")
    plan = json.loads((data / "leagues" / "cup" / "run.json").read_text(encoding="utf-8"))
    return {"found": ran.json, "plan": plan, "matches": data / "matches" / "cup"}


def test_a_league_leads_players_from_elsewhere_as_its_file_says(league, tmp_path):
    calls: list[Any] = []
    invitations = 0
    again = anyio.Event()

    async def late_once(call: Call) -> Any:
        nonlocal invitations
        if call.method == "handle_game_invitation":
            invitations += 1
            if invitations > 1:
                again.set()
            await again.wait()
        if call.method == "choose_parity":
            calls.append(call.params)
        return call.good

    async def wrong(call: Call) -> Any:
        return call.reply(parity_choice="EVEN") if call.method == "choose_parity" else call.good

    start = datetime.now(UTC) + timedelta(seconds=1.5)
    document = {
        "timeouts": {"move_timeout_sec": 7.5, "game_join_timeout_sec": 0.7},
        "scoring": {"technical_loss_points": 1, "tiebreakers": ["points", "fewest_losses"]},
        "participants": {"expected_referees": 3},
        "schedule": {
            "stages": [{"format": "round_robin", "options": {"cycles": 2}, "advance": 2}, {"format": "knockout"}],
            "match_delay_sec": 0.2,
            "start_date": start.isoformat(),
            "registration_deadline": "2099-12-31T00:00:00Z",
        },
    }
    with served({"ada": lambda: Handmade(late_once), "bob": lambda: Handmade(wrong, player_id="P02")}) as url:
        players = [f"name={name},url={url(name.lower())}" for name in ("Ada", "Bob")]
        seen = _ran(league, tmp_path, document, "--player", players[0], "--player", players[1])
    seen |= {"calls": calls, "invitations": invitations, "start": start}
    assert {place: look(seen) for place, (_, look) in LED.items()} == {
        place: value for place, (value, _) in LED.items()
    }


def test_a_league_takes_the_players_that_its_file_lists_and_more(league, tmp_path):
    document = {
        "format": "swiss",
        "total_rounds": 1,
        "participants": {"registered_players": ["P01", "P04"], "expected_players": 4},
    }
    seen = _ran(league, tmp_path, document)
    assert {place: look(seen) for place, (_, look) in REGISTERED.items()} == {
        place: value for place, (value, _) in REGISTERED.items()
    }


@pytest.mark.parametrize(("file", "path"), KEPT_OUT, ids=lambda part: part)
def test_a_league_is_not_started(league, tmp_path, file, path):
    config = tmp_path / "config"
    value, words = KEPT_OUT[file, path]
    _file_with(config, file, path.replace("games[].", ""), value)
    if file == GAMES:
        (config / GAMES).write_text(json.dumps({"games": [_entry(path.removeprefix("games[]."), value)]}))
    if path == "league_manager.manager_id":
        cup = config / "leagues" / "league_even_odd.json"
        cup.write_text(json.dumps({**json.loads(cup.read_text()), "league_manager": "LM01"}))
    game = ("--game", "tic_tac_toe") if path == "games[].game_type" else ()
    ran = league("run", "--config", config, "--data", tmp_path, "--in-process", *game)
    assert (ran.code, ran.out) == (2, "")
    assert words in ran.err


def _entry(name: str, value: Any) -> Any:
    """An entry of the registry of games, which fits Even/Odd but for one field."""
    usual = {"game_type": "even_odd", "rules_module": "game_rules.even_odd"}
    return {**usual, **({"max_players": 7} if name == "game_type" else {}), name: value}
