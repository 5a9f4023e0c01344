"""Every error of the protocol in one table: class, E-code, name, JSON-RPC number.

Raise the class; the server's edge turns it into a JSON-RPC error whose `data` is a LEAGUE_ERROR message, and the client
turns that back into the same class. The number on the wire depends on the kind of request (002's tables give an invalid
token six numbers), so the table has a column for each kind of request that has numbers of its own. A code that those
tables leave open takes its own digits as its number, as 002 §6.1 does with E012 and 12.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, ClassVar

INVALID_PARAMS = -32602
INTERNAL = -32603


class RequestKind(StrEnum):
    """Kinds of requests that 002's error numbers distinguish."""

    REFEREE_REGISTRATION = "referee_registration"
    PLAYER_REGISTRATION = "player_registration"
    COORDINATION = "coordination"
    MATCH = "match"
    RESULT = "result"
    QUERY = "query"
    OPERATOR = "operator"


class LeagueError(Exception):
    """Base of every error in the protocol.

    Args:
        message: The problem, for a person; the name of the code when left out.
        context: JSON values that help to fix it, such as field and expectation.
    """

    code: ClassVar[str] = "E099"
    number: ClassVar[int | None] = None  # JSON-RPC number in place of the table's

    def __init__(self, message: str | None = None, /, **context: Any) -> None:
        self.message = message or SPECS[self.code].name
        self.context: dict[str, Any] = context
        super().__init__(self.message)

    @property
    def spec(self) -> "ErrorSpec":
        """The row of the table for this error."""
        return SPECS[self.code]

    @property
    def retryable(self) -> bool:
        """True if the same request may succeed later."""
        return self.spec.retryable


class ResponseTimeout(LeagueError):
    """The peer did not answer within its time."""

    code = "E001"


class InvalidField(LeagueError):
    """A field has the wrong type or a value that is not allowed."""

    code = "E002"


class MissingField(LeagueError):
    """A required field is absent."""

    code = "E003"


class InvalidMove(LeagueError):
    """The game does not allow this move now."""

    code = "E004"


class StrategyFailed(InvalidMove):
    """A strategy has no move to be sent: it raised, or chose what is no JSON.

    On the wire it is the tool's own error, which a referee counts as an invalid move.
    """

    number = INTERNAL


class PlayerNotRegistered(LeagueError):
    """No such player in this league."""

    code = "E005"


class RefereeNotRegistered(LeagueError):
    """No such referee in this league."""

    code = "E006"


class MatchNotFound(LeagueError):
    """No such match, or it is not this agent's."""

    code = "E007"


class InvalidState(LeagueError):
    """The state machine does not allow this now."""

    code = "E008"


class PeerUnreachable(LeagueError):
    """No connection to the peer, or it broke."""

    code = "E009"


class DuplicateReport(LeagueError):
    """The match has another result already."""

    code = "E010"


class AuthTokenMissing(LeagueError):
    """The request needs a token and has none."""

    code = "E011"


class AuthTokenInvalid(LeagueError):
    """The token is unknown, expired, another agent's, or its player was removed."""

    code = "E012"


class Forbidden(LeagueError):
    """This role may not do that, or a registration lacks the secret of its role."""

    code = "E013"


class LeagueNotFound(LeagueError):
    """No such league here."""

    code = "E014"


class LeagueFull(LeagueError):
    """All seats are taken."""

    code = "E015"


class DuplicateName(LeagueError):
    """The display name is taken."""

    code = "E016"


class UnsupportedGameType(LeagueError):
    """The agent does not play this league's game."""

    code = "E017"


class ProtocolVersionMismatch(LeagueError):
    """The agent's protocol version is too old, or is not ours."""

    code = "E018"


class InvalidEndpoint(LeagueError):
    """The contact endpoint cannot be used."""

    code = "E019"


class RegistrationClosed(LeagueError):
    """The league takes no more agents."""

    code = "E020"


class InvalidTimestamp(LeagueError):
    """The timestamp is not in UTC."""

    code = "E021"


class InvalidQueryType(LeagueError):
    """The query type is not one of the protocol's."""

    code = "E022"


class RateLimited(LeagueError):
    """Too many requests; try again later."""

    code = "E023"


class LeagueNotStarted(LeagueError):
    """The league has to be started first."""

    code = "E030"


class LeagueAlreadyComplete(LeagueError):
    """The league is over."""

    code = "E031"


class InternalError(LeagueError):
    """A fault on our side; the details stay in our log."""

    code = "E099"


