"""An agent's reports to its starter: plain JSON, and no secrets."""

import json
from typing import Any

import pytest

from servers.agent import startup_status
from tests.servers.fakes import manager


@pytest.mark.parametrize(
    ("report", "expected"),
    [
        (startup_status.listening("http://x/mcp"), {"kind": "listening", "endpoint": "http://x/mcp"}),
        (startup_status.waiting("for godot"), {"kind": "waiting", "text": "for godot"}),
        (startup_status.registered("P01", "summer"), {"kind": "registered", "agent_id": "P01", "league_id": "summer"}),
        (startup_status.match_news("won"), {"kind": "match", "text": "won"}),
        (startup_status.note("look"), {"kind": "note", "text": "look"}),
        (startup_status.failed("sorry"), {"kind": "failed", "text": "sorry"}),
    ],
)
def test_each_kind(report: Any, expected: dict[str, Any]):
    assert report == expected


@pytest.mark.anyio
async def test_a_record_is_told_whole_so_that_its_chain_can_be_checked():
    made = await manager()
    told: list[Any] = []
    startup_status.all_recorded(told.append, made.records)
    (report,) = told
    record = made.records[0]
    assert (report["kind"], report["replayed"]) == ("record", False)
    assert report["record"] == {
        "league_id": "summer",
        "sequence": 1,
        "at": "2025-01-15T10:00:00.000Z",
        "type": "LeagueCreated",
        "payload": dict(record.payload),
        "previous": record.previous,
        "digest": record.digest,
    }
    assert json.loads(json.dumps(report)) == report


@pytest.mark.anyio
async def test_what_was_stored_before_the_start_is_marked():
    made = await manager()
    told: list[Any] = []
    startup_status.all_recorded(told.append, made.records, replayed=True)
    assert [report["replayed"] for report in told] == [True]
