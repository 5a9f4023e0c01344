"""Limits on the size and depth of messages, and excerpts for evidence.

Every message that comes in, request or reply, is measured before any other code sees it. A message that passes can be
written as JSON again, stored and shown: it has no NaN, no half of a surrogate pair, and no excessive nesting.
"""

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TypeAlias, cast

from league_sdk.errors import InvalidField
from league_sdk.json_value import Json, dotted

LARGEST_INTEGER = 2**63 - 1
"""Whole numbers beyond this, on either side, are refused: many JSON readers cannot represent them."""
_CONTAINERS = (dict, list, tuple, Mapping)
_NUMBERS = (int, float)
EVIDENCE_LENGTH = 2000  # characters of JSON that are kept unchanged; longer JSON is cut, and kept as text
EVIDENCE_DEPTH = 8
LONGEST_REASON = 200  # characters of an agent's reason for leaving


@dataclass(frozen=True, slots=True)
class Bounds:
    """Limits on a message."""

    depth: int = 32  # levels of lists and objects; the message itself is the first
    text: int = 65_536  # characters in a text or field name
    items: int = 100_000  # values in a list or object

    def check(self, message: Mapping[str, Json]) -> None:
        """Measure a message; InvalidField if it exceeds a limit, or is not plain JSON."""
        pending: list[tuple[_Place, int, Json]] = [(None, 1, message)]
        longest = self.text
        while pending:
            place, depth, container = pending.pop()
            if depth > self.depth or len(container) > self.items:
                limit = f"{self.depth} levels of nesting" if depth > self.depth else f"{self.items} values"
                raise _refuse(place, f"at most {limit}")
            for key, item in _entries(container):
                if isinstance(item, str):
                    # A quick check settles most texts: the standings have a thousand values, and go to every player.
                    if len(item) > longest or not item.isascii():
                        self._check_text(item, (place, key))
                elif isinstance(item, _NUMBERS):
                    if not -LARGEST_INTEGER <= item <= LARGEST_INTEGER and not _is_finite_float(item):
                        raise _refuse((place, key), f"a number, and a whole one up to {LARGEST_INTEGER}")
                elif isinstance(item, _CONTAINERS):
                    pending.append(((place, key), depth + 1, cast("Json", item)))
                if isinstance(key, str) and (len(key) > longest or not key.isascii()):
                    self._check_text(key, place)

    def _check_text(self, text: str, place: "_Place") -> None:
        if len(text) > self.text:
            raise _refuse(place, f"at most {self.text} characters")
        if not is_whole(text):
            raise _refuse(place, "text without halves of surrogate pairs")


def is_whole(text: str) -> bool:
    """True if a text can be encoded, without half of a surrogate pair."""
    if text.isascii():
        return True
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def shorten(text: str, length: int = 500) -> str:
    """The beginning of a foreign text, in characters that can be encoded."""
    cut = text if len(text) <= length else text[:length] + "…"
    return cut if is_whole(cut) else cut.encode("utf-8", "replace").decode()


def as_evidence(value: Json) -> Json:
    """Foreign JSON as it is kept, within `Bounds`: unchanged if small, else cut."""
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    except (ValueError, TypeError, RecursionError):
        return shorten(repr_of(value), EVIDENCE_LENGTH)
    if len(text) > EVIDENCE_LENGTH:
        return shorten(text, EVIDENCE_LENGTH)
    try:
        # One level more, for the message around it.
        Bounds(EVIDENCE_DEPTH + 1, EVIDENCE_LENGTH, EVIDENCE_LENGTH).check({"evidence": value})
    except InvalidField:
        return shorten(text, EVIDENCE_LENGTH)
    return value


def repr_of(value: object) -> str:
    """Python's `repr`, even of a value for which that fails."""
    try:
        return repr(value)
    except RecursionError:
        return f"{type(value).__name__}, nested too deeply to be written"
    except Exception as error:
        # An integer with more digits than Python converts, or an object of a plug-in.
        return f"{type(value).__name__} that cannot be written: {type(error).__name__}"


_Place: TypeAlias = "tuple[_Place, object] | None"
"""A value's place: container and key; formatted only for an error."""


def _entries(container: Json) -> Iterable[tuple[object, Json]]:
    if isinstance(container, Mapping):
        return cast("Mapping[object, Json]", container).items()
    return enumerate(cast("list[Json]", container))


def _is_finite_float(number: float) -> bool:
    return isinstance(number, float) and math.isfinite(number)


def _path(place: "_Place") -> str:
    """A value's place as text: `matches[0].player_A_id`."""
    steps: list[str | int] = []
    while place is not None:
        place, key = place
        steps.append(key if isinstance(key, int) else shorten(str(key), 100))
    return dotted(reversed(steps))


def _refuse(place: "_Place", expected: str) -> InvalidField:
    field = shorten(_path(place), 300) or "arguments"
    return InvalidField(f"{field}: expected {expected}", field=field, expected=expected)
