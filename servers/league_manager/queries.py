"""Answers to league queries: one function for each type of query."""

from collections.abc import Callable, Mapping
from typing import Any

from league_sdk.domain.league import League
from league_sdk.domain.model import Role
from league_sdk.errors import LeagueNotStarted, MissingField
from league_sdk.protocol import mapping
from league_sdk.protocol.queries import LeagueQuery, QueryParams
from league_sdk.protocol.rounds import RecordHead
from servers.agent.access import Caller


def answered(league: League, query: LeagueQuery, caller: Caller, head: RecordHead | None = None) -> dict[str, Any]:
    """The fields that answer a query.

    Args:
        league: The league.
        query: What is asked.
        caller: Who asks.
        head: The last record of the league.

    Raises:
        PlayerNotRegistered: It is about an unknown player.
        MissingField: It is about a player, and does not say about which.
        LeagueNotStarted: There is no schedule yet.
    """
    if query.query_type == "GET_STATUS":
        return {"status": mapping.league_status(league, head)}
    return _QUERIES[query.query_type](league, query.query_params or QueryParams(), caller)


def _about(params: QueryParams, caller: Caller) -> str:
    """The player a query is about: the one named, else the one who asks."""
    if params.player_id is not None:
        return params.player_id
    if caller.role is Role.PLAYER:
        return caller.agent_id
    raise MissingField("say which player: query_params.player_id", field="query_params.player_id")


def _scheduled(league: League) -> League:
    if not league.scheduled:
        raise LeagueNotStarted("there is no schedule yet: registration is open", state=str(league.state))
    return league


def _get_standings(league: League, params: QueryParams, caller: Caller) -> dict[str, Any]:
    del params, caller
    return {"standings": mapping.standing_rows(league.standings())}


def _get_schedule(league: League, params: QueryParams, caller: Caller) -> dict[str, Any]:
    del caller
    matches = mapping.scheduled_matches(_scheduled(league))
    if params.round_id is not None:
        league.round(params.round_id)
        matches = tuple(match for match in matches if match.round_id == params.round_id)
    return {"schedule": matches}


def _get_next_match(league: League, params: QueryParams, caller: Caller) -> dict[str, Any]:
    fixture = _scheduled(league).next_match(_about(params, caller))
    return {"next_match": None if fixture is None else mapping.scheduled_match(league, fixture)}


def _get_player_stats(league: League, params: QueryParams, caller: Caller) -> dict[str, Any]:
    player_id = _about(params, caller)
    # What a player sent is between it, its referee and the operator.
    own = caller.operator or caller.agent_id == player_id
    return {"player_stats": mapping.player_stats(league.player_stats(player_id), failures=own)}


_QUERIES: Mapping[str, Callable[[League, QueryParams, Caller], dict[str, Any]]] = {
    "GET_STANDINGS": _get_standings,
    "GET_SCHEDULE": _get_schedule,
    "GET_NEXT_MATCH": _get_next_match,
    "GET_PLAYER_STATS": _get_player_stats,
}
