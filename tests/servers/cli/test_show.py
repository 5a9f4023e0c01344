import json
from collections.abc import Iterator
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

import pytest

from game_rules.tic_tac_toe import TicTacToe
from league_sdk.domain.commands import RecordResult, RegisterPlayer, StopLeague, VoidMatch
from league_sdk.domain.model import StageRules
from league_sdk.settings import write_secret
from servers.agent import event_store
from servers.agent.manager_lock import PAUSED, manager_lock
from servers.read_model import ratings
from tests.league_sdk.domain.season import agent
from tests.requirements.marker import requirement
from tests.servers.league_history import finished, technical_loss, under_way, waiting
from tests.servers.ui.report.leagues import tournament

HOSTILE = "[red]Bob[/red] :skull: \x1b[2J\u202eevil\x9b"
LOOKS = ["standings", "schedule", "matches"]


@requirement("project-RUN-05")
@pytest.mark.parametrize("command", [*LOOKS, "show R1M1"])
def test_json_is_exactly_one_object_and_nothing_else(league, workspace, command):
    finished(4).write(workspace)
    shown = league(*command.split(), "--json")
    assert (shown.code, shown.err) == (0, "")
    assert shown.json["league_id"] == "summer"
    assert shown.json["state"] == "COMPLETED"


@pytest.mark.parametrize("command", LOOKS)
def test_a_league_is_found_by_its_id_by_its_folder_or_because_it_was_the_last(league, workspace, tmp_path, command):
    finished(2).write(workspace)
    last = league(command)
    assert last.code == 0
    assert last.out == league(command, "summer").out == league(command, "--data", workspace.root).out
    assert "summer: COMPLETED" in last.out


@pytest.mark.parametrize("command", LOOKS)
def test_a_league_that_is_not_there_is_named_with_those_that_are(league, workspace, command):
    finished(2).write(workspace)
    shown = league(command, "winter")
    assert shown.code == 2
    assert "there are no records of league 'winter'" in shown.err
    assert "there are: summer" in shown.err


@requirement("003-IMPL-01", "project-CLI-07")
def test_standings_are_shown_while_the_league_runs(league, workspace):
    history = under_way(4)
    history.do(RecordResult(history.season.result("R1M1", "P02")))
    history.write(workspace)
    shown = league("standings")
    assert "summer: RUNNING, round 1 of 3, 0 running, 1 of 6 matches decided" in shown.out
    first = next(line for line in shown.out.splitlines() if "P02" in line)
    assert first.split() == ["1", "Player", "2", "P02", "1", "1", "0", "0", "3"]
    rows = league("standings", "--json").json["standings"]
    assert rows[0]["player_id"] == "P02"


@pytest.mark.parametrize("command", LOOKS)
def test_a_paused_league_names_the_command_that_lets_it_go_on_and_league_resume_once_its_manager_is_gone(
    league, workspace, command
):
    history = under_way(4)
    history.do(StopLeague(PAUSED))
    history.write(workspace)
    with manager_lock(workspace, "summer") as at:
        at("http://localhost:8000/mcp")
        paused = league(command)
    assert "to continue:\n  league control resume --league summer\n" in paused.out
    assert "league resume" not in paused.out
    assert "'league resume' continues it" in league(command).out


def test_json_says_how_everybody_is_spoken_to(league, workspace):
    history = waiting(2)
    history.do(RegisterPlayer(agent("Old", dialect="jsonrpc/league.v1")))
    history.write(workspace)
    dialects = league("standings", "--json").json["dialects"]
    assert dialects == {"P01": "", "P02": "", "P03": "jsonrpc/league.v1", "REF01": ""}
    finished(2, league_id="winter").write(workspace)
    assert set(league("show", "R1M1", "--league", "winter", "--json").json["dialects"]) == {"P01", "P02", "REF01"}


def test_before_there_is_a_schedule_it_says_so(league, workspace):
    waiting(2).write(workspace)
    assert "There is no schedule yet: registration is open." in league("schedule").out
    assert league("schedule", "--json").json["rounds"] == []
    shown = league("show", "R1M1")
    assert shown.code == 2
    assert "it has none yet" in shown.err


@requirement("project-CLI-07")
def test_the_schedule_names_who_meets_whom_and_who_rests(league, workspace):
    finished(3).write(workspace)
    text = league("schedule").out
    assert text.count("Round ") == 3
    assert text.count("bye: P0") == 3
    assert "R1M1  Player" in text
    rounds = league("schedule", "--json").json["rounds"]
    assert sorted(bye for scheduled in rounds for bye in scheduled["byes"]) == ["P01", "P02", "P03"]


@requirement("project-CLI-07")
def test_matches_are_listed_with_their_results(league, workspace):
    history = under_way(4)
    history.do(RecordResult(technical_loss(history, "R1M1", "P02")))
    history.write(workspace)
    lines = league("matches").out.splitlines()
    assert next(line.split() for line in lines if "R1M1" in line) == [
        *("R1M1", "P01", "-", "P02", "TECHNICAL_LOSS", "P01", "3:0", "REF01")
    ]
    assert next(line.split() for line in lines if "R1M2" in line) == ["R1M2", "P03", "-", "P04", "SCHEDULED"]


