"""`league class status`."""

import json

from league_sdk.domain.commands import CancelLeague
from servers.agent.class_roster import class_of
from tests.requirements.marker import requirement
from tests.servers.class_season import registered_class, started
from tests.servers.league_history import LeagueHistory, under_way


def students_of(capsys) -> dict[str, str]:
    return {row["student_id"]: row["words"] for row in json.loads(capsys.readouterr().out)["students"]}


def test_before_a_league_the_roster_and_the_checks_are_shown(workspace, league, capsys):
    league("create", "roster.csv")
    roster = class_of(workspace)
    roster.change(roster.students[0], verdict="would play", complies=True, advised=2)
    capsys.readouterr()
    assert league("status") == 0
    told = capsys.readouterr().out
    assert "There is no league yet.\n2 students: 2 invited" in told
    assert "passed, 2 advised" in told
    assert "not checked" in told
    assert roster.students[0].secret not in told


@requirement("project-CLI-17")
def test_before_during_and_after_a_league_each_student_has_a_state(workspace, league, capsys):
    league("create", "roster.csv")
    ada, _ = class_of(workspace).students
    season = registered_class(ada, others=1)
    LeagueHistory(season).write(workspace)
    capsys.readouterr()
    assert league("status") == 0
    told = capsys.readouterr().out
    assert "2 students: 1 missing, 1 joined" in told
    assert "No students, but in the league: Other 0" in told
    assert "league start --league summer" in told
    LeagueHistory(started(registered_class(ada, others=1, league_id="past")).play()).write(workspace)
    assert league("status", "past", "--json") == 0
    assert students_of(capsys) == {"=1+1": "played: rank 1, 3 points", "4712": "never came"}


def test_of_a_cancelled_league_it_says_who_was_in_it(workspace, league, capsys):
    league("create", "roster.csv")
    ada, _ = class_of(workspace).students
    season = registered_class(ada, others=1)
    season.do(CancelLeague("wrong roster"))
    LeagueHistory(season).write(workspace)
    capsys.readouterr()
    assert league("status") == 0
    told = capsys.readouterr().out
    assert told.startswith("summer: cancelled by the operator: wrong roster; ")
    assert "2 students: 1 in it, 1 not in it" in told
    assert "missing" not in told
    assert "joined" not in told
    assert league("status", "--json") == 0
    seen = json.loads(capsys.readouterr().out)
    assert seen["state"] == "CANCELLED"
    assert [row["words"] for row in seen["students"]] == ["was in it", "was not in it"]


def test_a_league_without_a_student_of_the_class_is_passed_over_with_a_word(workspace, league, capsys):
    league("create", "roster.csv")
    LeagueHistory(started(registered_class(others=2, league_id="another"))).write(workspace)
    capsys.readouterr()
    assert league("status") == 0
    told = capsys.readouterr()
    assert "no student of this class is in another" in told.err
    assert "There is no league yet" in told.out


def test_a_class_that_was_never_created_and_a_league_that_is_not_there_are_refused(workspace, league, capsys):
    assert league("status") == 2
    assert "league class create roster.csv" in capsys.readouterr().err
    league("create", "roster.csv")
    under_way().write(workspace)
    assert league("status", "winter") == 2
    assert "no records of league 'winter'" in capsys.readouterr().err
