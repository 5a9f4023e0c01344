"""The store's own file, audited in place: every column, and every byte of the file."""

import os
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import anyio
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from league_sdk.audit import Unreadable, audit, rows_from_sqlite
from league_sdk.stores import SqlEventStore
from tests.league_sdk.audit.leagues import LEAGUE, games, league

RECORDS = league(conduct={"R1M1": {"P01": "silent"}})
SOAK = "LEAGUE_SOAK" in os.environ
COLUMNS = ("league_id", "sequence", "at", "type", "payload", "previous", "digest", "recorded_match")


async def _store(path, records):
    store = await SqlEventStore.open(f"sqlite:///{path}")
    try:
        for record in records:
            await store.append(record.league_id, [record.event], expected=record.sequence - 1, at=record.at)
    finally:
        await store.close()


@pytest.fixture(scope="module")
def original(tmp_path_factory):
    path = tmp_path_factory.mktemp("store") / "events.db"
    anyio.run(_store, path, RECORDS)
    return path.read_bytes()


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    """The beginning of that league, whose file is soon looked through."""
    path = tmp_path_factory.mktemp("small") / "events.db"
    anyio.run(_store, path, RECORDS[:3])
    return path.read_bytes()


@pytest.fixture
def path(tmp_path, original):
    path = tmp_path / "events.db"
    path.write_bytes(original)
    return path


def put_back(path, content):
    """Write all of the file anew, in the place where it is: one that is made anew has to be waited for."""
    with path.open("r+b") as file:
        file.write(content)
        file.truncate()


def change(path, statement, *values):
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("PRAGMA synchronous = OFF")  # nobody cuts the power in a test
        assert connection.execute(statement, values).rowcount != 0


def look_into(path, league_id=LEAGUE, **options):
    try:
        return audit(rows_from_sqlite(path, league_id), games, league_id=league_id, **options)
    except Unreadable:
        return None


def test_the_records_are_read_as_they_were_stored(path):
    rows = rows_from_sqlite(path, LEAGUE)
    assert [(row.sequence, row.type, row.payload, row.digest) for row in rows] == [
        (record.sequence, record.type, record.payload, record.digest) for record in RECORDS
    ]
    assert all(row.flaw is None for row in rows)
    assert audit(rows, games).ok


def test_the_file_is_not_written_to(path, original):
    rows_from_sqlite(path, LEAGUE)
    assert path.read_bytes() == original
    assert [found.name for found in path.parent.iterdir()] == ["events.db"]


def test_other_leagues_in_the_same_file_are_passed_over(path):
    winter = [replace(record, league_id="winter") for record in RECORDS[:3]]
    anyio.run(_store, path, winter)
    assert len(rows_from_sqlite(path, LEAGUE)) == len(RECORDS)
    assert len(rows_from_sqlite(path, "winter")) == 3


