"""Registration of referees and players."""

import re
from typing import Annotated, Any, ClassVar, Literal, TypeAlias

from pydantic import AfterValidator, ConfigDict, Field, JsonValue, model_validator
from pydantic_core import PydanticCustomError

from league_sdk.bounds import LONGEST_REASON
from league_sdk.dialect import SPELLINGS
from league_sdk.domain.model import MINIMUM_PROTOCOL_VERSION
from league_sdk.errors import InvalidField, ProtocolVersionMismatch
from league_sdk.names import LONGEST_NAME, display_name
from league_sdk.protocol.envelope import (
    BAD_FIELD,
    REQUIRED_HERE,
    Envelope,
    LeagueId,
    Many,
    MatchId,
    Maybe,
    Message,
    PlayerId,
    Positive,
    RefereeId,
    Reply,
    Text,
    Whole,
)

_NAME = r"^[^\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]+$"
_VERSION = r"^[0-9]{1,9}(\.[0-9]{1,9}){0,2}([-+][0-9A-Za-z.+-]+)?$"
_VERSION_PARTS = re.compile(r"([0-9]{1,9}(?:\.[0-9]{1,9}){0,2})(?:[-+][0-9A-Za-z.+-]+)?")


def version_numbers(version: str) -> tuple[int, int, int]:
    """Major, minor and patch of a semantic version, 0 by default; else InvalidField."""
    parts = _VERSION_PARTS.fullmatch(version)
    if parts is None:
        expected = "a semantic version, such as 2.1.0"
        raise InvalidField(
            f"protocol_version: expected {expected}", field="protocol_version", value=version[:200], expected=expected
        )
    numbers = [int(number) for number in parts[1].split(".")]
    major, minor, patch = (*numbers, 0, 0)[:3]
    return major, minor, patch


def check_protocol_version(version: str) -> None:
    """Refuse a protocol version older than our oldest, or of another major version."""
    numbers, minimum = version_numbers(version), version_numbers(MINIMUM_PROTOCOL_VERSION)
    if numbers < minimum or numbers[0] != minimum[0]:
        expected = f"{MINIMUM_PROTOCOL_VERSION} or newer, below {minimum[0] + 1}.0.0"
        raise ProtocolVersionMismatch(
            f"protocol version {version} is not supported: {expected} is needed",
            field="protocol_version",
            value=version,
            expected=expected,
        )


def _version(value: str) -> str:
    try:
        version_numbers(value)
    except InvalidField as error:
        raise PydanticCustomError(BAD_FIELD, "{expected}", {"expected": error.context["expected"]}) from error
    return value


ProtocolVersion: TypeAlias = Annotated[
    str,
    AfterValidator(_version),
    Field(
        description="The protocol version it speaks; the present one when left out.",
        examples=["2.1.0"],
        json_schema_extra={"pattern": _VERSION},
    ),
]


def _display_name(value: str) -> str:
    try:
        return display_name(value)
    except ValueError as error:
        raise PydanticCustomError(BAD_FIELD, "{expected}", {"expected": str(error)}) from error


DisplayName: TypeAlias = Annotated[
    str,
    AfterValidator(_display_name),
    Field(
        description="Its name, unique in the league: 1 to 64 visible characters.",
        examples=["Agent Alpha"],
        json_schema_extra={"pattern": _NAME, "minLength": 1, "maxLength": LONGEST_NAME},
    ),
]


def _dialect(value: str) -> str:
    if value not in SPELLINGS:
        raise PydanticCustomError(BAD_FIELD, "{expected}", {"expected": f"one of {', '.join(SPELLINGS)}"})
    return value


SpokenDialect: TypeAlias = Annotated[
    Maybe[Annotated[str, AfterValidator(_dialect), Field(json_schema_extra={"enum": list(SPELLINGS)})]],
    Field(
        description="The dialect it wants to be called in; detected by the league manager when left out. Push: its "
        "answers come as separate calls.",
        examples=["jsonrpc/league.v1"],
    ),
]
InstanceId: TypeAlias = Annotated[
    Maybe[Annotated[str, Field(max_length=64)]],
    Field(
        description="The running program's id, new at each start: so a restart shows, and a request that is sent again "
        "does not pass for one.",
        examples=["6f1c2a9be4"],
    ),
]
JoinSecret: TypeAlias = Annotated[
    Maybe[str], Field(description="The secret that admits a player to a closed league.", repr=False)
]
RefereeSecret: TypeAlias = Annotated[
    Maybe[str],
    Field(description="The league's referee secret, or an invitation for this referee's name.", repr=False),
]


class PlayerMeta(Message, frozen=True):
    """A player's description of itself."""

    always_written: ClassVar[tuple[str, ...]] = ("version", "game_types")

    display_name: DisplayName
    version: Annotated[Text, Field(description="The agent's own version.", examples=["1.0.0"])] = ""
    protocol_version: Maybe[ProtocolVersion] = None
    game_types: Annotated[Many[Text], Field(description="The games it plays; the league's when left out.")] = ()
    contact_endpoint: Annotated[
        Text,
        Field(
            description="The agent's URL; `seat:` asks for a hosted seat, for a player that cannot be called.",
            examples=["http://localhost:8101/mcp"],
        ),
    ]
    dialect: SpokenDialect = None
    instance_id: InstanceId = None


