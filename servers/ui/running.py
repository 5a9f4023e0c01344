"""Progress of matches under way, for those who look at them."""

from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

import anyio

from league_sdk.clock import Clock, SystemClock

FRESH_SEC = 1.0
"""Progress that is older is asked for again when somebody looks at it."""


@dataclass(frozen=True, slots=True)
class MatchProgress:
    """Progress of a match, as its referee told it."""

    turn: int | None = None  # the turn that is played, from 1; None before the first
    to_move: tuple[str, ...] = ()  # ids of the players whose answer is awaited
    # end of the time that runs for a player, by id
    deadlines: Mapping[str, str] = field(default_factory=dict[str, str])
    position: str = ""  # the position as text; empty when the game may hide something
    picture: str = ""  # the same as SVG; empty for none
    number: int = 0  # changes with all else


class Followed:
    """A match that somebody can look at, with the wish for its progress."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._asked = float("-inf")
        self.progress: MatchProgress | None = None
        self.wanted = anyio.Event()

    def look(self) -> MatchProgress | None:
        """The progress as known; older than `FRESH_SEC`, it is wanted anew."""
        if self._clock.monotonic() - self._asked >= FRESH_SEC:
            self.wanted.set()
        return self.progress

    def asking(self) -> None:
        self._asked, self.wanted = self._clock.monotonic(), anyio.Event()

    def tell(self, progress: MatchProgress) -> None:
        known = self.progress or MatchProgress()
        if replace(known, number=0) != progress or self.progress is None:
            self.progress = replace(progress, number=known.number + 1)


class RunningMatches:
    """The matches that are followed at their referees."""

    def __init__(self, clock: Clock | None = None) -> None:
        self._clock = clock or SystemClock()
        self._followed: dict[str, Followed] = {}

    def look(self, match_id: str) -> MatchProgress | None:
        """Progress of a match under way; None while it is not known."""
        followed = self._followed.get(match_id)
        return None if followed is None else followed.look()

    @contextmanager
    def follow(self, match_id: str) -> Generator[Followed]:
        """A match while it is followed."""
        followed = self._followed[match_id] = Followed(self._clock)
        try:
            yield followed
        finally:
            if self._followed.get(match_id) is followed:
                del self._followed[match_id]
