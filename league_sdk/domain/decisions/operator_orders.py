"""Orders to a whole league: another deadline of registration, cancellation."""

from datetime import datetime, timedelta

from league_sdk.domain.checks import require
from league_sdk.domain.commands import CancelLeague, MoveDeadline
from league_sdk.domain.events import DeadlineMoved, Event, LeagueCancelled
from league_sdk.domain.league_state import League
from league_sdk.domain.lifecycles import LeagueState
from league_sdk.errors import InvalidState, LeagueAlreadyComplete


def move_deadline(league: League, command: MoveDeadline) -> tuple[Event, ...]:
    """InvalidField: no moment in UTC; InvalidState: registration is over."""
    require(_is_utc(command.deadline), "deadline", command.deadline, "a moment in UTC, such as 2025-12-31T00:00:00Z")
    if league.state is not LeagueState.WAITING_FOR_REGISTRATIONS:
        raise InvalidState(
            "registration is over: its deadline cannot be moved; the league can be cancelled and started again "
            "(league control cancel)",
            state=str(league.state),
        )
    return () if command.deadline == league.rules.registration_deadline else (DeadlineMoved(command.deadline),)


def cancel_league(league: League, command: CancelLeague) -> tuple[Event, ...]:
    """LeagueAlreadyComplete."""
    if league.state is LeagueState.COMPLETED:
        raise LeagueAlreadyComplete(f"league {league.league_id} is complete", league_id=league.league_id)
    return () if league.cancelled else (LeagueCancelled(command.reason),)


def _is_utc(text: str) -> bool:
    try:
        return datetime.fromisoformat(text).utcoffset() == timedelta()
    except ValueError:
        return False
