"""`league replay`: a match, played back in the terminal."""

import io
import sys
from dataclasses import replace
from types import SimpleNamespace

import pytest

from league_sdk import plugins
from league_sdk.domain.commands import AssignMatch, RecordResult, StartRound
from league_sdk.domain.model import ResultStatus
from league_sdk.settings import Workspace
from servers.cli import replay as command
from tests.requirements.marker import requirement
from tests.servers.league_history import begun, finished
from tests.servers.ui.report.leagues import eventful, played

HOSTILE = "[red]Bob[/red] \x1b[2J\u202eevil"


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    folder = tmp_path_factory.mktemp("league-data")
    eventful(plugins.game("tic_tac_toe"), 5, {2: HOSTILE}).write(Workspace(folder))
    return folder


@pytest.fixture
def summer(written, monkeypatch):
    """A league with all that can happen, in the folder where the commands look."""
    monkeypatch.setenv("LEAGUE_DATA", str(written))


@requirement("001-FUT-04", "project-LATER-08")
def test_a_match_is_played_back_position_by_position(league, summer):
    ran = league("replay", "r1m1")
    assert ran.code == 0
    shown = league("show", "R1M1", "--json").json
    moves = [entry["choice"] for entry in shown["transcript"] if "choice" in entry]
    turns = [line for line in ran.out.splitlines() if line.startswith("Turn ")]
    assert [line.split()[-1] for line in turns] == moves
    assert ran.out.count("  a b c") == len(moves) + 1
    assert shown["details"]["draw"]["commitment"] in ran.out
    assert ran.out.count("✓") == 4
    assert "✓ The replay ends in the recorded result." in ran.out


def test_json_has_every_position_and_the_draw(league, summer):
    told = league("replay", "R1M1", "--json").json
    assert (told["match_id"], told["agrees"], told["draw"]["verified"]) == ("R1M1", True, True)
    assert [frame["turn"] for frame in told["frames"]] == list(range(len(told["frames"])))
    assert told["frames"][0]["moves"] == {}


@requirement("project-LATER-08")
def test_a_technical_loss_says_what_it_was_about(league, summer):
    lost = next(m["match_id"] for m in league("matches", "--json").json["matches"] if m["status"] == "TECHNICAL_LOSS")
    ran = league("replay", lost)
    assert ran.code == 0
    assert "did not answer the call for a move within 30 s, four times" in ran.out
    assert "The match was not played to its end." in ran.out
    assert "gave no valid answer to MOVE_CALL (E001)" in ran.out
    assert league("replay", lost, "--json").json["faults"][0]["cause"] == "no_move"


def test_a_recorded_end_that_is_not_the_true_one_is_told(league, workspace):
    history = begun(2)
    history.do(StartRound(1))
    history.do(AssignMatch("R1M1", "REF01"))
    real = played(plugins.game("tic_tac_toe"), history.league.fixture("R1M1"))
    loser = next(player for player in real.players if player != real.winner)
    score = {player: 3 * (player == loser) for player in real.players}
    draw = {**real.details["draw"], "secret": "another"}
    bent = replace(real, status=ResultStatus.WIN, winner=loser, score=score, details={**real.details, "draw": draw})
    history.do(RecordResult(bent))
    history.write(workspace)
    folder = workspace.root / "mine"
    folder.mkdir()
    (folder / "fingers.py").write_text(
        "from game_rules.tic_tac_toe import TicTacToe\n\n\nclass Fingers(TicTacToe):\n    name = 'fingers'\n"
    )
    ran = league("replay", "R1M1", "--plugins", folder)
    assert ran.code == 1
    assert "✗ NOT SO: The revealed secret is the one" in ran.out
    assert "✗ NOT SO: The replay ends in another result" in ran.out


def test_a_game_that_is_not_installed_leaves_the_messages(league, workspace):
    finished(2).write(workspace)
    ran = league("replay", "R1M1")
    assert ran.code == 0
    assert "The game is not installed here." in ran.out


def test_names_steer_no_terminal(league, summer):
    for arguments in ((), ("--json",)):
        for match in ("R1M1", "R1M2", "R2M2"):
            ran = league("replay", match, *arguments)
            assert "\x1b" not in ran.out
            assert "\u202e" not in ran.out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("R9M9",), "has no match 'R9M9'; it has R1M1 to R5M2"),
        (("R2M1",), "R2M1 cannot be replayed: it is void and not counted"),
        (("R1M1", "--league", "winter"), "there are no records of league 'winter'"),
        (("R1M1", "--step"), "--step waits for keys: it needs a terminal"),
    ],
)
def test_mistakes_are_told_in_a_sentence(league, summer, monkeypatch, arguments, message):
    monkeypatch.setattr(sys, "stdin", io.StringIO())
    ran = league("replay", *arguments)
    assert (ran.code, ran.out) == (2, "")
    assert message in " ".join(ran.err.split())


def test_a_match_that_is_not_over_is_told(league, workspace):
    eventful(plugins.game("even_odd"), 4, rounds=1).write(workspace)
    assert "R2M1 cannot be replayed: it has not begun" in league("replay", "R2M1").err


class Keys(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_person_goes_on_step_by_step_and_may_stop(league, summer, monkeypatch):
    monkeypatch.setattr(sys, "stdin", Keys("\n\nq\n"))
    ran = league("replay", "R1M1", "--step")
    assert ran.out.count("Enter: next step") == 3
    assert ran.out.count("Turn ") == 1
    monkeypatch.setattr(sys, "stdin", Keys(""))
    assert league("replay", "R1M1", "--step").out.count("Enter: next step") == 1


def test_a_terminal_is_waited_for_at_the_speed_that_was_asked_for(league, summer, monkeypatch):
    waits: list[float] = []
    monkeypatch.setattr(command, "time", SimpleNamespace(sleep=waits.append))  # other threads sleep too
    league("replay", "R1M1", "--speed", 4)
    assert waits == []
    monkeypatch.setattr(command.out, "_force_terminal", True)
    league("replay", "R1M1", "--speed", 4)
    assert set(waits) == {0.25}
    waits.clear()
    league("replay", "R1M1", "--speed", 0)
    assert waits == []