@dataclass(frozen=True, slots=True)
class ErrorSpec:
    """One row of the table."""

    error: type[LeagueError]
    name: str  # on the wire, as `error_description`
    number: int  # JSON-RPC number of other kinds of request
    retryable: bool = False
    numbers: Mapping[RequestKind, int] = field(default_factory=dict[RequestKind, int])

    @property
    def code(self) -> str:
        return self.error.code

    def number_for(self, kind: RequestKind | None) -> int:
        """The JSON-RPC number of this error for a kind of request."""
        return self.number if kind is None else self.numbers.get(kind, self.number)


_K = RequestKind

SPECS: Mapping[str, ErrorSpec] = {
    spec.error.code: spec
    for spec in (
        ErrorSpec(ResponseTimeout, "TIMEOUT_ERROR", 1, retryable=True),
        ErrorSpec(InvalidField, "INVALID_FIELD", INVALID_PARAMS),
        ErrorSpec(MissingField, "MISSING_REQUIRED_FIELD", INVALID_PARAMS),
        ErrorSpec(InvalidMove, "INVALID_MOVE", 4004, retryable=True),
        ErrorSpec(PlayerNotRegistered, "PLAYER_NOT_REGISTERED", 5, numbers={_K.COORDINATION: 3002, _K.MATCH: 4002}),
        ErrorSpec(RefereeNotRegistered, "REFEREE_NOT_REGISTERED", 6),
        ErrorSpec(MatchNotFound, "MATCH_NOT_FOUND", 7, numbers={_K.MATCH: 4003, _K.RESULT: 5002}),
        ErrorSpec(InvalidState, "INVALID_STATE", 8, numbers={_K.MATCH: 4005}),
        ErrorSpec(PeerUnreachable, "CONNECTION_ERROR", 9, retryable=True),
        ErrorSpec(DuplicateReport, "DUPLICATE_REPORT", 5003),
        ErrorSpec(AuthTokenMissing, "AUTH_TOKEN_MISSING", 11),
        ErrorSpec(
            AuthTokenInvalid,
            "AUTH_TOKEN_INVALID",
            12,
            numbers={_K.COORDINATION: 3001, _K.MATCH: 4001, _K.RESULT: 5001, _K.QUERY: 6001},
        ),
        ErrorSpec(Forbidden, "FORBIDDEN", 13),
        ErrorSpec(LeagueNotFound, "LEAGUE_NOT_FOUND", 14, numbers={_K.QUERY: 6003}),
        ErrorSpec(LeagueFull, "LEAGUE_FULL", 15, numbers={_K.REFEREE_REGISTRATION: 1001, _K.PLAYER_REGISTRATION: 2001}),
        ErrorSpec(DuplicateName, "DUPLICATE_NAME", 16, numbers={_K.PLAYER_REGISTRATION: 2002}),
        ErrorSpec(
            UnsupportedGameType,
            "UNSUPPORTED_GAME_TYPE",
            17,
            numbers={_K.REFEREE_REGISTRATION: 1003, _K.PLAYER_REGISTRATION: 2004},
        ),
        ErrorSpec(ProtocolVersionMismatch, "PROTOCOL_VERSION_MISMATCH", 18),
        ErrorSpec(
            InvalidEndpoint,
            "INVALID_ENDPOINT",
            19,
            numbers={_K.REFEREE_REGISTRATION: 1002, _K.PLAYER_REGISTRATION: 2003},
        ),
        ErrorSpec(RegistrationClosed, "REGISTRATION_CLOSED", 20),
        ErrorSpec(InvalidTimestamp, "INVALID_TIMESTAMP", INVALID_PARAMS),
        ErrorSpec(InvalidQueryType, "INVALID_QUERY_TYPE", 6002),
        ErrorSpec(RateLimited, "RATE_LIMITED", 23, retryable=True),
        ErrorSpec(LeagueNotStarted, "LEAGUE_NOT_STARTED", 30),
        ErrorSpec(LeagueAlreadyComplete, "LEAGUE_ALREADY_COMPLETE", 31),
        ErrorSpec(InternalError, "INTERNAL_ERROR", INTERNAL),
    )
}


def error_for(code: str, message: str | None = None, context: Mapping[str, Any] | None = None) -> LeagueError:
    """The exception for an E-code from the wire; InternalError for an unknown one."""
    spec = SPECS.get(code, SPECS["E099"])
    return spec.error(message, **dict(context or {}))
