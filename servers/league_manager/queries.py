"""Answers to league queries: one function for each type of query."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from league_sdk.domain.league import League
from league_sdk.domain.model import Role
from league_sdk.errors import InvalidField, LeagueNotStarted, MissingField
from league_sdk.protocol import mapping
from league_sdk.protocol.queries import LeagueQuery, LeagueStatus, QueryParams
from league_sdk.protocol.rounds import RecordHead
from servers.agent.access import Caller
from servers.league_manager.excerpts import all_voided, has_excerpts

T = TypeVar("T")


def answered(league: League, query: LeagueQuery, caller: Caller, head: RecordHead | None = None) -> dict[str, Any]:
    """The fields that answer a query."""
    if query.query_type == "GET_STATUS":
        return {"status": _status(league, head)}
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


def _status(league: League, head: RecordHead | None) -> LeagueStatus:
    return mapping.league_status(league, head).model_copy(update={"void_matches": all_voided(league)})


def _get_standings(league: League, params: QueryParams, caller: Caller) -> dict[str, Any]:
    del caller
    rows, paging = _page(league, "standings", league.standings(), params)
    return {"standings": mapping.standing_rows(rows), **paging}


def _get_schedule(league: League, params: QueryParams, caller: Caller) -> dict[str, Any]:
    del caller
    rounds = _scheduled(league).rounds if params.round_id is None else (league.round(params.round_id),)
    fixtures = [fixture for scheduled in rounds for fixture in scheduled.fixtures]
    shown, paging = _page(league, f"schedule{params.round_id or ''}", fixtures, params)
    return {"schedule": tuple(mapping.scheduled_match(league, fixture) for fixture in shown), **paging}


def _page(
    league: League, listed: str, items: Sequence[T], params: QueryParams
) -> tuple[Sequence[T], dict[str, int | str | bool]]:
    """The entries that are asked for, and the fields that lead to the others."""
    if params.cursor is None and params.limit is None and not has_excerpts(league):
        return items, {}
    window = league.rules.standings_window
    begin = 0 if params.cursor is None else _place(params.cursor, listed, len(items))
    end = begin + min(params.limit or window, window)
    paging: dict[str, int | str | bool] = {"total": len(items)}
    if begin or end < len(items):
        paging["truncated"] = True
    if end < len(items):
        paging["next_cursor"] = f"{listed}:{end}"
    return items[begin:end], paging


def _place(cursor: str, listed: str, total: int) -> int:
    """The place of the first entry of a page, from its cursor."""
    name, _, place = cursor.partition(":")
    if name != listed or not re.fullmatch(r"[1-9][0-9]{0,8}", place) or int(place) >= total:
        raise InvalidField(
            "that is no cursor of this list: repeat the query without one to get the first page, "
            "then give the next_cursor of each answer",
            field="query_params.cursor",
            value=cursor,
            expected="the next_cursor of the page before",
        )
    return int(place)


def _get_next_match(league: League, params: QueryParams, caller: Caller) -> dict[str, Any]:
    fixture = _scheduled(league).next_match(_about(params, caller))
    return {"next_match": None if fixture is None else mapping.scheduled_match(league, fixture)}


def _get_player_stats(league: League, params: QueryParams, caller: Caller) -> dict[str, Any]:
    player_id = _about(params, caller)
    # A player's answers are between it, its referee and the operator.
    own = caller.operator or caller.agent_id == player_id
    stats = mapping.player_stats(
        league.player_stats(player_id), failures=own, endpoint=_endpoint(league, player_id, caller)
    )
    return {"player_stats": stats}


def _endpoint(league: League, player_id: str, caller: Caller) -> str | None:
    """A player's endpoint, for the referee of its match; None at a hosted seat."""
    given = (league.assignments.get(it.match_id) for it in league.under_way() if player_id in it.players)
    if caller.role is not Role.REFEREE or caller.agent_id not in {it.referee_id for it in given if it is not None}:
        return None
    player = league.player(player_id)
    return None if player.hosted else player.endpoint


_QUERIES: Mapping[str, Callable[[League, QueryParams, Caller], dict[str, Any]]] = {
    "GET_STANDINGS": _get_standings,
    "GET_SCHEDULE": _get_schedule,
    "GET_NEXT_MATCH": _get_next_match,
    "GET_PLAYER_STATS": _get_player_stats,
}
