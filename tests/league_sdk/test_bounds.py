import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from league_sdk.bounds import (
    EVIDENCE_DEPTH,
    EVIDENCE_LENGTH,
    LARGEST_INTEGER,
    Bounds,
    as_evidence,
    is_whole,
    repr_of,
    shorten,
)
from league_sdk.errors import InvalidField

SMALL = Bounds(depth=3, text=10, items=4)


def nested(levels: int) -> Any:
    value: Any = 1
    for _ in range(levels):
        value = [value]
    return value


@pytest.mark.parametrize(
    "message",
    [
        {},
        {"a": "x" * 10, "b": None, "c": True, "d": 1.5},
        {"a": [[1, 2, 3, 4]]},
        {"a": {"b": {"c": 1}}},
        {"a": LARGEST_INTEGER, "b": -LARGEST_INTEGER, "c": 1e308},
        {"a": "é\N{GRINNING FACE}"},
        {"a": (1, 2)},
    ],
)
def test_a_message_of_ordinary_size_passes(message: dict[str, Any]):
    SMALL.check(message)


@pytest.mark.parametrize(
    ("message", "field", "expected"),
    [
        ({"a": "x" * 11}, "a", "10 characters"),
        ({"x" * 11: 1}, "arguments", "10 characters"),
        ({"a": {"b": ["x" * 11]}}, "a.b[0]", "10 characters"),
        ({"a": [1, 2, 3, 4, 5]}, "a", "4 values"),
        ({str(number): number for number in range(5)}, "arguments", "4 values"),
        ({"a": [[[1]]]}, "a[0][0]", "3 levels"),
        ({"a": {"b": {"c": {}}}}, "a.b.c", "3 levels"),
        ({"a": math.nan}, "a", "a number"),
        ({"a": [-math.inf]}, "a[0]", "a number"),
        ({"a": LARGEST_INTEGER + 1}, "a", "a number"),
        ({"a": -(10**400)}, "a", "a number"),
        ({"a": "\ud800"}, "a", "surrogate"),
        ({"\udfff": 1}, "arguments", "surrogate"),
    ],
)
def test_anything_larger_is_refused_with_its_place_and_without_its_value(
    message: dict[str, Any], field: str, expected: str
):
    with pytest.raises(InvalidField) as caught:
        SMALL.check(message)
    assert caught.value.context["field"] == field
    assert expected in caught.value.context["expected"]
    assert "value" not in caught.value.context


def test_depth_beyond_what_python_can_follow_is_only_too_deep():
    with pytest.raises(InvalidField, match="levels of nesting"):
        Bounds().check({"a": nested(100_000)})


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(exclude_categories=[])),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


@given(st.dictionaries(st.text(), json_values, max_size=4))
def test_what_passes_can_be_written_as_json_again(message: dict[str, Any]):
    try:
        Bounds().check(message)
    except InvalidField:
        return
    assert json.loads(json.dumps(message, ensure_ascii=False, allow_nan=False).encode()) == message


@given(json_values)
def test_evidence_is_small_and_can_be_written(value: Any):
    kept = as_evidence(value)
    text = json.dumps(kept, ensure_ascii=False, allow_nan=False)
    assert text.encode()
    assert as_evidence(kept) == kept or isinstance(kept, str)


@pytest.mark.parametrize("value", [{"a": [1, "x", None]}, "short", 7, None, ["x" * (EVIDENCE_LENGTH - 4)]])
def test_small_evidence_is_kept_as_it_is(value: Any):
    assert as_evidence(value) is value


@pytest.mark.parametrize(
    "value",
    [
        "x" * 100_000,
        ["x"] * 100_000,
        nested(EVIDENCE_DEPTH + 1),
        nested(100_000),
        {"a": math.nan},
        "\ud800",
        {1: object()},
    ],
    ids=["long", "many", "deep", "very deep", "nan", "surrogate", "no json"],
)
def test_large_evidence_is_the_beginning_of_its_text(value: Any):
    kept = as_evidence(value)
    assert kept is not value
    assert len(json.dumps(kept)) <= 2 * EVIDENCE_LENGTH
    Bounds(depth=EVIDENCE_DEPTH + 1, text=EVIDENCE_LENGTH + 1).check({"evidence": kept})


def test_a_text_is_shortened_to_what_can_be_shown():
    assert shorten("abc") == "abc"
    assert shorten("abc", 2) == "ab…"
    assert shorten("a\ud800b") == "a?b"
    assert is_whole("é")
    assert not is_whole("a\udfff")
    assert "too deeply" in repr_of(nested(100_000))
