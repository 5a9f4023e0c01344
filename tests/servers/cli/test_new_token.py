"""Managers that cannot show their operator's token lead no league, until there is a new one."""

from typing import Any

import pytest

from league_sdk.domain.events import Record
from league_sdk.settings import Workspace, read_secret, write_secret
from league_sdk.tokens import operator_digest
from servers.agent.agent_spec import AgentSpec
from servers.agent.operator_secret import next_file
from servers.cli import common
from tests.league_sdk.audit.recorded.restore import restore
from tests.ports import free_base
from tests.servers.cli.test_run import interrupted_after

QUICK = ("--in-process", "--set", "retry_policy.backoff_base_sec=0.01")
OLD = "round_robin"
"""Recorded by code that recorded no digest of the operator's token."""


@pytest.fixture
def base() -> int:
    return free_base()


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> list[AgentSpec]:
    """The managers that would have been started."""
    made = list[AgentSpec]()
    monkeypatch.setattr("servers.cli.manager.serve", lambda spec, *_: made.append(spec))
    return made


def interrupted(league: Any, base: int, monkeypatch: pytest.MonkeyPatch) -> str:
    with interrupted_after("MatchRecorded", monkeypatch):
        league("run", *QUICK, "--port-base", base)
    return "league_even_odd"


def records(workspace: Workspace, league_id: str) -> list[Record]:
    return common.read_records(workspace, league_id)


def changes(workspace: Workspace, league_id: str) -> list[str]:
    """The ways in which the operator's token was changed, in order."""
    found = records(workspace, league_id)
    return [record.payload["how"] for record in found if record.type == "OperatorTokenChanged"]


def lose_secrets(workspace: Workspace) -> None:
    for path in sorted(workspace.secrets.rglob("*"), reverse=True):
        path.unlink() if path.is_file() else path.rmdir()
    workspace.secrets.rmdir()


def test_a_league_of_an_older_release_without_its_secrets_is_not_led_and_nothing_is_recorded(league, base, workspace):
    restore(OLD, workspace, until=14)
    before = records(workspace, OLD)
    for more in ((), ("--operator-token", "made up")):
        ran = league("manager", "--resume", OLD, "--port", base, *more)
        assert (ran.code, ran.out) == (2, "")
        assert "its agents would refuse this manager" in ran.err
        assert "--new-token" in ran.err
    assert records(workspace, OLD) == before
    assert not workspace.operator_token_file(OLD).exists()


def test_a_league_of_an_older_release_is_led_with_the_secret_that_was_kept(league, base, workspace, served):
    restore(OLD, workspace, until=14)
    write_secret(workspace.operator_token_file(OLD), "kept")
    assert league("manager", "--resume", OLD, "--port", base).code == 0
    assert [(spec.operator_token, spec.token_kept) for spec in served] == [("kept", True)]
    assert league("manager", "--resume", OLD, "--port", base, "--operator-token", "another").code == 2


def test_a_league_of_league_run_without_its_secrets_is_not_resumed(league, base, workspace, monkeypatch):
    league_id = interrupted(league, base, monkeypatch)
    lose_secrets(workspace)
    before = records(workspace, league_id)
    ran = league("resume", "--in-process")
    assert (ran.code, ran.out) == (2, "")
    assert "Put the league's folder there back" in ran.err
    assert "league resume league_even_odd --new-token" in ran.err
    write_secret(workspace.operator_token_file(league_id), "made up")
    ran = league("resume", "--in-process")
    assert (ran.code, ran.out) == (2, "")
    assert "is another than the one that its records know" in ran.err
    assert records(workspace, league_id) == before


def test_with_a_new_token_a_league_without_its_secrets_is_played_to_its_end(league, base, workspace, monkeypatch):
    league_id = interrupted(league, base, monkeypatch)
    lose_secrets(workspace)
    ran = league("resume", "--in-process", "--new-token", "--json")
    assert (ran.code, ran.json["state"]) == (0, "COMPLETED")
    assert "was changed without the one before, which everybody can see" in ran.err
    assert not any(record.type == "MatchVoided" for record in records(workspace, league_id))
    assert changes(workspace, league_id) == ["lost"]
    audit = league("audit", "--json")
    assert audit.code == 0
    (note,) = [note for note in audit.json["notes"] if "operator" in note]
    assert note.endswith("without the one before: whoever did it could write to the store")


def test_a_token_that_is_known_to_others_is_changed_under_the_one_before(league, base, workspace, monkeypatch):
    league_id = interrupted(league, base, monkeypatch)
    before = read_secret(workspace.operator_token_file(league_id))
    ran = league("resume", "--in-process", "--new-token", "--json")
    assert (ran.code, ran.json["state"]) == (0, "COMPLETED")
    assert changes(workspace, league_id) == ["rotated"]
    token = read_secret(workspace.operator_token_file(league_id))
    assert token not in (None, before)
    (changed,) = [record for record in records(workspace, league_id) if record.type == "OperatorTokenChanged"]
    assert changed.payload["digest"] == operator_digest(str(token), league_id)
    assert not any(record.type == "MatchVoided" for record in records(workspace, league_id))
    digests = [
        record.payload["agent"]["token_digest"]
        for record in records(workspace, league_id)
        if record.type == "AgentReturned"
    ]
    assert len(set(digests)) == 6, "whoever had the operator's token knew those of the launcher's agents"
    audit = league("audit", "--json")
    assert (audit.code, [note for note in audit.json["notes"] if "operator" in note]) == (0, [])


def test_a_change_that_was_killed_before_its_end_is_finished_by_the_next_start(
    league, base, workspace, served, monkeypatch
):
    restore(OLD, workspace, until=14)
    write_secret(workspace.operator_token_file(OLD), "kept")
    with monkeypatch.context() as patch:
        patch.setattr("servers.cli.new_token.take_next", die)
        assert league("manager", "--resume", OLD, "--port", base, "--new-token", "--operator-token", "newer").code
    assert changes(workspace, OLD) == ["lost"]
    assert read_secret(workspace.operator_token_file(OLD)) == "kept"
    assert league("manager", "--resume", OLD, "--port", base).code == 0
    assert [spec.operator_token for spec in served] == ["newer"]
    assert not next_file(workspace, OLD).exists()


def test_a_change_that_was_killed_before_its_record_changes_nothing(league, base, workspace, served, monkeypatch):
    restore(OLD, workspace, until=14)
    write_secret(workspace.operator_token_file(OLD), "kept")
    with monkeypatch.context() as patch:
        patch.setattr("servers.cli.new_token.record", die)
        assert league("manager", "--resume", OLD, "--port", base, "--new-token").code
    assert league("manager", "--resume", OLD, "--port", base).code == 0
    assert [spec.operator_token for spec in served] == ["kept"]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("manager", "--new-token"), "--new-token is for a league that is continued"),
        (("manager", "--resume", OLD, "--new-token"), "is complete: it needs no new token"),
    ],
    ids=["a new league", "a complete one"],
)
def test_a_new_token_is_for_a_league_that_goes_on(league, base, workspace, words, told):
    restore(OLD, workspace)
    ran = league(*words, "--port", base)
    assert (ran.code, ran.out) == (2, "")
    assert told in ran.err


def die(*_: Any) -> None:
    raise KeyboardInterrupt
