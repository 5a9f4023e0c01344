"""SQL stores: URLs, shared commits, kills, full disks and servers that go away."""

import asyncio
import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import anyio
import pytest
from sqlalchemy import event

from league_sdk.domain.events import GENESIS, MatchRecorded, Record, RoundStarted, first_broken_link
from league_sdk.domain.model import MatchResult, ResultStatus
from league_sdk.ports import AlreadyRecorded, ConcurrentAppend, StoreFailed
from league_sdk.stores import MemoryEventStore, SqlEventStore, events_file, open_store, sql, sql_engines
from tests.requirements.marker import requirement

pytestmark = [pytest.mark.anyio, pytest.mark.xdist_group("PostgreSQL")]  # they share a server
AT = "2025-01-15T10:00:00.000Z"


@pytest.fixture
def url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path}/events.db"


def _result(match_id: str) -> MatchResult:
    return MatchResult(match_id, 1, ("P01", "P02"), ResultStatus.WIN, "P01", {"P01": 3, "P02": 0}, "REF01")


async def test_sqlite_writes_ahead_and_waits_for_the_disk(url: str):
    store = await SqlEventStore.open(url)
    async with store._engine.connect() as connection:
        mode = (await connection.exec_driver_sql("PRAGMA journal_mode")).scalar_one()
        synchronous = (await connection.exec_driver_sql("PRAGMA synchronous")).scalar_one()
    await store.close()
    assert (mode, synchronous) == ("wal", 2)


async def test_the_table_is_the_documented_one(url: str, tmp_path: Path):
    store = await SqlEventStore.open(url)
    await store.append("L", [RoundStarted(1), MatchRecorded(_result("R1M1"))], expected=0, at=AT)
    await store.close()
    with sqlite3.connect(tmp_path / "events.db") as connection:
        rows = connection.execute(
            "SELECT league_id, sequence, at, type, previous, recorded_match FROM events"
        ).fetchall()
    connection.close()
    assert rows[0] == ("L", 1, AT, "RoundStarted", GENESIS, None)
    assert rows[1][:4] == ("L", 2, AT, "MatchRecorded")
    assert rows[1][5] == "R1M1"


async def test_appends_that_arrive_together_share_a_commit(url: str):
    store = await SqlEventStore.open(url)
    commits: list[object] = []
    event.listen(store._engine.sync_engine, "commit", commits.append)
    with anyio.fail_after(20):
        appends = (store.append("L", [RoundStarted(n)], expected=n, at=AT) for n in range(50))
        others = (store.append(f"L{n}", [RoundStarted(n)], expected=0, at=AT) for n in range(50))
        await asyncio.gather(*appends, *others)
    records = await store.read("L")
    await store.close()
    assert len(commits) <= 2
    assert first_broken_link(records) is None
    assert len(records) == 50


async def test_one_refusal_in_a_shared_commit_is_nobody_elses(url: str):
    store = await SqlEventStore.open(url)
    await store.append("L", [MatchRecorded(_result("R1M1"))], expected=0, at=AT)
    with anyio.fail_after(20):
        good, twice, late, other = await asyncio.gather(
            store.append("L", [RoundStarted(1)], expected=1, at=AT),
            store.append("L", [MatchRecorded(_result("R1M1"))], expected=2, at=AT),
            store.append("L", [RoundStarted(2)], expected=7, at=AT),
            store.append("M", [RoundStarted(1)], expected=0, at=AT),
            return_exceptions=True,
        )
    await store.close()
    assert isinstance(good, list)
    assert isinstance(twice, AlreadyRecorded)
    assert isinstance(late, ConcurrentAppend)
    assert isinstance(other, list)


