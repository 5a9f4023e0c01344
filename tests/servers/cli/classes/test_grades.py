"""`league class grades`."""

import csv
import io

from servers.agent.class_roster import class_of
from servers.cli.classes.grades import GRADES, grade
from servers.cli.export_tables import to_csv
from tests.requirements.marker import requirement
from tests.servers.league_history import under_way


@requirement("project-CLI-16")
def test_grades_have_a_row_a_student_and_no_formula(workspace, league):
    league("create", "roster.csv")
    known = under_way().season.league
    text = "".join(to_csv(GRADES, [grade(student, known) for student in class_of(workspace).students]))
    ada, bob = csv.DictReader(io.StringIO(text))
    assert ada["student_id"] == "'=1+1"
    assert (ada["rank"] != "", ada["compliance"]) == (True, "not checked")
    assert (bob["rank"], bob["points"]) == ("", "")
