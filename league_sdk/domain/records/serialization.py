"""Converts values into JSON, by their fields."""

import dataclasses
import functools
from collections.abc import Mapping, Sequence
from enum import Enum
from typing import Any, cast

from league_sdk.domain.pairings.fixtures import Fixtures
from league_sdk.json_value import Json

_PLAIN = frozenset((str, int, float, bool))


@functools.cache
def _fields(kind: Any) -> tuple[str, ...]:
    return tuple(item.name for item in dataclasses.fields(kind))


def plain(value: Any) -> Json:
    """A value of the domain as JSON; what is JSON already stays as it is."""
    if value is None or type(value) in _PLAIN:
        return value
    if isinstance(value, Fixtures):
        return value.as_json()
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {name: plain(getattr(value, name)) for name in _fields(type(value))}
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, Mapping):
        mapping = cast(Mapping[str, Any], value)
        return {key: plain(item) for key, item in mapping.items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        items = cast(Sequence[Any], value)
        return [plain(item) for item in items]
    return value
