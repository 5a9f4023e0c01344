"""Reads JSON into settings models, with aliases, and places of all problems."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias, TypeVar, cast

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from league_sdk.json_value import IN_FILES, dotted, expectation, read_strictly, why_not_json
from league_sdk.names import nearest
from league_sdk.settings.base import Hidden, Section, field_at, section_of, spellings
from league_sdk.settings.problems import NOTHING, ConfigError, Problem

M = TypeVar("M", bound=Section)

Steps: TypeAlias = tuple[str | int, ...]
"""The path of a value in a document: names of fields, and numbers in lists."""


@dataclass
class Document:
    """The values of one source under the fields' own names, and the paths' spelling."""

    source: str
    values: dict[str, Any] = field(default_factory=dict[str, Any])
    spelled: dict[Steps, Steps] = field(default_factory=dict[Steps, Steps])
    warnings: list[str] = field(default_factory=list[str])

    def has(self, path: Steps) -> bool:
        """True if the source gives a value, other than null, at a path of own names."""
        return value_at(self.values, path) not in (NOTHING, None)

    def name_of(self, path: Steps) -> str:
        """A path of own names as the source spells it."""
        return dotted(self.spelled.get(path, path))


def read_document(path: Path, source: str, model: type[Section]) -> Document:
    """Read a JSON file, called `source` in messages; may raise FileNotFoundError."""
    try:
        given = read_strictly(path.read_text(encoding="utf-8-sig"), unique=True)
    except FileNotFoundError:
        raise
    except OSError as error:
        raise ConfigError([Problem(source, "", NOTHING, f"cannot be read: {error.strerror or error}")]) from error
    except ValueError as error:
        kind = "JSON" if isinstance(error, json.JSONDecodeError | UnicodeDecodeError) else "usable JSON"
        raise ConfigError([Problem(source, "", NOTHING, f"is not {kind}: {why_not_json(error)}")]) from error
    return canonical(model, given, source)


def canonical(model: type[Section], given: Any, source: str) -> Document:
    """Convert a source's values to the fields' own names, and note unknown ones."""
    if not isinstance(given, dict):
        raise ConfigError([Problem(source, "", NOTHING, "expected a JSON object")])
    renaming = _Renaming(Document(source))
    renaming.document.values = renaming.names(model, cast(dict[str, Any], given), (), ())
    if renaming.problems:
        raise ConfigError(renaming.problems)
    return renaming.document


def validate(model: type[M], layers: Sequence[Document]) -> M:
    """Build a model from layers, the strongest first; problems name their source."""
    merged: dict[str, Any] = {}
    for layer in reversed(layers):
        merged = merge(merged, layer.values)
    try:
        return model.model_validate_json(json.dumps(merged), strict=True)
    except ValidationError as error:
        found = error.errors(include_url=False)
        raise ConfigError(_problem(model, detail, merged, layers) for detail in found) from None


def merge(below: Mapping[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    """Merge two trees of values; those of `above` win."""
    merged = dict(below)
    for name, value in above.items():
        under = merged.get(name)
        both = isinstance(value, dict) and isinstance(under, dict)
        merged[name] = merge(cast(dict[str, Any], under), cast(dict[str, Any], value)) if both else value
    return merged


def value_at(values: Any, path: Steps) -> Any:
    for step in path:
        try:
            values = values[step]
        except (KeyError, IndexError, TypeError):
            return NOTHING
    return values


@dataclass
class _Renaming:
    """Converts the values of one source to the fields' own names."""

    document: Document
    problems: list[Problem] = field(default_factory=list[Problem])

    def names(self, model: type[Section], given: Mapping[str, Any], path: Steps, written: Steps) -> dict[str, Any]:
        known = spellings(model)
        values: dict[str, Any] = {}
        for name, value in given.items():
            if name.startswith(("$", "_")):
                continue  # `$schema`, and comments, which JSON has no other place for
            here = (*written, name)
            own = known.get(name)
            if own is None:
                _note_unknown(model, here, self.document)
                if model.keeps(name):
                    values[name] = value
            elif own in values and values[own] != value:
                expected = f"what {self.document.name_of((*path, own))} says, or one of the two"
                self.problems.append(Problem(self.document.source, dotted(here), value, expected))
            else:
                self.document.spelled[*path, own] = here
                values[own] = self._value(model.model_fields[own].annotation, value, (*path, own), here)
        return model.tidy(values)

    def _value(self, annotation: Any, value: Any, path: Steps, written: Steps) -> Any:
        section, is_list = section_of(annotation) or (None, False)
        if section is not None and is_list and isinstance(value, list):
            entries = enumerate(cast(list[Any], value))
            return [self._value(section, entry, (*path, n), (*written, n)) for n, entry in entries]
        if section is None or is_list or not isinstance(value, dict):
            return value  # the model reports the fault
        self.document.spelled[path] = written
        return self.names(section, cast(dict[str, Any], value), path, written)


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
    expected = expectation(IN_FILES, detail["type"], detail["msg"], detail.get("ctx", {}))
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
