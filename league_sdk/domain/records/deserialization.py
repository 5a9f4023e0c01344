"""Converts JSON back into values, by the annotations of their fields.

A type's converter is built once, so that a long log is read at the speed of its values.
"""

import dataclasses
import functools
import types
import typing
from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from pathlib import PurePath
from typing import Any, TypeAlias

from league_sdk.json_value import Json

Build: TypeAlias = Callable[[Json], Any]
"""Makes a value from its JSON."""


def build(kind: Any, value: Json) -> Any:
    """Convert JSON into a value of an annotated type.

    Raises TypeError, KeyError, AttributeError or ValueError if it does not fit.
    """
    make = _builder(kind)
    return value if make is None else make(value)


@functools.cache
def _builder(kind: Any) -> Build | None:
    """The converter for dataclasses, enums, paths, tuples and mappings, nested.

    None if the JSON is the value already.
    """
    origin, args = typing.get_origin(kind), typing.get_args(kind)
    if isinstance(kind, type) and dataclasses.is_dataclass(kind):
        return _dataclass(kind)
    if isinstance(kind, type) and issubclass(kind, Enum | PurePath):
        return kind
    if origin is tuple or origin is Sequence:
        return _tuple(_builder(args[0]))
    if origin is Mapping:
        return _mapping(_builder(args[1]))
    if origin in (typing.Union, types.UnionType):
        return _optional(_builder(next(arm for arm in args if arm is not type(None))))
    return None


def _dataclass(kind: Any) -> Build:
    builders = {name: _builder(hint) for name, hint in typing.get_type_hints(kind).items()}
    unbuilt = frozenset(name for name, build in builders.items() if build is None)

    def build(value: Json) -> Any:
        fields: dict[str, Any] = {}
        for name, item in value.items():
            if name in unbuilt:
                fields[name] = item
            elif (known := builders.get(name)) is not None:
                fields[name] = known(item)
        return kind(**fields)

    return build


def _tuple(item: Build | None) -> Build:
    if item is None:
        return tuple

    def build(value: Json) -> tuple[Any, ...]:
        return tuple(map(item, value))

    return build


def _mapping(item: Build | None) -> Build:
    def build(value: Json) -> dict[str, Any]:
        return {**value} if item is None else {key: item(part) for key, part in value.items()}

    return build


def _optional(item: Build | None) -> Build | None:
    if item is None:
        return None

    def build(value: Json) -> Any:
        return None if value is None else item(value)

    return build
