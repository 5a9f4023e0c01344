"""Calls that players have not answered: in truth, and as all may know them."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from league_sdk.domain.lifecycles import MatchState
from league_sdk.domain.matches.causes import GONE_TRIES
from league_sdk.domain.matches.match import Match
from league_sdk.domain.matches.own_parts import OwnPart
from league_sdk.protocol.operator import OpenCall
from servers.referee.match_runner import MatchRunner

LONGEST_SEC = 1e7
"""Seconds that a message can tell."""
WAITING = (MatchState.WAITING_FOR_PLAYERS, MatchState.COLLECTING_CHOICES)
"""States in which a match waits for its players."""


@dataclass(frozen=True, slots=True)
class AwaitedPlayer:
    """A player that a match waits for, and the end of the time that runs for it."""

    player: str
    attempt: int
    attempts: int  # at most
    ends: datetime | None
    part: str = ""  # the part of the league that is waited for in the player's place


def awaited_players(runner: MatchRunner) -> tuple[AwaitedPlayer, ...]:
    """The players that have not answered; for the operator."""
    match = runner.match
    if match.state not in WAITING:
        return ()
    away, ends = runner.outage.away, runner.deadlines
    return tuple(
        AwaitedPlayer(
            player,
            attempt,
            _attempts(match, player, attempt),
            ends.get(player),
            OwnPart.SEATS.key if player in away else "",
        )
        for player, attempt in match.awaited.items()
    )


def _attempts(match: Match[Any], player: str, attempt: int) -> int:
    """The attempts of a call; one that follows on a player's absence is the last."""
    last = match.gone.get(player, 0) >= GONE_TRIES - 1 or player in match.gone_in
    return attempt if last else max(attempt, match.max_retries + 1)


def shown_players(runner: MatchRunner) -> tuple[AwaitedPlayer, ...]:
    """The players that are waited for, as everybody may know them.

    Players who choose at the same time must not learn who has chosen: until the first try's time is over, all that
    the turn asked are shown alike (ADR 0190).
    """
    turn, match = runner.turn, runner.match
    ends = turn.first_try_ends
    if (
        match.state is MatchState.COLLECTING_CHOICES
        and len(turn.asked) > 1
        and ends is not None
        and turn.clock.now() < ends
    ):
        most = match.max_retries + 1
        return tuple(AwaitedPlayer(player, 1, most, ends) for player in turn.asked) if match.awaited else ()
    return awaited_players(runner)


def messages_of(runner: MatchRunner, calls: Iterable[AwaitedPlayer]) -> tuple[OpenCall, ...]:
    """The same as parts of a message."""
    now = runner.turn.clock.now()
    began = runner.turn.began or now
    return tuple(
        OpenCall(
            player_id=call.player,
            attempt=call.attempt,
            attempts=call.attempts,
            waited_sec=_seconds(now, began),
            left_sec=None if call.ends is None else _seconds(call.ends, now),
            part=call.part or None,
        )
        for call in calls
    )


def _seconds(end: datetime, begin: datetime) -> float:
    return round(min(max(0.0, (end - begin).total_seconds()), LONGEST_SEC), 3)
