"""`league class feedback`."""

import re
from dataclasses import replace

import pytest

from league_sdk.domain.commands import AssignMatch, StartRound
from league_sdk.domain.model import Cause, Fault, ResultStatus
from servers.agent.class_roster import class_of
from servers.ui.class_pages import REPORT, feedback
from tests.servers.class_season import a_class, registered_class, started
from tests.servers.league_history import LeagueHistory, under_way


def test_feedback_shows_a_students_matches_and_nobodys_secret(workspace, league):
    league("create", "roster.csv")
    page = "".join(feedback(under_way().season.league, "P01", "<i>Ada</i>", "complies"))
    assert "<i>Ada</i>" not in page
    assert "complies" in page
    assert "R1M1" in page
    assert all(student.secret not in page for student in class_of(workspace).students)


def test_a_technical_loss_is_told_in_a_sentence_to_its_player_and_in_a_word_to_the_other(workspace, league):
    season = started(registered_class(*a_class()[:2]))
    season.do(StartRound(1))
    season.do(AssignMatch("R1M1", "REF01"))
    fault = Fault("P01", Cause.CONNECTION_REFUSED, "move", "E009", 2, "its own words")
    season.record("R1M1", "P02", status=ResultStatus.TECHNICAL_LOSS, faults=(fault,), score={"P01": 0, "P02": 3})
    own, other = ("".join(feedback(season.league, player_id, "Name", "")) for player_id in ("P01", "P02"))
    assert "Agent Ada (P01) could not be reached with the call for a move" in own
    assert "Ada (P01) lost technically." in other
    assert "could not be reached with" not in other


@pytest.mark.parametrize("student_id", ["report", REPORT.removesuffix(".html"), "~report"])
def test_no_id_of_a_student_takes_the_page_of_the_leagues_report(workspace, league, tmp_path, student_id):
    league("create", "roster.csv")
    roster = class_of(workspace)
    ada = replace(roster.students[0], student_id=student_id)
    roster.save((ada, *roster.students[1:]))
    LeagueHistory(started(registered_class(ada, others=1)).play()).write(workspace)
    assert league("feedback", "-o", "pages") == 0
    pages = {path.name: path.read_text("utf-8") for path in (tmp_path / "pages").iterdir()}
    (own,) = pages.keys() - {REPORT}
    assert f'href="{REPORT}#/matches/R1M1"' in pages[own]
    assert len(re.findall("<script", pages[own])) == 0
    assert "<script" in pages[REPORT]
