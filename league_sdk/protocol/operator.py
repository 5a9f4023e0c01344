"""The operator's messages; their envelope is optional, for calls by hand."""

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import Field

from league_sdk.json_value import Json
from league_sdk.protocol.envelope import (
    AuthToken,
    Integer,
    LeagueId,
    Many,
    MatchId,
    Maybe,
    Message,
    PlayerId,
    Positive,
    ProtocolName,
    Reply,
    RoundId,
    SenderText,
    Text,
    Timestamp,
    Whole,
)
from league_sdk.protocol.match import BadMoves, GameResult
from league_sdk.protocol.queries import CurrentRound, ScheduledMatch
from league_sdk.protocol.rounds import StandingRow

SessionId = Annotated[Text, Field(description="The referee's name for this match under way.")]
State = Annotated[str, Field(description="The state it is in now.")]


class OperatorRequest(Message, frozen=True):
    """The envelope of an operator's call, all of it optional."""

    protocol: Maybe[ProtocolName] = None
    message_type: str = ""
    sender: Annotated[Maybe[SenderText], Field(description="The caller.", examples=["league_manager"])] = None
    timestamp: Annotated[Maybe[Timestamp], Field(description="Time of writing.")] = None
    conversation_id: Annotated[Maybe[str], Field(description="Shared by request and reply.")] = None
    auth_token: AuthToken = None


class StartLeagueRequest(OperatorRequest, frozen=True):
    """Close registration and start the league."""

    message_type: Literal["START_LEAGUE"] = "START_LEAGUE"
    league_id: Annotated[Maybe[Text], Field(description="Which league; this manager's when left out.")] = None


class StartLeagueResponse(Reply, frozen=True):
    """The league is running."""

    message_type: Literal["START_LEAGUE_RESPONSE"] = "START_LEAGUE_RESPONSE"
    status: Annotated[Literal["ACCEPTED"], Field(description="It was started.")] = "ACCEPTED"
    league_id: LeagueId
    state: State
    players: Annotated[Whole, Field(description="Players in the league.")]
    referees: Annotated[Whole, Field(description="Referees in the league.")]
    total_rounds: Annotated[Whole, Field(description="Rounds in the schedule.")]
    total_matches: Annotated[Whole, Field(description="Matches in the schedule.")]


class CreateSchedule(OperatorRequest, frozen=True):
    """Close registration and draw up the schedule."""

    message_type: Literal["CREATE_SCHEDULE"] = "CREATE_SCHEDULE"
    league_id: Annotated[Maybe[Text], Field(description="Which league; this manager's when left out.")] = None
    players: Annotated[
        Maybe[Many[Text]], Field(description="Ids of the players; all that are registered when left out.")
    ] = None


class ScheduleResponse(Reply, frozen=True):
    """The schedule."""

    message_type: Literal["SCHEDULE_RESPONSE"] = "SCHEDULE_RESPONSE"
    league_id: LeagueId
    total_rounds: Annotated[Whole, Field(description="Rounds in the schedule.")]
    matches: Annotated[Many[ScheduledMatch], Field(description="Every match, in order.")]


class GetStandings(OperatorRequest, frozen=True):
    """Ask for the standings."""

    message_type: Literal["GET_STANDINGS"] = "GET_STANDINGS"
    league_id: Annotated[Maybe[Text], Field(description="Which league; this manager's when left out.")] = None


class StandingsResponse(Reply, frozen=True):
    """The standings."""

    message_type: Literal["STANDINGS_RESPONSE"] = "STANDINGS_RESPONSE"
    league_id: LeagueId
    current_round: CurrentRound
    standings: Annotated[Many[StandingRow], Field(description="The standings, rank 1 first.")]


class ScoringInfo(Message, frozen=True):
    """League points by result."""

    win: Annotated[Integer, Field(description="Points for a win.")] = 3
    draw: Annotated[Integer, Field(description="Points for a draw.")] = 1
    loss: Annotated[Integer, Field(description="Points for a loss.")] = 0
    technical_loss: Annotated[Integer, Field(description="Points for a technical loss.")] = 0


Seconds = Annotated[float, Field(gt=0, le=86_400)]


class MatchTimeouts(Message, frozen=True):
    """A league's own time limits; the referee's settings apply to those left out."""

    move_timeout_sec: Annotated[Maybe[Seconds], Field(description="Seconds for one move.")] = None
    game_join_timeout_sec: Annotated[Maybe[Seconds], Field(description="Seconds to accept an invitation.")] = None
    generic_response_timeout_sec: Annotated[Maybe[Seconds], Field(description="Seconds for any other answer.")] = None


