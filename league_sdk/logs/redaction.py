"""Removes secrets from log entries, and converts the rest to plain JSON."""

import json
import math
import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, cast

from league_sdk.json_value import Json

REDACTED = "[redacted]"
MAX_TEXT = 10_000  # characters of the longest string in a log line; longer ones are cut
MAX_DEPTH = 32  # nesting of the deepest values in a log line

_encode = json.JSONEncoder(allow_nan=False).encode
_SPEAKS_OF_SECRETS = "token|secret|ticket|authorization|password|passwd|api[_-]?key|credential|cookie"
_SECRET_KEY = re.compile(_SPEAKS_OF_SECRETS, re.IGNORECASE)
_HINTS = ("://", "bearer", "token", "secret", "ticket", "authoriz", "passw", "key", "credential", "cookie")
_MARKED = (
    re.compile(r"""\bbearer(?=\s+\\?["']?([^\s"',;]+))""", re.IGNORECASE),
    re.compile(
        rf"""(?:{_SPEAKS_OF_SECRETS})"""
        r"""(?=[\w-]{0,32}\\?["']?\s{0,8}[:=]\s{0,8}\\?["']?(?!bearer\s)([^\s"'\\,;&}]+))""",
        re.IGNORECASE,
    ),
    re.compile(r"://(?=[^/\s:@]*:([^/\s@]+)@)"),
)
# Each matches only the word that announces a secret, and looks ahead for the secret: the text after one such word may
# be another, or contain one, and its secret must be found as well.


def redact(value: Json, depth: int = 0) -> Json:
    """A copy of `value` fit for a log: plain JSON, no secrets, limited in size.

    Under a key that names a token or another secret, text and anything that contains text is replaced at any depth (a
    number stays: a count of tokens is no secret). In other text, `Bearer …`, `token=…` and passwords in URLs are.
    """
    if isinstance(value, str):
        return redact_text(value)
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if depth >= MAX_DEPTH:
        return "[too deep]"
    if isinstance(value, Mapping):
        items = cast(Mapping[object, Any], value).items()
        return {str(key): _under_key(str(key), item, depth) for key, item in items}
    if isinstance(value, list | tuple | set | frozenset):
        return [redact(item, depth + 1) for item in cast(list[Any], value)]
    return redact_text(str(value))


def encode_line(entry: Mapping[str, Json]) -> str:
    """A log entry as one redacted line of JSON, in ASCII.

    The line is made first, and searched as a whole: nearly all contain no secret, and searching one text costs a fifth
    of searching each value.
    """
    try:
        line = _encode(entry)
    except (TypeError, ValueError, RecursionError):
        return _encode(redact(entry))
    # An escape may hide a letter of a pattern; the nesting is at most the number of opening brackets.
    suspicious = len(line) > MAX_TEXT or "\\u" in line or line.count("{") + line.count("[") > MAX_DEPTH
    if not suspicious:
        lowered = line.lower()
        for hint in _HINTS:
            if hint in lowered:
                break
        else:
            return line
    return _encode(redact(entry))


def redact_text(text: str) -> str:
    """Remove recognisable secrets from text, and cut it to about `MAX_TEXT`."""
    if len(text) > MAX_TEXT:
        text = f"{text[:MAX_TEXT]}… [{len(text) - MAX_TEXT} more characters]"
    lowered = text.lower()
    for hint in _HINTS:  # a plain search for each is several times faster than one pattern, and most text has none
        if hint in lowered:
            break
    else:
        return text
    parts: list[str] = []
    done = 0
    for start, end in sorted(found.span(1) for marked in _MARKED for found in marked.finditer(text)):
        if start >= done:
            parts += text[done:start], REDACTED
        done = max(done, end)
    return "".join((*parts, text[done:]))


def _under_key(key: str, value: Json, depth: int) -> Json:
    if value is None or isinstance(value, bool | int | float) or not _is_secret(key):
        return redact(value, depth + 1)
    return REDACTED


@lru_cache(maxsize=1024)
def _is_secret(key: str) -> bool:
    return _SECRET_KEY.search(key) is not None
