"""JSON values, and plain words for text that is none."""

import json
from collections.abc import Mapping
from typing import Any, TypeAlias

Json: TypeAlias = Any
"""A JSON value: None, bool, int, float, str, list or dict with string keys."""

_EXPECTED: Mapping[str, str] = {
    "Expecting value": "a value",
    "Expecting property name enclosed in double quotes": "a field's name in double quotes",
    "Expecting ',' delimiter": "a comma",
    "Expecting ':' delimiter": "a colon",
    "Extra data": "nothing behind the first value",
    "Unterminated string starting at": "a closing quote for the text that begins here",
    "Illegal trailing comma before end of object": "no comma before a closing brace",
    "Illegal trailing comma before end of array": "no comma before a closing bracket",
}


def why_not_json(error: ValueError) -> str:
    """A fault of JSON text in plain words: its place, and the expected token."""
    if isinstance(error, json.JSONDecodeError):
        expected = _EXPECTED.get(error.msg, "a text without control characters and unknown escapes")
        return f"line {error.lineno}, column {error.colno}: expected {expected}"
    return "it is not UTF-8" if isinstance(error, UnicodeDecodeError) else str(error)