class MatchSeat(Message, frozen=True):
    """A player of a match of three or more, as the referee needs it."""

    player_id: PlayerId
    endpoint: Annotated[Text, Field(description="The player's URL.", examples=["http://localhost:8103/mcp"])]
    name: Annotated[Maybe[str], Field(description="Its display name.")] = None
    ticket: Annotated[Maybe[str], Field(description="The token that the referee shows it.", repr=False)] = None
    dialect: Annotated[Maybe[str], Field(description="Its dialect; detected when left out.")] = None
    token_digest: Annotated[Maybe[str], Field(description="SHA-256 of its token.", repr=False)] = None
    returns: Annotated[Maybe[Whole], Field(description="The number of times it has registered again so far.")] = None
    hosted: Annotated[Maybe[bool], Field(description="True if the URL is a seat of the league's seats process.")] = None
    gone_in: Annotated[
        Maybe[MatchId], Field(description="Its last match, if it was gone in it and has not called the league since.")
    ] = None


class StartMatch(OperatorRequest, frozen=True):
    """Give a referee a match to run; this is how the league manager assigns one."""

    message_type: Literal["START_MATCH"] = "START_MATCH"
    league_id: Maybe[LeagueId] = None
    round_id: Maybe[RoundId] = None
    match_id: MatchId
    game_type: Annotated[Maybe[Text], Field(description="The game; the referee's first one when left out.")] = None
    player_a_id: Annotated[PlayerId, Field(description="The player in the first seat.")]
    player_b_id: Annotated[PlayerId, Field(description="The player in the second seat.", examples=["P02"])]
    player_a_endpoint: Annotated[
        Text, Field(description="The first player's URL.", examples=["http://localhost:8101/mcp"])
    ]
    player_b_endpoint: Annotated[
        Text, Field(description="The second player's URL.", examples=["http://localhost:8102/mcp"])
    ]
    player_a_name: Annotated[Maybe[str], Field(description="The first player's display name.")] = None
    player_b_name: Annotated[Maybe[str], Field(description="The second player's display name.")] = None
    player_a_ticket: Annotated[
        Maybe[str], Field(description="The token that the referee shows the first player.", repr=False)
    ] = None
    player_b_ticket: Annotated[
        Maybe[str], Field(description="The token that the referee shows the second player.", repr=False)
    ] = None
    player_a_dialect: Annotated[
        Maybe[str],
        Field(description="The first player's dialect; detected when left out.", examples=["jsonrpc/league.v2"]),
    ] = None
    player_b_dialect: Annotated[Maybe[str], Field(description="The second player's dialect.")] = None
    player_a_token_digest: Annotated[
        Maybe[str],
        Field(description="SHA-256 of the first player's token, which it may show with a pushed answer.", repr=False),
    ] = None
    player_b_token_digest: Annotated[
        Maybe[str], Field(description="SHA-256 of the second player's token.", repr=False)
    ] = None
    player_a_returns: Annotated[
        Maybe[Whole], Field(description="The number of times the first player has registered again so far.")
    ] = None
    player_b_returns: Annotated[Maybe[Whole], Field(description="The same of the second player.")] = None
    player_a_hosted: Annotated[
        Maybe[bool], Field(description="True if the first player's URL is a seat of the league's seats process.")
    ] = None
    player_b_hosted: Annotated[Maybe[bool], Field(description="The same of the second player.")] = None
    player_a_gone_in: Annotated[
        Maybe[MatchId],
        Field(description="The first player's last match, if it was gone in it and has not called the league since."),
    ] = None
    player_b_gone_in: Annotated[Maybe[MatchId], Field(description="The same of the second player.")] = None
    players: Annotated[
        Maybe[Many[MatchSeat]],
        Field(description="In a match of three or more: all players in seat order, the first two among them."),
    ] = None
    attempt: Annotated[Positive, Field(description="The number of this attempt to play the match, from 1.")] = 1
    step_by_step: Annotated[
        bool, Field(description="Wait to be told each step, instead of playing the match in one go.")
    ] = False
    scoring: Annotated[Maybe[ScoringInfo], Field(description="League points; 3, 1, 0 and 0 when left out.")] = None
    seed: Annotated[
        Maybe[str], Field(description="Seed of the referee's secret part of chance; random when left out.")
    ] = None
    game_options: Annotated[
        Maybe[Mapping[str, Json]], Field(description="Options of the game, as the game names them.")
    ] = None
    timeouts: Annotated[Maybe[MatchTimeouts], Field(description="Time limits of this league.")] = None
    on_bad_move: BadMoves = None
    standings: Annotated[
        Maybe[Many[StandingRow]], Field(description="The standings now, so that players can be told their own.")
    ] = None
    draw_recorded: Annotated[
        Maybe[bool],
        Field(
            description="False: answer with the draw's commitment, and invite the players when this message comes "
            "again with true: the league has recorded it. When left out, invite them at once."
        ),
    ] = None

    @property
    def seats(self) -> tuple[MatchSeat, ...]:
        """All players, in seat order."""
        if self.players:
            return self.players
        return tuple(
            MatchSeat(**{name: getattr(self, f"player_{seat}_{name}") for name in _SEAT_FIELDS}, player_id=player_id)
            for seat, player_id in (("a", self.player_a_id), ("b", self.player_b_id))
        )


