"""Results that are kept in little memory, and show as they were."""

from dataclasses import replace
from typing import Any

import pytest

from league_sdk.domain.model import MatchResult, ResultStatus
from league_sdk.domain.packed import PackedList, PackedObject, packed

AWKWARD: dict[str, Any] = {"z": [1, {"deep": None}], "a": 0.5, "lone \ud800": "Ünïcode \x00", "big": 2**70}
TOLD = (
    {"sequence": 1, "message_type": "GAME_INVITATION", "to": "P01"},
    {"sequence": 2, "message_type": "GAME_JOIN_ACK", "from": "P01", "accept": True, **AWKWARD},
)


@pytest.fixture
def result():
    return MatchResult(
        match_id="R1M1",
        round_id=1,
        players=("P01", "P02"),
        status=ResultStatus.WIN,
        winner="P01",
        score={"P01": 3, "P02": 0},
        referee_id="REF01",
        details=AWKWARD,
        lifecycle={"FINISHED": "2025-01-15T10:00:01.000Z", "CREATED": "2025-01-15T10:00:00.000Z"},
        transcript=TOLD,
    )


def test_a_packed_result_is_equal_to_the_one_it_was_made_from(result):
    assert packed(result) == result
    assert result == packed(result)
    assert packed(packed(result)) == packed(result)


@pytest.mark.parametrize("length", [0, 1000, 1024, 100_000])
def test_what_is_long_is_compressed(length):
    kept = PackedObject({"said": "x" * length})
    assert kept == {"said": "x" * length}
    assert len(kept._kept) <= 1025
    assert PackedList(["x"] * length) == ["x"] * length


def test_what_only_looks_like_json_is_kept_as_json():
    assert PackedObject({"status": ResultStatus.WIN, "moves": (1, 2)}) == {"status": "WIN", "moves": [1, 2]}


def test_a_packed_result_differs_from_another_one(result):
    for other in (
        replace(result, details={**AWKWARD, "a": 1}),
        replace(result, transcript=TOLD[:1]),
        replace(result, lifecycle={}),
    ):
        assert packed(other) != packed(result)
        assert packed(other) != result


def test_a_draw_is_still_without_a_winner(result):
    drawn = replace(result, status=ResultStatus.DRAW, winner=None)
    assert packed(drawn) == drawn


def test_an_object_keeps_the_order_of_its_fields(result):
    lifecycle = packed(result).lifecycle
    assert list(lifecycle) == list(lifecycle.keys()) == ["FINISHED", "CREATED"]
    assert list(lifecycle.values()) == list(result.lifecycle.values())
    assert list(lifecycle.items()) == list(result.lifecycle.items())
    assert {**lifecycle} == result.lifecycle
    assert len(lifecycle) == 2


def test_an_object_is_asked_like_any_mapping():
    kept = PackedObject(AWKWARD)
    assert kept["a"] == 0.5
    assert kept.get("nothing") is None
    assert "big" in kept
    assert repr(kept) == repr(AWKWARD)
    with pytest.raises(KeyError):
        kept["nothing"]


def test_a_list_is_looked_through_like_any_sequence():
    kept = PackedList(TOLD)
    assert len(kept) == 2
    assert kept[0] == TOLD[0]
    assert list(kept[1:]) == list(TOLD[1:])
    assert [*kept] == [*TOLD]
    assert kept == [*TOLD]
    assert kept == TOLD
    assert kept != "text"
    assert repr(kept) == repr(TOLD)


def test_equal_lists_may_be_written_differently():
    assert PackedList([1.0, {"a": 1, "b": 2}]) == PackedList([1, {"b": 2, "a": 1}])
