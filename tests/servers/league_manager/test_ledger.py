"""The ledger: what is stored has happened, what is not has not."""

from collections.abc import Sequence
from dataclasses import replace

import anyio
import anyio.lowlevel
import pytest

from league_sdk.clock import ManualClock
from league_sdk.domain.commands import (
    AssignMatch,
    CloseRegistration,
    CreateLeague,
    RecordResult,
    RegisterPlayer,
    RegisterReferee,
    StartRound,
)
from league_sdk.domain.decisions.result_summary import summary
from league_sdk.domain.events import Event, Record
from league_sdk.domain.league import fold
from league_sdk.domain.lifecycles import LeagueState
from league_sdk.domain.model import Role
from league_sdk.errors import DuplicateName, DuplicateReport, InvalidState, LeagueNotFound
from league_sdk.ports import AlreadyRecorded, StoreFailed
from league_sdk.stores import MemoryEventStore
from servers.league_manager import ledger as subject
from servers.league_manager.ledger import DamagedLog, Ledger, Superseded
from tests.league_sdk.domain.season import outcome
from tests.requirements.marker import requirement
from tests.servers.fakes import LEAGUE, Manager, StubbornStore, enrol, entrant, manager, rules, settle, start

pytestmark = pytest.mark.anyio


@requirement("000-LM-RESULT-06", "project-STATE-01")
async def test_an_event_is_stored_before_anybody_is_told_of_it():
    store = MemoryEventStore()
    ledger = Ledger(store, ManualClock(), LEAGUE)
    stored_when_told: list[tuple[int, int]] = []
    ledger.subscribe(
        lambda league, records: stored_when_told.append((records[-1].sequence, len(store._records[LEAGUE])))
    )
    await ledger.execute(CreateLeague(rules()))
    await enrol(ledger, 2)
    assert stored_when_told == [(1, 1), (2, 2), (3, 3), (4, 4)]


async def test_a_listener_is_told_the_league_as_it_then_is():
    ledger = Ledger(MemoryEventStore(), ManualClock(), LEAGUE)
    seen: list[int] = []
    ledger.subscribe(lambda league, records: seen.append(len(league.players)))
    await ledger.execute(CreateLeague(rules()))
    await enrol(ledger, 2, referees=0)
    assert seen == [0, 1, 2]


async def test_records_carry_the_time_of_the_ledgers_clock():
    ledger = Ledger(MemoryEventStore(), ManualClock(), LEAGUE)
    (record,) = await ledger.execute(CreateLeague(rules()))
    assert record.at == "2025-01-15T10:00:00.000Z"


async def test_a_league_that_is_not_there_cannot_be_asked_for():
    ledger = Ledger(MemoryEventStore(), ManualClock(), LEAGUE)
    await ledger.open()
    assert ledger.head is None
    with pytest.raises(LeagueNotFound, match="summer"):
        _ = ledger.league
    with pytest.raises(LeagueNotFound):
        await ledger.execute(CloseRegistration("operator"))


@requirement("project-STATE-01")
async def test_a_store_that_fails_leaves_the_league_as_it_was_and_tells_nobody():
    store = StubbornStore()
    made = await manager(store)
    before, told = made.league, list(made.types)
    store.full = True
    with pytest.raises(StoreFailed):
        await made.ledger.execute(RegisterPlayer(entrant(Role.PLAYER, 1)))
    assert made.league is before
    assert made.types == told
    store.full = False
    await made.ledger.execute(RegisterPlayer(entrant(Role.PLAYER, 1)))
    assert list(made.league.players) == ["P01"]


async def test_a_refused_command_stores_nothing():
    made = await manager()
    await enrol(made.ledger, 1)
    with pytest.raises(DuplicateName):
        await made.ledger.execute(RegisterPlayer(entrant(Role.PLAYER, 1)))
    assert len(await made.store.read(LEAGUE)) == len(made.types) == 3


@requirement("004-PERF-02")
async def test_commands_that_come_at_once_are_decided_one_after_the_other():
    made = await manager()
    refused: list[str] = []

    async def register() -> None:
        try:
            await made.ledger.execute(RegisterPlayer(entrant(Role.PLAYER, 1)))
        except DuplicateName as error:
            refused.append(error.code)

    with anyio.fail_after(30):
        async with anyio.create_task_group() as tasks:
            for _ in range(5):
                tasks.start_soon(register)
    assert list(made.league.players) == ["P01"]
    assert refused == ["E016"] * 4


