"""The beginning of what a match waits for: whom it asked, and when."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from league_sdk.clock import Clock
from league_sdk.domain.matches.match import Match


@dataclass(slots=True)
class TurnClock:
    """Players that were asked at the same time, and the time of the first try."""

    clock: Clock
    move_limit: float  # seconds for a move
    asked: tuple[str, ...] = ()
    began: datetime | None = None

    def follow(self, before: Match[Any], after: Match[Any]) -> None:
        """Take in a step of the match."""
        if after.awaited and (not before.awaited or after.turn != before.turn):
            self.asked, self.began = tuple(after.awaited), self.clock.now()

    @property
    def first_try_ends(self) -> datetime | None:
        """The end of the first try at a move, the same for all that were asked."""
        return None if self.began is None else self.began + timedelta(seconds=self.move_limit)