def test_the_schedule_names_the_rounds_of_a_bracket(league, workspace):
    tournament(TicTacToe(), 4, (StageRules("knockout", {"best_of": 3}),)).write(workspace)
    lines = league("schedule").out.splitlines()
    assert "Round 2: semi-final, game 2" in lines


def test_matches_of_a_series_name_its_first_match_and_their_number(league, workspace):
    tournament(TicTacToe(), 2, (StageRules("knockout", {"best_of": 3}),)).write(workspace)
    lines = [line.split() for line in league("matches").out.splitlines()]
    assert [line[:3] for line in lines if "#1" in line or "#2" in line] == [
        ["R1M1", "R1M1", "#1"],
        ["R2M1G2", "R1M1", "#2"],
    ]


class TestOneMatch:
    @requirement("project-CLI-07")
    def test_it_is_shown_with_its_result_and_transcript(self, league, workspace):
        history = under_way(2)
        said = [
            {"sequence": 1, "timestamp": "2025-01-15T10:00:01.000Z", "message_type": "GAME_INVITATION", "to": "P01"},
            {
                "sequence": 2,
                "timestamp": "2025-01-15T10:00:02.500Z",
                "message_type": "MOVE",
                "from": "P01",
                "choice": 3,
            },
            {"sequence": 3, "timestamp": "2025-01-15T10:00:03.000Z", "message_type": "GAME_ERROR", "to": "P02"},
        ]
        history.do(RecordResult(history.season.result("R1M1", "P01", reason="three beats two", transcript=tuple(said))))
        history.write(workspace)
        text = league("show", "r1m1").out
        assert "R1M1: Player 1 (P01) beat Player 2 (P02): three beats two" in text
        assert "Referee: Referee 1 (REF01). Attempt 1." in text
        rows = [line.split() for line in text.splitlines() if "10:00:0" in line]
        assert rows == [
            ["1", "10:00:01.000", "GAME_INVITATION", "REF01", "P01"],
            ["2", "10:00:02.500", "MOVE", "P01", "REF01", "3"],
            ["3", "10:00:03.000", "GAME_ERROR", "REF01", "P02"],
        ]
        document = league("show", "R1M1", "--json").json
        assert document["transcript"] == said
        assert (document["winner"], document["faults"]) == ("P01", [])

    def test_a_message_without_a_proper_answer_is_not_shown_as_one_of_the_player(self, league, workspace):
        failed = {
            "sequence": 1,
            "message_type": "GAME_INVITATION",
            "from": "P02",
            "error_code": "E001",
            "error": "late",
        }
        history = under_way(2)
        history.do(RecordResult(replace(technical_loss(history, "R1M1", "P02"), transcript=(failed,))))
        history.write(workspace)
        row = next(line.split() for line in league("show", "R1M1").out.splitlines() if "GAME_INVITATION" in line)
        assert row == ["1", "GAME_INVITATION", "REF01", "P02", "failed:", "late"]

    def test_a_technical_loss_names_who_failed_and_how(self, league, workspace):
        history = under_way(2)
        history.do(RecordResult(technical_loss(history, "R1M1", "P02")))
        history.write(workspace)
        text = league("show", "R1M1").out
        assert "Agent Player 2 (P02) " in text
        assert "Cause: no_move." in text
        fault = league("show", "R1M1", "--json").json["faults"][0]
        assert (fault["player_id"], fault["error_code"], fault["tries"]) == ("P02", "E001", 4)

    def test_one_under_way_says_so(self, league, workspace):
        under_way(4).write(workspace)
        assert "R1M1: Player 1 (P01) - Player 2 (P02): UNDER_WAY" in league("show", "R1M1").out
        assert "SCHEDULED" in league("show", "R1M2").out
        document = league("show", "R1M1", "--json").json
        assert (document["status"], document["referee_id"]) == ("UNDER_WAY", "REF01")

    def test_a_void_one_says_why(self, league, workspace):
        history = under_way(2)
        history.do(VoidMatch("R1M1", "no referee is left"))
        history.write(workspace)
        assert "VOID no referee is left" in league("show", "R1M1").out

    def test_one_that_does_not_exist_is_refused_with_those_that_do(self, league, workspace):
        finished(4).write(workspace)
        shown = league("show", "R9M9")
        assert shown.code == 2
        assert "league summer has no match 'R9M9'; it has R1M1 to R3M2" in shown.err


