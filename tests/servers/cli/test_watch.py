"""`league watch`, as a command."""

import json

import pytest

from servers.cli import watch as command
from servers.cli.follow import Gone
from tests.league_sdk.domain.season import agent
from tests.requirements.marker import requirement
from tests.servers.cli.test_follow import manager, snapshot_of, stream
from tests.servers.league_history import finished, waiting

HOSTILE = "[red]Bob[/red] \x1b[2J\u202eevil"


def hostile_league():
    from league_sdk.domain.commands import CloseRegistration, RegisterPlayer, StartLeague

    history = waiting(1)
    history.do(RegisterPlayer(agent(HOSTILE)))
    history.do(CloseRegistration("operator"))
    history.do(StartLeague())
    history.season.play()
    return history


def test_a_complete_league_is_told_and_ends_it(league, workspace):
    finished(4).write(workspace)
    ran = league("watch")
    assert ran.code == 0
    lines = ran.out.splitlines()
    assert "the league is complete; champion: Player 3 (P03)" in lines[9]
    assert lines[10].startswith("summer: COMPLETED, round 3 of 3")
    assert "Champion: Player 3 (P03)" in ran.out
    assert lines[-1] == "6 matches, 3 rounds."


def test_json_is_an_object_a_line_and_ends_with_the_standings(league, workspace):
    finished(4).write(workspace)
    ran = league("watch", "--json", "--tail", 3)
    told = [json.loads(line) for line in ran.out.splitlines()]
    assert (ran.code, ran.err) == (0, "")
    assert [line["kind"] for line in told] == ["win", "round", "league", "standings"]
    shown = league("standings", "--json").json
    pairs = zip(shown["standings"], told[-1]["standings"], strict=True)
    assert [{**rated, **row} for rated, row in pairs] == shown["standings"]
    assert told[-1]["state"] == shown["state"]


def test_a_league_elsewhere_is_followed_by_its_url(league):
    history = finished(4)
    with manager(stream(snapshot_of(history))) as (url, _):
        ran = league("watch", url, "--tail", 0)
    assert ran.code == 0
    assert ran.out.splitlines()[0].startswith("summer: COMPLETED")


@requirement("project-LATER-08")
def test_names_steer_no_terminal(league, workspace):
    history = hostile_league()
    history.write(workspace)
    with manager(stream(snapshot_of(history)), stream(snapshot_of(history))) as (url, _):
        for arguments in ((), ("--json",), (url,), (url, "--json")):
            ran = league("watch", *arguments)
            assert ran.code == 0
            assert "[red]Bob[/red]" in ran.out
            assert "\x1b" not in ran.out
            assert "\u202e" not in ran.out


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("http://127.0.0.1:9",), 1, "no league manager answers at http://127.0.0.1:9"),
        (("somewhere",), 2, "'somewhere' is no URL"),
        (("http://localhost:8000", "--league", "summer"), 2, "leave them out with a URL"),
        (("--league", "winter"), 2, "there are no records of league 'winter'"),
        (("--league", "../etc"), 2, "cannot be the id of a league"),
    ],
)
def test_mistakes_are_told_in_a_sentence(league, workspace, arguments, code, message):
    finished(2).write(workspace)
    ran = league("watch", *arguments)
    assert ran.code == code
    assert message in " ".join(ran.err.split())


def test_ctrl_c_ends_it(league, monkeypatch):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(command, "follow_url", interrupted)
    assert league("watch", "http://localhost:1").code == 130


def test_what_happens_to_the_manager_is_told_apart_from_the_json(league, monkeypatch):
    def gone(url, take, tell, **_):
        tell("the manager is gone")
        raise Gone("there is another league by now")

    monkeypatch.setattr(command, "follow_url", gone)
    ran = league("watch", "http://localhost:1", "--json")
    assert (ran.code, ran.out) == (1, "")
    assert ran.err == "league: the manager is gone\nleague: there is another league by now\n"
    assert league("watch", "http://localhost:1").out == "the manager is gone\n"


def test_players_that_never_came_are_told_at_the_end(league, workspace):
    finished(3, expected_players=5).write(workspace)
    assert "2 players never came: 5 were expected." in league("watch").out
