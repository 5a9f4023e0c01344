"""A league as one JSON object, as printed by `--json`."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from league_sdk.domain.events import LeagueCompleted, LeagueStarted, Record
from league_sdk.domain.league import League
from league_sdk.domain.league_state import NO_CHAMPION
from league_sdk.domain.model import Agent
from league_sdk.domain.ranking.standing import Standing
from league_sdk.domain.ranking.standings import id_order
from league_sdk.protocol.envelope import utc
from league_sdk.settings import Workspace
from servers.read_model.columns import COMMAND_LINE, Audience, seen_by, to_json
from servers.read_model.rows import in_order, league_json, match_json
from servers.read_model.text import printable


def standing_json(row: Standing) -> dict[str, Any]:
    return to_json(seen_by(Audience.OPERATOR, COMMAND_LINE), row)


def dialects_json(league: League, agent_ids: Iterable[str] | None = None) -> dict[str, str]:
    """Dialects by agent id; of all agents by default."""
    agents = {**league.players, **league.referees}
    chosen = agents if agent_ids is None else [agent_id for agent_id in agent_ids if agent_id in agents]
    return {agent_id: agents[agent_id].dialect for agent_id in sorted(chosen, key=id_order)}


def matches_json(league: League) -> list[dict[str, Any]]:
    return [match_json(league, fixture) for scheduled in league.rounds for fixture in scheduled.fixtures]


def run_json(
    league: League, records: Sequence[Record], workspace: Workspace, strategies: Mapping[str, str]
) -> dict[str, Any]:
    standings = league.standings()
    champions = [standing_json(row) for row in standings if row.player_id in league.champions]
    return {
        **league_json(league),
        "seed": league.rules.seed,
        "players": [
            {**_agent_json("player_id", player), "strategy": strategies.get(player.display_name)}
            for player in in_order(league.players.values())
        ],
        "referees": [_agent_json("referee_id", referee) for referee in in_order(league.referees.values())],
        "total_rounds": league.total_rounds,
        "total_matches": league.total_matches,
        "matches": matches_json(league),
        "void_matches": dict(league.voided),
        "durations": durations(records),
        "standings": [standing_json(row) for row in standings],
        "champion": champions[0] if champions else None,
        "champions": champions,
        **({} if champions or str(league.state) != "COMPLETED" else {"no_champion": NO_CHAMPION}),
        "record_head": {"sequence": records[-1].sequence, "digest": records[-1].digest},
        "spending": spending_json(workspace, league.league_id),
        "paths": {
            "data": str(workspace.league_dir(league.league_id)),
            "matches": str(workspace.data / "matches" / league.league_id),
            "logs": str(workspace.logs),
        },
    }


def _agent_json(id_name: str, agent: Agent) -> dict[str, Any]:
    return {
        id_name: agent.agent_id,
        "display_name": agent.display_name,
        "endpoint": agent.endpoint,
        "dialect": agent.dialect,
    }


def spending_json(workspace: Workspace, league_id: str, match_id: str | None = None) -> dict[str, Any]:
    """Costs of language models by display name; empty without any."""
    if not (workspace.data / "spending").is_dir():
        return {}
    from league_sdk.stores import SpendingRepository  # brings a database that many a command does without

    ledger = SpendingRepository(league_id, workspace.data)
    spent = {
        player: ledger.of_player(player) if match_id is None else ledger.of_match(match_id, player)
        for player in ledger.players()
    }
    return {player: sum_.to_json() | {"text": str(sum_)} for player, sum_ in spent.items() if sum_.requests}


def spending_lines(spending: Mapping[str, Any]) -> list[str]:
    """The same for a person, a line for each player."""
    return [f"Language model of {printable(player)}: {spent['text']}" for player, spent in spending.items()]


def durations(records: Sequence[Record]) -> dict[str, float]:
    at = {type(record.event): utc(record.at) for record in records}
    first, last = utc(records[0].at), utc(records[-1].at)
    started, ended = at.get(LeagueStarted, last), at.get(LeagueCompleted, last)
    return {
        "registration_sec": round((started - first).total_seconds(), 3),
        "play_sec": round((ended - started).total_seconds(), 3),
        "total_sec": round((ended - first).total_seconds(), 3),
    }
