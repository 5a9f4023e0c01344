"""Progress of matches, and their messages."""

from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from league_sdk.domain.commands import StopLeague, VoidMatch
from league_sdk.domain.model import MatchResult, ResultStatus
from servers import read_model
from servers.read_model import Kind, Limits, Stage
from servers.read_model.matches import took
from tests.league_sdk.domain.season import Season, first_round, running
from tests.servers.read_model.leagues import at, late, seasons, talk


def over(**changes: Any) -> MatchResult:
    """A match of P01 and P02 that is over."""
    season = first_round(2)
    return season.result("R1M1", "P01", **{"transcript": talk(), **changes})


@settings(max_examples=25)
@given(seasons())
def test_every_match_of_the_schedule_has_its_row(season: Season):
    league = season.league
    rows = list(read_model.match_rows(league))
    assert len(rows) == league.total_matches
    for row in rows:
        result = league.results.get(row.match_id)
        assert (row.stage is Stage.DECIDED) == (result is not None)
        assert (row.stage is Stage.VOID) == (row.match_id in league.voided)
        if result is not None:
            assert (row.status, row.winner, row.score) == (result.status, result.winner, result.score)
            assert set(row.at_fault) == {fault.player_id for fault in result.faults}
    assert sum(row.stage is Stage.UNDER_WAY for row in rows) == read_model.overview(league).under_way
    for scheduled in league.rounds:
        assert list(read_model.match_rows(league, scheduled.round_id)) == [
            row for row in rows if row.round_id == scheduled.round_id
        ]


def test_a_match_is_under_way_while_its_league_is():
    season = first_round(4)
    assert [row.stage for row in read_model.match_rows(season.league, 1)] == [Stage.UNDER_WAY, Stage.SCHEDULED]
    season.do(VoidMatch("R1M2", "nobody can referee it"))
    season.do(StopLeague("enough"))
    assert [row.stage for row in read_model.match_rows(season.league, 1)] == [Stage.SCHEDULED, Stage.VOID]


def test_a_match_took_as_long_as_its_referee_says():
    season = running(2)
    season.play_round(1)
    assert next(read_model.match_rows(season.league)).seconds is None
    result = over(lifecycle={"CREATED": at(1), "FINISHED": at(3.5), "nonsense": "yesterday"})
    assert took(result) == 2.5


def test_a_conversation_has_speakers_times_and_moves():
    lines = read_model.conversation(over())
    assert [(line.speaker, line.listener, line.kind) for line in lines[:5]] == [
        ("REF01", "P01", Kind.JOIN),
        ("REF01", "P02", Kind.JOIN),
        ("P01", "REF01", Kind.JOIN),
        ("P02", "REF01", Kind.JOIN),
        ("REF01", "P01", Kind.MOVE),
    ]
    assert [line.offset for line in lines] == [0, 0, 0.25, 1, 2, 2, 2.5, 4.5, 5, 5]
    assert [line.choice for line in lines if line.choice is not None] == [2, 3]
    assert [line.waited for line in lines if line.waited is not None] == [0.25, 1, 0.5, 2.5]
    assert lines[2].accepted
    assert lines[2].nonce == "salt"


def test_answers_are_held_against_their_limits():
    timed = read_model.exchanges(over(), Limits(join=5, move=30))
    assert [(e.player_id, e.kind, e.seconds, e.limit) for e in timed] == [
        ("P01", Kind.JOIN, 0.25, 5),
        ("P02", Kind.JOIN, 1, 5),
        ("P01", Kind.MOVE, 0.5, 30),
        ("P02", Kind.MOVE, 2.5, 30),
    ]


def test_what_a_player_at_fault_sent_is_not_told():
    result = over(status=ResultStatus.TECHNICAL_LOSS, faults=(late("P02"),), transcript=talk(choices=(2, "rude")))
    lines = read_model.conversation(result)
    assert [line.choice for line in lines if line.choice is not None] == [2]
    assert "rude" not in repr(lines)


def test_a_question_without_answer_says_so():
    entries = (*talk()[:6], {"message_type": "MOVE_CALL", "timestamp": at(32), "from": "P01", "error_code": "E001"})
    (failed,) = [e for e in read_model.exchanges(over(transcript=entries)) if e.error_code]
    assert (failed.player_id, failed.kind, failed.seconds, failed.error_code) == ("P01", Kind.MOVE, 30, "E001")


_ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=30) | st.sampled_from(["P01", at(1), "GAME_OVER"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)
_FIELDS = ("sequence", "timestamp", "message_type", "from", "to", "accept", "choice", "error_code", "draw_nonce")


@settings(max_examples=50)
@given(st.lists(st.dictionaries(st.sampled_from(_FIELDS), _ANYTHING), max_size=5))
def test_a_referee_may_write_anything(entries: list[Mapping[str, Any]]):
    result = over(transcript=tuple(entries))
    assert len(read_model.conversation(result)) == len(entries)
    assert all(line.speaker in ("P01", "P02", "REF01") for line in read_model.conversation(result))
    read_model.check_draw("summer", result)


@pytest.mark.parametrize("kind", list(Kind))
def test_only_joining_and_moving_have_limits(kind: Kind):
    assert Limits(1, 2).of(kind) == {Kind.JOIN: 1, Kind.MOVE: 2}.get(kind)