@settings(max_examples=3000 if SOAK else 60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_no_byte_of_any_column_can_be_flipped_unnoticed(path, original, data):
    put_back(path, original)
    number = data.draw(st.integers(1, len(RECORDS)))
    column = data.draw(st.sampled_from(COLUMNS))
    with closing(sqlite3.connect(path)) as connection:
        value = connection.execute(f"SELECT {column} FROM events WHERE sequence = ?", (number,)).fetchone()[0]
    if isinstance(value, str):
        changed = bytearray(value.encode())
        position = data.draw(st.integers(0, len(changed) - 1))
        changed[position] ^= 1 << data.draw(st.integers(0, 7))
        new = "CAST(? AS TEXT)", bytes(changed)
    else:
        new = "?", data.draw(st.integers(1000, 2000)) if isinstance(value, int) else "R1M1"
    try:
        change(path, f"UPDATE events SET {column} = {new[0]} WHERE sequence = ?", new[1], number)
    except sqlite3.IntegrityError:
        return  # the table itself refuses two results of a match
    report = look_into(path)
    assert report is None or not report.ok
    if report is not None and column not in ("league_id", "sequence"):
        assert report.first_changed in (number, number - 1)


@settings(max_examples=4000 if SOAK else 60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.floats(0, 1, exclude_max=True), st.integers(0, 7))
def test_a_byte_of_the_file_that_is_flipped_changes_no_record_unnoticed(path, original, place, bit):
    changed = bytearray(original)
    changed[int(place * len(original))] ^= 1 << bit
    put_back(path, changed)
    report = look_into(path)
    if report is None or not report.ok:
        return
    read = [(row.sequence, row.type, row.payload, row.digest) for row in rows_from_sqlite(path, LEAGUE)]
    assert read == [(record.sequence, record.type, record.payload, record.digest) for record in RECORDS]


@pytest.mark.parametrize(
    ("statement", "first"),
    [
        ("UPDATE events SET payload = replace(payload, 'P01', 'P02') WHERE sequence = 9", 9),
        ("UPDATE events SET payload = payload || ' ' WHERE sequence = 9", 9),
        ("UPDATE events SET payload = CAST(payload AS BLOB) WHERE sequence = 9", 9),
        ("UPDATE events SET payload = 'nonsense' WHERE sequence = 9", 9),
        ("UPDATE events SET payload = '[7]' WHERE type = 'MatchRecorded' AND recorded_match = 'R1M1'", 16),
        ("UPDATE events SET payload = '{\"result\":7}' WHERE recorded_match = 'R1M1'", 16),
        ("UPDATE events SET digest = CAST(X'FF' AS TEXT) WHERE sequence = 9", 9),
        ("UPDATE events SET at = 7.5 WHERE sequence = 9", 9),
        ("UPDATE events SET at = CAST(at AS BLOB) WHERE sequence = 9", 9),
        ("UPDATE events SET recorded_match = NULL WHERE sequence = 16", 16),
        ("UPDATE events SET recorded_match = 'R9M9' WHERE sequence = 16", 16),
        ("UPDATE events SET recorded_match = 'R9M9' WHERE sequence = 9", 9),
        ("DELETE FROM events WHERE sequence = 9", 9),
        ("UPDATE events SET sequence = sequence + 1000 WHERE sequence > 9", 10),
    ],
)
def test_what_is_changed_in_the_table_is_named(path, statement, first):
    change(path, statement)
    report = look_into(path)
    assert report is not None
    assert report.first_changed == first


@pytest.mark.parametrize("number", [1, 9, len(RECORDS)])
def test_a_record_that_is_put_under_another_league_is_found(path, number):
    change(path, "UPDATE events SET league_id = 'winter' WHERE sequence = ?", number)
    report = look_into(path)
    assert report is None or not report.ok


def test_a_sequence_that_is_no_number_is_found(path):
    change(path, "UPDATE events SET sequence = 'nine' WHERE sequence = 9")
    report = look_into(path)
    assert report is not None
    assert report.first_changed == 9


@pytest.mark.parametrize("content", [b"", b"nonsense" * 1000])
def test_what_is_no_database_is_unreadable(tmp_path, content):
    path: Path = tmp_path / "events.db"
    path.write_bytes(content)
    with pytest.raises(Unreadable, match="cannot be read"):
        rows_from_sqlite(path, LEAGUE)


def test_a_missing_file_is_unreadable_and_not_made(tmp_path):
    with pytest.raises(Unreadable, match="cannot be read"):
        rows_from_sqlite(tmp_path / "events.db", LEAGUE)
    assert list(tmp_path.iterdir()) == []


async def _read_while_open(path):
    store = await SqlEventStore.open(f"sqlite:///{path}")
    try:
        await store.append(LEAGUE, [RECORDS[0].event], expected=0, at=RECORDS[0].at)
        return rows_from_sqlite(path, LEAGUE)
    finally:
        await store.close()


def test_a_store_that_is_in_use_can_be_audited(tmp_path):
    rows = anyio.run(_read_while_open, tmp_path / "events.db")
    assert [row.type for row in rows] == ["LeagueCreated"]
    assert audit(rows, games).ok


def test_an_index_that_hides_a_record_from_the_league_is_found(path):
    """The store looks records up in an index; the table alone would still be whole."""
    with closing(sqlite3.connect(path)) as connection:
        roots = [page for (page,) in connection.execute("SELECT rootpage FROM sqlite_master WHERE type = 'index'")]
        size = connection.execute("PRAGMA page_size").fetchone()[0]
    content = bytearray(path.read_bytes())
    content[content.index(b"summer", (roots[0] - 1) * size)] ^= 1
    path.write_bytes(content)
    with pytest.raises(Unreadable, match="damaged"):
        rows_from_sqlite(path, LEAGUE)


def test_no_byte_of_the_schema_can_be_flipped_unnoticed(path, small):
    """The first page: SQLite's own messages about it may hold what is no text."""
    path.write_bytes(small)
    with path.open("r+b", buffering=0) as file:
        for position in range(0, 4096, 3):
            os.pwrite(file.fileno(), bytes([small[position] ^ 0x80]), position)
            report = look_into(path)
            if report is not None and report.ok:
                assert [row.digest for row in rows_from_sqlite(path, LEAGUE)] == [row.digest for row in RECORDS[:3]]
            os.pwrite(file.fileno(), small[position : position + 1], position)
