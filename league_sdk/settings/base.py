"""What all settings models have in common: frozen, every field described, and read under more than one spelling."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin
from urllib.parse import urlsplit

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field
from pydantic.fields import FieldInfo


class Section(BaseModel):
    """An object in a settings file. Unknown fields are reported by the reader, not here."""

    model_config = ConfigDict(frozen=True, extra="ignore", allow_inf_nan=False)

    @classmethod
    def tidy(cls, given: Mapping[str, Any]) -> dict[str, Any]:
        """What a file gives, brought into the form of the fields; names are the fields' own already."""
        return dict(given)

    @classmethod
    def keeps(cls, name: str) -> bool:
        """Whether `tidy` has a use for a name that is not a field."""
        del name
        return False


@dataclass(frozen=True, slots=True)
class Also:
    """Marks a field that files may give under other names as well."""

    names: tuple[str, ...]

    def __init__(self, *names: str) -> None:
        object.__setattr__(self, "names", names)


@dataclass(frozen=True, slots=True)
class Hidden:
    """Marks a field whose value is never shown in a message."""


@dataclass(frozen=True, slots=True)
class Informational:
    """Marks a field that people and other programs read, and nothing of ours goes by.

    Attributes:
        because: Why it has no effect, as a sentence.
    """

    because: str


def other_names(field: FieldInfo) -> tuple[str, ...]:
    """The names, beside its own, under which files may give a field."""
    return tuple(name for mark in field.metadata if isinstance(mark, Also) for name in mark.names)


def spellings(model: type[Section]) -> dict[str, str]:
    """Every name that is read in this object, with the field's own name."""
    fields = model.model_fields.items()
    return {spelling: name for name, field in fields for spelling in (name, *other_names(field))}


def section_of(annotation: Any) -> tuple[type[Section], bool] | None:
    """The settings model inside an annotation, and whether it is a list of them; None when there is none."""
    if isinstance(annotation, type) and issubclass(annotation, Section):
        return annotation, False
    arms = get_args(annotation)
    if get_origin(annotation) in (Union, UnionType, Annotated):
        return next((found for arm in arms if (found := section_of(arm))), None)
    if get_origin(annotation) is tuple and (inner := section_of(arms[0])):
        return inner[0], True
    return None


def field_at(model: type[Section], path: tuple[str | int, ...]) -> FieldInfo | None:
    """The field that a path of own names leads to, or None when the path leaves what the models know."""
    field: FieldInfo | None = None
    current: type[Section] | None = model
    for step in path:
        if isinstance(step, int):
            continue
        if current is None or step not in current.model_fields:
            return None
        field = current.model_fields[step]
        inner = section_of(field.annotation)
        current = inner[0] if inner else None
    return field


def is_league_id(text: str) -> bool:
    """Whether a text can be a league's id, and so a file's name."""
    return re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}", text) is not None


def _league_id(value: str) -> str:
    if not is_league_id(value):
        raise ValueError("1 to 64 letters, digits, dots, hyphens and underscores, beginning with a letter or a digit")
    return value


def _endpoint(value: str) -> str:
    try:
        parts = urlsplit(value)
        good = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        good = False
    if not good:
        raise ValueError("an http or https address, such as http://localhost:8101/mcp")
    return value


def _upper(value: Any) -> Any:
    return value.upper() if isinstance(value, str) else value


def _schema(value: str) -> str:
    if not re.fullmatch(r"1(\.\d+){1,2}", value):
        raise ValueError("a schema version 1.x.x, which is what this release reads")
    return value


Seconds = Annotated[float, Field(gt=0, le=86_400)]
"""A time span in seconds, above 0 and at most a day."""

Port = Annotated[int, Field(ge=1, le=65_535)]

LeagueId = Annotated[str, AfterValidator(_league_id)]
Endpoint = Annotated[str, AfterValidator(_endpoint)]
Name = Annotated[str, Field(min_length=1, max_length=64)]
SchemaVersion = Annotated[
    str,
    AfterValidator(_schema),
    Informational("A version that this release cannot read is refused; nothing else hangs on it."),
]
Level = Annotated[Literal["DEBUG", "INFO", "WARNING", "ERROR"], BeforeValidator(_upper)]
