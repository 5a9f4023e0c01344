"""Leagues that older code was interrupted in: looked at, and played to their end, by today's."""

import json
from typing import Any

import pytest

from league_sdk.settings import Workspace
from servers.cli import common
from tests.league_sdk.audit.recorded.restore import FOLDER, restore_interrupted
from tests.ports import free_base

COMMITS = sorted(
    folder.name for folder in (FOLDER / "interrupted").iterdir() if folder.is_dir() and folder.name[0].isdigit()
)
ESTIMATED = ("rating", "rating_margin")
"""Figures of a model, which may become better."""

pytestmark = pytest.mark.parametrize("commit", COMMITS)


def told(commit: str, what: str) -> Any:
    return json.loads((FOLDER / "interrupted" / commit / "told.json").read_text())[what]


def only(now: Any, then: Any) -> Any:
    """The part of an answer that was there then: later fields may come, and none may change."""
    if isinstance(then, dict):
        return {key: only(now[key], then[key]) for key in then}
    return [only(new, old) for new, old in zip(now, then, strict=True)] if isinstance(then, list) else now


def stored(workspace: Workspace, league_id: str) -> list[Any]:
    return common.read_records(workspace, league_id)


def test_its_standings_and_its_audit_are_those_that_it_had(league, workspace, commit):
    restore_interrupted(commit, workspace)
    rows, then = league("standings", "--json").json["standings"], told(commit, "standings")["standings"]
    kept = [{key: value for key, value in row.items() if key not in ESTIMATED} for row in then]
    assert only(rows, kept) == kept
    audit, then = league("audit", "--json"), told(commit, "audit")
    assert (audit.code, audit.json["findings"]) == (0, [])
    facts = {key: then[key] for key in ("ok", "records", "head", "matches") if key in then}
    assert only(audit.json, facts) == facts


def test_its_report_is_made(league, workspace, commit, tmp_path):
    restore_interrupted(commit, workspace)
    made = league("report", "--output", tmp_path / "report.html")
    assert made.code == 0
    assert "Agent Alpha" in (tmp_path / "report.html").read_text()


def test_it_is_played_to_its_end(league, workspace, commit):
    league_id = restore_interrupted(commit, workspace)
    before = stored(workspace, league_id)
    ran = league("resume", "--in-process", "--json", "--port-base", free_base())
    assert (ran.code, ran.json["state"]) == (0, "COMPLETED")
    after = stored(workspace, league_id)
    assert after[: len(before)] == before
    kinds = [record.type for record in after]
    assert (kinds.count("MatchRecorded"), kinds.count("MatchVoided")) == (15, 0)
    assert [record.payload["how"] for record in after if record.type == "OperatorTokenChanged"] == ["kept"]
    assert not any(result["faults"] for result in results(after))
    audit = league("audit", "--json")
    assert (audit.code, audit.json["findings"]) == (0, [])


def results(records: list[Any]) -> list[Any]:
    return [record.payload["result"] for record in records if record.type == "MatchRecorded"]


@pytest.mark.parametrize("command", ["resume", "manager"])
def test_without_its_secrets_it_is_not_led_and_nothing_is_recorded(league, workspace, commit, command):
    league_id = restore_interrupted(commit, workspace, secrets=False)
    before = stored(workspace, league_id)
    options = ("manager", "--resume", league_id, "--port", free_base()) if command == "manager" else ("resume",)
    ran = league(*options)
    assert (ran.code, ran.out) == (2, "")
    assert "--new-token" in ran.err
    assert stored(workspace, league_id) == before
