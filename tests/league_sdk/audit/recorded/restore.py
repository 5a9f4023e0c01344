"""Puts a league of this folder back into a store, as older code left it."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import anyio

from league_sdk.settings import Workspace, write_secret
from league_sdk.stores import events_file, open_store

FOLDER = Path(__file__).parent


def restore(name: str, workspace: Workspace, until: int | None = None) -> str:
    """Store the first `until` records of a league, all of them without; its id."""
    return _store(FOLDER / name / "records.jsonl", workspace, until)


def restore_interrupted(commit: str, workspace: Workspace, *, secrets: bool = True) -> str:
    """Put back the data folder of a league that a commit's code was interrupted in."""
    kept = FOLDER / "interrupted" / commit
    league_id = _store(kept / "records.jsonl", workspace, None)
    plan = (kept / "run.json").read_text().replace("CHECKOUT/config", str(find_config()))
    write_secret(workspace.league_dir(league_id) / "run.json", plan)
    for file in (kept / "secrets").iterdir() if secrets else ():
        write_secret(workspace.operator_token_file(league_id).with_name(file.name), file.read_text())
    return league_id


def find_config() -> Path:
    """The configuration of today's checkout."""
    return Path(__file__).parents[4] / "config"


def _store(file: Path, workspace: Workspace, until: int | None) -> str:
    workspace.prepare()
    records = [json.loads(line) for line in file.read_text().splitlines()[:until]]
    name = str(records[0]["league_id"])
    workspace.league_dir(name).mkdir(parents=True, exist_ok=True)
    anyio.run(_make_table, workspace, name)
    with closing(sqlite3.connect(events_file(workspace.data, name))) as database, database:
        for record in records:
            match = record["payload"]["result"]["match_id"] if record["type"] == "MatchRecorded" else None
            row = [record[key] for key in ("league_id", "sequence", "at", "type")]
            row += [json.dumps(record["payload"], separators=(",", ":")), record["previous"], record["digest"], match]
            database.execute("INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?, ?)", row)
    return name


async def _make_table(workspace: Workspace, name: str) -> None:
    await (await open_store(None, workspace.data, name)).close()
