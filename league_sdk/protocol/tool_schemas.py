"""JSON Schemas of messages: no references, a description of each field."""

from collections.abc import Mapping
from functools import cache
from typing import Any, Literal, TypeAlias, cast

from pydantic.json_schema import GenerateJsonSchema

from league_sdk.game import MoveSpec
from league_sdk.protocol.envelope import Message
from league_sdk.protocol.match import MoveCall, MoveResponse

Mode: TypeAlias = Literal["validation", "serialization"]
""""validation" for messages that are read, "serialization" for those that are written."""

_PLAIN = (str, int, bool, type(None))
DIALECT = "https://json-schema.org/draft/2020-12/schema"


class _Plain(GenerateJsonSchema):
    """Omits titles that pydantic derives from names; takes plain defaults as is."""

    def encode_default(self, dft: Any) -> Any:
        return dft if type(dft) in _PLAIN else super().encode_default(dft)

    def field_title_should_be_set(self, schema: Any) -> bool:
        del schema
        return False


@cache
def message_schema(kind: type[Message], mode: Mode, spec: MoveSpec | None) -> dict[str, Any]:
    """JSON Schema of a message, with the wire's names; not to be changed."""
    raw = kind.model_json_schema(mode=mode, by_alias=True, schema_generator=_Plain)
    schema = cast(dict[str, Any], _inline(raw, raw.pop("$defs", {})))
    properties = schema["properties"]
    required = [*kind.demanded, *schema.get("required", [])]
    if issubclass(kind, (MoveCall, MoveResponse)):
        _spell(kind, properties, required, spec or MoveSpec())
    name = properties["message_type"]
    name.setdefault("description", "The kind of message.")
    return {
        "$schema": DIALECT,
        **schema,
        "title": name["default"],
        "type": "object",
        "required": [field for field in properties if field in required],
    }


def _spell(kind: type[Message], properties: dict[str, Any], required: list[str], spec: MoveSpec) -> None:
    """Replace the general names by a game's."""
    names = [spec.call_type] if kind is MoveCall else [spec.response_type, *spec.response_aliases]
    properties["message_type"] = {
        "type": "string",
        "enum": names,
        "default": names[0],
        "description": "The kind of message.",
    }
    if kind is MoveResponse:
        properties[spec.choice_field] = properties.pop("move")
        required[required.index("move")] = spec.choice_field


def _inline(node: Any, definitions: Mapping[str, Any]) -> Any:
    """Replace every reference by its target, for a person to read."""
    if isinstance(node, list):
        return [_inline(item, definitions) for item in cast(list[Any], node)]
    if not isinstance(node, dict):
        return node
    here = dict(cast(dict[str, Any], node))
    reference: str | None = here.pop("$ref", None)
    if reference is not None:
        here = {**definitions[reference.rpartition("/")[2]], **here}
    if here.get("default", ...) is None:
        del here["default"]
    here = {name: _inline(value, definitions) for name, value in here.items()}
    if "anyOf" in here:
        for word in ("description", "examples"):
            _lift(word, here)
    return here


def _lift(word: str, optional: dict[str, Any]) -> None:
    """Move a description of the value up to the union of value and null."""
    value = optional["anyOf"][0]
    if word in value:
        optional.setdefault(word, value.pop(word))
