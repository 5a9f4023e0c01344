"""Agents that withdrew, as the audit sees them: by the records alone, and with the files."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from league_sdk.domain.commands import AssignMatch, CompleteLeague, StartRound, WithdrawAgent
from league_sdk.domain.events import Record
from league_sdk.domain.model import LeagueRules
from league_sdk.stores import JsonFiles
from tests.league_sdk.audit.leagues import LEAGUE, Maker, forged, look_at, number_of, resealed

CAUSE = "P01 withdrew: tired"
RULES = LeagueRules(LEAGUE, "even_odd", seed="7")


def withdrawn() -> Maker:
    """A league whose P01 withdraws from a match of the second round, and REF02 after it."""
    maker = Maker(RULES)
    maker.play(4, until=1)
    maker.do(StartRound(2))
    maker.do(AssignMatch("R2M1", "REF01"))
    maker.do(WithdrawAgent("P01", "tired"))
    maker.do(WithdrawAgent("REF02"))
    return maker


def finished() -> list[Record]:
    maker = withdrawn()
    maker.finish(2)
    maker.do(StartRound(3))
    maker.finish(3)
    maker.do(CompleteLeague())
    return maker.records


RECORDS = finished()
WITHDRAWAL = number_of(RECORDS, "AgentWithdrew")


def told(records: list[Record]) -> str:
    return "\n".join(found.sentence for found in look_at(records).findings)


def test_a_league_with_agents_that_withdrew_holds():
    report = look_at(RECORDS)
    assert report.findings == []
    assert (report.complete, report.decided, report.void) == (True, 6, 0)
    assert report.notes == [f"record {WITHDRAWAL}: {CAUSE}"]
    assert [(row["player_id"], row["withdrew"]) for row in report.standings if row.get("removed")] == [("P01", 2)]
    assert "P01" not in report.champions


@given(st.lists(st.sets(st.sampled_from(["P01", "P02", "P03", "P04"]), max_size=1), min_size=3, max_size=3))
def test_whoever_withdraws_and_whenever_the_league_holds(leaving: list[set[str]]):
    maker, gone = Maker(RULES), set[str]()
    maker.play(4, until=0)
    for number, players in enumerate(leaving, start=1):
        for player_id in players - gone if len(gone) < 3 else ():
            maker.do(WithdrawAgent(player_id))
            gone.add(player_id)
        maker.do(StartRound(number))
        maker.finish(number)
    maker.do(CompleteLeague())
    assert look_at(maker.records).findings == []


def test_the_files_of_such_a_league_hold(tmp_path: Path):
    maker = withdrawn()
    JsonFiles(tmp_path).update(maker.league, maker.records)
    report = look_at(maker.records, data_root=tmp_path)
    assert report.findings == []
    assert report.files > 2


def _result(**changes: Any) -> Any:
    return lambda payload: payload["result"].update(changes)


@pytest.mark.parametrize(
    ("place", "change", "expected"),
    [
        (WITHDRAWAL, _result(winner="P01"), "loses it by withdrawing, and its winner"),
        (WITHDRAWAL, _result(score={"P01": 3, "P02": 0}), "its score"),
        (WITHDRAWAL, _result(referee_id="REF01"), "its referee_id"),
        (WITHDRAWAL, _result(reason="P02 withdrew"), "its reason"),
        (WITHDRAWAL, _result(faults=[]), "its faults"),
        (WITHDRAWAL, _result(details={"drawn": 7}), "its details"),
    ],
)
def test_a_result_that_does_not_follow_from_the_withdrawal_is_found(place: int, change: Any, expected: str):
    assert expected in told(forged(RECORDS, place + 1, change))


def _without(number: int) -> list[Record]:
    return resealed([*RECORDS[: number - 1], *RECORDS[number:]])


def test_matches_that_are_not_lost_at_once_are_found():
    assert "of a player that withdrew should be lost by now" in told(_without(WITHDRAWAL + 1))


def test_nobody_withdraws_twice_or_gets_a_match_afterwards():
    again = resealed([*RECORDS[: WITHDRAWAL + 2], RECORDS[WITHDRAWAL - 1], *RECORDS[WITHDRAWAL + 2 :]])
    assert "is nobody, or has left before" in told(again)
    place = next(
        number
        for number, record in enumerate(RECORDS, start=1)
        if record.type == "MatchAssigned" and number > WITHDRAWAL
    )
    assert "who had withdrawn" in told(forged(RECORDS, place, lambda payload: payload.update(referee_id="REF02")))


def test_a_lost_match_without_a_withdrawal_is_found():
    assert "which is not under way" in told(_without(WITHDRAWAL))
