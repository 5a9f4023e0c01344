"""Base of all settings models: frozen, with described fields and aliases."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin
from urllib.parse import urlsplit

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field
from pydantic.fields import FieldInfo


class Section(BaseModel):
    """An object in a settings file; its reader reports unknown fields."""

    model_config = ConfigDict(frozen=True, extra="ignore", allow_inf_nan=False)

    @classmethod
    def tidy(cls, given: Mapping[str, Any]) -> dict[str, Any]:
        """Convert the values of a file to the form of the fields, under their own names."""
        return dict(given)

    @classmethod
    def keeps(cls, name: str) -> bool:
        """True if `tidy` has a use for a name that is not a field."""
        del name
        return False


class Also:
    """Marks a field that files may give under other names as well."""

    def __init__(self, *names: str) -> None:
        self.names = names


@dataclass(frozen=True, slots=True)
class Hidden:
    """Marks a field whose value is never shown in a message."""


@dataclass(frozen=True, slots=True)
class Informational:
    """Marks a field that no code of ours uses; the sentence says why."""

    because: str


class Checked:
    """Marks a field that decides whether its file can be read, and nothing else."""


def other_names(field: FieldInfo) -> tuple[str, ...]:
    """A field's other names in files."""
    return tuple(name for mark in field.metadata if isinstance(mark, Also) for name in mark.names)


def spellings(model: type[Section]) -> dict[str, str]:
    """Every name that is read in this object, with the field's own name."""
    fields = model.model_fields.items()
    return {spelling: name for name, field in fields for spelling in (name, *other_names(field))}


def arms(annotation: Any) -> list[Any]:
    """The alternatives in an annotation, without their annotations."""
    origin = get_origin(annotation)
    if origin is Annotated:
        return arms(get_args(annotation)[0])
    if origin in (Union, UnionType):
        return [arm for each in get_args(annotation) for arm in arms(each)]
    return [annotation]


def section_of(annotation: Any) -> tuple[type[Section], bool] | None:
    """The settings model in an annotation, and true for a list of them; None if none."""
    for arm in arms(annotation):
        if isinstance(arm, type) and issubclass(arm, Section):
            return arm, False
        if get_origin(arm) is tuple and (inner := section_of(get_args(arm)[0])):
            return inner[0], True
    return None


def field_at(model: type[Section], path: tuple[str | int, ...]) -> FieldInfo | None:
    """The field at a path of own names; None if the models do not know it."""
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
    """True if a text can be a league's id, and so a file's name."""
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


def upper(value: Any) -> Any:
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
    Checked(),
]
Level = Annotated[Literal["DEBUG", "INFO", "WARNING", "ERROR"], BeforeValidator(upper)]
