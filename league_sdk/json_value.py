"""JSON values: strict reading, paths, and plain words for their faults."""

import json
import math
from collections.abc import Iterable, Mapping
from typing import Any, Final, TypeAlias

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


def read_strictly(text: str | bytes, *, unique: bool = False, finite: bool = False) -> Json:
    """Parse JSON without Python's additions; ValueError if it is none.

    `unique` refuses a name that stands twice in one object, `finite` numbers too large for a float.
    """
    return json.loads(
        text,
        parse_constant=_no_constant,
        parse_float=_finite if finite else None,
        object_pairs_hook=_unique if unique else None,
    )


def _no_constant(name: str) -> Json:
    raise ValueError(f"{name} is not a JSON number")


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError("a number is too large")
    return number


def _unique(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    found: dict[str, Json] = {}
    for name, value in pairs:
        if name in found:
            raise ValueError(f"{json.dumps(name)} stands twice in one object")
        found[name] = value
    return found


def dotted(path: Iterable[str | int]) -> str:
    """A path of names and of numbers in lists as text: `players[0].endpoint`."""
    return "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path).removeprefix(".")


_WORDS: Final[Mapping[str, str]] = {
    "bool_type": "true or false",
    "int_type": "a whole number",
    "float_type": "a number",
    "finite_number": "a finite number",
}
IN_MESSAGES: Final[Mapping[str, str]] = {
    **_WORDS,
    **dict.fromkeys(("model_type", "model_attributes_type", "dict_type", "mapping_type"), "an object"),
    "tuple_type": "an array",
    "string_type": "a text",
    "greater_than": "a number above {gt}",
    "greater_than_equal": "a number of {ge} or more",
    "less_than": "a number below {lt}",
    "less_than_equal": "a number of {le} or less",
    "string_too_short": "a text of {min_length} characters or more",
    "string_too_long": "a text of {max_length} characters or less",
    "too_short": "an array of {min_length} or more",
    "too_long": "an array of {max_length} or less",
}
"""Expected values of a message's fields, by pydantic's name of the fault."""
IN_FILES: Final[Mapping[str, str]] = {
    **_WORDS,
    **dict.fromkeys(("model_type", "dict_type", "mapping_type"), "an object with fields"),
    "int_from_float": "a whole number",
    "tuple_type": "a list",
    "string_type": "a text in quotes",
    "greater_than": "a number above {gt:g}",
    "greater_than_equal": "a number of {ge:g} or more",
    "less_than": "a number below {lt:g}",
    "less_than_equal": "a number of {le:g} or less",
    "string_too_short": "a text of at least {min_length} characters",
    "string_too_long": "a text of at most {max_length} characters",
    "too_short": "a list of at least {min_length} entries",
    "too_long": "a list of at most {max_length} entries",
    "string_too_short:1": "a text that is not empty",
    "too_short:1": "a list that is not empty",
}
"""Those of settings, for people who edit a file."""


def expectation(words: Mapping[str, str], fault: str, message: str, context: Mapping[str, Any]) -> str:
    """The expected value of a fault that pydantic found; else what it says itself."""
    phrase = words.get(f"{fault}:{context.get('min_length')}") or words.get(fault)
    if phrase is not None:
        return phrase.format(**context)
    return message.removeprefix("Value error, ").removeprefix("Input should be ")
