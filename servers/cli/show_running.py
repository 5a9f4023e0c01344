"""A match under way, as its referee tells the operator."""

from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any
from urllib.parse import quote

from league_sdk.clock import SystemClock, to_record_time
from league_sdk.domain.league import League
from league_sdk.json_value import Json
from league_sdk.settings import Workspace, read_secret
from servers.agent.manager_lock import leader
from servers.cli.manager_calls import UNREADABLE, NotAnswered, call_manager
from servers.read_model import MatchRow, Stage, Wait, wait_lines

ANSWER_SEC = 10.0


def ask_referee(
    workspace: Workspace, league: League, match_id: str, token: str | None, tls_ca: Path | None
) -> dict[str, Json] | None:
    """Turn and open calls of a match under way; None if nobody can be asked.

    `unanswered` has the reason why a manager that runs told nothing.
    """
    if MatchRow(league, league.fixture(match_id)).stage is not Stage.UNDER_WAY:
        return None
    manager = leader(workspace, league.league_id)
    secret = token or read_secret(workspace.operator_token_file(league.league_id))
    if not manager or secret is None:
        return None
    try:
        told = call_manager(manager, f"matches/{quote(match_id, safe='')}", secret, tls_ca, limit=ANSWER_SEC)
        return {"turn": told["turn"], "calls": [_call(each) for each in told["calls"]]}
    except NotAnswered as error:
        return {"unanswered": str(error)}
    except (ValueError, KeyError, TypeError):
        return {"unanswered": UNREADABLE}


def _call(told: Mapping[str, Any]) -> dict[str, Json]:
    left = told["left_sec"]
    return {
        "players": [str(player) for player in told["players"]],
        "asked": "move" if told["asked"] == "move" else "join",
        "attempt": int(told["attempt"]),
        "attempts": int(told["attempts"]),
        "left_sec": None if left is None else float(left),
        "part": str(told["part"]),
    }


def running_lines(league: League, match_id: str, told: Mapping[str, Json]) -> list[str]:
    """The same as lines of text."""
    if "unanswered" in told:
        return [f"Its referee could not be asked: {told['unanswered']}"]
    now = SystemClock().now()
    waits: list[Wait] = []
    for call in told["calls"]:
        left = call["left_sec"]
        until = "" if left is None else to_record_time(now + timedelta(seconds=left))
        players, move = tuple(call["players"]), call["asked"] == "move"
        waits.append(Wait(match_id, players, move, call["attempt"], call["attempts"], until, call["part"]))
    lines = [line.at(now) for line in wait_lines(league, waits)]
    turn = f"Turn {told['turn']}." if told["turn"] else "Before the first turn."
    return [turn, *(lines or ["It waits for no player."])]