class RefereeMeta(Message, frozen=True):
    """A referee's description of itself."""

    always_written: ClassVar[tuple[str, ...]] = ("version", "game_types", "max_concurrent_matches")

    display_name: DisplayName
    version: Annotated[Text, Field(description="The agent's own version.", examples=["1.0.0"])] = ""
    protocol_version: Maybe[ProtocolVersion] = None
    game_types: Annotated[Many[Text], Field(description="The games it can referee; the league's when left out.")] = ()
    contact_endpoint: Annotated[Text, Field(description="The agent's URL.", examples=["http://localhost:8001/mcp"])]
    max_concurrent_matches: Annotated[Positive, Field(description="Matches it runs at once.", examples=[2])] = 1
    dialect: SpokenDialect = None
    instance_id: InstanceId = None


class LeagueRegisterRequest(Envelope, frozen=True):
    """A player asks to join; its earlier token makes it the same player again."""

    message_type: Literal["LEAGUE_REGISTER_REQUEST"] = "LEAGUE_REGISTER_REQUEST"
    league_id: Maybe[LeagueId] = None
    join_secret: JoinSecret = None
    player_meta: Annotated[PlayerMeta, Field(description="The player.")]


class RefereeRegisterRequest(Envelope, frozen=True):
    """A referee offers itself; its earlier token makes it the same referee again."""

    message_type: Literal["REFEREE_REGISTER_REQUEST"] = "REFEREE_REGISTER_REQUEST"
    league_id: Maybe[LeagueId] = None
    referee_secret: RefereeSecret = None
    referee_meta: Annotated[RefereeMeta, Field(description="The referee.")]


class WithdrawRequest(Envelope, frozen=True):
    """A player or referee leaves the league for good, as the owner of its token."""

    message_type: Literal["WITHDRAW_REQUEST"] = "WITHDRAW_REQUEST"
    league_id: Maybe[LeagueId] = None
    reason: Annotated[
        str,
        Field(description="Its reason; everybody can read it.", examples=["out of budget"], max_length=LONGEST_REASON),
    ] = ""


class WithdrawResponse(Reply, frozen=True):
    """The agent has left; asked again, the answer is the same."""

    message_type: Literal["WITHDRAW_RESPONSE"] = "WITHDRAW_RESPONSE"
    status: Annotated[Literal["WITHDRAWN"], Field(description="The agent has left.")] = "WITHDRAWN"
    league_id: LeagueId
    agent_id: Annotated[Text, Field(description="The agent that has left.", examples=["P03"])]
    withdrew: Annotated[Whole, Field(description="The round in which it withdrew; 0 before the first.")]
    lost_matches: Annotated[
        Many[MatchId], Field(description="The matches that it lost by withdrawing; those decided before stay.")
    ] = ()


def _needed_when_accepted(*names: str) -> ConfigDict:
    texts: dict[str, JsonValue] = {name: {"type": "string"} for name in names}
    return ConfigDict(
        json_schema_extra={
            "if": {"properties": {"status": {"const": "ACCEPTED"}}, "required": ["status"]},
            "then": {"required": list(names), "properties": texts},
        }
    )


class _RegisterResponse(Reply, frozen=True):
    needed: ClassVar[tuple[str, ...]] = ()

    status: Annotated[Literal["ACCEPTED", "REJECTED"], Field(description="ACCEPTED if the agent is registered.")]
    auth_token: Annotated[
        Maybe[str], Field(description="The token that the agent shows the league manager from now on.", repr=False)
    ] = None
    league_id: Maybe[LeagueId] = None
    reason: Annotated[str | None, Field(description="The reason for a rejection, for a person.")] = None
    error_code: Annotated[Maybe[str], Field(description="The code of a rejection.", examples=["E015"])] = None
    peer_token: Annotated[
        Maybe[str], Field(description="The token that the league manager shows this agent in its calls.", repr=False)
    ] = None

    @model_validator(mode="after")
    def _complete(self) -> Any:
        for name in self.needed:
            if self.status == "ACCEPTED" and getattr(self, name) is None:
                raise PydanticCustomError(REQUIRED_HERE, "{field}", {"field": name})
        return self


class LeagueRegisterResponse(_RegisterResponse, frozen=True):
    """The answer to a player: its id and token, or the reason for a rejection."""

    needed: ClassVar[tuple[str, ...]] = ("player_id", "auth_token", "league_id")
    model_config = _needed_when_accepted(*needed)

    message_type: Literal["LEAGUE_REGISTER_RESPONSE"] = "LEAGUE_REGISTER_RESPONSE"
    player_id: Maybe[PlayerId] = None
    seat_endpoint: Annotated[
        Maybe[str], Field(description="Where a player that cannot be called waits for its messages.")
    ] = None
    seat_token: Annotated[Maybe[str], Field(description="The token that such a player shows there.", repr=False)] = None


class RefereeRegisterResponse(_RegisterResponse, frozen=True):
    """The answer to a referee: its id and token, or the reason for a rejection."""

    needed: ClassVar[tuple[str, ...]] = ("referee_id", "auth_token", "league_id")
    model_config = _needed_when_accepted(*needed)

    message_type: Literal["REFEREE_REGISTER_RESPONSE"] = "REFEREE_REGISTER_RESPONSE"
    referee_id: Maybe[RefereeId] = None
