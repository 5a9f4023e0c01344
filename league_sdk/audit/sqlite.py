"""Reads records from an SQLite file, read-only and independent of its writer."""

import sqlite3
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path

from league_sdk.audit.rows import Row, Unreadable, rows_from_columns
from league_sdk.json_value import Json

COLUMNS = ("league_id", "sequence", "at", "type", "payload", "previous", "digest", "recorded_match")


def rows_from_sqlite(path: Path, league_id: str) -> list[Row]:
    """The records of a league; Unreadable for damage, or records of no league.

    The table is read from its beginning to its end, not through its index, and the file has to pass SQLite's own check:
    else a damaged index could show other programs fewer records than are seen here. Records of other leagues in the
    file are skipped, if those leagues have a first record; without one, they may be records of this league under a
    changed name.
    """
    try:
        with closing(sqlite3.connect(_address(path), uri=True)) as connection:
            connection.text_factory = _text
            found = _everything(connection)
    except (sqlite3.Error, UnicodeDecodeError) as error:
        # Python decodes SQLite's own messages, and those of a damaged file may name what is no text.
        raise Unreadable(f"{path} cannot be read as a database: {error}") from error
    own = [row for row in found if row["league_id"] == league_id]
    begun = {row["league_id"] for row in found if row["sequence"] == 1}
    strays = [row for row in found if row["league_id"] not in begun and row["league_id"] != league_id]
    if strays:
        stray = strays[0]
        raise Unreadable(
            f"{path}: record {stray['sequence']!r} stands under the league {stray['league_id']!r}, which has no "
            "beginning: its column league_id was changed, or the records before it were removed"
        )
    return rows_from_columns(sorted(own, key=_number))


def _address(path: Path) -> str:
    """The file as a read-only URI; without a write-ahead log, no process has it open."""
    unused = not path.with_name(f"{path.name}-wal").exists()
    return f"{path.absolute().as_uri()}?mode=ro{'&immutable=1' if unused else ''}"


def _everything(connection: sqlite3.Connection) -> list[Mapping[str, Json]]:
    verdict = connection.execute("PRAGMA integrity_check(1)").fetchone()[0]
    if verdict != "ok":
        raise sqlite3.DatabaseError(f"it is damaged: {verdict}")
    # The unary plus keeps SQLite from answering out of an index.
    cursor = connection.execute(f"SELECT {', '.join('+' + name for name in COLUMNS)} FROM events NOT INDEXED")  # noqa: S608
    return [dict(zip(COLUMNS, row, strict=True)) for row in cursor]


def _text(data: bytes) -> str:
    """Decode text; invalid UTF-8 becomes characters that have no digest, to be found."""
    return data.decode(errors="surrogateescape")


def _number(row: Mapping[str, Json]) -> tuple[bool, int]:
    sequence = row["sequence"]
    return (False, sequence) if type(sequence) is int else (True, 0)
