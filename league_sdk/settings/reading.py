"""From JSON text to settings models: several spellings, unknown fields, and every problem with its place."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias, TypeVar, cast

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from league_sdk.names import nearest
from league_sdk.settings.base import Hidden, Section, field_at, section_of, spellings
from league_sdk.settings.problems import NOTHING, ConfigError, Problem

M = TypeVar("M", bound=Section)

Steps: TypeAlias = tuple[str | int, ...]
"""Where a value is in a document: names of fields, and numbers in lists."""


@dataclass
class Document:
    """What one source gives for one document, under the fields' own names.

    Attributes:
        source: The source, as messages name it.
        values: The values.
        spelled: For each path of own names, the path as the source spells it.
        warnings: What to tell about it, one line each.
    """

    source: str
    values: dict[str, Any] = field(default_factory=dict[str, Any])
    spelled: dict[Steps, Steps] = field(default_factory=dict[Steps, Steps])
    warnings: list[str] = field(default_factory=list[str])

    def has(self, path: Steps) -> bool:
        """Whether the source gives a value, other than null, at a path of own names."""
        return value_at(self.values, path) not in (NOTHING, None)

    def name_of(self, path: Steps) -> str:
        """A path of own names as the source spells it."""
        return dotted(self.spelled.get(path, path))


def read_document(path: Path, source: str, model: type[Section]) -> Document:
    """Read a JSON file.

    Args:
        path: The file.
        source: How messages name it.
        model: What is in it.

    Raises:
        ConfigError: It cannot be read, is not JSON, or gives one field twice.
        FileNotFoundError: There is no such file.
    """
    try:
        given = json.loads(
            path.read_text(encoding="utf-8-sig"), object_pairs_hook=_pairs, parse_constant=_no_constant
        )  # fmt: skip
    except FileNotFoundError:
        raise
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError([Problem(source, "", NOTHING, f"cannot be read: {error}")]) from error
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        raise ConfigError([Problem(source, where, NOTHING, f"is not JSON: {error.msg}")]) from error
    except ValueError as error:
        raise ConfigError([Problem(source, "", NOTHING, f"is not usable JSON: {error}")]) from error
    return canonical(model, given, source)


def canonical(model: type[Section], given: Any, source: str) -> Document:
    """Bring what a source gives under the fields' own names, and note what is unknown.

    Raises:
        ConfigError: It is not an object, or gives one field under two names.
    """
    if not isinstance(given, dict):
        raise ConfigError([Problem(source, "", NOTHING, "expected a JSON object")])
    document = Document(source)
    problems: list[Problem] = []
    document.values = _own_names(model, cast(dict[str, Any], given), (), (), document, problems)
    if problems:
        raise ConfigError(problems)
    return document


def validate(model: type[M], layers: Sequence[Document]) -> M:
    """Build a model from layers.

    Args:
        model: What to build.
        layers: The strongest first; the last one is the file.

    Raises:
        ConfigError: With every problem, each under the source that gave the value.
    """
    merged: dict[str, Any] = {}
    for layer in reversed(layers):
        merged = merge(merged, layer.values)
    try:
        return model.model_validate_json(json.dumps(merged), strict=True)
    except ValidationError as error:
        found = error.errors(include_url=False)
        raise ConfigError(_problem(model, detail, merged, layers) for detail in found) from None


def merge(below: Mapping[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    """Two trees of values in one; where both have a value, that of `above` holds."""
    merged = dict(below)
    for name, value in above.items():
        under = merged.get(name)
        both = isinstance(value, dict) and isinstance(under, dict)
        merged[name] = merge(cast(dict[str, Any], under), cast(dict[str, Any], value)) if both else value
    return merged


def value_at(values: Any, path: Steps) -> Any:
    """The value at a path, or `NOTHING`."""
    for step in path:
        try:
            values = values[step]
        except (KeyError, IndexError, TypeError):
            return NOTHING
    return values


def dotted(path: Steps) -> str:
    """A path as text: `players[0].endpoint`."""
    text = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)
    return text.removeprefix(".")


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in pairs:
        if name in found:
            raise ValueError(f"{json.dumps(name)} stands twice in one object")
        found[name] = value
    return found


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not a JSON number")


def _own_names(
    model: type[Section],
    given: Mapping[str, Any],
    path: Steps,
    written: Steps,
    document: Document,
    problems: list[Problem],
) -> dict[str, Any]:
    known = spellings(model)
    values: dict[str, Any] = {}
    for name, value in given.items():
        if name.startswith(("$", "_")):
            continue  # `$schema`, and comments, which JSON has no other place for
        here = (*written, name)
        own = known.get(name)
        if own is None:
            _note_unknown(model, here, document)
            if model.keeps(name):
                values[name] = value
            continue
        if own in values and values[own] != value:
            before = document.name_of((*path, own))
            problems.append(Problem(document.source, dotted(here), value, f"what {before} says, or one of the two"))
            continue
        document.spelled[*path, own] = here
        values[own] = _inside(model, own, value, (*path, own), here, document, problems)
    return model.tidy(values)


def _inside(
    model: type[Section],
    own: str,
    value: Any,
    path: Steps,
    written: Steps,
    document: Document,
    problems: list[Problem],
) -> Any:
    inner = section_of(model.model_fields[own].annotation)
    if inner is None:
        return value
    section, is_list = inner
    if is_list and isinstance(value, list):
        entries = enumerate(cast(list[Any], value))
        return [_object(section, entry, (*path, n), (*written, n), document, problems) for n, entry in entries]
    return value if is_list else _object(section, value, path, written, document, problems)


def _object(
    section: type[Section], value: Any, path: Steps, written: Steps, document: Document, problems: list[Problem]
) -> Any:
    if not isinstance(value, dict):
        return value  # the model says what is wrong with it
    document.spelled[path] = written
    return _own_names(section, cast(dict[str, Any], value), path, written, document, problems)


def _note_unknown(model: type[Section], written: Steps, document: Document) -> None:
    name = str(written[-1])
    known = spellings(model)
    if model.keeps(name) and nearest(name, known, cutoff=0.85) is None:
        return
    meant = nearest(name, known)
    hint = f"did you mean {meant}?" if meant else f"known here: {', '.join(model.model_fields)}"
    document.warnings.append(f"{document.source}: unknown field {dotted(written)}; {hint}")


def _problem(model: type[Section], detail: ErrorDetails, merged: Any, layers: Sequence[Document]) -> Problem:
    path = detail["loc"]
    layer = _giver(path, layers)
    name = layer.name_of(path)
    expected = _expected(detail)
    if detail["type"] == "missing":
        missing = field_at(model, path)
        what = (missing.description if missing else None) or "a value"
        return Problem(layer.source, name, NOTHING, f"is missing. {what}")
    about = field_at(model, path)
    hidden = about is not None and any(isinstance(mark, Hidden) for mark in about.metadata)
    if hidden or isinstance(value_at(merged, path), dict):
        return Problem(layer.source, name, NOTHING, f"expected {expected}")
    return Problem(layer.source, name, value_at(merged, path), expected)


def _giver(path: Steps, layers: Sequence[Document]) -> Document:
    """The layer that gave the value at a path, or a part of it."""
    for layer in layers:
        for end in range(len(path), 0, -1):
            value = value_at(layer.values, path[:end])
            if value is not NOTHING and (end == len(path) or not isinstance(value, dict)):
                return layer
    return layers[-1]


_PHRASES: Mapping[str, str] = {
    "float_type": "a number",
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "bool_type": "true or false",
    "string_type": "a text in quotes",
    "tuple_type": "a list",
    "dict_type": "an object with fields",
    "model_type": "an object with fields",
    "finite_number": "a finite number",
    "greater_than": "a number above {gt:g}",
    "greater_than_equal": "a number of {ge:g} or more",
    "less_than_equal": "a number of {le:g} or less",
    "less_than": "a number below {lt:g}",
    "mapping_type": "an object with fields",
    "string_too_short": "a text of at least {min_length} characters",
    "string_too_long": "a text of at most {max_length} characters",
    "too_short": "a list of at least {min_length} entries",
    "too_long": "a list of at most {max_length} entries",
}
_NOT_EMPTY: Mapping[str, str] = {
    "string_too_short": "a text that is not empty",
    "too_short": "a list that is not empty",
}
"""How a least length of one is said."""


def _expected(detail: ErrorDetails) -> str:
    context = detail.get("ctx", {})
    if context.get("min_length") == 1:
        return _NOT_EMPTY[detail["type"]]
    phrase = _PHRASES.get(detail["type"])
    if phrase is not None:
        return phrase.format(**context)
    said = detail["msg"]
    for prefix in ("Value error, ", "Input should be "):
        said = said.removeprefix(prefix)
    return said
