"""Reads and writes messages, and makes the JSON Schemas that servers publish."""

import logging
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Protocol, TypeVar, cast

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from league_sdk.bounds import Bounds
from league_sdk.domain.model import PROTOCOL
from league_sdk.errors import (
    InvalidField,
    InvalidQueryType,
    InvalidTimestamp,
    LeagueError,
    MissingField,
    ProtocolVersionMismatch,
)
from league_sdk.game import MoveSpec
from league_sdk.json_value import IN_MESSAGES, dotted, expectation
from league_sdk.protocol import envelope
from league_sdk.protocol.calls import spelling
from league_sdk.protocol.catalog import CALLS
from league_sdk.protocol.envelope import Message
from league_sdk.protocol.match import MoveCall, MoveResponse
from league_sdk.protocol.queries import LeagueErrorMessage
from league_sdk.protocol.tool_schemas import Mode, message_schema

logger = logging.getLogger(__name__)

M = TypeVar("M", bound=Message)

MOVE = "move"
LONGEST_VALUE = 200  # characters of a wrong value that an error repeats
SECRETS = ("token", "ticket", "secret")  # endings of field names whose values errors never repeat


class DialectCodec(Protocol):
    """Codec of one dialect; the code behind it sees messages only."""

    def parse(self, arguments: Mapping[str, Any], expect: type[M], *, spec: MoveSpec | None = None) -> M: ...

    def render(self, message: Message, *, spec: MoveSpec | None = None) -> dict[str, Any]: ...


class Codec:
    """Codec of `league.v2`.

    `specs` are the games' spellings of moves: a move message is recognised by its `message_type` alone, unless a call
    names a spec. Raises ValueError if two games use one name for different things, or one of the protocol's.
    """

    def __init__(self, specs: Iterable[MoveSpec] = (), bounds: Bounds | None = None) -> None:
        self._bounds = bounds or Bounds()
        self._types: dict[str, type[Message]] = {kind.model_fields["message_type"].default: kind for kind in _kinds()}
        self._specs: dict[str, MoveSpec] = {}
        self._schemas: dict[tuple[type[Message], Mode, MoveSpec | None], dict[str, Any]] = {}
        for spec in tuple(specs) or (MoveSpec(),):
            self._learn(spec)

    def message_types(self) -> dict[str, type[Message]]:
        return dict(self._types)

    def parse(self, arguments: Mapping[str, Any], expect: type[M], *, spec: MoveSpec | None = None) -> M:
        """Read a message. Unknown fields are ignored, and logged at level DEBUG.

        Every error below has in its context the field, its value and the expectation. Only the first fault is reported.

        Raises:
            ProtocolVersionMismatch: It is in another protocol.
            MissingField: A required field is absent.
            InvalidTimestamp: A time is not in UTC.
            InvalidQueryType: The protocol has no such query.
            InvalidField: A field has the wrong type or value.
        """
        if not isinstance(cast(object, arguments), Mapping):
            raise _refuse(InvalidField, "arguments", arguments, "an object")
        self._bounds.check(arguments)
        _check_protocol(arguments)
        for name in expect.demanded:
            if name not in arguments:
                raise MissingField(f"{name} is missing", field=name)
        data, moved = self._generalise(arguments, expect, spec)
        try:
            message = expect.model_validate(data, by_alias=True, by_name=False)
        except ValidationError as error:
            raise _fault(error.errors(include_url=False)[0], moved) from error
        if logger.isEnabledFor(logging.DEBUG):
            unknown = sorted(_unknown_fields(message, data))
            if unknown:
                logger.debug("%s: ignored unknown fields %.500r", expect.__name__, unknown)
        return message

    def render(self, message: Message, *, spec: MoveSpec | None = None) -> dict[str, Any]:
        """Write a message as a JSON object; ValueError if a required field is empty."""
        given = message.model_fields_set
        empty = [name for name in message.always_written if name not in given or getattr(message, name) == ""]
        if empty:
            raise ValueError(f"{type(message).__name__} has to be written with {', '.join(empty)}")
        data = message.model_dump(mode="json")
        if isinstance(message, MoveCall):
            data["message_type"] = (spec or self._spec_of(message.message_type)).call_type
        elif isinstance(message, MoveResponse):
            spec = spec or self._spec_of(message.message_type)
            data["message_type"] = spec.response_type
            data[spec.choice_field] = data.pop(MOVE)
        return data

    def input_schema(self, kind: type[Message], *, spec: MoveSpec | None = None) -> dict[str, Any]:
        """JSON Schema 2020-12 of the arguments of `parse`; not to be changed."""
        return self._schema(kind, "validation", spec)

    def output_schema(self, kind: type[Message], *, spec: MoveSpec | None = None) -> dict[str, Any]:
        """JSON Schema 2020-12 of the result of `render`; not to be changed."""
        return self._schema(kind, "serialization", spec)

    def _schema(self, kind: type[Message], mode: Mode, spec: MoveSpec | None) -> dict[str, Any]:
        key = (kind, mode, spec)
        if key not in self._schemas:
            self._schemas[key] = message_schema(kind, mode, spec)
        return self._schemas[key]

    def _learn(self, spec: MoveSpec) -> None:
        if spec.choice_field != MOVE and spec.choice_field in MoveResponse.model_fields:
            raise ValueError(f"MoveSpec.choice_field {spec.choice_field!r} is a field of every answer: choose another")
        answers = dict.fromkeys((spec.response_type, *spec.response_aliases), MoveResponse)
        for name, kind in {**answers, spec.call_type: MoveCall}.items():
            known = self._specs.get(name)
            if self._types.setdefault(name, kind) is not kind or (known and spelling(known) != spelling(spec)):
                raise ValueError(f"{name!r} is the message_type of something else: change it in the game's MoveSpec")
            self._specs.setdefault(name, spec)

    def _spec_of(self, message_type: str) -> MoveSpec:
        spec = self._specs.get(message_type)
        if spec is None:
            raise ValueError(f"no game spells a move {message_type!r}; known are {', '.join(sorted(self._specs))}")
        return spec

    def _generalise(
        self, arguments: Mapping[str, Any], expect: type[Message], spec: MoveSpec | None
    ) -> tuple[Mapping[str, Any], str]:
        """Replace a game's names by the general ones; also return the move's field name."""
        if not issubclass(expect, (MoveCall, MoveResponse)):
            return arguments, MOVE
        known = {name: one for name, one in self._specs.items() if self._types[name] is expect}
        if spec is not None:
            names = (spec.call_type,) if expect is MoveCall else (spec.response_type, *spec.response_aliases)
            known = dict.fromkeys(names, spec)
        said = arguments["message_type"]
        if not isinstance(said, str) or said not in known:
            raise _refuse(InvalidField, "message_type", said, " or ".join(known))
        spec = known[said]
        if expect is MoveCall:
            return arguments, MOVE
        data = {name: value for name, value in arguments.items() if name != MOVE}
        data["message_type"] = spec.response_type
        if spec.choice_field in arguments:
            data[MOVE] = arguments[spec.choice_field]
            if spec.choice_field != MOVE:
                del data[spec.choice_field]
        return data, spec.choice_field


