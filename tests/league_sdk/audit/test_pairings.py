"""The rules of formats, as the audit checks them."""

import pytest

from league_sdk.audit.pairings import round_faults, schedule_faults

AB, CD, AC = ("A", "B"), ("C", "D"), ("A", "C")


def stage(name, **options):
    return {"format": name, "options": options, "advance": 0}


@pytest.mark.parametrize(
    ("met", "told"),
    [
        ([AB, ("A", "C"), ("B", "C")], []),
        ([AB, ("B", "A"), ("B", "C")], ["A - B meet more than once; A - C never meet"]),
    ],
    ids=["all", "twice and never"],
)
def test_in_a_round_robin_everybody_meets_everybody(met, told):
    assert list(schedule_faults(stage("round_robin"), "ABC", met)) == told


def test_a_second_cycle_is_one_meeting_more():
    once = [("A", "B")]
    assert list(schedule_faults(stage("round_robin", cycles=2), "AB", once)) == ["A - B meet less than 2 times"]
    assert list(schedule_faults(stage("round_robin", cycles=2), "AB", [*once, ("B", "A")])) == []


@pytest.mark.parametrize(
    ("earlier", "byes", "told"),
    [
        ([CD], {"E": 1}, []),
        ([("B", "A")], {"E": 1}, ["A - B meet a second time"]),
        ([CD], {"E": 2}, ["E have a second bye"]),
    ],
    ids=["fine", "rematch", "bye"],
)
def test_in_a_swiss_tournament_nobody_meets_twice_or_has_two_byes(earlier, byes, told):
    assert list(round_faults(stage("swiss"), earlier, [AB], byes)) == told


@pytest.mark.parametrize("name", ["round_robin", "groups", "gauntlet"])
def test_nobody_meets_more_often_than_once_a_cycle(name):
    assert list(round_faults(stage(name, cycles=2), [AB], [AB], {})) == []
    assert list(round_faults(stage(name), [AB], [AB], {})) == ["A - B meet more than once"]


def test_a_knockout_may_repeat_a_pair():
    assert list(round_faults(stage("knockout"), [AB], [AB], {})) == []
