"""Substituted moves on the wire: what a player says of itself is taken, and refuses nothing."""

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from league_sdk.domain.model import Fixture, MatchResult, ResultStatus, SubstitutionReason
from league_sdk.protocol import mapping
from league_sdk.protocol.codec import Codec
from league_sdk.protocol.match import MatchResultReport, MoveResponse
from league_sdk.protocol.substituted import MOST, Substituted, counted

CODEC = Codec()
REASONS = {str(reason) for reason in SubstitutionReason}
ENVELOPE = {"protocol": "league.v2", "timestamp": "2025-01-15T10:00:00Z", "conversation_id": "c"}
MOVE = {**ENVELOPE, "message_type": "MOVE_RESPONSE", "sender": "player:P01", "match_id": "R1M1", "player_id": "P01"}
ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63) + 1, 2**63 - 1) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)


@pytest.mark.parametrize("reason", SubstitutionReason)
def test_a_claim_is_read_and_written(reason: SubstitutionReason):
    told = {"reason": str(reason), "detail": "ZeroDivisionError"}
    move = CODEC.parse({**MOVE, "move": 1, "substituted": told}, MoveResponse)
    assert move.substituted == Substituted(reason=reason, detail="ZeroDivisionError")
    assert CODEC.render(move)["substituted"] == told


def test_a_move_of_the_strategys_own_says_nothing():
    assert "substituted" not in CODEC.render(CODEC.parse({**MOVE, "move": 1}, MoveResponse))


@given(ANYTHING)
def test_nonsense_in_the_place_of_a_claim_refuses_nothing(nonsense: Any):
    move = CODEC.parse({**MOVE, "move": 1, "substituted": nonsense}, MoveResponse)
    assert move.move == 1
    if isinstance(move.substituted, Substituted):
        assert nonsense["reason"] in REASONS


@given(ANYTHING, ANYTHING)
def test_of_any_counts_only_what_can_be_is_believed(one: Any, other: Any):
    found = counted({"P01": one, "P09": other}, ["P01", "P02"])
    assert found.keys() <= {"P01"}
    for reasons in found.values():
        assert reasons.keys() <= REASONS
        assert all(type(number) is int and 0 < number <= MOST for number in reasons.values())


@pytest.mark.parametrize("number", [0, -1, True, 1.5, "3", MOST + 1, 2**63 - 1])
def test_what_is_no_number_of_moves_is_not_counted(number: Any):
    # Sums of large numbers would become too large for the messages that carry the standings.
    assert counted({"P01": {"raised": number, "late": 2}}, ["P01"]) == {"P01": {"late": 2}}


@given(ANYTHING)
def test_no_counts_refuse_a_report(nonsense: Any):
    fixture = Fixture("R1M1", 1, ("P01", "P02"))
    result = MatchResult("R1M1", 1, fixture.players, ResultStatus.DRAW, None, {"P01": 1, "P02": 1}, "REF01")
    message = {
        **ENVELOPE,
        "message_type": "MATCH_RESULT_REPORT",
        "sender": "referee:REF01",
        "league_id": "summer",
        "round_id": 1,
        "match_id": "R1M1",
        "game_type": "even_odd",
        "result": {**CODEC.render(mapping.report(result)), "substituted": nonsense},
    }
    taken = CODEC.parse(json.loads(json.dumps(message)), MatchResultReport)
    assert mapping.match_result(taken, fixture, "REF01") == result or nonsense
    honest = replace(result, substituted={"P02": {"busy": 2}})
    message["result"] = CODEC.render(mapping.report(honest))
    taken = CODEC.parse(json.loads(json.dumps(message)), MatchResultReport)
    assert mapping.match_result(taken, fixture, "REF01") == honest
    assert not mapping.ignored_counts(taken, honest)
