"""An event store in a relational database: an SQLite file, or PostgreSQL by URL.

All leagues share one table. Two of its constraints carry the guarantees: the primary key (league, sequence) admits only
one writer of the next record, and the unique pair (league, recorded match) admits only one result of a match, from any
process. An append whose commit returned is on disk: SQLite runs with a write-ahead log and `synchronous=FULL`,
PostgreSQL with its default `synchronous_commit`.

Appends that wait together share a commit. A writer task takes all that are waiting, writes them in one transaction in
their order, and answers each; if that transaction is refused, each is tried in one of its own, so that one's failure
doesn't fail the others.

A connection to PostgreSQL that breaks in the middle of a commit leaves open if it was carried out. The writer waits for
the server, reads, and appends what isn't there: a restart or a fail-over costs an append its time, and nothing else.
"""

import asyncio
import json
from collections.abc import AsyncIterable, Sequence
from dataclasses import dataclass
from typing import Any

import anyio
import sqlalchemy as sa
from sqlalchemy.engine import URL, RowMapping
from sqlalchemy.exc import IntegrityError, SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from league_sdk.domain.events import GENESIS, Event, MatchRecorded, Record, seal
from league_sdk.ports import AlreadyRecorded, ConcurrentAppend, StoreFailed
from league_sdk.stores.sql_engines import disconnected, engine_for, reason, target_of

PATIENCE_SEC = 30.0  # time for PostgreSQL to be back after a restart or a fail-over, while an append waits
LOOK_SEC = 0.2  # pause between two tries to reach it
PARAMETERS = 500  # most values in one query: older builds of SQLite take 999

_SCHEMA_LOCK = 0x6C656167  # any constant will do: it keeps two processes from creating the table at once

