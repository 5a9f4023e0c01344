"""`league class …`: from a roster to cards, grades and feedback."""

import csv
import io
import json
import sys

import pytest

from league_sdk.settings import Workspace
from servers.agent.class_roster import class_of
from servers.cli import main
from servers.cli.classes import GRADES, grade
from servers.cli.export_tables import to_csv
from servers.ui.class_pages import cards, feedback
from tests.requirements.marker import requirement
from tests.servers.league_history import under_way

ROSTER = "student_id,name,email,player\n=1+1,Ada,ada@example.org,Player 1\n4712,<b>Bob</b>,bob@example.org,Bob\n"


@pytest.fixture
def workspace(tmp_path, monkeypatch) -> Workspace:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "roster.csv").write_text(ROSTER, encoding="utf-8")
    return Workspace(tmp_path / "play")


def league(monkeypatch, *words: str) -> int:
    monkeypatch.setattr(sys, "argv", ["league", "class", *words, "--data", "play"])
    with pytest.raises(SystemExit) as end:
        main()
    return int(end.value.code or 0)


def test_a_roster_that_is_read_again_keeps_the_cards_that_are_out(workspace, monkeypatch, tmp_path, capsys):
    assert league(monkeypatch, "create", "roster.csv") == 0
    before = class_of(workspace).students
    (tmp_path / "roster.csv").write_text(f"{ROSTER}4713,Cy,cy@example.org,\n", encoding="utf-8")
    assert league(monkeypatch, "create", "roster.csv") == 0
    after = class_of(workspace).students
    assert after[:2] == before
    assert "3 students, 1 new" in capsys.readouterr().out


def test_a_roster_with_faults_writes_nothing(workspace, monkeypatch, tmp_path, capsys):
    (tmp_path / "roster.csv").write_text(f"{ROSTER}4712,Cy,cy@example.org,\n", encoding="utf-8")
    assert league(monkeypatch, "create", "roster.csv") == 2
    assert "line 4: student_id '4712' is on line 3 already" in capsys.readouterr().err
    assert not class_of(workspace).path.exists()


@requirement("project-CLI-16")
def test_cards_name_each_students_own_secret_and_escape_what_the_roster_has(workspace, monkeypatch, capsys):
    league(monkeypatch, "create", "roster.csv")
    capsys.readouterr()
    assert league(monkeypatch, "cards", "--json") == 0
    made = json.loads(capsys.readouterr().out)["cards"]
    students = class_of(workspace).students
    assert [card["join_secret"] for card in made] == [student.secret for student in students]
    page = "".join(cards(made, "http://localhost:8000/mcp"))
    assert "<b>Bob</b>" not in page
    assert students[0].secret in page


def test_rotating_and_revoking_change_one_student(workspace, monkeypatch):
    league(monkeypatch, "create", "roster.csv")
    ada, bob = class_of(workspace).students
    assert league(monkeypatch, "rotate", "ada@example.org") == 0
    assert league(monkeypatch, "revoke", "4712") == 0
    new_ada, new_bob = class_of(workspace).students
    assert new_ada.secret not in ("", ada.secret)
    assert (new_bob.secret, bob.secret != "") == ("", True)
    assert league(monkeypatch, "rotate", "Eve") == 2


@requirement("project-CLI-16")
def test_grades_have_a_row_a_student_and_no_formula(workspace, monkeypatch):
    league(monkeypatch, "create", "roster.csv")
    known = under_way().season.league
    text = "".join(to_csv(GRADES, [grade(student, known) for student in class_of(workspace).students]))
    ada, bob = csv.DictReader(io.StringIO(text))
    assert ada["student_id"] == "'=1+1"
    assert (ada["rank"] != "", ada["compliance"]) == (True, "not checked")
    assert (bob["rank"], bob["points"]) == ("", "")


def test_feedback_shows_a_students_matches_and_nobodys_secret(workspace, monkeypatch):
    league(monkeypatch, "create", "roster.csv")
    page = "".join(feedback(under_way().season.league, "P01", "<i>Ada</i>", "complies"))
    assert "<i>Ada</i>" not in page
    assert "complies" in page
    assert "R1M1" in page
    assert all(student.secret not in page for student in class_of(workspace).students)