async def test_a_follower_of_a_refused_append_learns_that_its_ground_is_gone(url: str):
    store = await SqlEventStore.open(url)
    await store.append("L", [MatchRecorded(_result("R1M1"))], expected=0, at=AT)
    with anyio.fail_after(20):
        refused, follower = await asyncio.gather(
            store.append("L", [MatchRecorded(_result("R1M1"))], expected=1, at=AT),
            store.append("L", [RoundStarted(2)], expected=2, at=AT),
            return_exceptions=True,
        )
    await store.close()
    assert isinstance(refused, AlreadyRecorded)
    assert isinstance(follower, ConcurrentAppend)


async def test_an_event_that_is_not_json_fails_alone(url: str):
    store = await SqlEventStore.open(url)
    no_text = MatchRecorded(_result("\ud800"))
    with anyio.fail_after(20):
        bad, good = await asyncio.gather(
            store.append("L", [no_text], expected=0, at=AT),
            store.append("M", [RoundStarted(1)], expected=0, at=AT),
            return_exceptions=True,
        )
    await store.close()
    assert isinstance(bad, ValueError)
    assert isinstance(good, list)


async def test_a_caller_that_is_cancelled_disturbs_nobody(url: str):
    store = await SqlEventStore.open(url)
    with anyio.fail_after(20):
        gone = asyncio.create_task(store.append("L", [RoundStarted(1)], expected=0, at=AT))
        stays = asyncio.create_task(store.append("M", [RoundStarted(1)], expected=0, at=AT))
        await asyncio.sleep(0)
        gone.cancel()
        assert len(await stays) == 1
        await store.close()
    assert gone.cancelled()


async def test_closing_waits_for_what_is_under_way_and_then_refuses(url: str):
    store = await SqlEventStore.open(url)
    with anyio.fail_after(20):
        waiting = asyncio.create_task(store.append("L", [RoundStarted(1)], expected=0, at=AT))
        await asyncio.sleep(0)
        await store.close()
        assert len(await waiting) == 1
    with pytest.raises(StoreFailed, match="closed"):
        await store.append("L", [RoundStarted(2)], expected=1, at=AT)


@pytest.mark.parametrize("steps", range(4))
async def test_a_writer_that_is_stopped_leaves_nobody_waiting_and_no_gap(url: str, steps: int):
    store = await SqlEventStore.open(url)
    with anyio.fail_after(20):
        waiting = asyncio.create_task(store.append("L", [RoundStarted(1)], expected=0, at=AT))
        await asyncio.sleep(0)
        for _ in range(steps):
            await asyncio.sleep(0)
        assert store._writer is not None
        store._writer.cancel()
        with pytest.raises(StoreFailed, match="read before appending"):
            await waiting
        known = len(await store.read("L"))
        assert len(await store.append("L", [RoundStarted(2)], expected=known, at=AT)) == 1
        assert first_broken_link(await store.read("L")) is None
        await store.close()


class _Stumbles(SqlEventStore):
    async def _insert(self, records: Sequence[Record]) -> None:
        await super()._insert(records)
        raise asyncio.CancelledError


async def test_a_writer_that_is_stopped_after_its_commit_leaves_the_truth_to_be_read(url: str):
    store = await _Stumbles.open(url)
    with anyio.fail_after(20):
        with pytest.raises(StoreFailed, match="read before appending"):
            await store.append("L", [RoundStarted(1)], expected=0, at=AT)
        assert len(await store.read("L")) == 1
        with pytest.raises(ConcurrentAppend):
            await store.append("L", [RoundStarted(1)], expected=0, at=AT)
        await store.close()


_APPEND_FOR_EVER = """
import asyncio, sys
from league_sdk.domain.events import RoundStarted
from league_sdk.stores import SqlEventStore

async def main():
    store = await SqlEventStore.open(sys.argv[1])
    for n in range(100_000):
        await store.append("L", [RoundStarted(n)], expected=n, at="2025-01-15T10:00:00.000Z")
        print(n + 1, flush=True)

asyncio.run(main())
"""


