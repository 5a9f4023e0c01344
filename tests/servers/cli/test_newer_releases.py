"""Records of a newer release: one sentence in every command, and nothing is judged or recorded."""

import json
import sqlite3
from contextlib import closing
from dataclasses import replace
from typing import Any

import pytest

from league_sdk.clock import SystemClock
from league_sdk.domain.events import GENESIS, LeagueCreated, LeagueResumed, Record, chain_digest, seal
from league_sdk.domain.model import LeagueRules
from league_sdk.domain.records.format_version import FORMAT_VERSION, NewerRecords
from league_sdk.release import release
from league_sdk.settings import Workspace, write_secret
from league_sdk.stores import MemoryEventStore, events_file
from servers.cli import common
from servers.league_manager.ledger import Ledger
from tests.league_sdk.audit.recorded.restore import restore_interrupted
from tests.ports import free_base
from tests.servers.league_history import under_way

pytestmark = pytest.mark.tampers("with records of other releases")

LOOKS = (
    ("standings",),
    ("ratings",),
    ("schedule",),
    ("matches",),
    ("show", "R1M1"),
    ("replay", "R1M1"),
    ("report",),
    ("export",),
    ("audit",),
    ("watch",),
    ("manager", "--resume", "summer"),
)


def newer_type(records: list[Record]) -> list[Record]:
    return [*records, replaced(records[-1], "SeasonMoved", {"to": "autumn"}, len(records) + 1)]


def newer_format(records: list[Record]) -> list[Record]:
    return [replaced(records[0], "LeagueCreated", {**records[0].payload, "format_version": 7}, 1), *records[1:]]


def replaced(like: Record, kind: str, payload: Any, sequence: int) -> Record:
    return Record(like.league_id, sequence, like.at, kind, payload, "", "")


def stored(workspace: Workspace, records: list[Record]) -> None:
    """Put these records, in a chain of their own, in the place of a league's."""
    previous = GENESIS
    with closing(sqlite3.connect(events_file(workspace.data, records[0].league_id))) as database, database:
        database.execute("DELETE FROM events")
        for record in records:
            content = (record.league_id, record.sequence, record.at, record.type)
            digest = chain_digest(*content, record.payload, previous)
            match = record.payload["result"]["match_id"] if record.type == "MatchRecorded" else None
            payload = json.dumps(record.payload, separators=(",", ":"))
            row = (*content, payload, previous, digest, match)
            database.execute("INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?, ?)", row)
            previous = digest


def contents(workspace: Workspace, league_id: str = "summer") -> list[Any]:
    with closing(sqlite3.connect(events_file(workspace.data, league_id))) as database:
        return database.execute("SELECT * FROM events").fetchall()


@pytest.mark.parametrize("words", LOOKS, ids=lambda words: words[0])
@pytest.mark.parametrize(
    ("change", "told"),
    [
        (newer_type, f"is a SeasonMoved, unknown here. They are of format {FORMAT_VERSION}, "),
        (newer_format, "they say so themselves. They are of format 7, "),
    ],
    ids=["a type of event", "a format"],
)
def test_every_command_says_it_in_a_sentence_with_both_versions(league, workspace, words, change, told):
    history = under_way(2)
    history.write(workspace)
    stored(workspace, change(list(history.records())))
    write_secret(workspace.operator_token_file("summer"), "kept")
    before = contents(workspace)
    port = ("--port", free_base()) if words[0] == "manager" else ()
    ran = league(*words, *port)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.count("\n") == 1
    assert "written by a newer release" in ran.err
    assert told in ran.err
    assert f"this release ({release()})" in ran.err
    assert f"formats up to {FORMAT_VERSION}" in ran.err
    assert contents(workspace) == before


def test_league_resume_says_it_and_records_nothing(league, workspace):
    league_id = restore_interrupted("600c26c7", workspace)
    records = [*common.read_records(workspace, league_id)]
    stored(workspace, newer_type(records))
    before = contents(workspace, league_id)
    ran = league("resume", "--in-process")
    assert (ran.code, ran.out) == (2, "")
    assert "is a SeasonMoved, unknown here" in ran.err
    assert contents(workspace, league_id) == before


@pytest.mark.anyio
async def test_a_manager_that_is_started_refuses_them_by_itself(workspace):
    store = MemoryEventStore()
    await store.append("summer", [LeagueCreated(LeagueRules("summer", "even_odd"))], expected=0, at="now")
    (first,) = await store.read("summer")
    newest = seal("summer", 2, "now", LeagueResumed(), first.digest)
    digest = chain_digest("summer", 2, "now", "SeasonMoved", newest.payload, first.digest)

    class Later(MemoryEventStore):
        async def read(self, league_id: str, *, after: int = 0, limit: int | None = None) -> list[Record]:
            return [first, replace(newest, type="SeasonMoved", digest=digest)][after:]

    with pytest.raises(NewerRecords, match=r"a SeasonMoved, unknown here\. They are of format 2"):
        await Ledger(Later(), SystemClock(), "summer").open()


def test_a_record_that_was_changed_into_an_unknown_one_was_changed(league, workspace):
    history = under_way(2)
    history.write(workspace)
    with closing(sqlite3.connect(events_file(workspace.data, "summer"))) as database, database:
        database.execute("UPDATE events SET type = 'SeasonMoved' WHERE sequence = 3")
    ran = league("audit")
    assert ran.code == 1
    assert "First bad record: 3." in ran.out
