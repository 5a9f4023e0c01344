"""Values from the environment and from the command line, as layers above files."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias, cast, get_args, get_origin

from pydantic.fields import FieldInfo

from league_sdk.names import nearest
from league_sdk.settings.agents import PlayerDefaults, RefereeDefaults
from league_sdk.settings.base import Checked, Informational, Section, arms, section_of, spellings
from league_sdk.settings.league import LeagueConfig
from league_sdk.settings.problems import NOTHING, ConfigError, Problem
from league_sdk.settings.reading import Document, canonical
from league_sdk.settings.system import SystemConfig

PREFIX = "LEAGUE_"
COMMAND_LINE = "command line"
"""Source of an override in messages."""

Part: TypeAlias = Literal["system", "league", "referee", "player"]

PARTS: Mapping[Part, type[Section]] = {
    "system": SystemConfig,
    "league": LeagueConfig,
    "referee": RefereeDefaults,
    "player": PlayerDefaults,
}
"""The documents that can be overridden, by the first part of a variable's name; `system` has none."""

OTHER_VARIABLES: Mapping[str, str] = {
    "LEAGUE_BACKUP_PASSPHRASE": "The passphrase of a backup's secrets, for `league backup` and `league restore`.",
    "LEAGUE_CONFIG": "Folder with the configuration files, like `--config`.",
    "LEAGUE_DATA": "Folder for `data/` and `logs/`, like `--data`.",
    "LEAGUE_JOIN_SECRET": "The join secret of a player, as on a student's card.",
    "LEAGUE_MANAGER": "The league manager's endpoint, like `--manager`.",
    "LEAGUE_OPERATOR_TOKEN": "Opens the operator's tools, like `--operator-token`.",
}
"""Variables that name folders, addresses and tokens, and so cannot be settings themselves."""


@dataclass
class Layer:
    """The values that the environment, or the command line, sets.

    There is one document a value, so that each problem names its source.
    """

    documents: dict[Part, list[Document]] = field(default_factory=dict[Part, list[Document]])
    warnings: list[str] = field(default_factory=list[str])

    def of(self, part: Part) -> list[Document]:
        return self.documents.get(part, [])


def environment(environ: Mapping[str, str]) -> Layer:
    """Read the `LEAGUE_…` variables. Empty ones count as not set.

    An unknown one is a warning, not an error: the environment has other users as well.
    """
    layer = Layer()
    for name in sorted(environ):
        text = environ[name]
        if not name.startswith(PREFIX) or name in OTHER_VARIABLES or not text:
            continue
        steps = name.removeprefix(PREFIX).lower().split("__")
        source = f"environment variable {name}"
        unknown = _add(layer, steps, text, source)
        # A plain name that resembles none of ours may belong to another program.
        if unknown and (len(steps) > 1 or "did you mean" in unknown):
            layer.warnings.append(f"{source} is unknown; {unknown}")
    return layer


def flags(overrides: Mapping[str, Any]) -> Layer:
    """Take values from the command line, by dotted path or nested.

    None means not given; texts are read like environment variables.
    """
    layer = Layer()
    problems: list[Problem] = []
    idle = {key for key, info in _settings() if not _works(info)}
    for path, value in _flat(overrides):
        unknown = _add(layer, path.split("."), value, COMMAND_LINE)
        if unknown:
            problems.append(
                Problem(COMMAND_LINE, path, NOTHING, f"there is no such setting; {_elsewhere(path) or unknown}")
            )
        elif path in idle:
            layer.warnings.append(f"{COMMAND_LINE}: setting {path} changes nothing")
    if problems:
        raise ConfigError(problems)
    return layer


def variables() -> list[tuple[str, str]]:
    """Every settable variable and its description, in the order of the models."""
    return [(f"{PREFIX}{key.upper().replace('.', '__')}", info.description or "") for key, info in _settings()]


def settable() -> tuple[str, ...]:
    """The dotted path of every setting with an effect, in the order of the models."""
    return tuple(key for key, info in _settings() if _works(info))


def _settings() -> Iterator[tuple[str, FieldInfo]]:
    """Every setting by its dotted path, in which `default_settings` is left out."""
    for part, model in PARTS.items():
        for path, info in _leaves(model, () if part == "system" else (part,)):
            yield ".".join(step for step in path if step != "default_settings"), info


def _leaves(model: type[Section], path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], FieldInfo]]:
    for name, info in model.model_fields.items():
        inner = section_of(info.annotation)
        if inner:
            yield from _leaves(inner[0], (*path, name))
        else:
            yield (*path, name), info


