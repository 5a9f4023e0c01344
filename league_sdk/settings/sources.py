"""All sources of settings together: which gives what, and which wins."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias, TypeVar, cast

from league_sdk.settings.base import Section
from league_sdk.settings.layers import Layer, Part
from league_sdk.settings.problems import NOTHING, ConfigError, Problem
from league_sdk.settings.reading import Document, read_document, validate

M = TypeVar("M", bound=Section)

Place: TypeAlias = tuple[Part, str]
"""A setting: the document it is in, and its dotted path there."""


class Sources:
    """Files, environment and command line. Reads each file once.

    Args:
        root: The folder with the files.
        cwd: The current directory, to name files by short paths.
        layers: What is above the files, the strongest first.

    Attributes:
        warnings: What to tell the user so far, one line each.
    """

    def __init__(self, root: Path, cwd: Path, layers: Sequence[Layer]) -> None:
        self._root = root
        self._cwd = cwd
        self._layers = tuple(layers)
        self._files: dict[str, Document] = {}
        self._models: dict[str, Section] = {}
        self.warnings: list[str] = [line for layer in layers for line in layer.warnings]

    def name_of(self, file: str | Path) -> str:
        """How messages name a file: by its path from the current directory, where it is below that."""
        path = self._root / file
        return str(path.relative_to(self._cwd) if path.is_relative_to(self._cwd) else path)

    def load(self, file: str, model: type[M], part: Part | None = None, *, required: bool = False) -> M:
        """One file, with what the stronger sources set in it; from the cache when it was loaded before.

        Args:
            file: Its path below the root, or an absolute one.
            model: What is in it.
            part: Under what the stronger sources know it, if they do.
            required: Whether its absence is an error; otherwise the defaults in code stand in, with a warning.

        Raises:
            ConfigError: It is not usable.
        """
        if file not in self._models:
            source = self.name_of(file)
            try:
                document = read_document(self._root / file, source, model)
            except FileNotFoundError:
                if required:
                    raise ConfigError([Problem(source, "", NOTHING, "does not exist")]) from None
                document = Document(source)
                document.warnings.append(f"{source} does not exist; the built-in defaults take its place")
            self.warnings += document.warnings
            self._files[file] = document
            self._models[file] = validate(model, [*self._above(part), document])
        return cast(M, self._models[file])

    def assume(self, values: Mapping[str, Any], model: type[M], part: Part) -> M:
        """What stands for a file that nobody has written, with what the stronger sources set in it.

        Args:
            values: What the file would hold.
            model: What is in it.
            part: Under what the stronger sources know it.

        Raises:
            ConfigError: It is not usable.
        """
        return validate(model, [*self._above(part), Document("the built-in defaults", dict(values))])

    def file(self, file: str) -> Document:
        """What a file that was loaded gives by itself."""
        return self._files[file]

    def is_overridden(self, part: Part, path: str) -> bool:
        """Whether a source above the files sets something."""
        steps = tuple(path.split("."))
        return any(document.has(steps) for document in self._above(part))

    def narrowest(self, places: Sequence[Place], files: Mapping[Part, str]) -> Place:
        """The setting that wins: by the strength of its source first, then by its place in the list.

        Args:
            places: Settings of the same meaning, the narrowest first.
            files: The loaded file of each document.

        Returns:
            The winner; the last place when no source sets any, so that the default in code holds.
        """
        if (above := self.narrowest_above(places)) is not None:
            return above
        for part, path in places:
            if self._files[files[part]].has(tuple(path.split("."))):
                return part, path
        return places[-1]

    def narrowest_above(self, places: Sequence[Place]) -> Place | None:
        """The setting that wins among those of sources above the files; None when no such source sets any."""
        for layer in self._layers:
            for part, path in places:
                if any(document.has(tuple(path.split("."))) for document in layer.of(part)):
                    return part, path
        return None

    def _above(self, part: Part | None) -> list[Document]:
        # Within a layer the last one given is the strongest, as on a command line.
        return [document for layer in self._layers for document in reversed(layer.of(part))] if part else []


def attribute(model: Any, path: str) -> Any:
    """The value at a dotted path in a model."""
    for name in path.split("."):
        model = getattr(model, name)
    return model
