"""`league class check`, `verdict`."""

import json
import socket

import pytest

from league_sdk.testing.compliance import ComplianceCheck, ComplianceReport, Status
from servers.agent.class_roster import class_of
from servers.cli.classes import checks as check_commands


def report(*checks: ComplianceCheck, name: str = "") -> ComplianceReport:
    return ComplianceReport("http://localhost:8101/mcp", "player", "even_odd", name, checks=list(checks))


PASSED = ComplianceCheck("GAME_JOIN_ACK", "a section", Status.PASSED)
FAILED = ComplianceCheck("GAME_JOIN_ACK: timestamp", "a section", Status.FAILED, detail="no time")


@pytest.mark.parametrize(("checks", "code"), [((PASSED,), 0), ((PASSED, FAILED), 1)])
def test_a_students_player_is_checked_and_the_verdict_is_kept(workspace, league, monkeypatch, tmp_path, checks, code):
    made = report(*checks)
    monkeypatch.setattr(check_commands, "check_agent_at", lambda url, game, plugins: made)
    league("create", "roster.csv")
    assert league("check", "4712", made.url) == code
    by_check = class_of(workspace).students[1]
    assert (by_check.verdict, by_check.complies) == (str(made.verdict), made.complies)
    (tmp_path / "bob.json").write_text(json.dumps(made.as_json()), encoding="utf-8")
    assert league("verdict", "=1+1", "bob.json") == 0
    by_file = class_of(workspace).students[0]
    assert (by_file.verdict, by_file.complies) == (by_check.verdict, by_check.complies)
    assert league("create", "roster.csv") == 0
    assert class_of(workspace).students[1] == by_check


def test_a_check_of_another_students_player_is_refused_by_its_name(workspace, league, monkeypatch, tmp_path, capsys):
    league("create", "roster.csv")
    first, second = class_of(workspace).students[:2]
    made = report(PASSED, name=first.player.upper())
    monkeypatch.setattr(check_commands, "check_agent_at", lambda url, game, plugins: made)
    capsys.readouterr()
    assert league("check", second.student_id, made.url) == 2
    told = capsys.readouterr().err
    assert f"is the player {first.player!r} of {first.student_id}, not of {second.student_id}" in told
    (tmp_path / "check.json").write_text(json.dumps(made.as_json()), encoding="utf-8")
    assert league("verdict", second.student_id, "check.json") == 2
    assert class_of(workspace).students[1] == second, "nothing was kept"
    assert league("check", first.student_id, made.url) == 0


def test_a_wrong_address_undoes_no_verdict(workspace, league, monkeypatch, capsys):
    league("create", "roster.csv")
    for made, code in ((report(PASSED), 0), (report(FAILED), 2)):
        monkeypatch.setattr(check_commands, "check_agent_at", lambda url, game, plugins, made=made: made)
        capsys.readouterr()
        assert league("check", "4712", made.url) == code
    assert "speaks neither MCP nor JSON-RPC, so nothing was kept" in capsys.readouterr().err
    assert class_of(workspace).students[1].complies


def test_a_player_that_is_not_there_is_said_to_be_started_first(workspace, league, capsys):
    league("create", "roster.csv")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    assert league("check", "4712", f"http://127.0.0.1:{port}/mcp") == 2
    told = capsys.readouterr().err
    assert "nobody listens there" in told
    assert "Start the player first." in told
    assert "--wait" not in told, "which this command has not"


@pytest.mark.parametrize("name", ["", "FastMCP"])
def test_an_agent_of_no_students_name_is_checked_for_whom_it_is_said_to_be(workspace, league, monkeypatch, name):
    made = report(PASSED, name=name)
    monkeypatch.setattr(check_commands, "check_agent_at", lambda url, game, plugins: made)
    league("create", "roster.csv")
    assert league("check", "4712", made.url) == 0
