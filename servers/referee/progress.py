"""Progress of a match under way, as everybody may know it."""

import logging
from typing import Any

from league_sdk.clock import to_wire_time
from league_sdk.domain.lifecycles import MatchState
from league_sdk.domain.match import Match
from servers.read_model.replays import picture, position
from servers.referee.match_runner import MatchRunner

logger = logging.getLogger(__name__)
_WAITING = (MatchState.WAITING_FOR_PLAYERS, MatchState.COLLECTING_CHOICES)


def progress(runner: MatchRunner) -> dict[str, Any]:
    """Turn, running clocks, and the position if the game hides nothing."""
    match = runner.match
    shown = match.state is MatchState.COLLECTING_CHOICES and not match.game.hidden
    return clocks(runner) | (_position(match) if shown else {})


def clocks(runner: MatchRunner) -> dict[str, Any]:
    """Turn and running clocks; empty for a match that waits for no player."""
    match = runner.match
    if match.state not in _WAITING:
        return {}
    ends = {player: runner.deadlines[player] for player in match.awaited if player in runner.deadlines}
    told: dict[str, Any] = {
        "to_move": tuple(match.awaited),
        "deadlines": {player: to_wire_time(end, round_up=True) for player, end in ends.items()} or None,
    }
    return told | ({"turn": match.turn} if match.state is MatchState.COLLECTING_CHOICES else {})


def _position(match: Match[Any]) -> dict[str, Any]:
    """The position before this turn; empty if the game fails to draw it."""
    try:
        drawn = {"position": position(match.game, match.game_state), "picture": picture(match.game, match.game_state)}
    except Exception as error:
        logger.warning("match %s cannot be drawn: %r", match.match_id, error)
        return {}
    return {name: text.encode(errors="replace").decode() for name, text in drawn.items() if text}
