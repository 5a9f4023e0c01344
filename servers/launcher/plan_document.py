"""The plan of a run as JSON, in the records and as `run.json`."""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields, replace
from pathlib import Path
from typing import Any, TypeAlias

from league_sdk.domain.events import LeagueCreated, event_to_json
from league_sdk.domain.league import League
from league_sdk.domain.records.deserialization import build
from league_sdk.domain.records.serialization import plain
from league_sdk.settings import Workspace, read_secret, write_secret
from servers.agent.agent_spec import AgentSpec
from servers.launcher.run_options import PlanError

PLAN_FILE = "run.json"
_Agent: TypeAlias = Mapping[str, Any]
_ONE, _MANY = ("manager", "seats"), ("referees", "players", "spare")
_MADE_ANEW = frozenset({"neighbours", "expected", "auth_token", "token_kept", "plan"})
_LEFT_OUT = _MADE_ANEW | {"operator_token", "rules", "function", "store_url", "leave", "place_reports"}


def plan_file(workspace: Workspace, league_id: str) -> Path:
    return workspace.league_dir(league_id) / PLAN_FILE


def agent_to_json(spec: AgentSpec) -> dict[str, Any]:
    """A specification without secrets, and without all that is made anew."""
    return {each.name: plain(getattr(spec, each.name)) for each in fields(spec) if each.name not in _LEFT_OUT}


def agent_from_json(document: Mapping[str, Any], operator_token: str) -> AgentSpec:
    spec: AgentSpec = build(AgentSpec, document)
    return replace(spec, operator_token=operator_token)


def recorded_form(document: Mapping[str, Any]) -> dict[str, Any]:
    """The plan of a document as it is recorded: what all agents share stands once."""
    first, *others = _agents(document)
    shared = {
        key: value for key, value in first.items() if all(key in agent and agent[key] == value for agent in others)
    }
    plan = {"shared": shared, **_each(document, lambda agent: _without(agent, shared))}
    return json.loads(json.dumps(plan, default=str))  # as it is read again


def document_of(plan: Mapping[str, Any]) -> dict[str, Any]:
    """The agents of a recorded plan, each in full."""
    return _each(plan, lambda agent: {**plan["shared"], **agent})


def project_plan(workspace: Workspace, league: League, config: Path | None = None) -> None:
    """Write `run.json` as the records have it, if they have a plan.

    Args:
        workspace: The folder, perhaps another one than the plan was made in.
        league: The league as it is recorded.
        config: The configuration of all its agents; None for that of the plan.

    Raises:
        PlanError: The configuration of the plan is not on this machine.
    """
    if not league.plan:
        return
    document = document_of(league.plan)
    text = read_secret(plan_file(workspace, league.league_id))
    if config is None and text is not None and _is_of(text, league.plan):
        return
    made = _moved(workspace, league.league_id, config)
    write_document(workspace, league.league_id, LeagueCreated(league.rules), _each(document, made))


def write_document(workspace: Workspace, league_id: str, created: LeagueCreated, agents: Mapping[str, Any]) -> None:
    document = {"league_id": league_id, "created": event_to_json(created), **agents}
    write_secret(plan_file(workspace, league_id), json.dumps(document, indent=2, default=str) + "\n")


def _moved(workspace: Workspace, league_id: str, config: Path | None) -> Callable[[_Agent], dict[str, Any]]:
    """Changes the specification of an agent to the paths of this machine."""

    def here(path: str, root: str) -> str:
        inside = Path(path).is_relative_to(root)
        return str(workspace.root.absolute() / Path(path).relative_to(root)) if inside else path

    def made(agent: _Agent) -> dict[str, Any]:
        root, known = agent["workspace"], agent["config"]
        found = str(config.absolute()) if config else here(known, root) if known else None
        if found and not Path(found).is_dir():
            raise PlanError(
                f"league {league_id!r} was started with the configuration in {found}, which is not on this machine: "
                "name its folder with --config"
            )
        roster = here(agent["roster"], root) if agent["roster"] else ""
        return {**agent, "workspace": str(workspace.root.absolute()), "config": found, "roster": roster}

    return made


def _is_of(text: str, plan: Mapping[str, Any]) -> bool:
    """True for a `run.json` that tells the plan, perhaps with other paths."""
    try:
        return _everywhere(json.loads(text)) == _everywhere(document_of(plan))
    except (ValueError, KeyError, TypeError):
        return False


def _everywhere(document: Mapping[str, Any]) -> dict[str, Any]:
    return _each(document, lambda agent: {**agent, "workspace": "", "config": "", "roster": bool(agent["roster"])})


def _agents(document: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    for key in _ONE:
        if key in document:
            yield document[key]
    for key in _MANY:
        yield from document.get(key, ())


def _each(document: Mapping[str, Any], change: Callable[[_Agent], dict[str, Any]]) -> dict[str, Any]:
    """The agents of a document, each changed."""
    one = {key: change(document[key]) for key in _ONE if key in document}
    return one | {key: [change(agent) for agent in document[key]] for key in _MANY if key in document}


def _without(agent: Mapping[str, Any], shared: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in agent.items() if key not in shared}
