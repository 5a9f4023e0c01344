"""Messages of a referee: to players during a match, to the manager after it.

A request for a move and its answer are general here: `MOVE_CALL`, `MOVE_RESPONSE` and `move`. Each game may spell them
in its own way (`MoveSpec`): `message_type` then holds the game's names, and the codec renames the field of the move.
"""

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal, TypeAlias, cast

from pydantic import ConfigDict, Field, model_validator

from league_sdk.domain.model import Cause, OnBadMove, ResultStatus
from league_sdk.fairness import LONGEST_NONCE
from league_sdk.json_value import Json
from league_sdk.protocol.envelope import (
    GameMessage,
    GameReply,
    GameType,
    Integer,
    LeagueId,
    Many,
    MatchId,
    Maybe,
    Message,
    PlayerId,
    PlayMessage,
    Positive,
    Reply,
    RoundId,
    Seconds,
    Text,
    Timestamp,
    Whole,
)
from league_sdk.protocol.rounds import Acknowledged
from league_sdk.protocol.substituted import Claim, Counts

Attempt: TypeAlias = Annotated[
    Maybe[Positive],
    Field(description="The number of this attempt to play the match, from 1; 2 or more after a referee was lost."),
]
DrawReveal: TypeAlias = Annotated[
    Maybe[Json],
    Field(
        description="Everything needed to recompute the chance of the match: algorithm, commitment, secret, nonces by "
        "player id, seed."
    ),
]
RoleInMatch: TypeAlias = Literal[
    "PLAYER_A", "PLAYER_B", "PLAYER_C", "PLAYER_D", "PLAYER_E", "PLAYER_F", "PLAYER_G", "PLAYER_H"
]
Opponents: TypeAlias = Annotated[
    Maybe[Many[Text]],
    Field(
        description="In a match of three or more: the ids of all opponents, in seat order; opponent_id is the first."
    ),
]
Status: TypeAlias = Annotated[Literal["WIN", "DRAW", "TECHNICAL_LOSS"], Field(description="The kind of result.")]


BadMoves = Annotated[
    Maybe[Annotated[OnBadMove, Field(strict=False)]],
    Field(
        description="For a strategy that raises or chooses an illegal move: `substitute` lets the player send a legal "
        "move in its place, `tell` asks for the move as it is, or for the tool's error. Left out, the player decides."
    ),
]


class GameInvitation(PlayMessage, frozen=True):
    """A referee invites a player to a match; the answer says whether it comes.

    Without `game_type` it is to the league's game.
    """

    always_written: ClassVar[tuple[str, ...]] = (*PlayMessage.always_written, "game_type", "opponent_id")

    message_type: Literal["GAME_INVITATION"] = "GAME_INVITATION"
    game_type: GameType = ""
    role_in_match: Annotated[RoleInMatch, Field(description="The invited player's seat.")]
    opponent_id: Annotated[PlayerId, Field(description="The opponent's id.", examples=["P02"])] = ""
    opponents: Opponents = None
    player_id: Annotated[Maybe[Text], Field(description="The invited player's id.", examples=["P01"])] = None
    opponent_name: Annotated[Maybe[str], Field(description="The opponent's display name.")] = None
    attempt: Attempt = None
    referee_endpoint: Annotated[
        Maybe[str], Field(description="URL that takes pushed answers.", examples=["http://localhost:8001/mcp"])
    ] = None
    draw_commitment: Annotated[
        Maybe[str],
        Field(description="Fixes the referee's secret part of the match's chance: SHA-256, in hexadecimal."),
    ] = None
    on_bad_move: BadMoves = None


class GameJoinAck(GameReply, frozen=True):
    """A player comes to its match, or declines."""

    message_type: Literal["GAME_JOIN_ACK"] = "GAME_JOIN_ACK"
    arrival_timestamp: Annotated[Timestamp, Field(description="Time of the player's arrival.")]
    accept: Annotated[bool, Field(description="True to play; false is a technical loss.")]
    reason: Annotated[Maybe[str], Field(description="Reason for declining.")] = None
    draw_nonce: Annotated[
        Maybe[Annotated[str, Field(max_length=LONGEST_NONCE)]],
        Field(description="The player's own part of the match's chance: any text, hard to guess."),
    ] = None


class YourStandings(Message, frozen=True):
    """A player's own record in the league so far."""

    always_written: ClassVar[tuple[str, ...]] = ("wins", "losses", "draws", "points")

    wins: Annotated[Whole, Field(description="Matches won.")] = 0
    losses: Annotated[Whole, Field(description="Matches lost.")] = 0
    draws: Annotated[Whole, Field(description="Matches drawn.")] = 0
    points: Annotated[Integer, Field(description="League points.")] = 0