def _acknowledged_before_a_kill(url: str) -> int:
    writer = subprocess.Popen([sys.executable, "-c", _APPEND_FOR_EVER, url], stdout=subprocess.PIPE, text=True)
    assert writer.stdout is not None
    lines = [writer.stdout.readline() for _ in range(25)]
    os.kill(writer.pid, signal.SIGKILL)
    lines += writer.stdout.read().split("\n")
    writer.stdout.close()
    writer.wait()
    return max(int(line) for line in lines if line.strip())


@requirement("003-CAP-06", "004-ERR-10")
async def test_what_was_acknowledged_survives_a_kill(url: str):
    acknowledged = await anyio.to_thread.run_sync(_acknowledged_before_a_kill, url)
    store = await SqlEventStore.open(url)
    records = await store.read("L")
    await store.append("L", [RoundStarted(0)], expected=len(records), at=AT)
    await store.close()
    assert len(records) in (acknowledged, acknowledged + 1)
    assert first_broken_link(records) is None


@requirement("000-LM-RESULT-08")
async def test_a_full_disk_refuses_the_append_and_keeps_what_there_is(url: str):
    store = await SqlEventStore.open(url)
    await store.append("L", [RoundStarted(0)], expected=0, at=AT)

    def fill(connection: Any, _entry: object) -> None:
        connection.cursor().execute("PRAGMA max_page_count=10")

    event.listen(store._engine.sync_engine, "connect", fill)
    await store._engine.dispose()
    with pytest.raises(StoreFailed, match="full; nothing was appended"):
        await store.append("L", [RoundStarted(n) for n in range(2_000)], expected=1, at=AT)
    assert len(await store.read("L")) == 1
    assert len(await store.append("L", [RoundStarted(1)], expected=1, at=AT)) == 1
    await store.close()