def _works(info: FieldInfo) -> bool:
    """True if a field has more than one value, and an effect."""
    kinds = [arm for arm in arms(info.annotation) if arm is not type(None)]
    one_word = all(get_origin(kind) is Literal for kind in kinds) and len(get_args(kinds[0])) == 1
    return not one_word and not any(isinstance(mark, Informational | Checked) for mark in info.metadata)


def _elsewhere(path: str) -> str:
    """A hint to another section's setting whose path ends like this one, or empty."""
    same = {key: _works(info) for key, info in _settings() if key.endswith(f".{path}")}
    working = next((key for key, works in same.items() if works), None)
    if working or not same:
        return f"did you mean {working}?" if working else ""
    return f"{next(iter(same))} is for information, and changes nothing"


def _instead(step: str, model: type[Section], path: str) -> str:
    """The nearest name to an unknown one in a section, or all, to end a sentence."""
    working: dict[str, str] = {}
    for name, info in model.model_fields.items():
        inner = section_of(info.annotation)
        if inner and any(_works(leaf) for _, leaf in _leaves(inner[0])):
            working[name] = f"{name}.…"
        elif not inner and _works(info):
            working[name] = name
    meant = nearest(step, [spelling for spelling, name in spellings(model).items() if name in working])
    if meant:
        return f"did you mean {meant}?"
    if model is SystemConfig:
        working |= {part: f"{part}.…" for part in PARTS if part != "system"}
    return f"known are {', '.join(working.values())}" if working else f"nothing in {path} can be set"


def _flat(values: Mapping[str, Any], prefix: str = "") -> list[tuple[str, Any]]:
    found: list[tuple[str, Any]] = []
    for name, value in values.items():
        if isinstance(value, Mapping):
            found += _flat(cast(Mapping[str, Any], value), f"{prefix}{name}.")
        elif value is not None:
            found.append((prefix + name, value))
    return found


def _add(layer: Layer, steps: list[str], value: Any, source: str) -> str:
    """Add one value; if there is no such setting, return a hint and add nothing."""
    given = ".".join(steps)
    part: Part = "system"
    if len(steps) > 1 and steps[0] in ("league", "referee", "player"):
        part = steps[0]
        steps = steps[1:]
    model = PARTS[part]
    if part in ("referee", "player") and steps[0] not in spellings(model):
        steps = ["default_settings", *steps]
    annotation: Any = model
    for step in steps:
        inner = section_of(annotation)
        if inner is None:
            if _is_mapping(annotation):
                annotation = Any
                break
            return f"{steps[-1]} is inside a single value"
        known = spellings(inner[0])
        if step not in known:
            if inner[0].keeps(step):
                annotation = float
                continue
            return _instead(step, inner[0], given.rpartition(".")[0])
        info = inner[0].model_fields[known[step]]
        annotation = info.annotation
    nested: Any = read_text(value, annotation) if isinstance(value, str) else _plain(value)
    for step in reversed(steps):
        nested = {step: nested}
    document = canonical(model, nested, source)
    layer.warnings += document.warnings
    layer.documents.setdefault(part, []).append(document)
    return ""


def read_text(text: str, annotation: Any) -> Any:
    """A text as the JSON value for a field of this type; unchanged if it is none."""
    kinds = _kinds(annotation)
    if type(None) in kinds and text.lower() in ("null", "none"):
        return None
    if str in kinds:
        return text
    if bool in kinds:
        return {"true": True, "yes": True, "on": True, "1": True}.get(
            text.lower(), {"false": False, "no": False, "off": False, "0": False}.get(text.lower(), text)
        )
    if tuple in kinds and not text.lstrip().startswith("["):
        entry = next(get_args(kind)[0] for kind in arms(annotation) if get_origin(kind) is tuple)
        return [read_text(piece.strip(), entry) for piece in text.split(",")]
    try:
        return json.loads(text)
    except ValueError:
        return text


def _kinds(annotation: Any) -> set[Any]:
    kinds: set[Any] = set()
    for arm in arms(annotation):
        origin = get_origin(arm)
        kinds.add(type(get_args(arm)[0]) if origin is Literal else origin or arm)
    return kinds


def _is_mapping(annotation: Any) -> bool:
    return any(isinstance(kind, type) and issubclass(kind, Mapping) for kind in _kinds(annotation))


def _plain(value: Any) -> Any:
    return list(cast(tuple[Any, ...], value)) if isinstance(value, tuple) else value