class MoveContext(Message, frozen=True):
    """The player's view of the match when it chooses."""

    always_written: ClassVar[tuple[str, ...]] = ("opponent_id", "round_id", "your_standings")

    opponent_id: Annotated[PlayerId, Field(description="The opponent's id.", examples=["P02"])] = ""
    opponents: Opponents = None
    round_id: RoundId = 0
    your_standings: Annotated[YourStandings, Field(description="The player's own record so far.")] = YourStandings()
    legal_moves: Annotated[Maybe[Many[Json]], Field(description="The moves to choose from.")] = None
    observation: Annotated[Maybe[Mapping[str, Json]], Field(description="The player's view of the game.")] = None
    moves_so_far: Annotated[
        Maybe[Mapping[str, Many[Json]]],
        Field(description="Public moves made in this match so far: player id to moves."),
    ] = None
    turn: Annotated[Maybe[Whole], Field(description="The number of the move in the match, from 1.", examples=[1])] = (
        None
    )
    stand_ins: Annotated[
        Maybe[Many[PlayerId]],
        Field(description="Players that failed: a stand-in makes legal moves for them.", examples=[["P03"]]),
    ] = None


class MoveCall(PlayMessage, frozen=True):
    """A referee asks a player for its move.

    A repeated call also has everything that a player without memory needs to continue.
    """

    always_written: ClassVar[tuple[str, ...]] = (
        *PlayMessage.always_written,
        *("player_id", "game_type", "context", "deadline"),
    )

    message_type: str = "MOVE_CALL"
    player_id: Annotated[PlayerId, Field(description="The player to move.")] = ""
    game_type: GameType = ""
    context: Annotated[MoveContext, Field(description="The player's view of the match.")] = MoveContext()
    deadline: Annotated[
        Timestamp, Field(description="Latest time for the answer, rounded up to the next whole second.")
    ] = ""
    time_limit_sec: Annotated[
        Maybe[Seconds], Field(description="Seconds that the referee waits for the answer, to the millisecond.")
    ] = None
    attempt: Annotated[
        Maybe[Positive], Field(description="In a repeated call: the attempt that the ticket is for.", examples=[1])
    ] = None
    role_in_match: Annotated[Maybe[RoleInMatch], Field(description="In a repeated call: the player's seat.")] = None
    opponent_name: Annotated[Maybe[str], Field(description="In a repeated call: the opponent's display name.")] = None
    on_bad_move: BadMoves = None


class MoveResponse(GameReply, frozen=True):
    """A player's move."""

    message_type: str = "MOVE_RESPONSE"
    move: Annotated[Json, Field(description="The move: one of the legal moves.")]
    turn: Annotated[
        Maybe[Whole], Field(description="The turn of the call that this answers: tells two equal moves apart.")
    ] = None
    substituted: Claim = None


class AnswerAck(Reply, frozen=True):
    """The referee has taken an answer that came as a call of its own."""

    message_type: Literal["ANSWER_ACK"] = "ANSWER_ACK"
    status: Acknowledged = "ACKNOWLEDGED"
    league_id: Maybe[LeagueId] = None
    round_id: Maybe[RoundId] = None
    match_id: MatchId
    player_id: Annotated[PlayerId, Field(description="The player who answered.")]


class GameResult(Message, frozen=True):
    """A match's outcome, as its players are told; games may add fields.

    Without `status`, or with the LOSS of the player who is told, it is a win if there is a winner, else a draw.
    With three players or more it has `places`: player id to place, from 1, where equals share one (1, 1, 3).
    """

    model_config = ConfigDict(extra="allow", json_schema_extra={"additionalProperties": True})
    always_written: ClassVar[tuple[str, ...]] = ("status",)

    status: Status = "DRAW"
    winner_player_id: Annotated[str | None, Field(description="The winner, or null when there is none.")] = None
    reason: Annotated[str, Field(description="One sentence that explains it.")] = ""
    score: Annotated[Maybe[Mapping[str, Integer]], Field(description="League points: player id to points.")] = None
    choices: Annotated[
        Maybe[Mapping[str, Json]], Field(description="The moves: player id to move, or to its moves in order.")
    ] = None
    draw: DrawReveal = None

    @model_validator(mode="before")
    @classmethod
    def _tell_status(cls, data: Any) -> Any:
        if not isinstance(data, Mapping) or cast(Mapping[str, Any], data).get("status", "LOSS") != "LOSS":
            return cast(Any, data)
        result = cast(Mapping[str, Any], data)
        return {**result, "status": "DRAW" if result.get("winner_player_id") is None else "WIN"}

    @property
    def details(self) -> dict[str, Json]:
        """The fields that the game added."""
        return dict(self.model_extra or {})


class GameOver(PlayMessage, frozen=True):
    """A referee tells a player the outcome of its match."""

    always_written: ClassVar[tuple[str, ...]] = (*PlayMessage.always_written, "game_result")

    message_type: Literal["GAME_OVER"] = "GAME_OVER"
    player_id: Annotated[Maybe[Text], Field(description="The player who is told.", examples=["P01"])] = None
    game_type: Maybe[GameType] = None
    game_result: Annotated[Maybe[GameResult], Field(description="The result.")] = None


class GameOverAck(GameReply, frozen=True):
    """A player knows the result."""

    message_type: Literal["GAME_OVER_ACK"] = "GAME_OVER_ACK"
    status: Acknowledged = "ACKNOWLEDGED"


