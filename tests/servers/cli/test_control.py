"""`league control`, against the routes of a manager for operators."""

from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

import pytest

from league_sdk.settings import write_secret
from servers.agent.manager_lock import manager_lock
from servers.launcher.plan import make_plan
from servers.launcher.run_options import PlanError, RunOptions
from tests.servers.league_history import under_way

Called = list[tuple[str, str | None, bytes]]


@pytest.fixture
def manager(workspace) -> Iterator[tuple[Called, dict[str, Any]]]:
    """A league with a manager that notes its calls, and the answer that it gives."""
    called: Called = []
    answer: dict[str, Any] = {"status": 200, "body": b'{"status": "done"}'}

    class Routes(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            called.append((self.path, self.headers["authorization"], body))
            self.send_response(answer["status"])
            self.end_headers()
            self.wfile.write(answer["body"])

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
            """Nothing is printed."""

    under_way(2).write(workspace)
    write_secret(workspace.operator_token_file("summer"), "the-token")
    with ThreadingHTTPServer(("127.0.0.1", 0), Routes) as server, manager_lock(workspace, "summer") as at:
        at(f"http://127.0.0.1:{server.server_port}/mcp")
        Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        yield called, answer
        server.shutdown()


@pytest.mark.parametrize(
    ("words", "route"),
    [
        (("pause",), "/admin/pause_league"),
        (("resume",), "/admin/resume_league"),
        (("close",), "/admin/close_league"),
        (("stop",), "/admin/stop_league"),
        (("cancel",), "/admin/cancel_league"),
        (("replay", "R1M1"), "/admin/matches/R1M1/replay"),
        (("remove", "../P02"), "/admin/players/..%2FP02/remove"),
        (("sit-out", "P02"), "/admin/players/P02/sit-out"),
        (("rejoin", "P02"), "/admin/players/P02/rejoin"),
    ],
    ids=lambda each: each[0],
)
def test_a_command_calls_its_route_with_the_operators_token(league, manager, words, route):
    called, _ = manager
    ran = league("control", *words)
    assert ran.code == 0, ran.err
    assert ran.out.startswith("League summer ")
    assert called == [(route, "Bearer the-token", b"{}")]


def test_a_removal_has_its_reason(league, manager):
    called, _ = manager
    assert league("control", "remove", "P02", "--reason", "left").out == "League summer has removed P02.\n"
    assert called[0][2] == b'{"reason": "left"}'


def test_a_player_is_named_by_its_name_too_and_its_id_is_told(league, manager):
    called, answer = manager
    answer["body"] = b'{"status": "done", "player_id": "P02"}'
    assert league("control", "rejoin", "Ada Lovelace").out == "League summer lets Ada Lovelace (P02) play again.\n"
    assert called[0][0] == "/admin/players/Ada%20Lovelace/rejoin"
    assert league("control", "rejoin", "P02").out == "League summer lets P02 play again.\n"


def test_a_player_that_sits_out_already_is_said_to(league, manager):
    manager[1]["body"] = b'{"status": "done", "player_id": "P02", "already": "P02 sits out already"}'
    ran = league("control", "sit-out", "P02")
    assert (ran.code, ran.out) == (0, "League summer: P02 sits out already.\n")


def test_a_refusal_is_told_in_the_managers_words(league, manager):
    manager[1].update(status=409, body=b'{"error": "only one without a last round is closed", "error_code": "E008"}')
    ran = league("control", "close")
    assert (ran.code, ran.err) == (1, "league: only one without a last round is closed (E008)\n")
    manager[1].update(status=502, body=b"<html>")
    assert "is no league manager's: HTTP status 502" in league("control", "close").err


def test_an_answer_that_is_no_managers_is_no_success(league, manager):
    manager[1]["body"] = b"<html>Log in to the network</html>"
    ran = league("control", "pause")
    assert (ran.code, ran.out) == (1, "")
    assert "is no league manager\n" in ran.err


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("remove",), "league control remove needs the id or name of a player"),
        (("deadline",), "league control deadline needs so much more time, such as +10m, or a moment in UTC"),
        (("replay",), "league control replay needs the id of a match"),
        (("pause", "R1M1"), "league control pause takes no id"),
        (("pause", "--reason", "lunch"), "--reason is for cancel, remove, sit-out and rejoin"),
        (("sit-out",), "league control sit-out needs the id or name of a player"),
    ],
    ids=str,
)
def test_an_id_and_a_reason_belong_to_some_commands_alone(league, manager, words, told):
    ran = league("control", *words)
    assert ran.code == 2
    assert told in ran.err
    assert manager[0] == []


def test_a_league_without_a_manager_is_named(league, workspace):
    under_way(2).write(workspace)
    write_secret(workspace.operator_token_file("summer"), "the-token")
    ran = league("control", "pause")
    assert (ran.code, ran.out) == (1, "")
    assert "no league manager of summer runs in" in ran.err


def test_a_deadline_is_told_as_the_manager_has_settled_it(league, manager):
    called, answer = manager
    answer["body"] = b'{"status": "done", "deadline": "2036-05-01T09:10:00Z"}'
    ran = league("control", "deadline", "+10m")
    assert ran.out == "League summer closes registration at 2036-05-01T09:10:00Z.\n"
    assert called == [("/admin/deadline", "Bearer the-token", b'{"deadline": "+10m"}')]


def test_a_league_whose_manager_ended_is_cancelled_and_its_name_is_free(league, workspace):
    under_way(2).write(workspace)
    refused = league("control", "cancel", "--reason", "wrong roster")
    assert (refused.code, "the operator's token of league 'summer' is not here" in refused.err) == (2, True)
    write_secret(workspace.operator_token_file("summer"), "the-token")
    ran = league("control", "cancel", "--reason", "wrong roster")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out == "League summer is cancelled; the command that started it starts a new one.\n"
    assert league("standings").out.splitlines()[0].startswith("summer: cancelled by the operator: wrong roster; ")
    ran = league("manager", "--resume", "summer", "--port", 0)
    assert ran.code == 2
    assert "was cancelled by the operator: wrong roster; start a new one" in ran.err
    made = make_plan(RunOptions(workspace, league_id="summer", port_base=0), "the operator's")
    assert made.league_id == "summer-2"
    assert "the league continues after" not in league("audit", "summer").out


def test_a_league_that_was_planned_and_never_began_is_cancelled_too(league, workspace):
    workspace.prepare()
    make_plan(RunOptions(workspace, league_id="summer", port_base=0), "the operator's").save()
    with pytest.raises(PlanError, match="'league control cancel --league summer' ends it for good and frees its name"):
        make_plan(RunOptions(workspace, league_id="summer", port_base=0), "the operator's")
    ran = league("control", "cancel", "--league", "summer")
    assert (ran.code, ran.err) == (0, "")
    assert make_plan(RunOptions(workspace, league_id="summer", port_base=0), "the operator's").league_id == "summer-2"


@pytest.mark.parametrize("token", [(), ("--operator-token", "a-token")], ids=["without a token", "with one"])
def test_a_league_that_does_not_exist_is_said_not_to_when_it_is_cancelled(league, workspace, token):
    under_way(2).write(workspace)
    ran = league("control", "cancel", "--league", "sumer", *token)
    assert (ran.code, ran.out) == (2, "")
    assert "there is no league 'sumer' in " in ran.err
    assert ran.err.endswith("; there are: summer\n")
