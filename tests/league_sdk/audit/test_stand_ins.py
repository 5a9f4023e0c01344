"""Matches of three in which a player fails: stand-ins' moves are drawn again, and invented ones are found."""

import copy

import pytest
from hypothesis import given
from hypothesis import strategies as st

from league_sdk.domain.model import StageRules
from tests.league_sdk.audit.leagues import CONDUCT, forged, league, look_at, number_of

TABLES = (StageRules("tables", {"seats": 3}),)
FAILS = ["silent", "crashes", "cheats", "silent from 3", "cheats from 2", "silent at the door", "declines"]


def tables(players=3, conduct=None, **more):
    return league(players, "lowest_unique_number", stages=TABLES, conduct=conduct, **more)


def result_of(records, match_id="R1M1"):
    return records[number_of(records, "MatchRecorded", match_id) - 1].payload["result"]


@pytest.mark.parametrize("fails", FAILS)
def test_an_honest_match_of_three_with_a_player_that_fails_holds(fails):
    records = tables(conduct={"R1M1": {"P02": fails}})
    report = look_at(records)
    assert report.findings == []
    assert report.replayed == report.decided
    assert set(result_of(records)["details"]["stand_ins"]) == {"P02"}


@given(
    st.sampled_from([3, 4, 7]),
    st.dictionaries(
        st.sampled_from(["R1M1", "R1M2", "R2M1", "R3M1"]),
        st.dictionaries(st.sampled_from(["P01", "P02", "P03", "P04"]), st.sampled_from([*FAILS, *CONDUCT, "fumbles"])),
    ),
)
def test_whoever_fails_at_tables_of_three_the_audit_holds(players, conduct):
    assert look_at(tables(players, conduct)).findings == []


RECORDS = tables(conduct={"R1M1": {"P02": "silent from 3"}})
NUMBER = number_of(RECORDS, "MatchRecorded", "R1M1")


def changed(change):
    def on(payload):
        change(payload["result"])

    return [found.message for found in look_at(forged(RECORDS, NUMBER, on)).findings]


def entry(result, **fields):
    return next(each for each in result["transcript"] if fields.items() <= each.items())


def test_another_move_than_the_one_drawn_is_found():
    def other(result):
        made = entry(result, message_type="STAND_IN_MOVE", turn=4)
        made["choice"] = made["choice"] % 5 + 1

    assert any("in turn 4 the stand-in of P02 chose" in found for found in changed(other))


def test_a_stand_in_from_an_earlier_turn_is_found():
    def early(result):
        result["details"]["stand_ins"]["P02"] = 2

    assert "P02 is blamed, and its transcript holds its move" in changed(early)


def test_a_stand_in_for_a_player_without_fault_is_found():
    def framed(result):
        result["details"]["stand_ins"]["P01"] = 3

    assert any("its stand-ins are" in found for found in changed(framed))


def test_a_blamed_player_that_made_all_its_moves_is_found():
    records = tables()

    def framed(payload):
        result = payload["result"]
        result |= {"status": "TECHNICAL_LOSS", "winner": None}
        result["faults"] = [
            {
                "player_id": "P02",
                "cause": "no_move",
                "phase": "move",
                "error_code": "E001",
                "tries": 4,
                "description": "",
                "evidence": {},
            }
        ]

    found = [each.message for each in look_at(forged(records, number_of(records, "MatchRecorded"), framed)).findings]
    assert "P02 is blamed, and its transcript holds its moves" in found


def test_places_that_ignore_what_the_others_played_are_found():
    """`forfeits for a friend`: the third player's technical loss must not cancel what the others played."""

    def shared(result):
        others = [player for player in result["players"] if player != "P02"]
        result["details"]["places"] = {"P02": 3, **dict.fromkeys(others, 1)}
        result |= {"winner": None, "score": {"P02": 0, **dict.fromkeys(others, 4)}}

    assert len({*result_of(RECORDS)["details"]["places"].values()}) == 3, "the others did not tie"
    assert any(found.startswith("its places are") for found in changed(shared))


def _as_before(record):
    """The record as it would have been before: the others share the first place."""
    result = record["result"]
    others = [player for player in result["players"] if player != "P02"]
    result["details"] = {
        "choices": {},
        "places": {"P02": 3, **dict.fromkeys(others, 1)},
        "draw": result["details"]["draw"],
    }
    cut = next(n for n, each in enumerate(result["transcript"]) if each["message_type"] == "STAND_IN_MOVE")
    kept = result["transcript"][:cut]
    calls = [n for n, each in enumerate(kept) if each["message_type"] == "MOVE_CALL"]
    choices = {each["from"]: each["choice"] for each in kept[calls[-4] :] if "choice" in each}
    result["details"]["choices"] = {player: choices[player] for player in others}
    result["transcript"] = kept
    result |= {"winner": None, "score": {"P02": 0, **dict.fromkeys(others, 4)}}


@pytest.mark.parametrize(("version", "holds"), [(1, True), (2, False)])
def test_a_match_that_ended_with_the_failure_holds_by_the_rules_of_its_time_only(version, holds):
    records = forged(RECORDS, NUMBER, _as_before)
    created = copy.deepcopy(dict(records[0].payload))
    if version != created["format_version"]:
        records = forged(records, 1, lambda payload: payload.update(format_version=version))
    found = [each.message for each in look_at(records).findings if each.match == "R1M1"]
    assert (found == []) == holds, found
