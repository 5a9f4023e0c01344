"""What the contract checkers have in common. They need no test framework: a broken contract is an exception."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, cast


class ContractBroken(AssertionError):
    """Something does not keep the contract of its port; the message says what, where, and what was expected."""


def require(kept: bool, message: str) -> None:
    """Go on when `kept`.

    Raises:
        ContractBroken: It is not; unlike an `assert`, this also holds under `python -O`.
    """
    if not kept:
        raise ContractBroken(message)


def require_json(value: Any, what: str) -> None:
    """Make sure that `value` comes back from JSON as it went in.

    Raises:
        ContractBroken: It does not: a tuple becomes a list, a number as a key becomes text, NaN is no JSON at all.
    """
    try:
        same = json.loads(json.dumps(value, allow_nan=False))
    except (TypeError, ValueError) as error:
        raise ContractBroken(f"{what} has to be JSON, and is {value!r}: {error}") from error
    require(_identical(value, same), f"{what} has to come back from JSON unchanged: {value!r} became {same!r}")


def among(move: Any, moves: tuple[Any, ...]) -> bool:
    """Whether `move` is one of `moves` on the wire, where True, 1 and 1.0 are three different values."""
    return any(_identical(move, option) for option in moves)


def _identical(one: Any, other: Any) -> bool:
    if type(one) is not type(other):
        return False
    if isinstance(one, Mapping):
        pairs = cast(Mapping[Any, Any], one)
        return pairs.keys() == other.keys() and all(_identical(value, other[key]) for key, value in pairs.items())
    if isinstance(one, list | tuple):
        items = cast(Sequence[Any], one)
        return len(items) == len(other) and all(map(_identical, items, other))
    return bool(one == other)
