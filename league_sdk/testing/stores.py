"""The contract of an `EventStore`, as checks for any implementation."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from typing import TypeAlias

from league_sdk.domain.events import (
    GENESIS,
    Event,
    LeagueStarted,
    MatchRecorded,
    MatchVoided,
    Record,
    RoundCompleted,
    RoundStarted,
    first_broken_link,
    seal,
)
from league_sdk.domain.model import MatchResult, ResultStatus
from league_sdk.ports import AlreadyRecorded, ConcurrentAppend, EventStore, MovableStore
from league_sdk.testing.contract import ContractBroken, require

MakeStore: TypeAlias = Callable[[], Awaitable[EventStore]]
"""Opens a store; called again, it opens the same records again if the store is durable."""

_WRITERS = 8


async def check_store(make_store: MakeStore, *, durable: bool = True) -> None:
    """Put a store through the whole contract of `EventStore`.

    Call it with a function that opens your store on an empty medium of its own:

        await check_store(lambda: MyStore.open("my://scratch"))

    Args:
        make_store: Opens the store; each store that it opens is closed again.
        durable: True if records outlive the store object; False for a store in memory.

    Raises:
        ContractBroken: The store breaks the contract; the message says how.
    """
    store = await make_store()
    try:
        for check in CHECKS:
            await check(store)
    finally:
        await store.close()
    if durable:
        await check_durability(make_store)


async def check_order(store: EventStore) -> None:
    """Records are numbered from 1 without gaps, in order, and stamped as asked."""
    league = "check-order"
    require(await store.read(league) == [], f"an unknown league reads as nothing, {_mine(store)}")
    first = await store.append(league, [RoundStarted(1), RoundCompleted(1)], expected=0, at=_at(1))
    second = await store.append(league, [RoundStarted(2)], expected=2, at=_at(2))
    records = await store.read(league)
    require(records == first + second, "read gives the records that append returned, in order")
    require([record.sequence for record in records] == [1, 2, 3], "the sequence begins at 1 and has no gaps")
    require([record.at for record in records] == [_at(1), _at(1), _at(2)], "records bear the time they were given")
    require(
        [record.event for record in records] == [RoundStarted(1), RoundCompleted(1), RoundStarted(2)],
        "events come back in order",
    )
    require(await store.read(league, after=2) == second, "`after` leaves out what the caller has")
    require(await store.read(league, after=3) == [], "nothing comes after the last record")
    require(await store.read(league, limit=2) == first, "`limit` reads the first records alone")
    require(await store.read(league, after=1, limit=1) == first[1:], "`limit` counts from `after` on")


async def check_chain(store: EventStore) -> None:
    """Every record carries its predecessor's digest, with any JSON in the events."""
    league = "check-chain"
    awkward = _result("R1M1", details={"text": 'a "quote", \\, \n, \u202e, \x00, é, 好', "number": 0.1, "none": None})
    await store.append(league, [MatchRecorded(awkward)], expected=0, at=_at(1))
    await store.append(league, [RoundCompleted(1), RoundStarted(2)], expected=1, at=_at(2))
    records = await store.read(league)
    require(first_broken_link(records) is None, "the chain of digests holds after reading")
    require(records[0].event == MatchRecorded(awkward), "an event comes back as it went in")
    lifecycle = records[0].payload["result"]["lifecycle"]
    require(list(lifecycle) == list(awkward.lifecycle), "the order of an object's fields is kept")


async def check_conflict(store: EventStore) -> None:
    """An append that expects another last record is refused, and changes nothing."""
    league = "check-conflict"
    await store.append(league, [RoundStarted(1)], expected=0, at=_at(1))
    for wrong in (0, 2):
        await _refused(store, league, [RoundCompleted(1)], wrong, ConcurrentAppend)
    added = await store.append(league, [RoundCompleted(1)], expected=1, at=_at(2))
    require([record.sequence for record in added] == [2], "after a refusal the next append continues as usual")


async def check_one_result_a_match(store: EventStore) -> None:
    """A match has one recorded result, in each league, in any append."""
    league = "check-results"
    await store.append(league, [MatchRecorded(_result("R1M1"))], expected=0, at=_at(1))
    again: list[list[Event]] = [
        [MatchRecorded(_result("R1M1"))],
        [MatchRecorded(_result("R1M1", winner="P02"))],
        [MatchRecorded(_result("R1M2")), MatchRecorded(_result("R1M1"))],
        [MatchRecorded(_result("R1M3")), MatchRecorded(_result("R1M3"))],
    ]
    for events in again:
        await _refused(store, league, events, 1, AlreadyRecorded)
    more: list[Event] = [MatchRecorded(_result("R1M2")), MatchVoided("R1M4", "no referee"), MatchVoided("R1M4", "so")]
    require(len(await store.append(league, more, expected=1, at=_at(2))) == 3, "other matches, and void ones, go in")
    other = await store.append("check-results-2", [MatchRecorded(_result("R1M1"))], expected=0, at=_at(3))
    require(other[0].sequence == 1, "another league's R1M1 is another match")
    require(
        await store.recorded("check-results-2", ["R1M2", "R1M1"]) == other, "`recorded` gives results of its league"
    )
    found = [record.sequence for record in await store.recorded(league, ["R1M2", "R1M4", "R1M1", "R9M9"])]
    require(found == [1, 2], "`recorded` gives the results that there are, in the order of the log")
    require(await store.recorded(league, []) == [], "`recorded` of no matches gives nothing")


