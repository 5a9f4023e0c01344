"""`league class …`: from a roster to cards, grades and feedback."""

import csv
import io
import json
import sys

import pytest

from league_sdk.settings import Workspace
from league_sdk.testing.compliance import ComplianceCheck, ComplianceReport, Status
from servers.agent.class_roster import class_of
from servers.agent.manager_lock import manager_lock
from servers.cli import classes, main
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


def test_a_student_with_another_name_in_the_league_gets_a_new_card_and_that_is_said(
    workspace, monkeypatch, tmp_path, capsys
):
    league(monkeypatch, "create", "roster.csv")
    before = class_of(workspace).students
    (tmp_path / "roster.csv").write_text(ROSTER.replace("Player 1", "Countess"), encoding="utf-8")
    capsys.readouterr()
    assert league(monkeypatch, "create", "roster.csv") == 0
    after = class_of(workspace).students
    assert (after[0].secret != before[0].secret, after[1]) == (True, before[1])
    assert f"{before[0].player} plays as Countess now, with a new join secret" in capsys.readouterr().out


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


def test_revoking_the_card_of_a_player_that_is_in_says_how_to_remove_it(workspace, monkeypatch, tmp_path, capsys):
    known = under_way()
    name = known.league.players["P02"].display_name
    (tmp_path / "roster.csv").write_text(f"student_id,name,email\n1,{name},a@example.org\n", encoding="utf-8")
    league_id = known.write(workspace)
    league(monkeypatch, "create", "roster.csv")
    with manager_lock(workspace, league_id) as at:
        at("http://localhost:8000/mcp")
        assert league(monkeypatch, "revoke", "1") == 0
        told = capsys.readouterr().out
        assert f"still in {league_id}, as P02" in told
        assert f"\n  league control remove P02 --league {league_id}" in told
    assert league(monkeypatch, "revoke", "1") == 0
    assert "still in" not in capsys.readouterr().out


def test_cards_are_readable_by_their_owner_alone(workspace, monkeypatch, tmp_path):
    league(monkeypatch, "create", "roster.csv")
    assert league(monkeypatch, "cards", "-o", "cards.html") == 0
    assert (tmp_path / "cards.html").stat().st_mode & 0o777 == 0o600
    assert league(monkeypatch, "cards", "-o", "cards.html") == 2


def report(*checks: ComplianceCheck) -> ComplianceReport:
    return ComplianceReport("http://localhost:8101/mcp", "player", "even_odd", checks=list(checks))


PASSED = ComplianceCheck("GAME_JOIN_ACK", "a section", Status.PASSED)
FAILED = ComplianceCheck("GAME_JOIN_ACK: timestamp", "a section", Status.FAILED, detail="no time")


@pytest.mark.parametrize(("checks", "code"), [((PASSED,), 0), ((PASSED, FAILED), 1)])
def test_a_students_player_is_checked_and_the_verdict_is_kept(workspace, monkeypatch, tmp_path, checks, code):
    made = report(*checks)
    monkeypatch.setattr(classes, "check_agent_at", lambda url, game, plugins: made)
    league(monkeypatch, "create", "roster.csv")
    assert league(monkeypatch, "check", "4712", made.url) == code
    by_check = class_of(workspace).students[1]
    assert (by_check.verdict, by_check.complies) == (str(made.verdict), made.complies)
    (tmp_path / "bob.json").write_text(json.dumps(made.as_json()), encoding="utf-8")
    assert league(monkeypatch, "verdict", "=1+1", "bob.json") == 0
    by_file = class_of(workspace).students[0]
    assert (by_file.verdict, by_file.complies) == (by_check.verdict, by_check.complies)
    assert league(monkeypatch, "create", "roster.csv") == 0
    assert class_of(workspace).students[1] == by_check


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
