"""JSON files that are replaced whole: readers see the old or the new one, no mix.

The new text goes to a temporary file in the same folder, which then replaces the old one. Killing the process at any
instant leaves one of the two. (A power cut may cost the latest version, since files are not synced to disk: data that
must not be lost is in the event store.)
"""

import contextlib
import itertools
import json
import os
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import BinaryIO, cast
from weakref import WeakValueDictionary

from league_sdk.json_value import Json, why_not_json

_numbers = itertools.count()
_locks: WeakValueDictionary[str, threading.RLock] = WeakValueDictionary()
_locks_guard = threading.Lock()


class Encoded(str):
    """An entry of a list that has been written as JSON already, by `encoded`."""

    __slots__ = ()


class DamagedFile(ValueError):
    """A file is not the JSON object it should be: repair it or move it away."""


def lock_for(path: Path) -> threading.RLock:
    """A file's lock in this process, held to read and rewrite it."""
    with _locks_guard:
        return _locks.setdefault(str(path.absolute()), threading.RLock())


def read_json(path: Path) -> dict[str, Json] | None:
    """The object in a file, or None; DamagedFile if it is not a JSON object."""
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    except ValueError as error:
        raise DamagedFile(f"{path} is not JSON ({why_not_json(error)}): repair it or move it away") from error
    if not isinstance(value, dict):
        raise DamagedFile(f"{path} should hold a JSON object: repair it or move it away")
    return cast(dict[str, Json], value)


def write_json(path: Path, value: Mapping[str, Json]) -> None:
    """Replace a file, or create it and its folders; an OSError leaves the old one."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}-{next(_numbers)}.tmp")
    text = pretty(value).encode()
    try:
        with _created(temporary) as file:
            file.write(text)
        temporary.replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)
        raise


def _created(path: Path) -> BinaryIO:
    try:
        return path.open("wb")
    except FileNotFoundError:
        path.parent.mkdir(parents=True, exist_ok=True)
        return path.open("wb")


def pretty(value: Mapping[str, Json]) -> str:
    """Format an object for people: a line a field, and a line each of its entries."""
    fields = (f"  {_compact(key)}: {_indented(item)}" for key, item in value.items())
    return "{\n" + ",\n".join(fields) + "\n}\n"


def _indented(value: Json) -> str:
    if isinstance(value, Mapping) and value:
        entries = [f"{_compact(key)}: {_compact(item)}" for key, item in cast(Mapping[str, Json], value).items()]
        return "{\n    " + ",\n    ".join(entries) + "\n  }"
    if isinstance(value, list | tuple) and value:
        items = cast(list[Json], value)
        lines = (item if isinstance(item, Encoded) else _compact(item) for item in items)
        return "[\n    " + ",\n    ".join(lines) + "\n  ]"
    return _compact(value)


_compact = json.JSONEncoder(allow_nan=False).encode


def encoded(value: Json) -> Encoded:
    """Write an entry as JSON, for a file that is written again and again."""
    return Encoded(_compact(value))
