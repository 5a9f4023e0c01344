"""Tracks each referee's free capacity, and how far it can be trusted with a match."""

from collections import Counter
from collections.abc import Collection, Mapping
from enum import IntEnum
from typing import Any

import anyio

from league_sdk.domain.model import Agent
from servers.league_manager.ledger import Ledger


class Standing(IntEnum):
    """A referee's claim to the next match; one of a lower number goes first."""

    GOOD = 0
    UNPROVEN = 1  # it has never finished a match, and has failed one, or others are the operator's own
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
        """The referees that nobody has looked at, which count as silent from now on."""
        found = [referee for referee_id, referee in self._active.items() if referee_id not in self._met]
        self._met.update(referee.agent_id for referee in found)
        self._silent.update(referee.agent_id for referee in found)
        return found

    def preferred(self) -> dict[str, Agent]:
        """The referees among which matches are shared."""
        best = self._best()
        return {known: agent for known, agent in self._active.items() if self._standing(known) is best}

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
        """Take room at the preferred referee, or at another of a better standing or with room."""
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
            if not self._trusted(referee_id):
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

    def heard(self, referee_id: str) -> None:
        """A referee answers, so that the next round begins with it."""
        self._silent.discard(referee_id)
        self._change()

    @property
    def all_failed(self) -> bool:
        """True if no referee's last match came to a result."""
        return self._suspects.issuperset(self._active)

    def another(self, referee_id: str) -> str:
        """The least busy other referee of the best standing; this one if alone."""
        others = [known for known in self._active if known != referee_id]
        return min(others, key=lambda known: (self._standing(known), self._load[known]), default=referee_id)

    def _with_room(self, preferred: str) -> str | None:
        """The referee for a match, if one has room whose standing will do."""
        if not self._active:
            return preferred  # which withdrew: another may join

        def claim(known: str) -> tuple[Any, ...]:
            return self._standing(known), known in self._failed_first, known != preferred, self._load[known]

        worst = Standing.GOOD if self._deceived else Standing.UNPROVEN
        will_do = [known for known in self._active if self._standing(known) <= max(worst, self._best())]
        return min(filter(self._has_room, will_do), key=claim, default=None)

    @property
    def _active(self) -> Mapping[str, Agent]:
        return self._ledger.league.active_referees

    def _best(self) -> Standing:
        return min(map(self._standing, self._active), default=Standing.GOOD)

    def _has_room(self, referee_id: str) -> bool:
        return self._load[referee_id] < self._ledger.league.referee(referee_id).max_concurrent_matches

    def _standing(self, referee_id: str) -> Standing:
        if referee_id in self._silent:
            return Standing.SILENT
        if referee_id in self._suspects:
            return Standing.FAILED
        doubtful = referee_id in self._failed_first or self._deceived or any(map(self._own, self._active))
        return Standing.UNPROVEN if doubtful and not self._trusted(referee_id) else Standing.GOOD

    @property
    def _deceived(self) -> bool:
        """True if more referees failed without ever finishing a match than there are others to trust."""
        return len(self._failed_first) > sum(map(self._trusted, self._active))

    def _trusted(self, referee_id: str) -> bool:
        return referee_id in self._proven or self._own(referee_id)

    def _own(self, referee_id: str) -> bool:
        """True for a referee that the operator's launcher started."""
        league = self._ledger.league
        return league.expects(league.referee(referee_id))

    def _change(self) -> None:
        self._changed.set()
        self._changed = anyio.Event()
