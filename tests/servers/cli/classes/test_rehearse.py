"""The options of `league class rehearse`."""

import pytest

from servers.cli.classes.rehearsal import read_run_options


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
