"""Time limits of the league manager."""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Self

import anyio

from league_sdk.clock import Clock
from league_sdk.domain.league import League
from servers.league_manager.ledger import Ledger


@dataclass(frozen=True, slots=True)
class ManagerTimeouts:
    """The manager's time limits, in seconds."""

    response: float = 10.0  # for any answer
    # for acknowledgements of an announcement, before the round begins without those that are missing
    grace: float = 1.0
    heartbeat: float = 5.0  # between two looks at a referee that has a match under way
    match: float = 3600.0  # for a match in which nothing happens, and for one whose report is refused
    referee_failures: int = 3  # looks in a row that a referee may miss before its matches go to another
    trial: float = 2.0  # for an answer of a referee that has finished no match, in its first match

    @property
    def silence(self) -> float:
        """Seconds that a referee may be silent, or send no first message of a match."""
        return self.referee_failures * self.heartbeat

    def on_trial(self) -> Self:
        """The limits of a referee's first match: one answer missed, and another has it."""
        return replace(self, heartbeat=self.trial, referee_failures=1)


def seconds_to_start(league: League, clock: Clock) -> float:
    """Seconds until the league's `start_date`; 0 without one, or when it has passed."""
    start = league.rules.start_date
    return max(0.0, (datetime.fromisoformat(start) - clock.now()).total_seconds()) if start else 0.0


def seconds_to_close(league: League, clock: Clock) -> float | None:
    """Seconds until registration closes by itself; None where it doesn't."""
    deadline = league.rules.registration_deadline
    if deadline is None:
        return league.rules.registration_timeout_sec or None
    return max(0.0, (datetime.fromisoformat(deadline) - clock.now()).total_seconds())


def waiting_for_start(league: League, seconds: float) -> str:
    """Tell the operator until when a league waits, and how to begin it before."""
    left = timedelta(seconds=math.ceil(seconds))
    return (
        f"registration is over; the first round begins at {league.rules.start_date}, in {left}; "
        "'league start' begins it at once"
    )


async def within(ledger: Ledger, clock: Clock, seconds: float | None, condition: Callable[[League], bool]) -> None:
    """Wait at most `seconds` for a condition on a league; None waits for ever."""
    if seconds is not None and seconds <= 0:
        return
    async with anyio.create_task_group() as waiting:

        async def give_up(after: float) -> None:
            await clock.sleep(after)
            waiting.cancel_scope.cancel()

        if seconds is not None:
            waiting.start_soon(give_up, seconds)
        await ledger.until(condition)
        waiting.cancel_scope.cancel()