async def test_a_database_that_somebody_holds_refuses_after_its_time(
    url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(sql_engines, "BUSY_TIMEOUT_SEC", 0.01)
    store = await SqlEventStore.open(url)
    holder = sqlite3.connect(tmp_path / "events.db", isolation_level=None)
    holder.execute("BEGIN EXCLUSIVE")
    with pytest.raises(StoreFailed, match="locked"):
        await store.append("L", [RoundStarted(1)], expected=0, at=AT)
    holder.execute("ROLLBACK")
    holder.close()
    assert len(await store.append("L", [RoundStarted(1)], expected=0, at=AT)) == 1
    await store.close()


class _LosesTheAnswer(SqlEventStore):
    """The commit is done, and the connection breaks before its answer is here."""

    deaf = False

    async def _insert(self, records: Sequence[Record]) -> None:
        await super()._insert(records)
        raise ConnectionResetError("connection reset by peer")

    async def read(self, league_id: str, *, after: int = 0, limit: int | None = None) -> list[Record]:
        if self.deaf:
            raise StoreFailed("gone")
        return await super().read(league_id, after=after, limit=limit)


async def test_a_commit_whose_answer_was_lost_counts(url: str):
    store = await _LosesTheAnswer.open(url)
    assert [r.sequence for r in await store.append("L", [RoundStarted(1)], expected=0, at=AT)] == [1]
    with anyio.fail_after(20):
        appends = (store.append("L", [RoundStarted(n)], expected=n, at=AT) for n in range(1, 5))
        outcomes = await asyncio.gather(*appends)
    records = await store.read("L")
    await store.close()
    assert records[1:] == [record for outcome in outcomes for record in outcome]
    assert first_broken_link(records) is None


async def test_a_commit_that_cannot_be_asked_about_says_so(url: str):
    store = await _LosesTheAnswer.open(url)
    assert isinstance(store, _LosesTheAnswer)
    store.deaf = True
    with pytest.raises(StoreFailed, match="read before appending again"):
        await store.append("L", [RoundStarted(1)], expected=0, at=AT)
    await store.close()


@pytest.mark.parametrize(
    ("bad", "told"),
    [
        ("not a url", "not understood"),
        ("oracle://host/db", "known are"),
        ("sqlite://", "memory:"),
        ("sqlite:///:memory:", "memory:"),
    ],
)
async def test_a_url_that_cannot_be_used_is_refused_with_what_to_do(bad: str, told: str):
    with pytest.raises(ValueError, match=told):
        await SqlEventStore.open(bad)


@requirement("000-LM-START-06")
async def test_a_file_that_cannot_be_made_is_a_failure_of_the_store(tmp_path: Path):
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(StoreFailed, match="cannot make the folder"):
        await SqlEventStore.open(f"sqlite:///{tmp_path}/file/events.db")


async def test_a_file_that_is_no_database_is_a_failure_of_the_store(tmp_path: Path):
    (tmp_path / "events.db").write_text("this is not a database, and long enough to be looked at " * 20)
    with pytest.raises(StoreFailed, match="not a database"):
        await SqlEventStore.open(f"sqlite:///{tmp_path}/events.db")


@requirement("004-STORE-01")
async def test_a_league_has_a_file_of_its_own_by_default(tmp_path: Path):
    store = await open_store(None, tmp_path / "a # b?", "league_1")
    await store.append("league_1", [RoundStarted(1)], expected=0, at=AT)
    await store.close()
    assert (tmp_path / "a # b?" / "leagues" / "league_1" / "events.db").stat().st_size > 0
    assert events_file(tmp_path, "x").name == "events.db"


@pytest.mark.parametrize("league_id", ["../up", "a/b", "", ".hidden", "a\x00b", "x" * 200])
async def test_a_league_id_that_is_a_path_is_refused(league_id: str, tmp_path: Path):
    with pytest.raises(ValueError, match="cannot name a file"):
        await open_store(None, tmp_path, league_id)


@requirement("001-FUT-02")
async def test_the_scheme_of_a_url_chooses_the_store(tmp_path: Path, url: str):
    assert isinstance(await open_store("memory:", tmp_path, "L"), MemoryEventStore)
    opened: list[str] = []

    async def open_other(given: str) -> MemoryEventStore:
        opened.append(given)
        return MemoryEventStore()

    await open_store("other:thing", tmp_path, "L", {"other": open_other})
    assert opened == ["other:thing"]
    with pytest.raises(ValueError, match="memory, sqlite, postgresql, other"):
        await open_store("another:", tmp_path, "L", {"other": open_other})
    with pytest.raises(ValueError, match="no store is called 'another'"):
        await open_store("another:", tmp_path, "L")
    by_url = await open_store(url, tmp_path, "L")
    assert isinstance(by_url, SqlEventStore)
    await by_url.close()


@pytest.mark.postgres
async def test_a_password_never_shows_in_an_error(postgres_url: str):
    wrong = postgres_url.replace("league@", "nobody_known:hush@")
    with anyio.fail_after(30), pytest.raises(StoreFailed) as caught:
        await SqlEventStore.open(wrong)
    assert "hush" not in str(caught.value)
    assert "nobody_known" in str(caught.value)


async def test_a_server_that_is_not_there_is_a_failure_of_the_store(tmp_path: Path):
    pytest.importorskip("asyncpg")
    with anyio.fail_after(30), pytest.raises(StoreFailed) as caught:
        await SqlEventStore.open(f"postgres://league@/none?host={tmp_path}")
    assert str(caught.value).startswith("cannot open postgresql://league@/none")
    assert "Is the server running there" in str(caught.value)


@pytest.mark.postgres
async def test_a_server_that_stays_away_is_told_of_and_is_used_again_later(postgres_url: str, postgres_server: Any):
    store = await SqlEventStore.open(postgres_url)
    store.patience = 0.0
    await store.append("L", [RoundStarted(1)], expected=0, at=AT)
    await anyio.to_thread.run_sync(postgres_server.stop)
    try:
        with anyio.fail_after(30):
            with pytest.raises(StoreFailed, match="cannot"):
                await store.append("L", [RoundStarted(2)], expected=1, at=AT)
            with pytest.raises(StoreFailed, match="cannot read"):
                await store.leagues()
    finally:
        await anyio.to_thread.run_sync(postgres_server.start)
    with anyio.fail_after(30):
        await store.append("L", [RoundStarted(2)], expected=1, at=AT)
        assert len(await store.read("L")) == 2
        await store.close()


@pytest.mark.postgres
@requirement("project-LATER-09")
async def test_an_append_waits_for_a_server_that_restarts(postgres_url: str, postgres_server: Any):
    store = await SqlEventStore.open(postgres_url)
    await store.append("L", [RoundStarted(1)], expected=0, at=AT)
    await anyio.to_thread.run_sync(postgres_server.stop)
    with anyio.fail_after(60):
        waiting = asyncio.create_task(store.append("L", [RoundStarted(2)], expected=1, at=AT))
        await anyio.to_thread.run_sync(postgres_server.start)
        assert [record.sequence for record in await waiting] == [2]
        assert [record.sequence for record in await store.read("L")] == [1, 2]
        await store.close()


class _Broken(SqlEventStore):
    """Loses its connection in its first transaction, before or after the commit."""

    committed = False
    times = 0

    async def _insert(self, records: Sequence[Record]) -> None:
        self.times += 1
        if self.times > 1:
            return await super()._insert(records)
        if self.committed:
            await super()._insert(records)
            raise ConnectionResetError("broken after the commit")
        async with self._engine.begin() as connection:
            await connection.execute(sql._INSERT, [sql._row(record) for record in records])
            own = (await connection.exec_driver_sql("SELECT pg_backend_pid()")).scalar_one()
            async with self._engine.begin() as other:
                await other.exec_driver_sql(f"SELECT pg_terminate_backend({own}, 10000)")
        return None


@pytest.mark.postgres
@requirement("project-LATER-09")
@pytest.mark.parametrize("committed", [False, True])
async def test_a_connection_that_breaks_in_an_append_loses_and_doubles_nothing(postgres_url: str, committed: bool):
    store = await _Broken.open(postgres_url)
    assert isinstance(store, _Broken)
    store.committed = committed
    with anyio.fail_after(60):
        added = await store.append("L", [MatchRecorded(_result("R1M1"))], expected=0, at=AT)
        assert await store.read("L") == added
        assert store.times == (1 if committed else 2)
        await store.close()


@pytest.mark.postgres
async def test_many_openers_at_once_agree_on_one_table(postgres_url: str):
    with anyio.fail_after(60):
        stores = await asyncio.gather(*(SqlEventStore.open(postgres_url) for _ in range(6)))
        for store in stores:
            await store.close()


async def test_a_driver_that_is_not_installed_is_named_with_the_command(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "asyncpg", None)
    with pytest.raises(StoreFailed, match=r"pip install 'mcp-agent-league\[postgres\]'"):
        await SqlEventStore.open("postgresql://localhost/league")


INTERRUPTED = """
import sys, time
import anyio, anyio.lowlevel
from league_sdk.stores import SqlEventStore

async def interrupted(turns):
    async def use():
        store = await SqlEventStore.open(sys.argv[1])
        try:
            await store.read("league_2025")
        finally:
            with anyio.CancelScope(shield=True):
                await store.close()

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(use)
        started = time.perf_counter()
        while time.perf_counter() < started + turns / 1000:
            await anyio.lowlevel.checkpoint()
        tasks.cancel_scope.cancel()

for turns in range(25):
    anyio.run(interrupted, turns)
"""


def test_a_caller_that_is_cancelled_at_any_moment_leaves_nothing_that_keeps_the_program_from_ending(url: str):
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED, url], capture_output=True, text=True, timeout=240, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