async def check_atomic_append(store: EventStore) -> None:
    """All events of an append, or none."""
    league = "check-atomic"
    await store.append(league, [MatchRecorded(_result("R1M1"))], expected=0, at=_at(1))
    events: list[Event] = [RoundStarted(2), LeagueStarted(), MatchRecorded(_result("R1M1")), RoundCompleted(2)]
    await _refused(store, league, events, 1, AlreadyRecorded)
    try:
        await store.append(league, [], expected=1, at=_at(1))
    except ValueError:
        return
    raise ContractBroken("an append of no events is refused with ValueError")


async def check_isolation(store: EventStore) -> None:
    """Leagues in one store are independent."""
    names = ("check-isolation", "check-isolation-2", "check'isolation;--")
    for place, league in enumerate(names, start=1):
        await store.append(league, [RoundStarted(place)], expected=0, at=f"2030-01-01T00:00:0{place}.000Z")
    for place, league in enumerate(names, start=1):
        records = await store.read(league)
        read = [(record.league_id, record.event) for record in records]
        require(read == [(league, RoundStarted(place))], f"{league!r} reads its own records alone")
    require(tuple((await store.leagues())[-3:]) == names, "leagues are listed, the most recently written last")
    await store.append(names[0], [RoundCompleted(1)], expected=1, at="2030-01-01T00:00:04.000Z")
    require((await store.leagues())[-1] == names[0], "a league that is written to becomes the last")


async def check_concurrent_appenders(store: EventStore) -> None:
    """One of several competing appends wins; successive ones all go in, in order."""
    league = "check-rivals"
    rivals = (store.append(league, [RoundStarted(n)], expected=0, at=_at(1)) for n in range(_WRITERS))
    outcomes = await asyncio.gather(*rivals, return_exceptions=True)
    losers = [outcome for outcome in outcomes if isinstance(outcome, ConcurrentAppend)]
    require(len(losers) == _WRITERS - 1, f"one of {_WRITERS} rivals wins, the others learn of it: {outcomes}")

    league = "check-pipeline"
    queue = (store.append(league, [RoundStarted(n)], expected=n, at=_at(1)) for n in range(_WRITERS))
    await asyncio.gather(*queue)
    records = await store.read(league)
    require([record.event for record in records] == [RoundStarted(n) for n in range(_WRITERS)], "in their order")

    leagues = [f"check-parallel-{n}" for n in range(_WRITERS)]
    await asyncio.gather(*(_append_slowly(store, league) for league in leagues))
    for league in leagues:
        records = await store.read(league)
        require(len(records) == _WRITERS, "appends to several leagues at once do not disturb one another")
        require(first_broken_link(records) is None, "the chain of digests holds")

    league = "check-same-result"
    reports = (store.append(league, [MatchRecorded(_result("R1M1"))], expected=0, at=_at(1)) for _ in range(_WRITERS))
    outcomes = await asyncio.gather(*reports, return_exceptions=True)
    require(sum(isinstance(outcome, list) for outcome in outcomes) == 1, "a result told many times at once counts once")
    require(len(await store.read(league)) == 1, "and is stored once")


async def check_durability(make_store: MakeStore) -> None:
    """Records and guards are the same after the store is opened again."""
    league = "check-durable"
    store = await make_store()
    try:
        await store.append(league, [RoundStarted(1)], expected=0, at=_at(1))
        await store.append(league, [MatchRecorded(_result("R1M1"))], expected=1, at=_at(2))
        before = await store.read(league)
    finally:
        await store.close()
    store = await make_store()
    try:
        require(await store.read(league) == before, "records are the same after opening again")
        require(league in await store.leagues(), "its league is listed after opening again")
        await _refused(store, league, [RoundStarted(2)], 0, ConcurrentAppend)
        await _refused(store, league, [MatchRecorded(_result("R1M1"))], 2, AlreadyRecorded)
        await store.append(league, [RoundCompleted(1)], expected=2, at=_at(3))
        require(first_broken_link(await store.read(league)) is None, "the chain continues after opening again")
    finally:
        await store.close()


