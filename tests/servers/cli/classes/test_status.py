"""`league class status`."""

import json
import ssl
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

import pytest

from league_sdk.domain.commands import CancelLeague
from league_sdk.settings import Workspace, write_secret
from servers.agent.class_roster import class_of
from servers.agent.manager_lock import manager_lock
from tests.requirements.marker import requirement
from tests.security.authority import Authority
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


class TestOfARunningManager:
    """It is asked for the registrations that it refused, whoever signed its certificate."""

    @pytest.fixture
    def authority(self, workspace: Workspace, league: Any, tmp_path: Any) -> Iterator[tuple[Authority, dict[str, Any]]]:
        """The private CA of a manager that answers over TLS, and its answer."""
        answer: dict[str, Any] = {"status": 200, "body": {"refused": ["nobody of this class is invited as 'Eve'"]}}

        class Routes(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                known = self.path == "/admin/class" and self.headers["authorization"] == "Bearer the-token"
                self.send_response(answer["status"] if known else 401)
                self.end_headers()
                self.wfile.write(json.dumps(answer["body"]).encode())

            def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
                """Nothing is printed."""

        league("create", "roster.csv")
        under_way(2).write(workspace)
        write_secret(workspace.operator_token_file("summer"), "the-token")
        made = Authority(tmp_path)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(*made.issue())
        with ThreadingHTTPServer(("127.0.0.1", 0), Routes) as server, manager_lock(workspace, "summer") as at:
            server.socket = context.wrap_socket(server.socket, server_side=True)
            at(f"https://localhost:{server.server_port}/mcp")
            Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
            yield made, answer
            server.shutdown()

    def test_with_its_ca_the_refused_are_listed(self, league, authority, capsys):
        capsys.readouterr()
        assert league("status", "summer", "--tls-ca", str(authority[0].file)) == 0
        told = capsys.readouterr()
        assert "Refused: nobody of this class is invited as 'Eve'\n" in told.out
        assert "could not be asked" not in told.err

    def test_without_it_one_line_says_why_nothing_is_listed(self, league, authority, capsys):
        capsys.readouterr()
        assert league("status", "summer") == 0
        told = " ".join(capsys.readouterr().err.split())
        assert "The league manager could not be asked for refused registrations: the certificate of https://" in told
        assert told.endswith("name its CA with --tls-ca")
        assert league("status", "summer", "--json") == 0
        document = json.loads(capsys.readouterr().out)
        assert document["refused"] == []
        assert "--tls-ca" in document["unanswered"]

    @pytest.mark.parametrize(
        ("status", "body", "told"),
        [
            (409, {"error": "the class cannot be read: no"}, "the class cannot be read: no (409)"),
            (200, {}, "the league manager's answer cannot be read"),
            (200, [], "is no league manager"),
            (502, [], "is no league manager's: HTTP status 502"),
        ],
    )
    def test_a_refusal_and_an_answer_that_is_none_are_said(self, league, authority, capsys, status, body, told):
        made, answer = authority
        answer.update(status=status, body=body)
        capsys.readouterr()
        assert league("status", "summer", "--tls-ca", str(made.file)) == 0
        assert told in " ".join(capsys.readouterr().err.split())

    def test_without_the_operators_token_it_is_said_too(self, league, workspace, authority, capsys):
        workspace.operator_token_file("summer").unlink()
        capsys.readouterr()
        assert league("status", "summer") == 0
        assert "refused registrations: the operator's token is not in" in capsys.readouterr().err
