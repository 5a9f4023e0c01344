import enum

import pytest

from league_sdk import testing
from league_sdk.testing.contract import ContractBroken, among, require, require_json


class Word(enum.StrEnum):
    YES = "yes"


def test_a_kept_promise_passes_in_silence():
    require(True, "never seen")


def test_a_broken_promise_says_what_it_is():
    with pytest.raises(ContractBroken, match="what went wrong"):
        require(False, "what went wrong")


def test_a_broken_contract_is_a_failed_assertion_for_any_test_framework():
    assert issubclass(testing.ContractBroken, AssertionError)


@pytest.mark.parametrize("value", [None, True, 1, 1.5, "x", [], {}, [1, [2]], {"a": {"b": [None]}}])
def test_json_is_accepted(value: object):
    require_json(value, "it")


@pytest.mark.parametrize(
    "value",
    [(1, 2), [(1,)], {1: "a"}, {"a": (1,)}, {1}, b"x", object(), float("nan"), float("inf"), Word.YES, [Word.YES]],
)
def test_what_json_would_change_or_refuse_is_not_accepted(value: object):
    with pytest.raises(ContractBroken, match="it has to"):
        require_json(value, "it")


@pytest.mark.parametrize(
    ("move", "found"),
    [
        (1, True),
        (True, False),
        (1.0, False),
        ("1", False),
        ([1], True),
        ([True], False),
        ({"a": 1}, True),
        ({"a": 1.0}, False),
    ],
)
def test_values_of_different_types_are_different_moves(move: object, found: bool):
    assert among(move, (1, [1], {"a": 1})) is found


def test_the_order_of_keys_makes_no_difference():
    assert among({"b": 1, "a": 2}, ({"a": 2, "b": 1},))