def _kinds() -> Iterator[type[Message]]:
    """Every message that is spelled the same in all games."""
    for call in CALLS:
        yield call.request
        yield call.reply
    yield LeagueErrorMessage


def _check_protocol(arguments: Mapping[str, Any]) -> None:
    said = arguments.get("protocol", PROTOCOL)
    if isinstance(said, str) and said != PROTOCOL:
        raise _refuse(ProtocolVersionMismatch, "protocol", said, PROTOCOL)


def _refuse(kind: type[LeagueError], field: str, value: object, expected: str) -> LeagueError:
    shown = {} if field.endswith(SECRETS) else {"value": _shown(value)}
    return kind(f"{field}: expected {expected}", field=field, expected=expected, **shown)


def _shown(value: object) -> object:
    """A wrong value as an error repeats it: short, without an object's contents."""
    if isinstance(value, Mapping):
        return "an object"
    if isinstance(value, (list, tuple)):
        return "an array"
    return value[:LONGEST_VALUE] if isinstance(value, str) else value


def _fault(error: ErrorDetails, moved: str) -> LeagueError:
    """Convert the first error that pydantic found into an error of the protocol."""
    field = moved if error["loc"] == (MOVE,) else dotted(error["loc"])
    said = error.get("ctx", {})
    match error["type"]:
        case "missing":
            return MissingField(f"{field} is missing", field=field)
        case envelope.REQUIRED_HERE:
            return MissingField(f"{said['field']} is missing", field=said["field"])
        case envelope.BAD_TIMESTAMP:
            return _refuse(InvalidTimestamp, field, error["input"], error["msg"])
        case envelope.BAD_QUERY_TYPE:
            return _refuse(InvalidQueryType, field, error["input"], error["msg"])
        case kind:
            return _refuse(InvalidField, field, error["input"], expectation(IN_MESSAGES, kind, error["msg"], said))


def _unknown_fields(message: Message, data: Mapping[str, Any], prefix: str = "") -> Iterator[str]:
    kind = type(message)
    names = {field.alias or name: name for name, field in kind.model_fields.items()}
    if kind.model_config.get("extra") != "allow":
        yield from (prefix + name for name in data if name not in names and name not in kind.model_computed_fields)
    for name, attribute in names.items():
        yield from _unknown_inside(getattr(message, attribute), data.get(name), prefix + name)


def _unknown_inside(part: object, data: Any, path: str) -> Iterator[str]:
    if isinstance(part, Message):
        yield from _unknown_fields(part, data, f"{path}.")
    elif isinstance(part, tuple):
        for index, (item, value) in enumerate(zip(cast(tuple[object, ...], part), data, strict=True)):
            yield from _unknown_inside(item, value, f"{path}[{index}]")
