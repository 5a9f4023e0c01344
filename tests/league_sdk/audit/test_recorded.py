"""Leagues recorded by older code give the result that they gave, by the rules of their time."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from league_sdk.audit import rows_from_jsonl
from league_sdk.domain.events import RoundCompleted, RoundPaired, event_from_json
from league_sdk.domain.league import evolve
from league_sdk.domain.pairings.schedule import as_round
from league_sdk.domain.progress import outcome_after, tournament_of
from league_sdk.plugins import stages_format
from tests.league_sdk.audit.recorded.record import said_of

FOLDER = Path(__file__).parent / "recorded"
LEAGUES = sorted(folder.name for folder in FOLDER.iterdir() if (folder / "records.jsonl").is_file())
WORDS = ("unchecked", "notes", "unverified", "findings")
"""Parts of an audit's answer that may say more, or say it better; findings are compared by themselves."""


def test_there_are_leagues_of_each_kind():
    assert LEAGUES == ["knockout", "knockout_seeded", "ladder", "round_robin", "swiss", "three_seats"]


@pytest.mark.parametrize("name", LEAGUES)
def test_a_league_recorded_before_has_the_standings_and_the_audit_that_it_had(name: str):
    then = json.loads((FOLDER / name / "told.json").read_text())
    now = json.loads(json.dumps(said_of(FOLDER / name)))
    assert [only(row, was) for row, was in zip(now["standings"], then["standings"], strict=True)] == then["standings"]
    facts = {key: value for key, value in then["audit"].items() if key not in WORDS}
    assert only(now["audit"], facts) == facts
    assert (then["audit"]["findings"], now["audit"]["findings"]) == ([], [])


def only(now: Any, then: Any) -> Any:
    """The part of an answer that was there then: later fields may come, and none may change."""
    if isinstance(then, dict):
        return {key: only(now[key], then[key]) for key in then}
    return [only(new, old) for new, old in zip(now, then, strict=True)] if isinstance(then, list) else now


@pytest.mark.parametrize("name", LEAGUES)
def test_a_league_that_goes_on_is_paired_and_ranked_by_the_rules_that_it_began_with(name: str):
    """Else what is resumed after an update would end by other rules than it began by."""
    league: Any = None
    for row in rows_from_jsonl((FOLDER / name / "records.jsonl").read_bytes()):
        event = event_from_json(str(row.type), row.payload)
        if isinstance(event, RoundPaired):
            paired = stages_format(league.rules.stages).next_round(tournament_of(league))
            assert paired is not None
            again = as_round(len(league.rounds) + 1, paired)
            assert replace(again, paired_by=event.round.paired_by) == event.round, "the word for it may be a newer one"
        if isinstance(event, RoundCompleted) and event.ranking:
            ranking, _ = outcome_after(league, stages_format(league.rules.stages), event.round_id)
            assert ranking == event.ranking
        league = evolve(league, event)
    assert league.format_version == 1
