"""Progress of matches under way, for those who look at them."""

from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime

import anyio

from league_sdk.clock import Clock, SystemClock
from servers.read_model.waits import Wait

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
    waits: tuple[Wait, ...] = ()  # its waits that last, as everybody may know them
    open_calls: tuple[Wait, ...] = ()  # every call that is not answered; for the operator alone
    number: int = 0  # changes with all else


class Followed:
    """A match that somebody can look at, with the wish for its progress."""

    def __init__(self, clock: Clock, changed: Callable[[], None] = lambda: None) -> None:
        self._clock = clock
        self._changed = changed
        self._asked = float("-inf")
        self._told = anyio.Event()
        self.progress: MatchProgress | None = None
        self.wanted = anyio.Event()

    def look(self) -> MatchProgress | None:
        """The progress as known; older than `FRESH_SEC`, it is wanted anew."""
        if self._clock.monotonic() - self._asked >= FRESH_SEC:
            self.wanted.set()
        return self.progress

    async def fresh(self) -> MatchProgress | None:
        """The progress as its referee tells it next; waits until it does."""
        self.wanted.set()
        await self._told.wait()
        return self.progress

    def asking(self) -> None:
        self._asked, self.wanted = self._clock.monotonic(), anyio.Event()

    def tell(self, progress: MatchProgress) -> None:
        known = self.progress or MatchProgress()
        progress = replace(progress, waits=tuple(_kept(wait, known.waits) for wait in progress.waits))
        waits_changed = progress.waits != known.waits
        if replace(known, number=0, open_calls=progress.open_calls) != progress or self.progress is None:
            self.progress = replace(progress, number=known.number + 1)
        else:
            self.progress = replace(known, open_calls=progress.open_calls)
        self._told.set()
        self._told = anyio.Event()
        if waits_changed:
            self._changed()

    def silent(self, wait: Wait) -> None:
        """The referee does not answer."""
        self.tell(replace(self.progress or MatchProgress(), waits=(wait,), number=0))


def _kept(wait: Wait, known: tuple[Wait, ...]) -> Wait:
    """A wait with the end that an earlier look found, if it is the same wait."""
    return next((before for before in known if before.like(wait)), wait)


class RunningMatches:
    """The matches that are followed at their referees."""

    def __init__(self, clock: Clock | None = None) -> None:
        self._clock = clock or SystemClock()
        self._followed: dict[str, Followed] = {}
        self._listeners: list[Callable[[], None]] = []
        self.waits: tuple[Wait, ...] = ()
        """Waits of all matches, as everybody may know them."""
        self.number = 0
        """The number of changes of `waits`."""

    def now(self) -> datetime:
        """The time by the clock of these matches."""
        return self._clock.now()

    def look(self, match_id: str) -> MatchProgress | None:
        """Progress of a match under way; None while it is not known."""
        followed = self._followed.get(match_id)
        return None if followed is None else followed.look()

    async def fresh(self, match_id: str, seconds: float) -> MatchProgress | None:
        """The same, asked for now; None if the referee tells nothing in this time."""
        followed = self._followed.get(match_id)
        if followed is None:
            return None
        with anyio.move_on_after(seconds):
            return await followed.fresh()
        return None

    def subscribe(self, listener: Callable[[], None]) -> None:
        """Call `listener` whenever `waits` has changed."""
        self._listeners.append(listener)

    @contextmanager
    def follow(self, match_id: str) -> Generator[Followed]:
        """A match while it is followed."""
        followed = self._followed[match_id] = Followed(self._clock, self._gather)
        try:
            yield followed
        finally:
            if self._followed.get(match_id) is followed:
                del self._followed[match_id]
                if followed.progress is not None and followed.progress.waits:
                    self._gather()

    def _gather(self) -> None:
        told = (followed.progress for followed in self._followed.values())
        waits = tuple(wait for progress in told if progress is not None for wait in progress.waits)
        if waits != self.waits:
            self.waits, self.number = waits, self.number + 1
            for listener in self._listeners:
                listener()