async def test_what_is_stored_counts_even_if_whoever_asked_has_hung_up():
    store = StubbornStore()
    made = await manager(store)
    store.gate, patience = anyio.Event(), anyio.CancelScope()

    async def ask() -> None:
        with patience:
            await made.ledger.execute(RegisterPlayer(entrant(Role.PLAYER, 1)))
            await anyio.lowlevel.checkpoint()

    with anyio.fail_after(30):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(ask)
            await settle()
            patience.cancel()
            await settle()
            store.gate.set()
    assert patience.cancelled_caught
    assert list(made.league.players) == ["P01"]
    assert made.types[-1] == "PlayerRegistered"
    await made.ledger.execute(RegisterPlayer(entrant(Role.PLAYER, 2)))
    assert fold(record.event for record in await store.read(LEAGUE)) == made.league


@pytest.mark.parametrize("page", [1, 4, 5, 500])
async def test_what_is_stored_is_read_a_page_at_a_time(page: int, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(subject, "PAGE", page)
    made = await manager()
    await enrol(made.ledger, 3)
    again, pages = Ledger(made.store, ManualClock(), LEAGUE), list[list[int]]()
    await again.open(lambda _, records: pages.append([record.sequence for record in records]))
    assert again.league == made.league
    assert [sequence for each in pages for sequence in each] == [*range(1, len(made.types) + 1)]
    assert max(map(len, pages)) <= page


async def test_the_state_has_summaries_of_results_and_the_store_has_them_whole():
    made = await manager()
    await enrol(made.ledger, 2)
    await start(made.ledger)
    await made.ledger.execute(StartRound(1))
    await made.ledger.execute(AssignMatch("R1M1", "REF01"))
    first = made.league.fixture("R1M1").players[0]
    lifecycle = {"CREATED": "t1", "PLAYING": "t2", "FINISHED": "t3"}
    whole = replace(
        outcome(made.league.fixture("R1M1"), first, details={"drawn": 8}, transcript=({"from": first},)),
        referee_id="REF01",
        lifecycle=lifecycle,
    )
    await made.ledger.execute(RecordResult(whole))
    assert made.league.results["R1M1"] == summary(whole)
    assert await made.ledger.results(["R1M1", "R9M9"]) == [whole]
    assert await made.ledger.execute(RecordResult(whole)) == []
    with pytest.raises(DuplicateReport):
        await made.ledger.execute(RecordResult(replace(whole, details={"drawn": 9})))


@requirement("000-LM-START-03")
async def test_opening_folds_what_is_stored():
    made = await manager()
    await enrol(made.ledger, 3)
    again = Ledger(made.store, ManualClock(), LEAGUE)
    read: list[Record] = []
    await again.open(lambda _, records: read.extend(records))
    assert [record.type for record in read] == made.types
    assert again.league == made.league
    await again.execute(CloseRegistration("operator"))
    assert again.league.state is LeagueState.SCHEDULED


async def test_two_managers_of_one_league_cannot_both_write():
    made = await manager()
    other = Ledger(made.store, ManualClock(), LEAGUE)
    await other.open()
    await made.ledger.execute(RegisterPlayer(entrant(Role.PLAYER, 1)))
    with pytest.raises(Superseded, match="another league manager leads"):
        await other.execute(RegisterPlayer(entrant(Role.PLAYER, 2)))


@pytest.mark.parametrize(
    ("damage", "place"),
    [
        pytest.param(lambda records: records[:1] + records[2:], 2, id="one is missing"),
        pytest.param(
            lambda records: [records[0], replace(records[1], at="2025-01-16T10:00:00.000Z"), *records[2:]],
            2,
            id="one was changed",
        ),
        pytest.param(lambda records: [records[0], records[2], records[1]], 2, id="two changed places"),
    ],
)
@pytest.mark.parametrize("page", [1, 2, 500])
@pytest.mark.tampers
async def test_a_damaged_log_is_refused(damage, place: int, page: int, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(subject, "PAGE", page)
    store = MemoryEventStore()
    made = await manager(store)
    await enrol(made.ledger, 1)
    store._records[LEAGUE] = damage(store._records[LEAGUE])
    with pytest.raises(DamagedLog, match=f"record {place} does not fit"):
        await Ledger(store, ManualClock(), LEAGUE).open()


async def test_waiting_for_a_state_that_is_there_returns_at_once():
    made = await manager()
    with anyio.fail_after(30):
        league = await made.ledger.until(lambda league: league.state is LeagueState.WAITING_FOR_REGISTRATIONS)
    assert league is made.league


async def test_everybody_who_waits_is_woken_by_the_change_that_he_waits_for():
    made = await manager()
    order: list[str] = []

    async def wait_for(players: int) -> None:
        await made.ledger.until(lambda league: len(league.players) >= players)
        order.append(f"{players} players")

    with anyio.fail_after(30):
        async with anyio.create_task_group() as tasks:
            for players in (2, 1):
                tasks.start_soon(wait_for, players)
            await settle()
            await made.ledger.execute(RegisterReferee(entrant(Role.REFEREE, 1), "secret"))
            await settle()
            assert order == []
            await enrol(made.ledger, 1, referees=0)
            await settle()
            assert order == ["1 players"]
            await made.ledger.execute(RegisterPlayer(entrant(Role.PLAYER, 2)))
    assert order == ["1 players", "2 players"]


async def test_a_league_is_created_once():
    made = await manager()
    with pytest.raises(InvalidState):
        await made.ledger.execute(CreateLeague(rules()))


async def test_what_is_stored_is_counted_and_measured_and_a_store_that_refuses_is_no_longer_trusted():
    store = StubbornStore()
    made = await manager(store)
    took: list[float] = []
    refused: list[str] = []
    made.ledger.measure(took.append, lambda: refused.append("refused"))
    await enrol(made.ledger, 2)
    assert len(took) == 3
    assert made.ledger.stored == {"LeagueCreated": 1, "PlayerRegistered": 2, "RefereeRegistered": 1}
    await made.ledger.probe()
    store.full = True
    with pytest.raises(StoreFailed):
        await made.ledger.execute(RegisterPlayer(entrant(Role.PLAYER, 3)))
    assert refused == ["refused"]
    with pytest.raises(StoreFailed, match="the disk is full"):
        await made.ledger.probe()
    again = Ledger(store, ManualClock(), LEAGUE)
    await again.open()
    assert again.stored == made.ledger.stored


class CountingStore(StubbornStore):
    """A store that counts how often it is written to, and may know a result that the ledger does not."""

    def __init__(self) -> None:
        super().__init__()
        self.appends: list[int] = []
        self.knows_better = False

    async def append(self, league_id: str, events: Sequence[Event], *, expected: int, at: str) -> list[Record]:
        self.appends.append(len(events))
        if self.knows_better and len(events) != 1:
            raise AlreadyRecorded("one of these has a result")
        return await super().append(league_id, events, expected=expected, at=at)


async def together(made: Manager, numbers: Sequence[int]) -> dict[int, str]:
    """Register players at the same moment, while the store is busy with one before them."""
    outcomes: dict[int, str] = {}

    async def register(key: int, number: int) -> None:
        try:
            records = await made.ledger.execute(RegisterPlayer(entrant(Role.PLAYER, number)))
            outcomes[key] = records[0].payload["player"]["agent_id"]
        except Exception as error:
            outcomes[key] = type(error).__name__

    assert isinstance(made.store, CountingStore)
    made.store.gate = anyio.Event()
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(register, -1, 99)
        await settle()
        for key, number in enumerate(numbers):
            tasks.start_soon(register, key, number)
        await settle()
        made.store.gate.set()
    return outcomes


async def test_commands_that_come_together_share_an_append_and_are_told_of_in_their_order():
    store = CountingStore()
    made = await manager(store)
    store.appends.clear()
    assert await together(made, range(50)) == {-1: "P01", **{key: f"P{key + 2:02d}" for key in range(50)}}
    assert store.appends == [1, 50]
    assert made.types[-51:] == ["PlayerRegistered"] * 51
    assert fold(record.event for record in await store.read(LEAGUE)) == made.league


async def test_one_that_is_refused_leaves_those_beside_it_alone():
    store = CountingStore()
    made = await manager(store)
    assert await together(made, (1, 1, 2)) == {-1: "P01", 0: "P02", 1: "DuplicateName", 2: "P03"}


async def test_when_the_store_refuses_them_together_each_is_tried_alone():
    store = CountingStore()
    made = await manager(store)
    store.knows_better = True
    store.appends.clear()
    assert await together(made, (1, 1, 2)) == {-1: "P01", 0: "P02", 1: "DuplicateName", 2: "P03"}
    assert store.appends == [1, 2, 1, 1]


async def test_when_the_store_fails_nobody_is_told_of_what_was_to_be():
    store = CountingStore()
    made = await manager(store)
    store.full = True
    outcomes = await together(made, (1, 1, 2))
    assert set(outcomes.values()) == {"StoreFailed"}
    assert made.league.players == {}


async def test_one_that_goes_before_its_turn_changes_nothing():
    store = CountingStore()
    made = await manager(store)
    store.gate = anyio.Event()
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(made.ledger.execute, RegisterPlayer(entrant(Role.PLAYER, 1)))
        await settle()
        async with anyio.create_task_group() as impatient:
            impatient.start_soon(made.ledger.execute, RegisterPlayer(entrant(Role.PLAYER, 2)))
            await settle()
            impatient.cancel_scope.cancel()
        store.gate.set()
    assert [player.display_name for player in made.league.players.values()] == [entrant(Role.PLAYER, 1).display_name]