_SEAT_FIELDS = tuple(name for name in MatchSeat.model_fields if name != "player_id")


class StartMatchResponse(Reply, frozen=True):
    """The referee runs the match."""

    message_type: Literal["START_MATCH_RESPONSE"] = "START_MATCH_RESPONSE"
    status: Annotated[Literal["ACCEPTED"], Field(description="The match has begun.")] = "ACCEPTED"
    match_id: MatchId
    game_session_id: SessionId
    state: State
    draw_commitment: Annotated[
        Maybe[str],
        Field(
            min_length=1,
            max_length=128,
            description="Commitment to the match's draw, as in the invitations; the league records it before they go "
            "out.",
        ),
    ] = None


class MatchReference(OperatorRequest, frozen=True):
    """Names one match of a referee, by either of two names."""

    game_session_id: Annotated[Maybe[Text], Field(description="Which match, by the name that start_match gave it.")] = (
        None
    )
    match_id: Annotated[Maybe[Text], Field(description="Which match, by its id.", examples=["R1M1"])] = None


class MatchStep(MatchReference, frozen=True):
    """Take the next step of a match that is played by hand."""

    message_type: Literal["MATCH_STEP"] = "MATCH_STEP"


class MatchStatus(MatchReference, frozen=True):
    """Ask for the state of a match."""

    message_type: Literal["MATCH_STATUS"] = "MATCH_STATUS"


WaitSeconds = Annotated[float, Field(ge=0, le=1e7)]


class OpenCall(Message, frozen=True):
    """A call that a player has not answered."""

    player_id: PlayerId
    attempt: Annotated[Positive, Field(description="The number of this attempt, from 1.")] = 1
    attempts: Annotated[Positive, Field(description="The number of attempts that the player has at most.")] = 1
    waited_sec: Annotated[WaitSeconds, Field(description="Seconds since the first attempt began.")] = 0.0
    left_sec: Annotated[
        Maybe[WaitSeconds], Field(description="Seconds left of this attempt; left out between two of them.")
    ] = None
    part: Annotated[
        Maybe[str],
        Field(description="The part of the league that is waited for in the player's place.", examples=["seats"]),
    ] = None


class MatchStepResponse(Reply, frozen=True):
    """The state of a match."""

    message_type: Literal["MATCH_STEP_RESPONSE"] = "MATCH_STEP_RESPONSE"
    match_id: MatchId
    game_session_id: SessionId
    state: State
    choices: Annotated[Maybe[Mapping[str, Json]], Field(description="The moves: player id to move.")] = None
    result: Annotated[Maybe[GameResult], Field(description="The result, once there is one.")] = None
    reported: Annotated[Maybe[bool], Field(description="True if the league manager has the result.")] = None
    report_refused: Annotated[
        Maybe[bool], Field(description="True if the league manager refuses the result, even without its evidence.")
    ] = None
    failed_part: Annotated[
        Maybe[str],
        Field(description="In an aborted match: the part of the league that failed it.", examples=["seats"]),
    ] = None
    game_fault: Annotated[
        Maybe[str],
        Field(
            description="In an aborted match: the line of the game's rules that raised, with its message.",
            examples=["my_game.py:12: ZeroDivisionError: division by zero"],
        ),
    ] = None
    messages: Annotated[
        Maybe[Whole],
        Field(description="The number of messages in the match so far: it grows while the match is alive."),
    ] = None
    turn: Annotated[Maybe[Positive], Field(description="The turn that is played, from 1.")] = None
    to_move: Annotated[
        Maybe[Many[PlayerId]],
        Field(description="Players whose answer is awaited: to the invitation, or with a move."),
    ] = None
    deadlines: Annotated[
        Maybe[Mapping[str, Timestamp]],
        Field(description="End of the time that runs for a player now: player id to time."),
    ] = None
    position: Annotated[
        Maybe[str],
        Field(description="The position after the last resolved turn, as text; only of games that hide nothing."),
    ] = None
    picture: Annotated[Maybe[str], Field(description="The same position as SVG, if the game draws one.")] = None
    waits: Annotated[
        Maybe[Many[OpenCall]],
        Field(
            description="Calls that are not answered, as everybody may know them: in a turn of several players all "
            "of them, until the time of the first attempt is over."
        ),
    ] = None
    open_calls: Annotated[
        Maybe[Many[OpenCall]], Field(description="Calls that are not answered; for the operator.")
    ] = None
