"""A call of every tool of every agent in a finished league, and what comes of it."""

import itertools
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.hosts.finished_league import LEAGUE, TOKEN, FinishedLeague

ATTEMPTS = itertools.count(1)
"""The match that is led by hand is played anew by everybody who leads it."""
EXAMPLES = Path(__file__).parents[2] / "docs" / "message_examples"


def example(name: str, **changes: Any) -> dict[str, Any]:
    """A message from the documentation, with some fields changed."""
    message: dict[str, Any] = json.loads((EXAMPLES / f"{name}.json").read_text(encoding="utf-8"))
    return {**message.get("params", message), **changes}


def manager_calls() -> Mapping[str, tuple[dict[str, Any], str]]:
    """Tool to arguments and error code; an empty one for an answer. The league is over."""
    token = {"auth_token": TOKEN, "league_id": LEAGUE}
    query = example("queries/league_query", **token)
    return {
        "register_referee": (example("registration/referee_register_request", league_id=LEAGUE), ""),
        "register_player": (example("registration/player_register_request", league_id=LEAGUE), ""),
        "report_match_result": (example("results/match_result_report", **token), "E007"),
        "league_query": (query, ""),
        "handle_league_query": (query, ""),
        "withdraw": (example("registration/withdraw_request", **token), "E013"),
        "start_league": (token, "E031"),
        "create_schedule": (token, ""),
        "get_standings": (token, ""),
        "show_standings": ({}, ""),
        "show_match": ({"match_id": "R1M1"}, ""),
    }


def referee_calls(finished_league: FinishedLeague) -> Mapping[str, tuple[dict[str, Any], str]]:
    """The same for a referee: a match is led by hand, in this order."""
    token = {"auth_token": TOKEN}
    match = {**token, "match_id": "R7M1"}
    announced = example("rounds/round_announcement", **token)
    completed = example("rounds/round_completed", **token)
    over = example("rounds/league_completed", **token)
    start = {
        **match,
        "player_A_id": "P01",
        "player_B_id": "P02",
        "player_A_endpoint": finished_league.player,
        "player_B_endpoint": finished_league.opponent,
        "game_type": "even_odd",
        "step_by_step": True,
        "attempt": next(ATTEMPTS),
    }
    return {
        "notify_round": (announced, ""),
        "receive_round_announcement": (announced, ""),
        "notify_round_completed": (completed, ""),
        "receive_round_completed": (completed, ""),
        "notify_league_completed": (over, ""),
        "receive_league_completed": (over, ""),
        "start_match": (start, ""),
        "match_status": (match, ""),
        "collect_choices": (match, ""),
        "draw_number": (match, ""),
        "finalize_match": (match, ""),
        "show_match": ({"match_id": "R7M1"}, ""),
    }


def player_calls() -> Mapping[str, tuple[dict[str, Any], str]]:
    """The same for a player that is in no league, so that none can end for it: an invitation, a move, a complaint."""
    match = {"match_id": "R8M1", "player_id": "P01"}
    invitation = example("gameflow/game_invitation", **match, opponent_id="P02", opponent_name="Agent Beta")
    move = example("gameflow/choose_parity_call", **match)
    error = example("errors/timeout_error", match_id="R8M1")
    over = example("gameflow/game_over", match_id="R8M1")
    announced, completed = example("rounds/round_announcement"), example("rounds/round_completed")
    standings, ended = example("rounds/league_standings_update"), example("rounds/league_completed")
    return {
        "notify_round": (announced, ""),
        "receive_round_announcement": (announced, ""),
        "handle_game_invitation": (invitation, ""),
        "receive_game_invitation": (invitation, ""),
        "choose_parity": (move, ""),
        "parity_choose": (move, ""),
        "notify_game_error": (error, ""),
        "notify_error": (error, ""),
        "notify_match_result": (over, ""),
        "receive_game_over": (over, ""),
        "update_standings": (standings, ""),
        "notify_standings": (standings, ""),
        "receive_standings_update": (standings, ""),
        "notify_round_completed": (completed, ""),
        "receive_round_completed": (completed, ""),
        "notify_league_completed": (ended, "E008"),
        "receive_league_completed": (ended, "E008"),
    }


def calls(role: str, finished_league: FinishedLeague) -> Mapping[str, tuple[dict[str, Any], str]]:
    """The calls for an agent of a role."""
    if role == "manager":
        return manager_calls()
    return referee_calls(finished_league) if role == "referee" else player_calls()
