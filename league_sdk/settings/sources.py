"""All sources of settings together, and their precedence."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias, TypeVar, cast

from league_sdk.settings.base import Section
from league_sdk.settings.layers import Layer, Part
from league_sdk.settings.problems import NOTHING, ConfigError, Problem
from league_sdk.settings.reading import Document, read_document, validate

M = TypeVar("M", bound=Section)

Place: TypeAlias = tuple[Part, str]
"""A setting: its document and its dotted path there."""


class Sources:
    """Files, and the layers above them, the strongest first. Reads each file once."""

    def __init__(self, root: Path, cwd: Path, layers: Sequence[Layer]) -> None:
        self._root = root
        self._cwd = cwd
        self._layers = tuple(layers)
        self._loaded: dict[str, tuple[Document, Section]] = {}
        self._file_of: dict[Part, str] = {}
        self.warnings: list[str] = [line for layer in layers for line in layer.warnings]

    def name_of(self, file: str | Path) -> str:
        """A file's name in messages: relative to the current directory, if below it."""
        path = self._root / file
        return str(path.relative_to(self._cwd) if path.is_relative_to(self._cwd) else path)

    def load(self, file: str, model: type[M], part: Part | None = None, *, required: bool = False) -> M:
        """Load a file, under the values of stronger sources for `part`.

        The path is below the root, or absolute. Unless the file is required, defaults in code stand in for it, with a
        warning.
        """
        if file not in self._loaded:
            source = self.name_of(file)
            try:
                document = read_document(self._root / file, source, model)
            except FileNotFoundError:
                if required:
                    raise ConfigError([Problem(source, "", NOTHING, "does not exist")]) from None
                document = Document(source)
                document.warnings.append(f"{source} does not exist; the built-in defaults take its place")
            self.warnings += document.warnings
            self._loaded[file] = document, validate(model, [*self._above(part), document])
        if part is not None:
            self._file_of[part] = file
        return cast(M, self._loaded[file][1])

    def assume(self, values: Mapping[str, Any], model: type[M], part: Part) -> M:
        """Build a model from values instead of a file, under the stronger sources."""
        return validate(model, [*self._above(part), Document("the built-in defaults", dict(values))])

    def file(self, file: str) -> Document:
        """A loaded file's own values."""
        return self._loaded[file][0]

    def winning_value(self, places: Sequence[Place]) -> Any:
        """The value of the winning setting: by source first, then by place in the list.

        Settings of one meaning come the narrowest first. If no source sets any, the default of the last one holds.
        """
        in_files = (place for place in places if self._loaded[self._file_of[place[0]]][0].has(_steps(place)))
        part, path = self.narrowest_above(places) or next(in_files, places[-1])
        return attribute(self._loaded[self._file_of[part]][1], path)

    def narrowest_above(self, places: Sequence[Place]) -> Place | None:
        """The winning setting among sources above the files; None if none sets any."""
        for layer in self._layers:
            for place in places:
                if any(document.has(_steps(place)) for document in layer.of(place[0])):
                    return place
        return None

    def _above(self, part: Part | None) -> list[Document]:
        # Within a layer the last one given is the strongest, as on a command line.
        return [document for layer in self._layers for document in reversed(layer.of(part))] if part else []


def _steps(place: Place) -> tuple[str, ...]:
    return tuple(place[1].split("."))


def attribute(model: Any, path: str) -> Any:
    for name in path.split("."):
        model = getattr(model, name)
    return model
