"""Audits the leagues that tests have played: no participant makes an audit fail."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from league_sdk import plugins
from league_sdk.audit import Row, audit, rows_from_jsonl, rows_from_sqlite
from league_sdk.audit.findings import CHANGED
from league_sdk.audit.rows import FIELDS, compact
from league_sdk.stores.memory import MemoryEventStore

SHOWN = 10
"""Findings of one league that are printed."""


def watched_stores(monkeypatch: pytest.MonkeyPatch) -> list[MemoryEventStore]:
    """The stores in memory that are made from now on."""
    made: list[MemoryEventStore] = []
    make = MemoryEventStore.__init__

    def noted(store: MemoryEventStore) -> None:
        make(store)
        made.append(store)

    monkeypatch.setattr(MemoryEventStore, "__init__", noted)
    return made


def in_memory(stores: Sequence[MemoryEventStore]) -> Iterator[str]:
    """Findings of audits of the leagues of stores in memory."""
    for store in stores:
        for league_id, records in store._records.items():
            lines = (compact({name: getattr(record, name) for name in FIELDS}) + "\n" for record in records)
            yield from findings(rows_from_jsonl("".join(lines).encode()), league_id)


def under(folder: Path) -> Iterator[str]:
    """Findings of audits of the leagues whose files lie under a folder."""
    for database in folder.rglob("events.db"):
        league_id = database.parent.name
        if database.parents[1].name == "leagues" and (rows := rows_from_sqlite(database, league_id)):
            yield from findings(rows, league_id, database.parents[2])


def findings(rows: Sequence[Row], league_id: str, data_root: Path | None = None) -> Iterator[str]:
    """The findings of an audit; a game of the test's own is not known here."""

    def games(name: str, options: Any) -> Any:
        return plugins.game(name, (), options)

    report = audit(rows, games, league_id=league_id, data_root=data_root)
    changed = [found for found in report.findings if found.severity == CHANGED and found.kind != "game"]
    yield from (f"{league_id}: {found.kind}: {found.sentence}" for found in changed[:SHOWN])
