"""Matches of a round, which are made when somebody looks at them."""

import json

import pytest

from league_sdk.domain.events import ScheduleCreated, event_to_json
from league_sdk.domain.model import Fixture, Round
from league_sdk.domain.pairings.fixtures import Fixtures, compact

PAIRS = (Fixture("R3M1", 3, ("P01", "P02")), Fixture("R3M2", 3, ("P03", "P04")))
KEPT = Fixtures(3, ("P01", "P02", "P03", "P04"))


def test_they_are_those_that_were_planned():
    assert (*KEPT,) == PAIRS
    assert KEPT == PAIRS
    assert PAIRS == KEPT
    assert [*PAIRS] == KEPT
    assert Fixtures(3, ("P01", "P02", "P03", "P04")) == KEPT
    assert hash(KEPT) == hash(PAIRS)
    assert repr(KEPT) == repr(PAIRS)


def test_they_are_written_as_any_others():
    kept, plain = (event_to_json(ScheduleCreated((Round(3, fixtures),))) for fixtures in (KEPT, PAIRS))
    assert kept == plain
    assert json.dumps(kept) == json.dumps(plain)


def test_they_differ_in_round_players_and_order():
    assert Fixtures(4, ("P01", "P02", "P03", "P04")) != KEPT
    assert Fixtures(3, ("P02", "P01", "P03", "P04")) != KEPT
    assert PAIRS[::-1] != KEPT
    assert KEPT != "R3M1"


def test_later_matches_of_a_series_bear_their_number():
    pairs = Fixtures(5, ("P01", "P02", "P03", "P04"), 2)
    assert [fixture.match_id for fixture in pairs] == ["R5M1G2", "R5M2G2"]
    assert [entry["match_id"] for entry in pairs.as_json()] == ["R5M1G2", "R5M2G2"]
    assert pairs != Fixtures(5, ("P01", "P02", "P03", "P04"))
    assert [fixture.match_id for fixture in Fixtures(5, ("P01", "P02"), 1)] == ["R5M1"]
    again = compact(Round(5, tuple(pairs), game=2))
    assert isinstance(again.fixtures, Fixtures)
    assert again.fixtures == pairs


def test_they_are_found_by_their_place():
    assert len(KEPT) == 2
    assert (KEPT[0], KEPT[-1]) == PAIRS
    assert KEPT[1:] == PAIRS[1:]
    assert PAIRS[1] in KEPT
    with pytest.raises(IndexError):
        KEPT[2]


def test_a_round_as_usual_becomes_compact():
    made = compact(Round(3, PAIRS, ("P05",)))
    assert isinstance(made.fixtures, Fixtures)
    assert made == Round(3, PAIRS, ("P05",))
    assert compact(made) is made


@pytest.mark.parametrize(
    "odd",
    [
        (Fixture("R3M2", 3, ("P01", "P02")),),
        (Fixture("R3M1", 4, ("P01", "P02")),),
        (Fixture("R3M1", 3, ("P01", "P02", "P03")),),
    ],
)
def test_a_round_that_is_out_of_the_ordinary_stays_as_it_is(odd):
    scheduled = Round(3, odd)
    assert compact(scheduled) is scheduled
