"""The verdict of a rehearsal, from what was played."""

from dataclasses import replace
from datetime import timedelta
from types import SimpleNamespace
from typing import Any

import pytest

from league_sdk.clock import ManualClock
from league_sdk.domain.commands import AssignMatch, CancelLeague, StartRound
from league_sdk.domain.lifecycles import LeagueState
from league_sdk.domain.model import Cause, Fault, ResultStatus
from league_sdk.settings import Workspace
from servers.cli import free_space
from servers.cli.classes.rehearsal_run import RehearsalCourse
from servers.cli.classes.rehearsal_verdict import advice, before_the_league, judge, lacking_space, summary, unnamed_game
from tests.requirements.marker import requirement
from tests.servers.class_season import a_class, registered_class, started
from tests.servers.league_history import under_way

NOW = ManualClock().now()
LATER = "2025-01-15T11:30:00Z"


def options(**changes: Any) -> dict[str, Any]:
    return {"league_id": None, "host": "0.0.0.0", "store": None, **changes}


def course(**changes: Any) -> RehearsalCourse:
    names = {student.player for student in a_class()}
    usual = RehearsalCourse(frozenset(names), 0, joined=names, join_sec=2.0, seconds=9.0)
    return replace(usual, **changes)


@requirement("project-CLI-18")
def test_a_league_that_was_played_to_its_end_passes_and_is_summed_up():
    students = a_class()
    league = started(registered_class(*students)).play().league
    assert judge(course(), league, students, []) == ()
    assert summary(course(), league) == (
        "3 stand-ins joined within 2.0 s; 3 rounds, 3 matches; grades for all; 9.0 s in all"
    )


def test_a_stand_in_that_cannot_join_is_named_with_the_reason_and_how_many_could():
    stopped = course(code=None, joined={"Ada"}, trouble={"Bob": "the league has another game (E017)", "Ada": "later"})
    (told,) = judge(stopped, None, a_class(), [])
    assert told == "1 of 3 stand-ins could join; Bob not: the league has another game (E017)"


def test_a_league_that_fails_is_told_in_its_own_words_without_how_to_continue_it():
    lines = (
        "league: port 8000 is in use",
        "  league resume rehearsal",
        "Add --port-base to use other ports.",
    )
    assert judge(course(code=1, errors=lines), None, a_class(), []) == ("port 8000 is in use",)
    assert judge(course(code=1), None, a_class(), []) == ("the league failed, and did not say why",)
    assert judge(course(code=None), None, a_class(), []) == ("the league was not over after 9 s, and was ended",)


def test_a_technical_loss_of_a_stand_in_and_a_student_without_a_grade_fail():
    students = a_class()
    season = started(registered_class(*students[:2]))
    season.do(StartRound(1))
    season.do(AssignMatch("R1M1", "REF01"))
    late = Fault("P01", Cause.NO_MOVE, "move", "E001", 4, "late", {"timeout_sec": 0.001})
    season.record("R1M1", "P02", status=ResultStatus.TECHNICAL_LOSS, faults=(late,), score={"P01": 0, "P02": 3})
    over = replace(season.league, state=LeagueState.COMPLETED)
    found = judge(course(), over, students, [])
    assert found[0].startswith("a stand-in lost technically: Agent Ada (P01)")
    assert found[1] == "1 student would get no grade, such as Cy N"


def test_the_name_of_a_cancelled_league_is_free_as_it_is_for_the_league_itself(tmp_path):
    workspace, students = Workspace(tmp_path), a_class()
    history = under_way(2)
    history.season.do(CancelLeague("wrong roster"))
    history.write(workspace)
    assert list(before_the_league(workspace, students, options(league_id="summer"), None, NOW)) == []


def test_what_another_folder_cannot_show_is_looked_at_first(tmp_path):
    workspace, students = Workspace(tmp_path), a_class()
    workspace.league_dir("spring").mkdir(parents=True)
    assert list(before_the_league(workspace, students, options(), LATER, NOW)) == []
    (taken,) = before_the_league(workspace, students, options(league_id="spring"), None, NOW)
    assert "there is a league 'spring' already" in taken
    (past,) = before_the_league(workspace, students, options(), "2020-01-01T00:00:00Z", NOW)
    assert past.startswith("registration would close at 2020-01-01T00:00:00Z, and it is 2025-01-15T10:00:00Z already")
    assert past.endswith(
        "a later time with --registration-deadline, or in schedule.registration_deadline of the league's file"
    )
    (wrong,) = before_the_league(workspace, students, options(), None, NOW - timedelta(hours=3))
    assert "this machine's clock is wrong" in wrong
    (revoked,) = before_the_league(workspace, [replace(each, secret="") for each in students], options(), None, NOW)
    assert "no student has a card" in revoked


@pytest.mark.parametrize(
    ("free", "used", "told"), [(10**9, 1000, False), (4 * 10**8, 1000, True), (10**9, 10**8 + 1, True)]
)
def test_too_little_space_is_told(tmp_path, monkeypatch, free, used, told):
    monkeypatch.setattr(free_space.shutil, "disk_usage", lambda _: SimpleNamespace(free=free))
    found = list(lacking_space(Workspace(tmp_path / "not" / "there"), used))
    assert [f"{tmp_path} has" in text for text in found] == [True] * told


def test_advice_is_for_an_address_that_others_cannot_call_and_for_a_game_that_has_to_be_named():
    students = a_class()
    assert "cannot call localhost" in next(advice(students, options(), None, "localhost", NOW))
    assert "add --host 0.0.0.0" in next(advice(students, options(host=None), None, "192.168.1.10", NOW))
    assert "registration closes in 1:30:00" in next(advice(students, options(), LATER, "192.168.1.10", NOW))
    assert list(advice(students, options(), None, "192.168.1.10", NOW)) == []
    assert list(unnamed_game("even_odd", ())) == []
    assert "--game openspiel:chess" in next(unnamed_game("openspiel__chess", ()))
