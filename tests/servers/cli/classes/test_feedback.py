"""`league class feedback`."""

from servers.agent.class_roster import class_of
from servers.ui.class_pages import feedback
from tests.servers.league_history import under_way


def test_feedback_shows_a_students_matches_and_nobodys_secret(workspace, league):
    league("create", "roster.csv")
    page = "".join(feedback(under_way().season.league, "P01", "<i>Ada</i>", "complies"))
    assert "<i>Ada</i>" not in page
    assert "complies" in page
    assert "R1M1" in page
    assert all(student.secret not in page for student in class_of(workspace).students)