async def check_two_stores(make_store: MakeStore) -> None:
    """Two stores on one medium, as of two processes, keep the guarantees together.

    Not part of `check_store`: it needs a medium that can be opened twice at once.
    """
    league = "check-two"
    one, two = await make_store(), await make_store()
    try:
        await one.append(league, [RoundStarted(1)], expected=0, at=_at(1))
        await two.append(league, [MatchRecorded(_result("R1M1"))], expected=1, at=_at(2))
        await _refused(one, league, [RoundStarted(2)], 1, ConcurrentAppend)
        await _refused(one, league, [MatchRecorded(_result("R1M1"))], 2, AlreadyRecorded)
        for turn in range(_WRITERS):
            rivals = (store.append(league, [RoundStarted(turn)], expected=2 + turn, at=_at(3)) for store in (one, two))
            outcomes = await asyncio.gather(*rivals, return_exceptions=True)
            require(sum(isinstance(outcome, list) for outcome in outcomes) == 1, f"one of two stores wins: {outcomes}")
            require(sum(isinstance(outcome, ConcurrentAppend) for outcome in outcomes) == 1, f"{outcomes}")
        records = await one.read(league)
        require(records == await two.read(league), "both read the same")
        require(first_broken_link(records) is None, "the chain of digests holds")
    finally:
        await one.close()
        await two.close()


async def check_moves(store: EventStore) -> None:
    """A league comes in as it was sealed elsewhere, and goes out, without the others.

    For stores with `adopt` and `delete` (`MovableStore`); others pass, and `league restore` and `league move` refuse
    them.
    """
    if not isinstance(store, MovableStore):
        return
    league, other = "check-moves", "check-moves-2"
    records = sealed_elsewhere(league)
    await store.append(other, [MatchRecorded(_result("R1M1"))], expected=0, at=_at(1))
    try:
        await store.adopt(league, _pages(records, broken_after=1))
    except ContractBroken:
        require(await store.read(league) == [], "records whose source breaks off are not stored at all")
    else:
        raise ContractBroken("an exception of the pages passes through `adopt`")
    await store.adopt(league, _pages(records))
    require(await store.read(league) == records, "adopted records are what they were")
    require(await store.recorded(league, ["R1M1"]) == records[1:2], "`recorded` finds adopted results")
    try:
        await store.adopt(league, _pages(records))
    except ConcurrentAppend:
        require(await store.read(league) == records, "a second adoption changes nothing")
    else:
        raise ContractBroken("a league that has records is not adopted")
    await _refused(store, league, [MatchRecorded(_result("R1M1"))], 3, AlreadyRecorded)
    await store.append(league, [RoundCompleted(1)], expected=3, at=_at(2))
    require(first_broken_link(await store.read(league)) is None, "the chain continues after adopted records")
    await store.delete(league)
    require(await store.read(league) == [], "a deleted league has no records")
    require(len(await store.read(other)) == 1, "other leagues stay")
    require(league not in await store.leagues(), "and is listed no more")
    await store.append(league, [MatchRecorded(_result("R1M1"))], expected=0, at=_at(1))


def sealed_elsewhere(league: str) -> list[Record]:
    """Three records, the second with a result."""
    records, previous = list[Record](), GENESIS
    events: list[Event] = [RoundStarted(1), MatchRecorded(_result("R1M1")), RoundStarted(2)]
    for number, event in enumerate(events, start=1):
        records.append(seal(league, number, _at(number), event, previous))
        previous = records[-1].digest
    return records


async def _pages(records: Sequence[Record], broken_after: int | None = None) -> AsyncIterator[Sequence[Record]]:
    for number, record in enumerate(records):
        if number == broken_after:
            raise ContractBroken("the source of the records breaks off")
        yield [record]


CHECKS: tuple[Callable[[EventStore], Awaitable[None]], ...] = (
    check_order,
    check_chain,
    check_conflict,
    check_one_result_a_match,
    check_atomic_append,
    check_isolation,
    check_concurrent_appenders,
    check_moves,
)
"""The checks of one open store, each on leagues of its own."""


async def _append_slowly(store: EventStore, league: str) -> None:
    for n in range(_WRITERS):
        await store.append(league, [RoundStarted(n)], expected=n, at=_at(1))


async def _refused(store: EventStore, league: str, events: list[Event], expected: int, error: type[Exception]) -> None:
    before: list[Record] = await store.read(league)
    try:
        await store.append(league, events, expected=expected, at=_at(9))
    except error:
        require(await store.read(league) == before, "an append that is refused leaves nothing behind")
        return
    raise ContractBroken(f"{_mine(store)} took {events} after {expected} of {len(before)}; {error.__name__} is due")


def _mine(store: EventStore) -> str:
    return type(store).__name__


def _at(second: int) -> str:
    return f"2025-01-15T10:00:0{second}.000Z"


def _result(match_id: str, winner: str = "P01", details: dict[str, object] | None = None) -> MatchResult:
    return MatchResult(
        match_id=match_id,
        round_id=1,
        players=("P01", "P02"),
        status=ResultStatus.WIN,
        winner=winner,
        score={"P01": 3 * (winner == "P01"), "P02": 3 * (winner == "P02")},
        referee_id="REF01",
        details=details or {},
        lifecycle={"CREATED": _at(1), "WAITING_FOR_PLAYERS": _at(2), "ABORTED": _at(3)},
    )
