"""Tracks each referee's free capacity, and its claim to a match."""

from collections import Counter
from collections.abc import Collection, Mapping
from enum import IntEnum
from typing import Any

import anyio

from league_sdk.domain.model import Agent
from servers.league_manager.ledger import Ledger


class RefereeStanding(IntEnum):
    """A referee's claim to the next match; one of a lower number goes first."""

    GOOD = 0
    UNPROVEN = 1  # it has never finished a match, and there is a doubt, or others are the operator's own
    FAILED = 2  # its last match came to nothing
    SILENT = 3  # it does not answer


class RefereePool:
    """The referees' room for matches.

    A referee that never finished a match is not preferred: the operator's own go before it, and once it has failed a
    match, all that have not. Where more such referees have failed than there are others, a match waits for the others.
    """

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._load: Counter[str] = Counter()
        self._changed = anyio.Event()
        self._suspects: set[str] = set()
        self._silent: set[str] = set()
        self._met: set[str] = set()
        self._proven: set[str] = set()
        self._failed_first: set[str] = set()
        self._answered_well: set[str] = set()
        self._own_of: tuple[object, frozenset[str]] | None = None

    def reset(self) -> None:
        """Count anew: nothing is under way, and nobody has been looked at."""
        self._load.clear()
        self._silent.clear()
        self._met.clear()
        self._proven = {result.referee_id for result in self._ledger.league.results.values()}

    def new_round(self) -> None:
        """Forget who has failed, but those that have not answered since."""
        self._suspects.intersection_update(self._silent)

    def newcomers(self) -> list[Agent]:
        """The referees that nobody has looked at, which count as silent from now on.

        The launcher's own are not among them: they are under the operator's eye.
        """
        found = [known for key, known in self._active.items() if key not in self._met and not self.trusted(key)]
        self._met.update(self._active)
        self._silent.update(referee.agent_id for referee in found)
        return found

    def preferred(self) -> dict[str, Agent]:
        """The referees among which matches are shared."""
        standings = self._standings()
        best = min(standings.values(), default=RefereeStanding.GOOD)
        return {known: self._active[known] for known, standing in standings.items() if standing is best}

    @property
    def silent(self) -> frozenset[str]:
        """The referees that do not answer."""
        return frozenset(self._silent)

    async def until_heard(self, referees: Collection[str], seconds: float) -> None:
        """Wait until these referees have answered, at most so long."""
        with anyio.move_on_after(seconds):
            while not self._silent.isdisjoint(referees):
                await self._changed.wait()

    async def take(self, preferred: str) -> str:
        """Take room at the preferred referee, or at a better or freer one."""
        while (chosen := self._with_room(preferred)) is None:
            await self._changed.wait()
        self.occupy(chosen)
        return chosen

    def occupy(self, referee_id: str) -> None:
        """Count a match that a referee has, whether or not there is room for it."""
        self._load[referee_id] += 1

    def release(self, referee_id: str) -> None:
        """A referee has room for one more."""
        self._load[referee_id] -= 1
        self._change()

    def judge(self, referee_id: str, *, failed: bool) -> None:
        """Note whether a referee's last match came to nothing."""
        if failed:
            self._suspects.add(referee_id)
            if not self.trusted(referee_id):
                self._failed_first.add(referee_id)
        else:
            self._suspects.discard(referee_id)
            self._failed_first.discard(referee_id)
            self._proven.add(referee_id)
        self._change()

    def unheard(self, referee_id: str) -> bool:
        """Count a referee that failed as silent until it answers; False for one that is."""
        known = referee_id in self._silent
        self._silent.add(referee_id)
        return not known

    def heard(self, referee_id: str, *, well: bool = False) -> None:
        """A referee answers; `well` as one that knows which matches it has."""
        self._silent.discard(referee_id)
        if well:
            self._answered_well.add(referee_id)
        self._change()

    @property
    def all_failed(self) -> bool:
        """True if no referee's last match came to a result."""
        return self._suspects.issuperset(self._active)

    def another(self, referee_id: str) -> str:
        """The least busy other referee of the best standing; this one if alone."""
        others = {known: standing for known, standing in self._standings().items() if known != referee_id}
        return min(others, key=lambda known: (others[known], self._load[known]), default=referee_id)

    def on_trial(self, referee_id: str) -> bool:
        """True for a referee that was never tried, beside another."""
        tried = self.trusted(referee_id) or referee_id in self._failed_first
        return not tried and any(known != referee_id and known not in self._silent for known in self._active)

    def alone(self, refusing: Collection[str]) -> bool:
        """True if no other referee than these could play a match."""
        return set(refusing).issuperset(self._active)

    def own(self, referee_id: str) -> bool:
        """True for a referee that the launcher started."""
        return referee_id in self._own()

    def trusted(self, referee_id: str) -> bool:
        """True for a referee that has finished a match, or is the launcher's own."""
        return referee_id in self._proven or referee_id in self._own()

    def _with_room(self, preferred: str) -> str | None:
        """The referee for a match, if one has room whose standing will do."""
        standings = self._standings()
        if not standings:
            return preferred  # which withdrew: another may join

        def claim(known: str) -> tuple[Any, ...]:
            return standings[known], known in self._failed_first, known != preferred, self._load[known]

        worst = max(RefereeStanding.GOOD if self._deceived() else RefereeStanding.UNPROVEN, min(standings.values()))
        will_do = [known for known, standing in standings.items() if standing <= worst and self._has_room(known)]
        return min(will_do, key=claim, default=None)

    @property
    def _active(self) -> Mapping[str, Agent]:
        league = self._ledger.league
        active, unaware = league.active_referees, league.unaware
        aware = {known: referee for known, referee in active.items() if known not in unaware} if unaware else active
        return aware or active

    def _has_room(self, referee_id: str) -> bool:
        """True if it takes one more; the unproven have one match once a trial failed."""
        most = self._ledger.league.referee(referee_id).max_concurrent_matches
        return self._load[referee_id] < (1 if self._failed_first and not self.trusted(referee_id) else most)

    def _standings(self) -> dict[str, RefereeStanding]:
        active = self._active
        doubtful = bool(self._failed_first) or not self._own().isdisjoint(active)
        some_well = not self._answered_well.isdisjoint(active)

        def standing(known: str) -> RefereeStanding:
            if known in self._silent:
                return RefereeStanding.SILENT
            if known in self._suspects:
                return RefereeStanding.FAILED
            doubt = doubtful or known in self._failed_first or (some_well and known not in self._answered_well)
            return RefereeStanding.UNPROVEN if doubt and not self.trusted(known) else RefereeStanding.GOOD

        return {known: standing(known) for known in active}

    def _deceived(self) -> bool:
        """True if more untried referees failed than there are trusted ones."""
        return len(self._failed_first) > sum(map(self.trusted, self._active))

    def _own(self) -> frozenset[str]:
        """The referees that the operator's launcher started."""
        league = self._ledger.league
        if self._own_of is None or self._own_of[0] is not league.referees:
            own = frozenset(known for known, referee in league.referees.items() if league.expects(referee))
            self._own_of = (league.referees, own)
        return self._own_of[1]

    def _change(self) -> None:
        self._changed.set()
        self._changed = anyio.Event()