class GameError(PlayMessage, frozen=True):
    """A referee tells a player about a failure, and its consequence."""

    always_written: ClassVar[tuple[str, ...]] = (
        *PlayMessage.always_written,
        *("match_id", "error_code", "error_description", "affected_player"),
        *("action_required", "retry_count", "max_retries", "consequence"),
    )

    message_type: Literal["GAME_ERROR"] = "GAME_ERROR"
    match_id: MatchId = ""
    player_id: Annotated[Maybe[Text], Field(description="The player who is told.", examples=["P01"])] = None
    error_code: Annotated[Text, Field(description="The error's code.", examples=["E001"])] = ""
    error_description: Annotated[str, Field(description="The error's name.", examples=["TIMEOUT_ERROR"])] = ""
    affected_player: Annotated[PlayerId, Field(description="The player whose answer failed.")] = ""
    action_required: Annotated[str, Field(description="The message that was due.", examples=["GAME_JOIN_ACK"])] = ""
    retryable: Annotated[Maybe[bool], Field(description="True if the player is asked again.")] = None
    retry_count: Annotated[Whole, Field(description="The number of the failed try, from 1.", examples=[1])] = 0
    max_retries: Annotated[Whole, Field(description="The most times that the player is asked again.", examples=[3])] = 0
    consequence: Annotated[str, Field(description="The consequence, for a person.")] = ""


def _without_default(schema: dict[str, Any]) -> None:
    del schema["default"]


class GameErrorAck(GameReply, frozen=True):
    """A player knows of the error."""

    message_type: Literal["GAME_ERROR_ACK"] = "GAME_ERROR_ACK"
    match_id: Annotated[
        MatchId,
        Field(exclude_if=lambda match_id: not match_id, json_schema_extra=_without_default),
    ] = ""  # where the error names none
    status: Acknowledged = "ACKNOWLEDGED"


class ResultDetails(Message, frozen=True):
    """Details behind a match's result; games may add fields.

    With three players or more it needs `places`: player id to place, from 1, where equals share one (1, 1, 3).
    """

    model_config = ConfigDict(extra="allow", json_schema_extra={"additionalProperties": True})

    status: Annotated[Maybe[Status], Field(description="The kind of result.")] = None
    reason: Annotated[Maybe[str], Field(description="One sentence that explains it.")] = None
    draw: DrawReveal = None


class FaultInfo(Message, frozen=True):
    """The reason for a player's technical loss."""

    player_id: PlayerId
    cause: Annotated[Cause, Field(strict=False, description="The player's fault.", examples=["no_move"])]
    phase: Annotated[Text, Field(description="The phase of the match: join or move.", examples=["move"])]
    error_code: Annotated[Text, Field(description="The code of the last failure.", examples=["E001"])]
    tries: Annotated[Whole, Field(description="The number of times it was asked.", examples=[4])]
    description: Annotated[str, Field(description="A sentence for a person.")]
    evidence: Annotated[Maybe[Mapping[str, Json]], Field(description="Request, answer and their times.")] = None


class ResultBody(Message, frozen=True):
    """The result of a match, as the league is told."""

    winner: Annotated[str | None, Field(description="The winner's id, or null when there is none.")]
    score: Annotated[Mapping[str, Integer], Field(description="League points: player id to points.")]
    details: Annotated[ResultDetails, Field(description="Details behind the result.")]
    faults: Annotated[Maybe[Many[FaultInfo]], Field(description="The reasons for technical losses.")] = None
    lifecycle: Annotated[
        Maybe[Mapping[str, Timestamp]], Field(description="The match's states: name to time of entry.")
    ] = None
    transcript: Annotated[
        Maybe[Many[Mapping[str, Json]]], Field(description="The messages of the match, in order.")
    ] = None
    substituted: Counts = None

    @property
    def status(self) -> ResultStatus:
        """The kind of result; a report that does not say so is a win or a draw."""
        if self.details.status is not None:
            return ResultStatus(self.details.status)
        return ResultStatus.DRAW if self.winner is None else ResultStatus.WIN

    @property
    def game_details(self) -> dict[str, Any]:
        """The fields that the game added, and the referee's reveal of the match's chance."""
        revealed = {} if self.details.draw is None else {"draw": self.details.draw}
        return {**(self.details.model_extra or {}), **revealed}


class MatchResultReport(GameMessage, frozen=True):
    """A referee reports the one result of a match."""

    message_type: Literal["MATCH_RESULT_REPORT"] = "MATCH_RESULT_REPORT"
    game_type: GameType
    attempt: Attempt = None
    evidence_omitted: Annotated[
        Maybe[bool], Field(description="True if evidence and transcript are left out, since they were refused before.")
    ] = None
    result: Annotated[ResultBody, Field(description="The result.")]


class MatchResultAck(Reply, frozen=True):
    """The league manager has recorded the result."""

    message_type: Literal["MATCH_RESULT_ACK"] = "MATCH_RESULT_ACK"
    status: Annotated[Literal["ACCEPTED"], Field(description="It is recorded.")] = "ACCEPTED"
    match_id: MatchId
    round_id: RoundId
