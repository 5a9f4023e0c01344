"""The league log, line by line."""

from typing import Any

import pytest

from league_sdk.domain.commands import (
    AssignMatch,
    CompleteLeague,
    CompleteRound,
    RemovePlayer,
    ResumeLeague,
    ReturnAgent,
    StartRound,
    StopLeague,
    VoidMatch,
)
from servers.league_manager.league_log import log_records
from tests.requirements.marker import requirement
from tests.servers.fakes import FakeJournal, Manager, enrol, manager, result_report, start

pytestmark = pytest.mark.anyio


async def logged(made: Manager) -> FakeJournal:
    """A journal that the manager's league writes its league log to from now on."""
    journal = FakeJournal()
    made.ledger.subscribe(lambda league, records: log_records(journal, league, records))
    return journal


@requirement("000-LM-PLAY-10", "000-LM-RESULT-05", "001-FLOW-01", "003-LOG-10")
async def test_a_whole_league_is_told_in_order():
    made = await manager(game_type="even_odd")
    journal = await logged(made)
    await enrol(made.ledger, 2)
    await start(made.ledger)
    await made.ledger.execute(StartRound(1))
    await made.ledger.execute(AssignMatch("R1M1", "REF01"))
    await made.call("report_match_result", result_report())
    await made.ledger.execute(CompleteRound(1))
    await made.ledger.execute(CompleteLeague())
    told = [(name, details) for name, _, details in journal.events]
    assert [name for name, _ in told] == [
        "REFEREE_REGISTERED",
        "PLAYER_REGISTERED",
        "PLAYER_REGISTERED",
        "SCHEDULE_CREATED",
        "LEAGUE_STARTED",
        "ROUND_STARTED",
        "MATCH_ASSIGNED",
        "MATCH_RESULT_RECEIVED",
        "STANDINGS_UPDATED",
        "ROUND_COMPLETED",
        "LEAGUE_COMPLETED",
    ]
    details: dict[str, dict[str, Any]] = dict(told)
    assert details["SCHEDULE_CREATED"] == {"total_rounds": 1, "total_matches": 1, "reason": "operator"}
    assert details["LEAGUE_STARTED"] == {"league_id": "summer", "total_players": 2, "total_rounds": 1}
    assert details["ROUND_STARTED"] == {"round_id": 1, "matches_count": 1}
    assert details["MATCH_ASSIGNED"] == {"match_id": "R1M1", "referee_id": "REF01", "attempt": 1}
    assert details["MATCH_RESULT_RECEIVED"] == {
        "match_id": "R1M1",
        "referee_id": "REF01",
        "status": "WIN",
        "winner_id": "P01",
        "score": {"P01": 3, "P02": 0},
    }
    assert details["STANDINGS_UPDATED"] == {"match_id": "R1M1", "matches_completed": 1, "leaders": ["P01"]}
    assert details["ROUND_COMPLETED"] == {"round_id": 1, "completed_matches": 1}
    assert details["LEAGUE_COMPLETED"] == {
        "winner_id": "P01",
        "champions": ["P01"],
        "final_standings": ["P01", "P02"],
    }
    assert {level for _, level, _ in journal.events} == {"INFO"}


async def test_trouble_has_its_level():
    made = await manager()
    journal = await logged(made)
    await enrol(made.ledger, 2)
    await start(made.ledger)
    await made.ledger.execute(StartRound(1))
    await made.ledger.execute(AssignMatch("R1M1", "REF01"))
    await made.ledger.execute(ReturnAgent("REF01", "digest", "http://localhost:8009/mcp"))
    await made.ledger.execute(AssignMatch("R1M1", "REF01", "REF01 was restarted"))
    await made.ledger.execute(StopLeague("enough"))
    await made.ledger.execute(ResumeLeague("continue"))
    await made.ledger.execute(VoidMatch("R1M1", "nobody"))
    assert journal.events[-5:] == [
        ("AGENT_RETURNED", "INFO", {"agent_id": "REF01", "endpoint": "http://localhost:8009/mcp"}),
        (
            "MATCH_ASSIGNED",
            "INFO",
            {"match_id": "R1M1", "referee_id": "REF01", "attempt": 2, "reason": "REF01 was restarted"},
        ),
        ("LEAGUE_STOPPED", "WARNING", {"reason": "enough"}),
        ("LEAGUE_RESUMED", "INFO", {"reason": "continue"}),
        ("MATCH_VOIDED", "ERROR", {"match_id": "R1M1", "cause": "nobody"}),
    ]


async def test_a_removal_is_told_and_its_void_matches_are_no_error():
    made = await manager()
    journal = await logged(made)
    await enrol(made.ledger, 2)
    await start(made.ledger)
    await made.ledger.execute(StartRound(1))
    await made.ledger.execute(RemovePlayer("P01", "it crashed"))
    await made.ledger.execute(CompleteRound(1))
    await made.ledger.execute(CompleteLeague())
    cause = "P01 was removed by the operator: it crashed"
    assert journal.events[-4:] == [
        ("PLAYER_REMOVED", "WARNING", {"player_id": "P01", "reason": "it crashed"}),
        ("MATCH_VOIDED", "INFO", {"match_id": "R1M1", "cause": cause}),
        ("ROUND_COMPLETED", "INFO", {"round_id": 1, "completed_matches": 1}),
        (
            "LEAGUE_COMPLETED",
            "INFO",
            {"winner_id": None, "champions": [], "final_standings": ["P01", "P02"]},
        ),
    ]


async def test_the_creation_is_told_too():
    made = await manager()
    journal = FakeJournal()
    log_records(journal, made.league, made.records)
    assert journal.events == [("LEAGUE_CREATED", "INFO", {"league_id": "summer", "game_type": "even_odd"})]
