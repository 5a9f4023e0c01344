"""Every store keeps the one contract, and the contract's checks catch a store that does not."""

from collections.abc import Sequence
from pathlib import Path

import anyio
import pytest

from league_sdk.domain.events import Event, MatchRecorded, Record, RoundStarted
from league_sdk.ports import AlreadyRecorded, ConcurrentAppend, EventStore
from league_sdk.stores import MemoryEventStore, SqlEventStore
from league_sdk.testing.contract import ContractBroken
from league_sdk.testing.stores import check_store, check_two_stores
from tests.requirements.marker import requirement

pytestmark = [pytest.mark.anyio, pytest.mark.xdist_group("PostgreSQL")]  # they share a server


@requirement("project-STATE-04", "project-STATE-05")
async def test_the_store_in_memory_keeps_the_contract():
    async def make() -> EventStore:
        return MemoryEventStore()

    with anyio.fail_after(30):
        await check_store(make, durable=False)


@requirement("004-STORE-01", "project-STATE-03", "project-STATE-04", "project-STATE-05")
async def test_an_sqlite_file_keeps_the_contract(tmp_path: Path):
    with anyio.fail_after(60):
        await check_store(lambda: SqlEventStore.open(f"sqlite:///{tmp_path}/deep/events.db"))


async def test_two_processes_on_one_sqlite_file_cannot_both_win(tmp_path: Path):
    with anyio.fail_after(60):
        await check_two_stores(lambda: SqlEventStore.open(f"sqlite:///{tmp_path}/events.db"))


@requirement("001-FUT-02", "project-STATE-04", "project-STATE-05")
@pytest.mark.postgres
async def test_postgresql_keeps_the_contract(postgres_url: str):
    with anyio.fail_after(60):
        await check_store(lambda: SqlEventStore.open(postgres_url))


@pytest.mark.postgres
async def test_two_processes_on_one_postgresql_cannot_both_win(postgres_url: str):
    with anyio.fail_after(60):
        await check_two_stores(lambda: SqlEventStore.open(postgres_url))


class _CountsTwice(MemoryEventStore):
    async def append(self, league_id: str, events: Sequence[Event], *, expected: int, at: str) -> list[Record]:
        self._recorded.clear()
        return await super().append(league_id, events, expected=expected, at=at)


class _LastOneWins(MemoryEventStore):
    async def append(self, league_id: str, events: Sequence[Event], *, expected: int, at: str) -> list[Record]:
        expected = len(self._records.get(league_id, []))
        return await super().append(league_id, events, expected=expected, at=at)


class _KeepsHalf(MemoryEventStore):
    async def append(self, league_id: str, events: Sequence[Event], *, expected: int, at: str) -> list[Record]:
        try:
            return await super().append(league_id, events, expected=expected, at=at)
        except AlreadyRecorded:
            await super().append(league_id, events[:1], expected=expected, at=at)
            raise


class _Shuffles(MemoryEventStore):
    async def read(self, league_id: str, *, after: int = 0, limit: int | None = None) -> list[Record]:
        return (await super().read(league_id, after=after, limit=limit))[::-1]


class _MixesLeagues(MemoryEventStore):
    async def read(self, league_id: str, *, after: int = 0, limit: int | None = None) -> list[Record]:
        prefix = league_id[:15]
        every = [record for key in self._records if key.startswith(prefix) for record in self._records[key]]
        return every[after:][:limit]


class _BreaksTheChain(MemoryEventStore):
    async def read(self, league_id: str, *, after: int = 0, limit: int | None = None) -> list[Record]:
        import dataclasses

        records = await super().read(league_id, after=after, limit=limit)
        return [dataclasses.replace(record, previous="f" * 64) for record in records]


class _ForgetsOrderOfLeagues(MemoryEventStore):
    async def leagues(self) -> list[str]:
        return sorted(self._records)


class _WritesBeforeItLooks(MemoryEventStore):
    """Looks, then waits, then writes: what two appends at once must not be let do."""

    async def append(self, league_id: str, events: Sequence[Event], *, expected: int, at: str) -> list[Record]:
        if len(self._records.get(league_id, [])) != expected:
            raise ConcurrentAppend
        await anyio.lowlevel.checkpoint()
        expected = len(self._records.get(league_id, []))
        return await super().append(league_id, events, expected=expected, at=at)


@pytest.mark.parametrize(
    "broken",
    [
        _CountsTwice,
        _LastOneWins,
        _KeepsHalf,
        _Shuffles,
        _MixesLeagues,
        _BreaksTheChain,
        _ForgetsOrderOfLeagues,
        _WritesBeforeItLooks,
    ],
)
async def test_a_store_that_breaks_the_contract_is_found_out(broken: type[MemoryEventStore]):
    async def make() -> EventStore:
        return broken()

    with anyio.fail_after(30), pytest.raises(ContractBroken):
        await check_store(make, durable=False)


async def test_a_store_that_forgets_is_not_durable():
    async def make() -> EventStore:
        return MemoryEventStore()

    with anyio.fail_after(30), pytest.raises(ContractBroken, match="opening again"):
        await check_store(make)


async def test_the_store_in_memory_gives_copies_of_its_list():
    store = MemoryEventStore()
    await store.append("L", [RoundStarted(1)], expected=0, at="2025-01-15T10:00:00.000Z")
    (await store.read("L")).clear()
    assert len(await store.read("L", after=-5)) == 1
    assert MatchRecorded.__name__ not in [record.type for record in await store.read("L")]
