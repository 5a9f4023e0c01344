"""Progress of a match under way, as everybody may know it."""

import logging
from typing import Any

from league_sdk.clock import to_wire_time
from league_sdk.domain.lifecycles import MatchState
from league_sdk.domain.matches.match import Match
from servers.read_model.replays import picture, position
from servers.referee.match_runner import MatchRunner
from servers.referee.open_calls import WAITING, awaited_players, messages_of, shown_players

logger = logging.getLogger(__name__)


def progress(runner: MatchRunner) -> dict[str, Any]:
    """Turn, running clocks, and the position if the game hides nothing.

    `open_calls` alone is for the operator.
    """
    match = runner.match
    if match.state not in WAITING:
        return {}
    open_position = match.state is MatchState.COLLECTING_CHOICES and not match.game.hidden
    calls = {
        "waits": messages_of(runner, shown_players(runner)) or None,
        "open_calls": messages_of(runner, awaited_players(runner)) or None,
    }
    return clocks(runner) | calls | (_position(match) if open_position else {})


def clocks(runner: MatchRunner) -> dict[str, Any]:
    """Turn and running clocks; empty for a match that waits for no player."""
    match = runner.match
    if match.state not in WAITING:
        return {}
    calls = shown_players(runner)
    ends = {call.player: to_wire_time(call.ends, round_up=True) for call in calls if call.ends is not None}
    clock = {"to_move": tuple(call.player for call in calls), "deadlines": ends or None}
    return clock | ({"turn": match.turn} if match.state is MatchState.COLLECTING_CHOICES else {})


def _position(match: Match[Any]) -> dict[str, Any]:
    """The position before this turn; empty if the game fails to draw it."""
    try:
        drawn = {"position": position(match.game, match.game_state), "picture": picture(match.game, match.game_state)}
    except Exception as error:
        logger.warning("match %s cannot be drawn: %r", match.match_id, error)
        return {}
    return {name: text.encode(errors="replace").decode() for name, text in drawn.items() if text}
