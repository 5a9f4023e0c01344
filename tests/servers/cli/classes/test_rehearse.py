"""The options of `league class rehearse`."""

import json
from pathlib import Path
from typing import Any

import pytest

from servers.cli.classes import rehearsal
from servers.cli.classes.rehearsal import read_run_options
from servers.cli.classes.rehearsal_run import RehearsalCourse

LEAGUE_FILE = Path("config/leagues/league_even_odd.json").absolute()


def test_options_of_a_run_go_to_the_rehearsal_as_they_are_but_for_what_would_make_it_a_real_league():
    words = ["--class", "--seats", "--league-id", "spring", "--title", "Cup", "--rounds", "5", "--set", "a.b=1"]
    words += ["--set", "c=2"]
    words += ["--registration-deadline", "2030-01-01T00:00:00Z", "--store", "postgresql://db/real", "--detach", "-q"]
    read = read_run_options(words)
    assert read.words == ("--seats", "--rounds", "5", "--set", "a.b=1", "--set", "c=2")
    assert (read.params["league_id"], read.params["deadline"]) == ("spring", "2030-01-01T00:00:00Z")


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--on", "ray"), "a rehearsal is played on this machine: leave out --on"),
        (("--rounds", "many"), "--rounds many: expected a whole number"),
        (("--registration-deadline", "noon"), "--registration-deadline 'noon': expected a moment in UTC"),
        (("--no-such",), "league run has no option --no-such"),
    ],
)
def test_a_mistake_in_the_options_is_told_as_for_a_run(league, workspace, capsys, words, sentence):
    league("create", "roster.csv")
    assert league("rehearse", *words) == 2
    assert sentence in capsys.readouterr().err


def test_a_rehearsal_needs_a_class(league, workspace, capsys):
    assert league("rehearse") == 2
    assert "league class create roster.csv" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "deadline"),
    [((), "2020-01-01T00:00:00Z"), (("--registration-deadline", "2021-01-01T00:00:00Z"), "2021-01-01T00:00:00Z")],
    ids=["of the league's file", "of the command line"],
)
def test_a_deadline_that_is_past_is_told_with_its_remedy(
    league, workspace, tmp_path, monkeypatch, capsys, words, deadline
):
    async def nothing(*_: Any) -> RehearsalCourse:
        return RehearsalCourse(code=0)

    monkeypatch.setattr(rehearsal, "play_rehearsal", nothing)
    document = json.loads(LEAGUE_FILE.read_text("utf-8"))
    document["schedule"] = {**document.get("schedule", {}), "registration_deadline": "2020-01-01T00:00:00Z"}
    (tmp_path / "cup.json").write_text(json.dumps(document), "utf-8")
    league("create", "roster.csv")
    capsys.readouterr()
    assert league("rehearse", "--league", str(tmp_path / "cup.json"), *words) == 1
    told = " ".join(capsys.readouterr().out.split())
    assert f"registration would close at {deadline}, and it is" in told
    assert "name a later time with --registration-deadline" in told
