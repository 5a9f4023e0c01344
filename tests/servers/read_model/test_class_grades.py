"""Grades of a class, of one league and over several."""

from dataclasses import replace

import pytest

from league_sdk.domain.model import Cause, Fault
from servers.read_model.class_grades import TotalRule, by_player, course_grades, grade
from tests.servers.class_season import a_class, registered_class, started


def leagues():
    ada, bob, cy = a_class()
    first = started(registered_class(ada, bob)).play().league  # Ada wins
    second = started(registered_class(replace(cy, player="Countess"), bob, league_id="autumn")).play().league  # Cy wins
    return {"summer": first, "autumn": second}


def test_points_of_several_leagues_are_matched_by_the_roster_and_a_missed_one_counts_as_nothing():
    students = a_class()
    ada, bob, cy = course_grades(students, leagues(), TotalRule.parse("sum", 2))
    assert (dict(ada.points), ada.missed, ada.total, ada.rank) == ({"summer": 3, "autumn": None}, ("autumn",), 3, 1)
    assert (dict(bob.points), bob.missed, bob.total, bob.rank) == ({"summer": 0, "autumn": 0}, (), 0, 3)
    assert (dict(cy.points), cy.missed, cy.total, cy.rank) == ({"summer": None, "autumn": 3}, ("summer",), 3, 1)


def test_who_missed_all_leagues_has_no_rank():
    students = a_class()
    known = {"summer": leagues()["summer"]}
    assert [each.rank for each in course_grades(students, known, TotalRule.parse("sum", 1))] == [1, 2, None]


@pytest.mark.parametrize(
    ("by", "points", "total"),
    [("sum", [6, 3, 1], 10), ("mean", [6, 3], 3), ("best:2", [1, 6, 3], 9), ("best:3", [6], 6)],
)
def test_totals_by_sum_mean_and_the_best(by, points, total):
    assert TotalRule.parse(by, 3).total(points) == total


@pytest.mark.parametrize("by", ["median", "best", "best:", "best:0", "best:-1", "best:x", "best:4", "sum:2", ""])
def test_a_bad_rule_is_refused_with_what_can_be_used(by):
    with pytest.raises(ValueError, match=r"use sum, mean or best:N|there are only 3 leagues"):
        TotalRule.parse(by, 3)


def test_one_who_never_came_and_substituted_moves_are_said_in_words():
    ada, bob, cy = a_class()
    league = started(registered_class(ada, bob)).play().league
    standings = by_player(league)
    standings["P01"] = replace(standings["P01"], substituted={"raised": 5}, moves=5)
    rows = [grade(student, league, standings) for student in (ada, bob, cy)]
    assert [row["remarks"] for row in rows] == ["5 of 5 moves were substituted, by its own account", "", "never came"]
    assert (rows[2]["rank"], rows[2]["points"]) == (None, None)


def test_why_matches_were_lost_technically_is_said_in_words():
    ada, bob, _ = a_class()
    league = started(registered_class(ada, bob)).play().league
    (result,) = league.results.values()
    fault = Fault("P02", Cause.CONNECTION_REFUSED, "move", "E009", 2, "")
    league = replace(league, results={result.match_id: replace(result, faults=(fault,))})
    rows = [grade(student, league, by_player(league)) for student in (ada, bob)]
    assert [row["remarks"] for row in rows] == ["", "1 match lost: could not be reached"]
    raised = Fault("P02", Cause.ILLEGAL_MOVE, "move", "E004", 2, "")
    illegal = replace(raised, evidence={"received": "evne"})
    for own, told in ((raised, "had a strategy that raised an error"), (illegal, "made a move that the game does not")):
        league = replace(league, results={result.match_id: replace(result, faults=(own,))})
        assert f"1 match lost: {told}" in str(grade(bob, league, by_player(league))["remarks"])
    league = replace(league, results={result.match_id: replace(result, faults=(fault,), not_played=True)})
    assert grade(bob, league, by_player(league))["remarks"] == ""
