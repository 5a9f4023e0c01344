"""Plans of `league run`, from its options."""

import contextlib
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import anyio

from league_sdk.clock import SystemIds
from league_sdk.domain.model import PointsBy
from league_sdk.settings import ConfigLoader
from servers.agent.class_roster import class_of
from servers.agent.security import authorities
from servers.cli import common
from servers.cli.class_defaults import with_class_defaults
from servers.launcher.plan import LaunchPlan, make_plan
from servers.launcher.port_check import check_ports
from servers.launcher.ray_cluster import is_ray
from servers.launcher.referee_scaling import RefereeRange
from servers.launcher.requirements import check_here
from servers.launcher.run_options import PlanError, PlayerSpec, RunOptions, introduced


def players_of(
    named: list[str] | None, data: Path | None, with_class: bool, guests: int, seats: bool
) -> dict[str, Any]:
    """The players named, and the guests: the students of a class if it is for one."""
    found: dict[str, Any] = {"players": tuple(PlayerSpec.parse(text) for text in named or ()), "seats": seats}
    if not with_class:
        return found | {"guests": guests}
    roster = class_of(common.workspace_of(data))
    return found | {"guests": guests or roster.invited, "roster": str(roster.path.absolute())}


def referees_of(text: str | None) -> dict[str, Any]:
    if text is None:
        return {}
    limits = RefereeRange.parse(text)
    return {"referees": limits.fewest, "most_referees": limits.most if limits.most > limits.fewest else None}


def settings_of(
    join: float | None, move: float | None, response: float | None, points_by: PointsBy | None
) -> dict[str, float | str | None]:
    """Settings that have an option of their own."""
    seconds = {"game_join": join, "move": move, "generic_response": response}
    limits = {f"timeouts__{name}_timeout_sec": limit for name, limit in seconds.items()}
    return {"league__scoring__points_by": points_by, **limits}


def planned(options: RunOptions) -> LaunchPlan:
    """Make and save the plan of a run, with the names of remote players filled in."""
    if options.roster:
        options = replace(options, overrides=with_class_defaults(options.config, options.overrides))
    loader = ConfigLoader(options.config, overrides=options.overrides)
    if any(player.url and not player.name for player in options.players):
        trusted = authorities(loader.load_system().security)
        options = replace(options, players=anyio.run(introduced, options.players, trusted))
    plan = make_plan(options, SystemIds().token(), check_ports)
    common.warn(ConfigLoader(options.config, overrides=options.overrides))
    plan.save()
    if options.league_id not in (None, plan.league_id):
        common.print_err(f"league: {options.league_id} was cancelled; this one is {plan.league_id}")
    return plan


def planned_there(options: RunOptions, on: str) -> LaunchPlan:
    """Make the plan of a run that another process carries out."""
    if is_ray(on):
        from servers.launcher.ray_place import ray_plan

        with ray_plan(on, store_of(options), lambda: planned(replace(options, port_base=0))) as (_, plan):
            return plan
    plan = planned(options)
    check_here(plan.players)
    return plan


def format_options_of(given: list[str] | None, **named: int | None) -> dict[str, Any]:
    options: dict[str, Any] = {name: value for name, value in named.items() if value is not None}
    for text in given or ():
        name, equals, value = text.partition("=")
        if not equals:
            raise PlanError(f"--format-option {text!r}: expected NAME=VALUE, such as third_place=true")
        with contextlib.suppress(ValueError):
            value = json.loads(value)
        options[name.strip()] = value
    return options


def store_of(options: RunOptions) -> str | None:
    return options.store_url or ConfigLoader(options.config, overrides=options.overrides).load_system().store_url
