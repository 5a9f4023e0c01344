"""An event store in this process's memory, for tests and throw-away leagues."""

from collections.abc import AsyncIterable, Sequence

from league_sdk.domain.events import GENESIS, Event, MatchRecorded, Record, seal
from league_sdk.ports import AlreadyRecorded, ConcurrentAppend


class MemoryEventStore:
    """An `EventStore` whose records live as long as it does."""

    def __init__(self) -> None:
        self._records: dict[str, list[Record]] = {}
        self._recorded: dict[tuple[str, str], Record] = {}

    async def append(self, league_id: str, events: Sequence[Event], *, expected: int, at: str) -> list[Record]:
        if not events:
            raise ValueError("append needs at least one event")
        known = self._records.get(league_id, [])
        if len(known) != expected:
            raise ConcurrentAppend(f"{league_id} is at record {len(known)}, not {expected}: read on, decide again")
        matches = [(league_id, event.result.match_id) for event in events if isinstance(event, MatchRecorded)]
        if len(set(matches)) < len(matches) or not self._recorded.keys().isdisjoint(matches):
            raise AlreadyRecorded(f"{league_id}: a match has one result, and one of {matches} has it already")
        added: list[Record] = []
        previous = known[-1].digest if known else GENESIS
        for sequence, event in enumerate(events, start=expected + 1):
            added.append(seal(league_id, sequence, at, event, previous))
            previous = added[-1].digest
        self._records.setdefault(league_id, []).extend(added)
        results = (record for record in added if record.type == MatchRecorded.__name__)
        self._recorded.update(zip(matches, results, strict=True))
        return added

    async def read(self, league_id: str, *, after: int = 0, limit: int | None = None) -> list[Record]:
        return self._records.get(league_id, [])[max(0, after) :][:limit]

    async def recorded(self, league_id: str, match_ids: Sequence[str]) -> list[Record]:
        found = (self._recorded.get((league_id, match_id)) for match_id in dict.fromkeys(match_ids))
        return sorted((record for record in found if record is not None), key=lambda record: record.sequence)

    async def leagues(self) -> list[str]:
        return sorted(self._records, key=lambda league_id: (self._records[league_id][-1].at, league_id))

    async def adopt(self, league_id: str, pages: AsyncIterable[Sequence[Record]]) -> None:
        records = [record async for page in pages for record in page]
        if league_id in self._records:
            raise ConcurrentAppend(f"{league_id} has records here already")
        self._records[league_id] = records
        results = [record for record in records if isinstance(record.event, MatchRecorded)]
        self._recorded.update({(league_id, record.payload["result"]["match_id"]): record for record in results})

    async def delete(self, league_id: str) -> None:
        self._records.pop(league_id, None)
        self._recorded = {key: record for key, record in self._recorded.items() if key[0] != league_id}

    async def close(self) -> None: ...
