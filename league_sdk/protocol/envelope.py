"""The envelope of every message, and the field types that messages are made of.

Messages are immutable pydantic models with the protocol's names; `codec` converts them to JSON and back. A field is
optional for peers where the protocol's message contracts leave it out; messages that we write are always complete.
"""

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any, ClassVar, Literal, TypeAlias, TypeVar

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, GetJsonSchemaHandler, PrivateAttr
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, PydanticCustomError

from league_sdk.clock import Clock, Ids, to_record_time, to_wire_time
from league_sdk.domain.model import PROTOCOL, Role
from league_sdk.errors import InvalidField

T = TypeVar("T")
BAD_TIMESTAMP = "league_timestamp"
BAD_QUERY_TYPE = "league_query_type"
BAD_FIELD = "league_field"
REQUIRED_HERE = "league_required"
"""Types of our own validation errors; the codec turns each into an error of the protocol."""

_UTC_TIME = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]+)?(Z|\+00:00)$"
_UTC_TIME_PARTS = re.compile(r"([0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2})(?:\.([0-9]+))?(?:Z|\+00:00)")
_SENDER = r"^(league_manager|(league_manager|referee|player):[^\r\n]+)$"
_SENDER_TEXT = re.compile(_SENDER)
_SENDER_FORMS = "league_manager, referee:<id> or player:<id>"
_SEAT = re.compile(r"^player_([ab])_")


def _is_none(value: object) -> bool:
    return value is None


def _whole(value: object) -> object:
    """JSON has one number type: 3.0 is the integer 3."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _utc_time(value: object) -> object:
    if isinstance(value, datetime):
        if value.utcoffset() != timedelta(0):
            raise PydanticCustomError(BAD_TIMESTAMP, "an aware datetime in UTC")
        return to_record_time(value)
    if not isinstance(value, str):
        return value
    parts = _UTC_TIME_PARTS.fullmatch(value)
    if parts is None or not _in_calendar(parts[1]):
        raise PydanticCustomError(BAD_TIMESTAMP, "a time in UTC, such as 2025-01-15T10:30:00Z")
    return f"{parts[1]}Z" if parts[2] is None else f"{parts[1]}.{parts[2][:3]:0<3}Z"


def _in_calendar(text: str) -> bool:
    try:
        datetime.fromisoformat(text)
    except ValueError:
        return False
    return True


def _sender(value: str) -> str:
    if _SENDER_TEXT.fullmatch(value) is None:
        raise PydanticCustomError(BAD_FIELD, "{expected}", {"expected": _SENDER_FORMS})
    return value


Maybe: TypeAlias = Annotated[T | None, Field(exclude_if=_is_none)]
"""May be absent or null; we leave it out. (A plain `T | None` is written as null.)"""

Many: TypeAlias = Annotated[tuple[T, ...], Field(strict=False)]  # a JSON array

Text: TypeAlias = Annotated[str, Field(min_length=1)]  # a string that is not empty

Whole: TypeAlias = Annotated[int, Field(ge=0), BeforeValidator(_whole)]  # an integer of 0 or more

Positive: TypeAlias = Annotated[int, Field(ge=1), BeforeValidator(_whole)]  # an integer of 1 or more

Seconds: TypeAlias = Annotated[float, Field(ge=0, le=1_000_000_000)]
"""A number of seconds, 0 or more, that a `timedelta` can hold."""

Integer: TypeAlias = Annotated[int, BeforeValidator(_whole)]  # an integer

Timestamp: TypeAlias = Annotated[
    str,
    BeforeValidator(_utc_time),
    Field(json_schema_extra={"format": "date-time", "pattern": _UTC_TIME}, examples=["2025-01-15T10:30:00Z"]),
]
"""A time in UTC as text. Any fraction is read, and kept to the millisecond; `+00:00` becomes `Z`.

Timestamps and deadlines are written in whole seconds, by `to_wire_time`; times out of a record keep milliseconds.
"""

SenderText: TypeAlias = Annotated[str, AfterValidator(_sender), Field(json_schema_extra={"pattern": _SENDER})]
"""The sender of a message; see `parse_sender`."""

PlayerId: TypeAlias = Annotated[Text, Field(description="The player's id in this league.", examples=["P01"])]
RefereeId: TypeAlias = Annotated[Text, Field(description="The referee's id in this league.", examples=["REF01"])]
LeagueId: TypeAlias = Annotated[Text, Field(description="The league, as it is configured.")]
RoundId: TypeAlias = Annotated[Whole, Field(description="The league's round, from 1.", examples=[1])]
MatchId: TypeAlias = Annotated[Text, Field(description="The match, such as R1M1: round 1, match 1.", examples=["R1M1"])]
GameType: TypeAlias = Annotated[Text, Field(description="The game's name, as the league is configured for it.")]


def wire_name(attribute: str) -> str:
    """An attribute's name on the wire: `player_a_id` is `player_A_id` there."""
    return _SEAT.sub(lambda match: f"player_{match[1].upper()}_", attribute)


