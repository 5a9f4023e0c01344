"""Players that were removed, as the audit sees them: by the records alone, and with the files."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from league_sdk.domain.commands import AssignMatch, CompleteLeague, RemovePlayer, StartRound
from league_sdk.domain.events import Record
from league_sdk.domain.model import LeagueRules
from league_sdk.stores import JsonFiles
from tests.league_sdk.audit.leagues import LEAGUE, Maker, forged, league, look_at, number_of, resealed

CAUSE = "P01 was removed by the operator: it cheated"
RULES = LeagueRules(LEAGUE, "even_odd", seed="7")


def removed() -> Maker:
    """A league whose P01 is removed while it plays in the second round, which is then not over."""
    maker = Maker(RULES)
    maker.play(4, until=1)
    maker.do(StartRound(2))
    maker.do(AssignMatch("R2M1", "REF01"))
    maker.do(RemovePlayer("P01", "it cheated"))
    return maker


def finished() -> list[Record]:
    """The same league, over."""
    maker = removed()
    maker.finish(2)
    maker.do(StartRound(3))
    maker.finish(3)
    maker.do(CompleteLeague())
    return maker.records


RECORDS = finished()
REMOVAL = number_of(RECORDS, "PlayerRemoved")


def told(records: list[Record]) -> str:
    return "\n".join(found.sentence for found in look_at(records).findings)


def test_a_league_with_a_removed_player_holds():
    report = look_at(RECORDS)
    assert report.findings == []
    assert (report.complete, report.decided, report.void) == (True, 4, 2)
    assert report.notes == [f"record {REMOVAL}: {CAUSE}"]
    assert [row["player_id"] for row in report.standings if row.get("removed")] == ["P01"]
    assert report.champions == list(RECORDS[-1].payload["champions"])
    assert "P01" not in report.champions


def test_a_league_under_way_with_a_removed_player_holds():
    assert look_at(removed().records).ok


def test_who_was_removed_before_the_schedule_is_in_no_table():
    report = look_at(league(4, unwanted=("P02",)))
    assert report.findings == []
    assert [row["player_id"] for row in report.standings] != []
    assert {row["player_id"] for row in report.standings} == {"P01", "P03", "P04"}
    assert "P02 was removed by the operator: not invited" in report.notes[0]


@given(st.lists(st.sets(st.sampled_from(["P01", "P02", "P03", "P04", "P05"])), min_size=5, max_size=5))
def test_whoever_is_removed_and_whenever_the_league_holds(leaving: list[set[str]]):
    maker = Maker(RULES)
    maker.play(5, until=0)
    for scheduled, players in zip(maker.league.rounds, leaving, strict=True):
        maker.do(StartRound(scheduled.round_id))
        for player_id in sorted(players)[: len(maker.league.staying()) - 1]:
            maker.do(RemovePlayer(player_id))
        maker.finish(scheduled.round_id)
    maker.do(CompleteLeague())
    report = look_at(maker.records)
    assert report.findings == []
    assert report.champions == list(maker.league.champions)


def test_the_files_hold_before_and_after_and_the_mark_cannot_be_taken_off(tmp_path: Path):
    for length in (REMOVAL - 1, REMOVAL, len(RECORDS)):
        JsonFiles(tmp_path).rebuild(RECORDS[:length])
        assert look_at(RECORDS[:length], data_root=tmp_path).findings == []
    file = tmp_path / "leagues" / LEAGUE / "standings.json"
    content = json.loads(file.read_text())
    (row,) = [row for row in content["standings"] if "removed" in row]
    del row["removed"]
    file.write_text(json.dumps(content))
    (found,) = look_at(RECORDS, data_root=tmp_path).findings
    assert "removed is missing" in found.message


def test_the_files_of_a_league_with_a_player_removed_before_the_schedule_hold(tmp_path: Path):
    records = league(4, unwanted=("P02",))
    for length in range(1, len(records) + 1):
        JsonFiles(tmp_path).rebuild(records[:length])
        assert look_at(records[:length], data_root=tmp_path).findings == []


def _set(name: str, to: Any) -> Callable[[Any], None]:
    return lambda payload: payload.update({name: to})


@pytest.mark.parametrize(
    ("number", "change", "message"),
    [
        (REMOVAL, _set("player_id", "P09"), "is no player"),
        (REMOVAL, _set("player_id", "REF01"), "is no player"),
        (REMOVAL, _set("player_id", "P02"), "should be void by now"),
        (REMOVAL, _set("player_id", ["P01"]), "TypeError"),
        (REMOVAL, _set("reason", "another"), "and P01 was removed by the operator: another"),
        (REMOVAL + 1, _set("cause", "no referee"), f"its cause is 'no referee', and {CAUSE}"),
        (REMOVAL + 2, _set("match_id", "R3M2"), "which is not under way"),
        (len(RECORDS), _set("champions", ["P01"]), "its champions are ['P01']"),
    ],
)
def test_a_forged_removal_is_found_though_all_digests_fit(number: int, change: Callable[[Any], None], message: str):
    assert message in told(forged(RECORDS, number, change))


@pytest.mark.parametrize("left_out", [REMOVAL, REMOVAL + 1, REMOVAL + 2])
def test_a_part_of_a_removal_that_is_left_out_is_missed(left_out: int):
    assert not look_at(resealed([record for record in RECORDS if record.sequence != left_out])).ok


def _after(number: int, record: Record) -> list[Record]:
    return resealed([*RECORDS[:number], record, *RECORDS[number:]])


def test_nobody_is_removed_twice_or_comes_back():
    returned = next(record for record in RECORDS if record.type == "AgentReturned")
    assert returned.payload["agent"]["agent_id"] == "P01"
    last_void = REMOVAL + 2
    assert "was removed before" in told(_after(last_void, RECORDS[REMOVAL - 1]))
    assert "P01 returns, and has left" in told(_after(last_void, returned))


def test_a_player_that_was_removed_before_the_schedule_does_not_register_again():
    records = league(4, unwanted=("P02",))
    seat = next(record for record in records if record.type == "PlayerRegistered" and "P02" in str(record.payload))
    place = number_of(records, "PlayerRemoved")
    assert "is taken" in told(resealed([*records[:place], seat, *records[place:]]))


def test_somebody_has_to_stay():
    records = finished_without_anybody()
    assert "P02 is removed, and nobody stays" in told(records)


def finished_without_anybody() -> list[Record]:
    """A league whose last player is removed too, by somebody who writes records by hand."""
    maker = Maker(RULES)
    maker.play(2, until=0)
    maker.do(RemovePlayer("P01"))
    removal = next(record for record in maker.records if record.type == "PlayerRemoved")
    forgery = forged(maker.records, removal.sequence, _set("player_id", "P02"))[removal.sequence - 1]
    return resealed([*maker.records, forgery])
