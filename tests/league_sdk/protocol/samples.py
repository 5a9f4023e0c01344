"""Messages for tests: JSON drawn from the published schemas, and one game that spells moves in its own way."""

from functools import cache
from typing import Any, cast

from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from game_rules.even_odd import EvenOdd
from league_sdk.game import MoveSpec
from league_sdk.protocol.codec import Codec
from league_sdk.protocol.envelope import Message
from league_sdk.protocol.match import MoveCall, MoveResponse

PARITY = EvenOdd.move_spec
CODEC = Codec([PARITY, MoveSpec()])
KINDS = sorted(set(CODEC.message_types().values()), key=lambda kind: kind.__name__)

WRONG_VALUES: tuple[Any, ...] = (None, True, 0, -1, 7, 1.5, "", "x", [], ["x"], {}, {"x": "y"})
"""Of every JSON type something; most are wrong in most places."""

numbers = st.integers(-(2**53), 2**53) | st.floats(allow_nan=False, allow_infinity=False)
json_values = st.recursive(
    st.none() | st.booleans() | numbers | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)
names = st.text(st.characters(exclude_characters="\r\n", exclude_categories=["Cs"]), min_size=1, max_size=8)
senders = st.just("league_manager") | st.builds(
    "{}:{}".format, st.sampled_from(["league_manager", "referee", "player"]), names
)
versions = st.lists(st.integers(0, 999), min_size=1, max_size=3).map(lambda parts: ".".join(map(str, parts)))
timestamps = st.builds(
    lambda moment, fraction, zone: moment.strftime(f"{moment.year:04d}-%m-%dT%H:%M:%S") + fraction + zone,
    st.datetimes(),
    st.sampled_from(["", ".5", ".123", ".123456789"]),
    st.sampled_from(["Z", "+00:00"]),
)


def _strings(schema: dict[str, Any]) -> st.SearchStrategy[str]:
    pattern: str = schema.get("pattern", "")
    if schema.get("format") == "date-time":
        return timestamps
    if "league_manager" in pattern:
        return senders
    if pattern:
        return versions
    return st.text(min_size=schema.get("minLength", 0), max_size=8)


def _arrays(schema: dict[str, Any]) -> st.SearchStrategy[list[Any]]:
    return st.lists(json_for(schema["items"]), max_size=3)


def _objects(schema: dict[str, Any]) -> st.SearchStrategy[dict[str, Any]]:
    properties: dict[str, Any] = schema.get("properties", {})
    required = {name: json_for(properties[name]) for name in schema.get("required", [])}
    optional = {name: json_for(part) for name, part in properties.items() if name not in required}
    known = st.fixed_dictionaries(required, optional=optional)
    more = schema.get("additionalProperties")
    if more is None:
        return known
    values = json_values if more is True else json_for(more)
    keys = st.text(max_size=5).filter(lambda key: key not in properties)
    return st.builds(lambda extra, fixed: {**extra, **fixed}, st.dictionaries(keys, values, max_size=3), known)


def json_for(schema: dict[str, Any]) -> st.SearchStrategy[Any]:
    """JSON that a schema of ours allows."""
    if "const" in schema:
        return st.just(schema["const"])
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    if "anyOf" in schema:
        return st.one_of([json_for(option) for option in schema["anyOf"]])
    if "type" not in schema:
        return json_values
    return {
        "null": lambda: st.none(),
        "boolean": lambda: st.booleans(),
        "integer": lambda: st.integers(schema.get("minimum", -1000), 2**53),
        "number": lambda: st.floats(
            schema.get("exclusiveMinimum", schema.get("minimum")),
            schema.get("maximum"),
            exclude_min="exclusiveMinimum" in schema,
            allow_nan=False,
            allow_infinity=False,
        ),
        "string": lambda: _strings(schema),
        "array": lambda: _arrays(schema),
        "object": lambda: _objects(schema),
    }[schema["type"]]()


def spec_for(kind: type[Message]) -> MoveSpec | None:
    """A spelling, for messages that have one."""
    return PARITY if kind in (MoveCall, MoveResponse) else None


def _completed(schema: dict[str, Any], message: dict[str, Any]) -> dict[str, Any]:
    """An accepted registration with all its fields."""
    if message.get("status") == "ACCEPTED":
        for name in schema.get("then", {}).get("required", ()):
            message[name] = message.get(name) or "x"
    return message


@cache
def wire(kind: type[Message]) -> st.SearchStrategy[dict[str, Any]]:
    """A message of a kind, as JSON that a peer could send.

    One strategy a kind: hypothesis looks at each new one anew, which costs more than to draw from it.
    """
    schema = CODEC.input_schema(kind, spec=spec_for(kind))
    return json_for(schema).map(lambda message: _completed(schema, message))


anything = st.sampled_from(KINDS).flatmap(lambda kind: st.tuples(st.just(kind), wire(kind)))
"""A kind of message, and one of it."""


def fits(schema: dict[str, Any], message: Any) -> bool:
    """True if JSON is valid under a schema."""
    return Draft202012Validator(schema).is_valid(message)


def example(kind: type[Message], **fields: Any) -> dict[str, Any]:
    """The smallest message of a kind that we write, with these fields beside or in place of the others."""
    return {**_smallest(CODEC.output_schema(kind, spec=spec_for(kind))), **fields}


def needed(kind: type[Message], **fields: Any) -> dict[str, Any]:
    """The smallest message of a kind that is read, with these fields beside or in place of the others."""
    return {**_smallest(CODEC.input_schema(kind, spec=spec_for(kind))), **fields}


def complete(message: Any) -> Any:
    """A message that was read, as one of ours would write it: with what a peer may leave out."""
    kind: type[Message] = type(message)
    ours: dict[str, Any] = {}
    if kind in KINDS:
        whole = CODEC.parse(example(kind), kind, spec=spec_for(kind))
        ours = {name: getattr(whole, name) for name in kind.always_written}
    given = message.model_fields_set
    told = {name: getattr(message, name) for name in kind.model_fields}
    for name, value in told.items():
        if isinstance(value, Message):
            told[name] = complete(value)
        elif isinstance(value, tuple):
            parts = cast("tuple[Any, ...]", value)
            told[name] = tuple(complete(part) if isinstance(part, Message) else part for part in parts)
        elif name in kind.always_written and (name not in given or value in ("", None)):
            told[name] = "x" if ours.get(name, value) == "" else ours.get(name, value)
    ours_too = given.intersection(kind.model_fields).union(kind.always_written)
    return message.model_copy(update={name: told[name] for name in ours_too})


def _smallest(schema: dict[str, Any]) -> Any:
    for word in ("const", "default"):
        if word in schema:
            return schema[word]
    if "examples" in schema:
        return schema["examples"][0]
    if "enum" in schema:
        return schema["enum"][-1]
    if "anyOf" in schema:
        return _smallest(schema["anyOf"][0])
    properties = schema.get("properties", {})
    simple: dict[str, Any] = {"string": "x", "integer": 1, "number": 0.5, "boolean": True, "array": []}
    whole = {name: _smallest(properties[name]) for name in schema.get("required", [])}
    return simple.get(schema.get("type", "string"), whole)
