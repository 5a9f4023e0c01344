"""Summaries of results: what rules and tables need of them, and by what a second report is known."""

from dataclasses import fields, replace
from typing import Any

import pytest

from league_sdk.domain.decisions.result_summary import fingerprint, summarised, summary
from league_sdk.domain.events import MatchRecorded, MatchVoided
from league_sdk.domain.league_state import League
from league_sdk.domain.model import Cause, Fault, LeagueRules, MatchResult, ResultStatus

AWKWARD: dict[str, Any] = {"z": [1, {"deep": None}], "a": 0.5, "lone \ud800": "Ünïcode \x00", "big": 2**70}
LEFT_OUT = {"details", "lifecycle", "transcript"}
RESULT = MatchResult(
    match_id="R1M1",
    round_id=1,
    players=("P01", "P02"),
    status=ResultStatus.WIN,
    winner="P01",
    score={"P01": 3, "P02": 0},
    referee_id="REF01",
    details=AWKWARD,
    lifecycle={"CREATED": "2025-01-15T10:00:00.000Z", "PLAYING": "…", "FINISHED": "2025-01-15T10:00:01.000Z"},
    transcript=({"sequence": 1, "message_type": "GAME_INVITATION", "to": "P01"},),
    substituted={"P01": {"late": 1}},
)


def test_a_summary_has_everything_but_details_transcript_and_the_states_between():
    short = summary(RESULT)
    for field in fields(MatchResult):
        if field.name not in LEFT_OUT:
            assert getattr(short, field.name) == getattr(RESULT, field.name), field.name
    assert (short.details, short.transcript) == ({}, ())
    assert [*short.lifecycle] == ["CREATED", "FINISHED"]


def test_a_draw_is_still_without_a_winner():
    assert summary(replace(RESULT, status=ResultStatus.DRAW, winner=None)).winner is None


@pytest.mark.parametrize("states", [{}, {"CREATED": "2025-01-15T10:00:00.000Z"}])
def test_a_short_lifecycle_is_kept_whole(states: dict[str, str]):
    assert summary(replace(RESULT, lifecycle=states)).lifecycle == states


def test_a_summary_has_the_fingerprint_of_the_whole():
    assert fingerprint(summary(RESULT)) == fingerprint(RESULT)


@pytest.mark.parametrize(
    "changes",
    [
        {"winner": "P02"},
        {"details": {**AWKWARD, "a": 1}},
        {"reason": "another"},
        {"status": ResultStatus.DRAW},
        {"faults": (Fault("P01", Cause.NO_MOVE, "move", "E001", 1, "It was silent."),)},
        {"attempt": 2},
    ],
)
def test_two_reports_differ_when_anything_that_counts_does(changes: dict[str, Any]):
    assert fingerprint(replace(RESULT, **changes)) != fingerprint(RESULT)


def test_two_reports_are_the_same_when_only_the_log_beside_them_differs():
    one = replace(RESULT, details={"shown": (1, 2)})
    other = replace(RESULT, details={"shown": [1, 2]}, lifecycle={}, transcript=())
    assert fingerprint(one) == fingerprint(other)


LEAGUE = League(LeagueRules("cup", "chess"))


def test_only_an_event_with_a_result_is_summarised():
    void = MatchVoided("R1M1", "no referee")
    assert summarised(void, LEAGUE) is void
    assert summarised(MatchRecorded(RESULT), LEAGUE) == MatchRecorded(summary(RESULT))


def test_the_games_scores_are_kept_for_a_league_that_ranks_by_them():
    told = replace(RESULT, details={"scores": {"P01": 4, "P02": 1}, "board": "…"})
    league = League(LeagueRules("cup", "chess", tiebreakers=("points", "goal_difference")))
    kept = summary(told, scores=True)
    assert kept.details == {"scores": {"P01": 4, "P02": 1}}
    assert summarised(MatchRecorded(told), league) == MatchRecorded(kept)
    assert summarised(MatchRecorded(told), LEAGUE) == MatchRecorded(summary(told))
    assert summary(told).details == {}
