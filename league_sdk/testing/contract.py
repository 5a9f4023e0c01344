"""Shared by the contract checkers, which need no test framework."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, cast


class ContractBroken(AssertionError):
    """A port's contract is broken; the message says where, and what was expected."""


def require(kept: bool, message: str) -> None:
    """Raise ContractBroken unless `kept`; unlike `assert`, also under `python -O`."""
    if not kept:
        raise ContractBroken(message)


def require_json(value: Any, what: str) -> None:
    """Check that `value` is unchanged by a round trip through JSON.

    ContractBroken if not: a tuple becomes a list, a number as a key becomes text, NaN is no JSON at all.
    """
    try:
        same = json.loads(json.dumps(value, allow_nan=False))
    except (TypeError, ValueError) as error:
        raise ContractBroken(f"{what} has to be JSON, and is {value!r}: {error}") from error
    require(_identical(value, same), f"{what} has to come back from JSON unchanged: {value!r} became {same!r}")


def among(move: Any, moves: tuple[Any, ...]) -> bool:
    """True if `move` is one of `moves` on the wire, where True, 1 and 1.0 differ."""
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
