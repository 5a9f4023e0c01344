"""Tracks each referee's free capacity, and its failures."""

from collections import Counter

import anyio

from servers.league_manager.ledger import Ledger


class RefereePool:
    """The referees' room for matches."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._load: Counter[str] = Counter()
        self._changed = anyio.Event()
        self._suspects: set[str] = set()
        self._silent: set[str] = set()

    def reset(self) -> None:
        """Count anew: nothing is under way."""
        self._load.clear()
        self._silent.clear()

    def new_round(self) -> None:
        """Forget who has failed, but those that have not answered since."""
        self._suspects.intersection_update(self._silent)

    async def take(self, preferred: str) -> str:
        """Take room at the preferred referee, or at another if it failed or is full."""
        while not self._has_room(chosen := self._trusted(preferred)):
            if (other := self.another(chosen)) not in self._suspects and self._has_room(other):
                chosen = other
                break
            await self._changed.wait()
        self.occupy(chosen)
        return chosen

    def occupy(self, referee_id: str) -> None:
        """Count a match that a referee has, whether or not there is room for it."""
        self._load[referee_id] += 1

    def release(self, referee_id: str) -> None:
        """A referee has room for one more."""
        self._load[referee_id] -= 1
        self._changed.set()
        self._changed = anyio.Event()

    def judge(self, referee_id: str, *, failed: bool) -> None:
        """Note whether a referee's last match came to nothing."""
        (self._suspects.add if failed else self._suspects.discard)(referee_id)

    def unheard(self, referee_id: str) -> bool:
        """Count a referee that failed as silent until it answers; False for one that is."""
        known = referee_id in self._silent
        self._silent.add(referee_id)
        return not known

    def heard(self, referee_id: str) -> None:
        """A referee answers, so that the next round begins with it."""
        self._silent.discard(referee_id)

    @property
    def all_failed(self) -> bool:
        """True if no referee's last match came to a result."""
        return self._suspects.issuperset(self._ledger.league.active_referees)

    def another(self, referee_id: str) -> str:
        """The least busy other referee, recently failed ones last; this one if alone."""
        others = [known for known in self._ledger.league.active_referees if known != referee_id]
        return min(others, key=lambda known: (known in self._suspects, self._load[known]), default=referee_id)

    def _has_room(self, referee_id: str) -> bool:
        return self._load[referee_id] < self._ledger.league.referee(referee_id).max_concurrent_matches

    def _trusted(self, preferred: str) -> str:
        """The preferred referee, unless it withdrew, or failed and others did not."""
        other = self.another(preferred)
        failed = preferred in self._suspects and other not in self._suspects
        return other if failed or preferred in self._ledger.league.withdrew else preferred