class TestHostileNames:
    @pytest.fixture
    def _hostile(self, workspace):
        history = waiting(1)
        history.do(RegisterPlayer(agent(HOSTILE)))
        history.write(workspace)

    @pytest.mark.usefixtures("_hostile")
    def test_on_a_terminal_they_are_the_text_they_are(self, league):
        shown = league("standings")
        assert "[red]Bob[/red] :skull: " in shown.out
        assert not set(shown.out) & set("\x1b\u202e\x9b")

    @pytest.mark.usefixtures("_hostile")
    def test_in_json_they_come_out_unchanged_and_still_cannot_steer_a_terminal(self, league):
        shown = league("standings", "--json")
        assert not set(shown.out) & set("\x1b\u202e\x9b")
        assert HOSTILE in [row["display_name"] for row in shown.json["standings"]]


def test_letters_of_every_script_stay_readable_in_json(league, workspace):
    history = waiting(1)
    history.do(RegisterPlayer(agent("עדה")))
    history.write(workspace)
    assert "עדה" in league("standings", "--json").out


def test_a_league_in_a_store_of_its_own_is_found_without_naming_it_again(league, workspace, tmp_path):
    history = finished(2)
    history.write(workspace)
    moved = (workspace.league_dir("summer") / "events.db").rename(tmp_path / "elsewhere.db")
    assert league("standings", "summer").code == 2
    assert "summer: COMPLETED" in league("standings", "summer", "--store", f"sqlite:///{moved}").out
    event_store.remember(workspace, "summer", f"sqlite:///{moved}")
    assert "summer: COMPLETED" in league("standings", "summer").out


@pytest.mark.tampers
def test_a_log_that_was_changed_is_not_shown_as_if_nothing_had_happened(league, workspace):
    import sqlite3

    finished(2).write(workspace)
    with sqlite3.connect(workspace.league_dir("summer") / "events.db") as database:
        (payload,) = database.execute("SELECT payload FROM events WHERE sequence = 4").fetchone()
        changed = json.dumps(
            {**json.loads(payload), "player": {**json.loads(payload)["player"], "display_name": "Eve"}}
        )
        database.execute("UPDATE events SET payload = ? WHERE sequence = 4", (changed,))
    shown = league("standings")
    assert shown.code == 2
    assert "the log of league 'summer' was changed: record 4" in shown.err


def test_standings_have_ratings_with_their_errors_and_say_what_these_tell_apart(league, workspace):
    finished(4).write(workspace)
    shown = league("standings", "--json").json
    assert all({"rating", "rating_margin", "not_distinguishable_from"} <= row.keys() for row in shown["standings"])
    text = league("standings").out
    first = shown["standings"][0]
    assert f"{first['rating']} ± {first['rating_margin']}" in text
    assert shown["ratings"] in text
    assert "distinguishable" in shown["ratings"]


def test_standings_without_the_extra_name_the_command_that_installs_it(league, workspace, monkeypatch):
    monkeypatch.setattr(ratings, "find_spec", lambda name: None)
    finished(4).write(workspace)
    ran = league("standings")
    assert "pip install 'mcp-agent-league[analysis]'" in ran.out
    assert " ± " not in ran.out
    written = league("export")
    assert written.err == "Ratings with their errors need numpy and scipy: pip install 'mcp-agent-league[analysis]'\n"
    assert "rating" not in written.out


class TestAMatchUnderWay:
    """Its referee is asked through the manager, with the operator's token."""

    @pytest.fixture
    def asked(self, workspace) -> Iterator[list[str | None]]:
        """A manager that tells of a match, and the tokens that it was shown."""
        tokens: list[str | None] = []
        call = {"players": ["P02"], "asked": "move", "attempt": 2, "attempts": 4, "left_sec": 18, "part": ""}

        class Routes(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                tokens.append(self.headers["authorization"])
                known = self.path == "/admin/matches/R1M1" and tokens[-1] == "Bearer the-token"
                self.send_response(200 if known else 401)
                self.end_headers()
                self.wfile.write(json.dumps({"match_id": "R1M1", "turn": 3, "calls": [call]}).encode())

            def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
                """Nothing is printed."""

        history = under_way(2)
        history.write(workspace)
        write_secret(workspace.operator_token_file("summer"), "the-token")
        with ThreadingHTTPServer(("127.0.0.1", 0), Routes) as server, manager_lock(workspace, "summer") as at:
            at(f"http://127.0.0.1:{server.server_port}/mcp")
            Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
            yield tokens
            server.shutdown()

    def test_turn_clock_and_attempts_are_printed(self, league, asked):
        shown = league("show", "R1M1")
        assert "Turn 3.\nR1M1 waits for Player 2: move, attempt 2 of 4, 18 s left\n" in shown.out
        assert league("show", "R1M1", "--json").json["running"]["calls"][0]["attempt"] == 2
        assert asked == ["Bearer the-token"] * 2

    def test_with_another_token_the_manager_tells_nothing(self, league, asked):
        shown = league("show", "R1M1", "--operator-token", "a players token")
        assert (shown.code, "waits for" in shown.out) == (0, False)
        assert "Its referee could not be asked: " in shown.out
        assert asked == ["Bearer a players token"]

    def test_without_a_live_manager_it_is_shown_as_stored(self, league, workspace):
        under_way(2).write(workspace)
        assert "waits" not in league("show", "R1M1").out