class Message(BaseModel, frozen=True):
    """Base of every message and of every part of one."""

    model_config = ConfigDict(
        extra="ignore",
        strict=True,
        alias_generator=wire_name,
        validate_by_name=True,
        validate_by_alias=True,
        serialize_by_alias=True,
        protected_namespaces=(),
        hide_input_in_errors=True,
    )

    demanded: ClassVar[tuple[str, ...]] = ()
    """Fields that must be present when a message is read, although they have a default in Python."""
    always_written: ClassVar[tuple[str, ...]] = ()
    """Fields that a receiver does not need, so that a peer may leave them out, and we may not."""

    @classmethod
    def __get_pydantic_json_schema__(cls, core: CoreSchema, handler: GetJsonSchemaHandler, /) -> JsonSchemaValue:
        """Publish no defaults of such fields, and require them of what we write."""
        schema = handler(core)
        inside = handler.resolve_ref_schema(schema)
        names = {wire_name(name) for name in cls.always_written}
        for name in names:
            inside["properties"][name].pop("default", None)
        if names and handler.mode == "serialization":
            required = names.union(inside.get("required", ()))
            inside["required"] = [name for name in inside["properties"] if name in required]
        return schema


ProtocolName: TypeAlias = Annotated[Literal["league.v2"], Field(description="The protocol's name.")]
AuthToken: TypeAlias = Annotated[
    Maybe[str],
    Field(
        description="The token that proves who is calling; an HTTP bearer token may stand in for it.",
        repr=False,
    ),
]


class Envelope(Message, frozen=True):
    """The fields of every message."""

    demanded: ClassVar[tuple[str, ...]] = ("protocol", "message_type")

    protocol: ProtocolName = PROTOCOL
    message_type: str
    sender: Annotated[
        SenderText,
        Field(
            description="The sender: league_manager, referee:<id> or player:<id>; before registration "
            "referee:<display name> or player:<display name>.",
            examples=["league_manager", "referee:REF01", "player:P01"],
        ),
    ]
    timestamp: Annotated[Timestamp, Field(description="Time of writing: UTC, ISO 8601, ending in Z.")]
    conversation_id: Annotated[str, Field(description="Shared by a request and its reply, and by those of a match.")]
    auth_token: AuthToken = None
    _derived: list[str] = PrivateAttr(default_factory=list[str])

    @property
    def derived(self) -> tuple[str, ...]:
        """Fields that its sender left out, and that were derived when it was read."""
        return tuple(self._derived)

    def derive(self, names: tuple[str, ...]) -> None:
        """Note the fields that were derived."""
        self._derived.extend(names)


class Reply(Envelope, frozen=True):
    """The fields of every reply. A peer may leave out its sender and conversation."""

    always_written: ClassVar[tuple[str, ...]] = ("sender", "conversation_id")

    sender: Annotated[
        SenderText,
        Field(description="The sender of the reply.", examples=["league_manager", "referee:REF01", "player:P01"]),
    ] = ""
    conversation_id: Annotated[str, Field(description="The request's conversation_id.")] = ""


class GameMessage(Envelope, frozen=True):
    """The fields of every message about one match."""

    league_id: LeagueId
    round_id: RoundId
    match_id: MatchId


class PlayMessage(GameMessage, frozen=True):
    """A message during a match: league and round are optional for peers."""

    always_written: ClassVar[tuple[str, ...]] = ("league_id", "round_id")

    league_id: LeagueId = ""
    round_id: RoundId = 0
    match_id: MatchId


class GameReply(Reply, frozen=True):
    """The fields of every player's reply about one match."""

    league_id: Maybe[LeagueId] = None
    round_id: Maybe[RoundId] = None
    match_id: MatchId
    player_id: Annotated[PlayerId, Field(description="The player who answers.")]


@dataclass(frozen=True, slots=True)
class Sender:
    """The sender of a message."""

    role: Role
    agent_id: str = ""  # its display name before registration; empty for the league manager

    @property
    def wire(self) -> str:
        """The sender as written: `player:P01`; the league manager never has an id."""
        return str(self.role) if self.role is Role.LEAGUE_MANAGER else f"{self.role}:{self.agent_id}"


def parse_sender(text: str) -> Sender:
    """Read a sender, such as `player:P01`; InvalidField if it has another form.

    The forms are `league_manager`, `league_manager:<id>`, `referee:<id or name>` and `player:<id or name>`.
    """
    if _SENDER_TEXT.fullmatch(text) is None:
        raise InvalidField(
            f"sender: expected {_SENDER_FORMS}", field="sender", value=text[:200], expected=_SENDER_FORMS
        )
    role, _, agent_id = text.partition(":")
    return Sender(Role(role), agent_id)


def stamp(clock: Clock, ids: Ids, sender: str, conversation_id: str | None = None) -> dict[str, Any]:
    """Envelope fields of a new message, in a new conversation if none is given."""
    return {
        "sender": sender,
        "timestamp": to_wire_time(clock.now()),
        "conversation_id": conversation_id or ids.conversation(),
    }


def reply_to(message: Message, sender: str, clock: Clock) -> dict[str, Any]:
    """Envelope fields of a reply, in the request's conversation.

    An operator may call without an envelope; the conversation is then called `operator`.
    """
    conversation: str | None = getattr(message, "conversation_id", None)
    return {
        "sender": sender,
        "timestamp": to_wire_time(clock.now()),
        "conversation_id": conversation or "operator",
    }


def game_reply_to(message: GameMessage, sender: str, player_id: str, clock: Clock) -> dict[str, Any]:
    """Envelope and match fields of a player's reply to its referee."""
    match = {"league_id": message.league_id, "round_id": message.round_id, "match_id": message.match_id}
    told = {name: value for name, value in match.items() if value}
    return {**reply_to(message, sender, clock), **told, "player_id": player_id}


def utc(text: str) -> datetime:
    """Convert a `Timestamp` into an aware datetime."""
    return datetime.fromisoformat(text).astimezone(UTC)
