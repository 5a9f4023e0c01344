"""Records in this process's memory: for tests, and for leagues that nobody wants to keep."""

from collections.abc import Sequence

from league_sdk.domain.events import GENESIS, Event, MatchRecorded, Record, seal
from league_sdk.ports import AlreadyRecorded, ConcurrentAppend


class MemoryEventStore:
    """An `EventStore` whose records live as long as it does."""

    def __init__(self) -> None:
        self._records: dict[str, list[Record]] = {}
        self._recorded: set[tuple[str, str]] = set()

    async def append(self, league_id: str, events: Sequence[Event], *, expected: int, at: str) -> list[Record]:
        """Append all of `events`, or none; see `EventStore.append`.

        Raises:
            ConcurrentAppend: The last record is not `expected`.
            AlreadyRecorded: A MatchRecorded is for a match that has a result.
        """
        if not events:
            raise ValueError("append needs at least one event")
        known = self._records.get(league_id, [])
        if len(known) != expected:
            raise ConcurrentAppend(f"{league_id} is at record {len(known)}, not {expected}: read on, decide again")
        matches = [(league_id, event.result.match_id) for event in events if isinstance(event, MatchRecorded)]
        if len(set(matches)) < len(matches) or not self._recorded.isdisjoint(matches):
            raise AlreadyRecorded(f"{league_id}: a match has one result, and one of {matches} has it already")
        added: list[Record] = []
        previous = known[-1].digest if known else GENESIS
        for sequence, event in enumerate(events, start=expected + 1):
            added.append(seal(league_id, sequence, at, event, previous))
            previous = added[-1].digest
        self._records.setdefault(league_id, []).extend(added)
        self._recorded.update(matches)
        return added

    async def read(self, league_id: str, *, after: int = 0) -> list[Record]:
        """The records of a league with a sequence number above `after`, in order."""
        return self._records.get(league_id, [])[max(0, after) :]

    async def leagues(self) -> list[str]:
        """Ids of all leagues with records, the most recently written last."""
        return sorted(self._records, key=lambda league_id: (self._records[league_id][-1].at, league_id))

    async def close(self) -> None:
        """Do nothing: there is nothing to release."""