_metadata = sa.MetaData()
EVENTS = sa.Table(
    "events",
    _metadata,
    sa.Column("league_id", sa.Text, primary_key=True),
    sa.Column("sequence", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("at", sa.Text, nullable=False),
    sa.Column("type", sa.Text, nullable=False),
    sa.Column("payload", sa.Text, nullable=False),
    sa.Column("previous", sa.Text, nullable=False),
    sa.Column("digest", sa.Text, nullable=False),
    sa.Column("recorded_match", sa.Text, nullable=True),
    sa.UniqueConstraint("league_id", "recorded_match", name="events_one_result_a_match"),
)
"""The only table, also for `league audit` and for people with an SQL prompt."""

_INSERT = EVENTS.insert()


@dataclass(slots=True, eq=False)
class _Append:
    league_id: str
    events: Sequence[Event]
    expected: int
    at: str
    done: "asyncio.Future[list[Record]]"
    give_up_at: float | None = None  # in the loop's time; None before the first failure

    def settle(self, outcome: list[Record] | BaseException) -> None:
        """Answer the caller, unless it has been cancelled."""
        if self.done.done():
            return
        if isinstance(outcome, BaseException):
            self.done.set_exception(outcome)
        else:
            self.done.set_result(outcome)


_WITHOUT_SERVER = "Is the server running there, and are user, password and database those of the URL?"


def _shown(url: URL) -> str:
    """A URL as people write it: without its driver, its password hidden."""
    return url.set(drivername=url.get_backend_name()).render_as_string(hide_password=True)


@dataclass(frozen=True, slots=True)
class _Tail:
    """A league's last record, as far as this store knows."""

    sequence: int
    digest: str


class SqlEventStore:
    """An `EventStore` in SQLite or PostgreSQL; see `open` and `close`."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine
        self.patience = PATIENCE_SEC
        self._tails: dict[str, _Tail] = {}
        self._waiting: list[_Append] = []
        self._writing: list[_Append] = []
        self._writer: asyncio.Task[None] | None = None
        self._closed = False

    @classmethod
    async def open(cls, url: str | URL) -> "SqlEventStore":
        """Connect, and create the table if it is missing.

        The URL is `sqlite:////absolute/events.db`, `postgresql://user:password@host/database`, or either with its
        driver (`sqlite+aiosqlite`, `postgresql+asyncpg`). Missing folders of an SQLite file are made. Raises ValueError
        for another URL, and StoreFailed if the database cannot be reached or written.
        """
        target = target_of(url)
        engine = engine_for(target)
        # Shielded, as reading is: a driver that is cancelled in the middle leaves a connection that never closes.
        with anyio.CancelScope(shield=True):
            try:
                await _create_table(engine)
            except Exception as error:
                await engine.dispose()
                hint = "" if target.get_backend_name() == "sqlite" else f". {_WITHOUT_SERVER}"
                raise StoreFailed(f"cannot open {_shown(target)}: {reason(error)}{hint}") from error
        return cls(engine)

    async def append(self, league_id: str, events: Sequence[Event], *, expected: int, at: str) -> list[Record]:
        """Append all of `events`, or none; see `EventStore.append`.

        A caller that is cancelled while it waits cannot know if the events were appended: it has to read. The same
        holds after a StoreFailed that says so: the database went away in the middle of the commit.
        """
        if not events:
            raise ValueError("append needs at least one event")
        if self._closed:
            raise StoreFailed("the store is closed")
        done: asyncio.Future[list[Record]] = asyncio.get_running_loop().create_future()
        self._waiting.append(_Append(league_id, tuple(events), expected, at, done))
        if self._writer is None:
            self._start_writer()
        return await done

    async def read(self, league_id: str, *, after: int = 0, limit: int | None = None) -> list[Record]:
        query = (
            sa.select(EVENTS)
            .where(EVENTS.c.league_id == league_id, EVENTS.c.sequence > after)
            .order_by(EVENTS.c.sequence)
            .limit(limit)
        )
        return [_record(row) for row in await self._rows(query)]

    async def recorded(self, league_id: str, match_ids: Sequence[str]) -> list[Record]:
        found: list[Record] = []
        for first in range(0, len(match_ids), PARAMETERS):
            named = EVENTS.c.recorded_match.in_(match_ids[first : first + PARAMETERS])
            rows = await self._rows(sa.select(EVENTS).where(EVENTS.c.league_id == league_id, named))
            found += map(_record, rows)
        return sorted(found, key=lambda record: record.sequence)

    async def rows(self, league_id: str) -> list[dict[str, Any]]:
        """The stored columns of a league's records, unparsed and in order; for an audit."""
        query = sa.select(EVENTS).where(EVENTS.c.league_id == league_id).order_by(EVENTS.c.sequence)
        return [dict(row) for row in await self._rows(query)]

    async def leagues(self) -> list[str]:
        last = sa.func.max(EVENTS.c.at)
        query = sa.select(EVENTS.c.league_id).group_by(EVENTS.c.league_id).order_by(last, EVENTS.c.league_id)
        return [str(row["league_id"]) for row in await self._rows(query)]

    async def adopt(self, league_id: str, pages: AsyncIterable[Sequence[Record]]) -> None:
        try:
            async with self._engine.begin() as connection:
                async for page in pages:
                    with anyio.CancelScope(shield=True):
                        await connection.execute(_INSERT, [_row(record) for record in page])
        except IntegrityError as error:
            raise ConcurrentAppend(f"{league_id} has records in {_shown(self._engine.url)} already") from error
        except SQLAlchemyError as error:
            raise StoreFailed(f"cannot write {_shown(self._engine.url)}: {reason(error)}") from error

    async def delete(self, league_id: str) -> None:
        self._tails.pop(league_id, None)
        try:
            with anyio.CancelScope(shield=True):
                async with self._engine.begin() as connection:
                    await connection.execute(EVENTS.delete().where(EVENTS.c.league_id == league_id))
        except SQLAlchemyError as error:
            raise StoreFailed(f"cannot write {_shown(self._engine.url)}: {reason(error)}") from error

    async def close(self) -> None:
        """Finish waiting appends, then release the connections."""
        self._closed = True
        while self._writer is not None:
            await asyncio.wait([self._writer])
        await self._engine.dispose()

    async def _rows(self, query: sa.Select[*tuple[Any, ...]]) -> Sequence[RowMapping]:
        rows: Sequence[RowMapping] = ()
        try:
            with anyio.CancelScope(shield=True):
                async with self._engine.connect() as connection:
                    rows = (await connection.execute(query)).mappings().all()
        except Exception as error:
            raise StoreFailed(f"cannot read {_shown(self._engine.url)}: {reason(error)}") from error
        return rows

    def _start_writer(self) -> None:
        self._writer = asyncio.create_task(self._write_waiting(), name="event-store-writer")
        self._writer.add_done_callback(self._writer_ended)

    def _writer_ended(self, writer: "asyncio.Task[None]") -> None:
        """Fail the waiting appends if the writer was cancelled or crashed."""
        self._writer = None
        if writer.cancelled() or writer.exception() is not None:
            failure = StoreFailed("the writer was stopped: read before appending again")
            failure.__cause__ = None if writer.cancelled() else writer.exception()
            for append in (*self._writing, *self._waiting):
                append.settle(failure)
            self._waiting = []
            self._tails.clear()
        elif self._waiting:
            self._start_writer()

    async def _write_waiting(self) -> None:
        """Write until no append waits; the only writer, so records get their order here."""
        while self._waiting:
            self._writing, self._waiting = self._waiting, []
            await self._write_together(self._writing)

    async def _write_together(self, batch: Sequence[_Append]) -> None:
        """Write `batch` in one transaction, or one each if that is refused."""
        sealed: list[tuple[_Append, list[Record]]] = []
        for append in batch:
            records = await self._seal(append)
            if records is not None:
                sealed.append((append, records))
                self._tails[append.league_id] = _Tail(records[-1].sequence, records[-1].digest)
        if not sealed:
            return
        try:
            await self._insert([record for _, records in sealed for record in records])
        except Exception as error:
            for append, _ in sealed:
                self._tails.pop(append.league_id, None)
            await self._after_failure(sealed, error)
            return
        for append, records in sealed:
            append.settle(records)

    async def _after_failure(self, sealed: Sequence[tuple[_Append, list[Record]]], error: Exception) -> None:
        """Settle each append of a failed transaction: it is in after all, or tried alone."""
        for append, records in sealed:
            there = await self._read_when_back(append)
            if there is None:
                text = f"cannot write {_shown(self._engine.url)}: {reason(error)}; read before appending again"
                append.settle(_because(StoreFailed(text), error))
                continue
            # A broken constraint is a clear no. After any other error the commit may have succeeded.
            if not isinstance(error, IntegrityError) and _begins_with(there, records):
                append.settle(records)
            elif len(sealed) > 1 or (not there and self._may_try_again(append, error)):
                await self._write_together([append])
            elif there:
                append.settle(_because(_conflict(append, there[-1].sequence), error))
            elif isinstance(error, IntegrityError):
                text = f"{append.league_id}: a match of this append has a result already"
                append.settle(_because(AlreadyRecorded(text), error))
            else:
                text = f"cannot write {_shown(self._engine.url)}: {reason(error)}; nothing was appended"
                append.settle(_because(StoreFailed(text), error))

    async def _read_when_back(self, append: _Append) -> list[Record] | None:
        """Records that an append does not expect; None if the database stays away."""
        if append.give_up_at is None:
            patience = self.patience if self._engine.dialect.name == "postgresql" else 0.0
            append.give_up_at = _now() + patience
        while True:
            try:
                return await self.read(append.league_id, after=append.expected)
            except StoreFailed:
                if _now() >= append.give_up_at:
                    return None
            await asyncio.sleep(LOOK_SEC)

    def _may_try_again(self, append: _Append, error: Exception) -> bool:
        """True if an append failed by its connection alone, and there is time left."""
        return disconnected(error) and append.give_up_at is not None and _now() < append.give_up_at

    async def _seal(self, append: _Append) -> list[Record] | None:
        """The records to insert; None if the append has been refused already."""
        try:
            tail = self._tails.get(append.league_id)
            if tail is None or tail.sequence != append.expected:
                tail = await self._last(append.league_id)
            if tail.sequence != append.expected:
                raise _conflict(append, tail.sequence)
            return _sealed(append, tail.digest)
        except Exception as error:
            append.settle(error)
            return None

    async def _last(self, league_id: str) -> _Tail:
        query = (
            sa.select(EVENTS.c.sequence, EVENTS.c.digest)
            .where(EVENTS.c.league_id == league_id)
            .order_by(EVENTS.c.sequence.desc())
            .limit(1)
        )
        rows = await self._rows(query)
        return _Tail(int(rows[0]["sequence"]), str(rows[0]["digest"])) if rows else _Tail(0, GENESIS)

    async def _insert(self, records: Sequence[Record]) -> None:
        async with self._engine.begin() as connection:
            await connection.execute(_INSERT, [_row(record) for record in records])


def _now() -> float:
    return asyncio.get_running_loop().time()


def _because(outcome: Exception, cause: Exception) -> Exception:
    outcome.__cause__ = cause
    return outcome


def _begins_with(there: Sequence[Record], records: Sequence[Record]) -> bool:
    return [record.digest for record in there[: len(records)]] == [record.digest for record in records]


def _sealed(append: _Append, previous: str) -> list[Record]:
    records: list[Record] = []
    for sequence, happened in enumerate(append.events, start=append.expected + 1):
        records.append(seal(append.league_id, sequence, append.at, happened, previous))
        previous = records[-1].digest
    return records


def _conflict(append: _Append, last: int) -> ConcurrentAppend:
    return ConcurrentAppend(f"{append.league_id} is at record {last}, not {append.expected}: read on, decide again")


def _row(record: Record) -> dict[str, Any]:
    recorded = record.payload["result"]["match_id"] if record.type == MatchRecorded.__name__ else None
    return {
        "league_id": record.league_id,
        "sequence": record.sequence,
        "at": record.at,
        "type": record.type,
        # ASCII, since PostgreSQL's text cannot hold U+0000; unsorted, since a lifecycle is told in its order.
        "payload": json.dumps(record.payload, separators=(",", ":"), allow_nan=False),
        "previous": record.previous,
        "digest": record.digest,
        "recorded_match": recorded,
    }


def _record(row: RowMapping) -> Record:
    return Record(
        league_id=row["league_id"],
        sequence=row["sequence"],
        at=row["at"],
        type=row["type"],
        payload=json.loads(row["payload"]),
        previous=row["previous"],
        digest=row["digest"],
    )


async def _create_table(engine: AsyncEngine) -> None:
    async with engine.begin() as connection:
        if engine.dialect.name == "postgresql":
            await connection.execute(sa.select(sa.func.pg_advisory_xact_lock(_SCHEMA_LOCK)))
        await _create_if_missing(connection)


async def _create_if_missing(connection: AsyncConnection) -> None:
    await connection.execute(sa.schema.CreateTable(EVENTS, if_not_exists=True))
