"""Converts a league's configuration to the domain's rules."""

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from league_sdk.domain.model import LeagueRules
from league_sdk.settings.agents import AgentsConfig, PlayerConfig, RefereeConfig
from league_sdk.settings.league import LeagueConfig
from league_sdk.settings.problems import NOTHING, ConfigError, Problem

A = TypeVar("A", PlayerConfig, RefereeConfig)


def rules_of(
    config: LeagueConfig,
    agents: AgentsConfig,
    registration_timeout_sec: float,
    timeouts: Mapping[str, float],
    changes: dict[str, Any],
) -> LeagueRules:
    """The rules of a league, with the registry's places; `changes` to fields win."""
    players, referees = listed_players(config, agents), listed_referees(config, agents)
    _check_led(config, agents)
    who = config.participants
    timeout = config.registration_timeout_sec
    present = len(taking_part(players, config.game_type))
    rules = LeagueRules(
        league_id=config.league_id,
        game_type=config.game_type,
        display_name=config.display_name or config.league_id,
        scoring=config.scoring.points,
        tiebreakers=config.scoring.tiebreakers,
        min_players=who.min_players,
        max_players=who.max_players,
        max_referees=who.max_referees,
        expected_players=who.expected_players or (present if present >= who.min_players else None),
        expected_referees=who.expected_referees or max(1, len(taking_part(referees, config.game_type))),
        registration_timeout_sec=registration_timeout_sec if timeout is None else timeout,
        roster={player.display_name: player.player_id for player in players},
        referee_roster={referee.display_name: referee.referee_id for referee in referees},
        max_attempts=config.max_attempts,
        seed=config.seed,
        game_options=config.rules,
        timeouts=timeouts,
        match_delay_sec=config.schedule.match_delay_sec or 0.0,
        start_date=config.schedule.start_date,
        registration_deadline=config.schedule.registration_deadline,
        stages=config.stages,
        standings_window=who.standings_window,
        departed_results=config.scoring.departed_results,
        referees_expected={referee.display_name: referee.endpoint for referee in who.referees_expected},
        absences_before_sitting_out=who.absences_before_sitting_out,
        overlapping_rounds=config.schedule.rounds == "overlapping",
        on_bad_move=config.on_bad_move,
    )
    rules = dataclasses.replace(rules, **changes)
    problem = _misfit(rules)
    if problem:
        raise ConfigError([Problem(f"league {rules.league_id}", "", NOTHING, problem)])
    return rules


def _check_led(config: LeagueConfig, agents: AgentsConfig) -> None:
    """Refuse an inactive league or manager, and a manager of other leagues."""
    manager, named, registry = agents.league_manager, config.league_manager, "agents/agents_config.json"
    source = f"league {config.league_id}"
    if config.status != "ACTIVE":
        raise ConfigError([Problem(source, "status", config.status, '"ACTIVE" for a league that is to be played')])
    if not manager.active:
        problem = "true, and a status other than SUSPENDED and SHUTDOWN: this manager starts no league"
        raise ConfigError([Problem(registry, "league_manager.active", False, problem)])
    if named not in (None, manager.manager_id):
        known = f"{manager.manager_id}, the manager in {registry}"
        raise ConfigError([Problem(source, "league_manager", named, known)])


def listed_players(config: LeagueConfig, agents: AgentsConfig) -> list[PlayerConfig]:
    """Players of the registry with a place in a league: those it lists, or all."""
    return [player for player in agents.players if _listed(player.player_id, config.player_ids)]


def listed_referees(config: LeagueConfig, agents: AgentsConfig) -> list[RefereeConfig]:
    """Referees of the registry with a place in a league: those it lists, or all."""
    return [referee for referee in agents.referees if _listed(referee.referee_id, config.referees)]


def taking_part(agents: Sequence[A], game_type: str) -> list[A]:
    """Agents that are active and play the game."""
    return [agent for agent in agents if agent.active and (not agent.game_types or game_type in agent.game_types)]


def _listed(agent_id: str, listed: Sequence[str]) -> bool:
    return not listed or agent_id in listed


def _misfit(rules: LeagueRules) -> str | None:
    expected = rules.expected_players
    if rules.min_players > rules.max_players:
        return f"at least {rules.min_players} players, but at most {rules.max_players}, cannot be"
    if expected is not None and not rules.min_players <= expected <= rules.max_players:
        return f"{expected} players do not fit; expected {rules.min_players} to {rules.max_players}"
    if not 1 <= rules.expected_referees <= rules.max_referees:
        return f"{rules.expected_referees} referees do not fit; expected 1 to {rules.max_referees}"
    return None
