"""Leagues whose rounds overlap, from the command line to the audit."""

import pytest

from tests.ports import free_base
from tests.requirements.marker import requirement

OVERLAP = ("--set", "league.schedule.rounds=overlapping")


@requirement("project-RUN-08")
def test_a_league_whose_rounds_overlap_is_played_recorded_as_such_and_holds(league):
    options = ("--players", 5, "--referees", 2, "--port-base", free_base(), "--seed", 1)
    ran = league("run", "--in-process", "--json", *options, *OVERLAP)
    assert (ran.code, len(ran.json["matches"])) == (0, 10)
    assert {row["played"] for row in ran.json["standings"]} == {4}
    (created, *_) = league("export", "--what", "events", "--format", "jsonl").out.splitlines()
    assert '"overlapping_rounds":true' in created.replace(": ", ":")
    assert league("audit").code == 0


@requirement("project-RUN-08")
@pytest.mark.parametrize("form", ["swiss", "knockout"])
def test_a_format_that_pairs_by_results_refuses_it_with_those_that_do_not(league, form):
    ran = league("run", "--in-process", "--players", 8, "--format", form, *OVERLAP)
    assert ran.code == 2
    assert "Such formats are gauntlet, groups, round_robin" in ran.err
    assert "who meets whom follows from results" in ran.err


def test_a_pause_between_rounds_that_overlap_is_refused(league):
    ran = league("run", "--in-process", *OVERLAP, "--set", "league.schedule.match_delay_sec=1")
    assert ran.code == 2
    assert "no match_delay_sec where rounds overlap" in ran.err
