"""`league class grades`."""

import csv
import io

import pytest

from league_sdk.domain.commands import CancelLeague
from servers.agent.class_roster import class_of
from servers.cli.classes.grades import GRADES
from servers.read_model.class_grades import by_player, grade
from servers.read_model.export import to_csv
from tests.requirements.marker import requirement
from tests.servers.class_season import registered_class, started
from tests.servers.league_history import LeagueHistory, under_way


@requirement("project-CLI-16")
def test_grades_have_a_row_a_student_and_no_formula(workspace, league):
    league("create", "roster.csv")
    known = under_way().season.league
    standings = by_player(known)
    text = "".join(to_csv(GRADES, [grade(student, known, standings) for student in class_of(workspace).students]))
    ada, bob = csv.DictReader(io.StringIO(text))
    assert ada["student_id"] == "'=1+1"
    assert (ada["rank"] != "", ada["compliance"]) == (True, "not checked")
    assert (bob["rank"], bob["points"]) == ("", "")


def written(workspace, league_id: str, *students, over: bool = True) -> None:
    season = started(registered_class(*students, others=1, league_id=league_id))
    LeagueHistory(season.play() if over else season).write(workspace)


@requirement("project-CLI-19")
def test_grades_over_several_leagues_have_a_column_each_a_total_and_a_rank(workspace, league, tmp_path, capsys):
    league("create", "roster.csv")
    ada, bob = class_of(workspace).students
    written(workspace, "week-1", ada, bob)
    written(workspace, "week-2", bob)
    assert league("grades", "week-1", "week-2", "-o", "grades.csv") == 0
    told = capsys.readouterr().out
    assert "counts as 0" in told
    first, second = csv.DictReader(io.StringIO((tmp_path / "grades.csv").read_text(encoding="utf-8")))
    assert (first["points_week-1"], first["points_week-2"], first["total"], first["missed"]) == ("3", "", "3", "week-2")
    assert (second["points_week-1"], second["total"], second["rank"]) == ("3", "6", "1")
    assert league("grades", "week-1", "week-2", "--by", "best:1") == 0
    assert [row["total"] for row in csv.DictReader(io.StringIO(capsys.readouterr().out))] == ["3", "3"]


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("week-1", "week-2", "--by", "median"), "--by median: use sum, mean or best:N, such as best:2"),
        (("week-1", "week-2", "--by", "best:3"), "there are only 2 leagues"),
        (("week-1", "week-1"), "league 'week-1' is named twice"),
        (("week-1", "foreign"), "no student of this class played in league 'foreign'"),
        (("week-1", "going"), "league 'going' is not over (0 of 3 matches decided)"),
        (("week-1", "--by", "sum"), "are for several leagues"),
        (("week-1", "wrong"), "league 'wrong' was cancelled"),
        (("wrong",), "league 'wrong' was cancelled: there is nothing to grade"),
        (("week-1", "week-9"), "no records of league 'week-9'"),
    ],
)
def test_leagues_that_cannot_be_counted_are_refused_in_a_sentence(workspace, league, capsys, words, sentence):
    league("create", "roster.csv")
    ada, bob = class_of(workspace).students
    written(workspace, "week-1", ada, bob)
    written(workspace, "week-2", ada, bob)
    written(workspace, "going", ada, bob, over=False)
    cancelled = started(registered_class(ada, bob, league_id="wrong"))
    cancelled.do(CancelLeague("by mistake"))
    LeagueHistory(cancelled).write(workspace)
    LeagueHistory(started(registered_class(others=2, league_id="foreign")).play()).write(workspace)
    assert league("grades", *words) == 2
    assert sentence in capsys.readouterr().err


def test_a_league_that_is_not_over_counts_as_it_stands_when_that_is_asked_for(workspace, league, capsys):
    league("create", "roster.csv")
    ada, bob = class_of(workspace).students
    written(workspace, "week-1", ada, bob)
    written(workspace, "going", ada, bob, over=False)
    capsys.readouterr()
    assert league("grades", "week-1", "going", "--unfinished") == 0
    assert [row["points_going"] for row in csv.DictReader(io.StringIO(capsys.readouterr().out))] == ["0", "0"]
