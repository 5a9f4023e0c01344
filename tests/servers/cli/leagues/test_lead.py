"""`league lead`: a restored league is led again, in an epoch of its own."""

import io
import shutil

from league_sdk.settings import Workspace
from servers.agent.manager_lock import manager_lock
from servers.cli import common
from servers.cli.leagues import lead as command


def kinds(workspace: Workspace) -> list[str]:
    return [record.type for record in common.read_records(workspace, "cup")]


def test_a_restored_league_is_led_in_a_new_epoch_and_played_to_its_end(league, cup, saved, workspace, bare):
    shutil.rmtree(workspace.root)
    ran = league("restore", saved, "--data", bare.root, "--lead", "--yes")
    assert ran.code == 0, ran.err
    assert "An older manager of it that still runs where it cannot be reached" in ran.err
    resumed = league("resume", cup, "--data", bare.root, "--in-process", "--json")
    assert (resumed.code, resumed.json["state"]) == (0, "COMPLETED"), resumed.err
    assert "MatchVoided" not in kinds(bare)
    audit = league("audit", cup, "--data", bare.root, "--json")
    assert (audit.code, audit.json["findings"]) == (0, [])
    assert any("in epoch 1" in note for note in audit.json["notes"])


def test_nothing_is_led_where_the_operator_says_no(league, cup, saved, bare, monkeypatch):
    league("restore", saved, "--data", bare.root)
    before = kinds(bare)
    monkeypatch.setattr("typer.confirm", lambda *_, **__: False)
    ran = league("lead", cup, "--data", bare.root)
    assert (ran.code, "nothing was changed" in ran.err) == (1, True)
    assert kinds(bare) == before
    monkeypatch.setattr("typer.confirm", lambda *_, **__: True)
    assert league("lead", cup, "--data", bare.root).code == 0
    assert kinds(bare) == [*before, "EpochBegun"]


def test_nothing_is_led_where_nobody_is_there_to_answer(league, cup, saved, bare, monkeypatch):
    league("restore", saved, "--data", bare.root)
    before = kinds(bare)
    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    ran = league("lead", cup, "--data", bare.root)
    assert (ran.code, "nothing was changed; --yes does it without a question" in ran.err) == (1, True)
    assert "Traceback" not in ran.err
    assert kinds(bare) == before


def test_it_is_not_led_while_the_older_manager_answers(league, cup, saved, bare, monkeypatch):
    asked = list[tuple[str, str]]()

    def answers(url, path, token, *_, **__):
        asked.append((path, token))
        return {"league_id": cup}

    monkeypatch.setattr(command, "call_manager", answers)
    ran = league("restore", saved, "--data", bare.root, "--lead", "--yes")
    assert ran.code == 2
    assert "still leads cup: stop it first" in ran.err
    assert kinds(bare)[-1] == "MadeReadOnly", "it is restored, and read-only"
    assert asked == [("standings", bare.operator_token_file(cup).read_text())]


def test_it_is_not_led_beside_a_manager_on_the_same_folder(league, cup, saved, bare):
    league("restore", saved, "--data", bare.root)
    with manager_lock(bare, cup) as serves:
        serves("http://localhost:8000/mcp")
        ran = league("lead", cup, "--yes", "--data", bare.root)
    assert (ran.code, "still leads cup" in ran.err) == (2, True)


def test_a_league_that_is_led_needs_no_new_epoch(league, cup):
    ran = league("lead", cup, "--yes")
    assert (ran.code, "is not read-only" in ran.err) == (2, True)
