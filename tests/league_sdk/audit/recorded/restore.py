"""Puts a league of this folder back into a store, as older code left it."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import anyio

from league_sdk.settings import Workspace
from league_sdk.stores import events_file, open_store

FOLDER = Path(__file__).parent


def restore(name: str, workspace: Workspace, until: int | None = None) -> str:
    """Store the first `until` records of a league, all of them without; its id."""
    workspace.prepare()
    workspace.league_dir(name).mkdir(parents=True, exist_ok=True)
    anyio.run(_make_table, workspace, name)
    lines = (FOLDER / name / "records.jsonl").read_text().splitlines()[:until]
    with closing(sqlite3.connect(events_file(workspace.data, name))) as database, database:
        for record in map(json.loads, lines):
            match = record["payload"]["result"]["match_id"] if record["type"] == "MatchRecorded" else None
            row = [record[key] for key in ("league_id", "sequence", "at", "type")]
            row += [json.dumps(record["payload"], separators=(",", ":")), record["previous"], record["digest"], match]
            database.execute("INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?, ?)", row)
    return name


async def _make_table(workspace: Workspace, name: str) -> None:
    await (await open_store(None, workspace.data, name)).close()
