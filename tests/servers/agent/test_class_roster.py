"""Reading a roster, keeping a class, and join secrets of students."""

import stat
from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from league_sdk.clock import ManualClock, ManualIds
from league_sdk.domain.model import Agent, Role
from league_sdk.errors import Forbidden, RateLimited
from servers.agent.class_roster import ClassRoster, RosterError, Student, read_roster
from tests.requirements.marker import requirement

ROSTER = "student_id,name,email\n4711,Ada Lovelace,ada@example.org\n4712,Bob,bob@example.org\n"


def read(text: str) -> tuple[Student, ...]:
    return read_roster(text, ManualClock(), ManualIds())


def kept(tmp_path) -> ClassRoster:
    roster = ClassRoster(tmp_path / "class.json")
    roster.save(read(ROSTER))
    return roster


def complaint(text: str) -> str:
    with pytest.raises(RosterError) as caught:
        read(text)
    return str(caught.value)


@requirement("project-CLI-16")
def test_each_student_gets_a_secret_of_its_own():
    ada, bob = read(ROSTER)
    assert (ada.student_id, ada.player, bob.player) == ("4711", "Ada Lovelace", "Bob")
    assert ada.secret != bob.secret
    assert ada.secret not in repr(ada)


def test_a_roster_from_a_spreadsheet_is_read_and_a_name_for_the_league_is_used():
    text = "\ufeffEmail , Name,student_id,player\r\nada@example.org,Ada,4711,Enchantress\r\n"
    assert [student.player for student in read(text)] == ["Enchantress"]


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_cells_are_separated_as_a_spreadsheet_does_and_titles_may_be_words(separator: str):
    titles, ada = ("Student ID", "Name", "E-mail"), ("4711", '"Love;lace, Ada"', "ada@example.org")
    (student,) = read("".join(separator.join(line) + "\r\n" for line in (titles, ada)))
    assert (student.student_id, student.name, student.email) == ("4711", "Love;lace, Ada", "ada@example.org")


def test_the_line_of_excel_that_names_the_separator_is_passed_over_and_counted():
    told = "\ufeffsep=;\r\nstudent_id;name;email\r\n1;Ada;ada@example.org\r\n"
    assert [student.name for student in read(told)] == ["Ada"]
    assert "line 4: student_id '1' is on line 3 already" in complaint(told + "1;Bob;bob@example.org\r\n")


def test_a_missing_column_is_named():
    assert "no column email" in complaint("student_id,name\n1,Ada\n")
    assert "no column student_id, name, email" in complaint("")


def test_every_wrong_line_is_named():
    told = complaint("student_id,name,email\n,Ada,ada@example.org\n2,Bob,nowhere\n3,Cy\n4,Di,di@example.org,more\n")
    assert "line 2: no student_id" in told
    assert "line 3: 'nowhere' is no e-mail address" in told
    assert "line 4: no email" in told
    assert "line 5: more cells than columns" in told


def test_doubles_are_named_with_both_lines():
    told = complaint(f"{ROSTER}4711,Cy,cy@example.org\n4714,bob,di@example.org\n")
    assert "line 4: student_id '4711' is on line 2 already" in told
    assert "line 5: player 'bob' is on line 3 already; give one of them another name" in told


@given(st.text(max_size=300))
def test_any_text_is_a_roster_or_a_sentence(text):
    try:
        students = read(text)
    except RosterError:
        return
    assert students


def test_a_class_is_kept_for_its_owner_alone(tmp_path):
    roster = kept(tmp_path)
    assert stat.S_IMODE(roster.path.stat().st_mode) == 0o600
    assert roster.students == read(ROSTER)
    assert roster.invited == 2


def test_a_student_is_found_by_id_mail_or_name(tmp_path):
    roster = kept(tmp_path)
    assert {roster.find(text).student_id for text in ("4711", "ADA@example.org", "ada lovelace")} == {"4711"}
    with pytest.raises(RosterError, match="names no student"):
        roster.find("Eve")


def test_a_folder_without_a_class_says_how_to_make_one(tmp_path):
    with pytest.raises(RosterError, match="league class create"):
        _ = ClassRoster(tmp_path / "class.json").students


SEAT = Agent("P01", Role.PLAYER, "Ada Lovelace", "http://localhost:8101/mcp", "digest", card=1)


@requirement("project-CLI-16")
def test_only_the_students_own_secret_admits_and_only_once(tmp_path):
    roster, clock = kept(tmp_path), ManualClock()
    ada, bob = roster.students
    assert roster.admit(ada.player, ada.secret, None, None) == ada
    for player, secret, why in (
        (ada.player, bob.secret, "not the join secret of 'Ada Lovelace'"),
        (ada.player, None, "asks for the join secret on your card"),
        ("Eve", ada.secret, "nobody of this class is invited as 'Eve'"),
    ):
        with pytest.raises(Forbidden, match=why):
            roster.admit(player, secret, None, None)
    for card in (1, 0):  # 0: of a record without numbers, judged by its time
        with pytest.raises(Forbidden, match="was used on 2025-01-15"):
            roster.admit(ada.player, ada.secret, replace(SEAT, card=card), clock.now())


def test_in_a_rehearsal_students_are_asked_to_come_later_and_not_refused(tmp_path):
    roster = ClassRoster(tmp_path / "class.json")
    roster.save(read(ROSTER), rehearsal=True)
    ada = roster.students[0]
    assert roster.admit(ada.player, ada.secret, None, None) == ada
    for player, secret in ((ada.player, "of the real card"), (ada.player, None), ("Eve", ada.secret)):
        with pytest.raises(RateLimited, match="a rehearsal is going on") as refused:
            roster.admit(player, secret, None, None)
        assert refused.value.retryable


def test_a_new_secret_takes_over_a_seat_and_a_revoked_one_admits_nobody(tmp_path):
    roster, seated = kept(tmp_path), ManualClock().now()
    ada, bob = roster.students
    later = (seated + timedelta(hours=1)).isoformat()
    changed = roster.change(ada, secret="a new one", issued=later, number=2)
    for card, at in ((1, seated + timedelta(hours=2)), (0, seated)):
        assert roster.admit(ada.player, changed.secret, replace(SEAT, card=card), at).number == 2
    with pytest.raises(Forbidden, match="not the join secret"):
        roster.admit(ada.player, ada.secret, SEAT, seated)
    roster.change(bob, secret="")
    assert roster.invited == 1
    for secret in ("", bob.secret, None):
        with pytest.raises(Forbidden, match="revoked"):
            roster.admit(bob.player, secret, None, None)


def test_the_number_of_a_secret_is_known_at_once_and_while_the_file_cannot_be_read(tmp_path):
    roster = kept(tmp_path)
    ada, _ = roster.students
    assert (roster.current(ada.player), roster.current("Eve")) == (1, 0)
    roster.change(ada, secret="a new one", number=2)
    assert roster.current(ada.player) == 2
    roster.path.write_text("not JSON", encoding="utf-8")
    assert roster.current(ada.player) == 2
    roster.path.unlink()
    assert roster.current(ada.player) == 2
