"""Queries to the league manager, and the error message."""

from collections.abc import Mapping
from typing import Annotated, Literal, TypeAlias, get_args

from pydantic import BeforeValidator, Field
from pydantic_core import PydanticCustomError

from league_sdk.json_value import Json
from league_sdk.protocol.envelope import (
    BAD_QUERY_TYPE,
    Envelope,
    GameType,
    Integer,
    LeagueId,
    Many,
    MatchId,
    Maybe,
    Message,
    PlayerId,
    Positive,
    RefereeId,
    Reply,
    RoundId,
    Text,
    Whole,
)
from league_sdk.protocol.match import FaultInfo
from league_sdk.protocol.rounds import (
    AllPlayers,
    GameNumber,
    NotPlayed,
    RecordHead,
    SeriesId,
    SittingOut,
    StandingRow,
    VoidMatches,
)
from league_sdk.protocol.substituted import Reasons

QueryName: TypeAlias = Literal["GET_STANDINGS", "GET_STATUS", "GET_SCHEDULE", "GET_NEXT_MATCH", "GET_PLAYER_STATS"]
QUERY_TYPES: tuple[str, ...] = get_args(QueryName)  # every query that the protocol knows


def _query_type(value: object) -> object:
    if isinstance(value, str) and value not in QUERY_TYPES:
        raise PydanticCustomError(BAD_QUERY_TYPE, "{expected}", {"expected": f"one of {', '.join(QUERY_TYPES)}"})
    return value


QueryType: TypeAlias = Annotated[QueryName, BeforeValidator(_query_type), Field(description="The kind of query.")]
CurrentRound: TypeAlias = Annotated[Whole, Field(description="The round under way; 0 before the first.")]


class QueryParams(Message, frozen=True):
    """The subject of a query."""

    player_id: Annotated[
        Maybe[Text],
        Field(
            description="GET_NEXT_MATCH and GET_PLAYER_STATS: the player; the caller when left out.", examples=["P01"]
        ),
    ] = None
    round_id: Annotated[
        Maybe[Whole], Field(description="GET_SCHEDULE: only this round; all when left out.", examples=[1])
    ] = None
    cursor: Annotated[
        Maybe[Text],
        Field(
            max_length=100,
            description="GET_STANDINGS and GET_SCHEDULE: the `next_cursor` of the page before; left out for the first.",
        ),
    ] = None
    limit: Annotated[
        Maybe[Positive],
        Field(
            description="GET_STANDINGS and GET_SCHEDULE: the most entries of a page. A league gives no more than its "
            "`standings_window` at once; one that is not larger gives all when `cursor` and `limit` are left out.",
            examples=[50],
        ),
    ] = None


class LeagueQuery(Envelope, frozen=True):
    """A player or a referee asks about the league."""

    message_type: Literal["LEAGUE_QUERY"] = "LEAGUE_QUERY"
    league_id: LeagueId
    query_type: QueryType
    query_params: Annotated[Maybe[QueryParams], Field(description="The subject of the query.")] = None


class ScheduledMatch(Message, frozen=True):
    """A match of the schedule."""

    match_id: MatchId
    round_id: RoundId
    player_a_id: Annotated[PlayerId, Field(description="The player in the first seat.")]
    player_b_id: Annotated[PlayerId, Field(description="The player in the second seat.", examples=["P02"])]
    players: AllPlayers = None
    game_type: GameType
    status: Annotated[
        Literal["SCHEDULED", "ASSIGNED", "COMPLETED", "VOID"],
        Field(description="Not begun, given to a referee, decided, or not to be played."),
    ] = "SCHEDULED"
    referee_id: Maybe[RefereeId] = None
    referee_endpoint: Annotated[Maybe[str], Field(description="Its referee's URL.")] = None
    winner: Annotated[Maybe[str], Field(description="The winner's id, when it was won.")] = None
    result: Annotated[Maybe[str], Field(description="The kind of result.", examples=["WIN"])] = None
    series_id: SeriesId = None
    game: GameNumber = None


class LeagueStatus(Message, frozen=True):
    """A league's progress."""

    state: Annotated[str, Field(description="The league's state.", examples=["RUNNING"])]
    players: Annotated[Whole, Field(description="Registered players.")]
    referees: Annotated[Whole, Field(description="Registered referees.")]
    current_round: CurrentRound
    total_rounds: Annotated[Whole, Field(description="Rounds in the schedule.")]
    matches_completed: Annotated[Whole, Field(description="Matches decided.")]
    total_matches: Annotated[Whole, Field(description="Matches in the schedule.")]
    void_matches: VoidMatches = None
    sitting_out: Annotated[Maybe[Whole], Field(description="Players that sit out; the standings say who.")] = None
    record_head: Annotated[Maybe[RecordHead], Field(description="The last record now: to be kept.")] = None
    registration_deadline: Annotated[Maybe[str], Field(description="When registration closes, in UTC.")] = None


class FailureInfo(FaultInfo, frozen=True):
    """The reason for a player's technical loss, and its match."""

    match_id: MatchId
    round_id: RoundId


class PlayerStats(Message, frozen=True):
    """A player's record."""

    player_id: PlayerId
    display_name: Annotated[str, Field(description="The player's name.")]
    rank: Annotated[Positive, Field(description="Its rank.")]
    played: Annotated[Whole, Field(description="Matches decided.")]
    wins: Annotated[Whole, Field(description="Matches won.")]
    draws: Annotated[Whole, Field(description="Matches drawn.")]
    losses: Annotated[Whole, Field(description="Matches lost.")]
    points: Annotated[Integer, Field(description="League points.")]
    technical_losses: Annotated[Whole, Field(description="Of the losses, technical ones.")] = 0
    remaining: Annotated[Whole, Field(description="Matches still to be decided; 0 before there is a schedule.")] = 0
    win_rate: Annotated[float, Field(description="Wins per match decided, 0 to 1; 0 before the first.")] = 0.0
    removed: Annotated[
        Maybe[bool], Field(description="True when the player has left: the operator removed it, or it withdrew.")
    ] = None
    withdrew: Annotated[Maybe[Whole], Field(description="The round in which it withdrew; 0 before the first.")] = None
    expunged: Annotated[Maybe[bool], Field(description="True when its results count for nobody.")] = None
    sitting_out: SittingOut = None
    not_played: NotPlayed = None
    returns: Annotated[
        Maybe[Whole], Field(description="The number of times the player has registered again, as after a restart.")
    ] = None
    endpoint: Annotated[
        Maybe[Text], Field(description="The player's URL; told to the referee of a match that it is playing.")
    ] = None
    substituted: Reasons = None
    failures: Annotated[
        Maybe[Many[FailureInfo]],
        Field(description="The player's technical losses, and the evidence for each; told to the player itself."),
    ] = None


class LeagueQueryResponse(Reply, frozen=True):
    """The answer to a query; its fields depend on the question."""

    message_type: Literal["LEAGUE_QUERY_RESPONSE"] = "LEAGUE_QUERY_RESPONSE"
    query_type: QueryType
    league_id: Maybe[LeagueId] = None
    current_round: Annotated[Maybe[CurrentRound], Field(description="The round under way.")] = None
    standings: Annotated[Maybe[Many[StandingRow]], Field(description="GET_STANDINGS: the standings.")] = None
    status: Annotated[Maybe[LeagueStatus], Field(description="GET_STATUS: the league's progress.")] = None
    schedule: Annotated[Maybe[Many[ScheduledMatch]], Field(description="GET_SCHEDULE: the matches.")] = None
    next_match: Annotated[
        Maybe[ScheduledMatch], Field(description="GET_NEXT_MATCH: the player's next match; left out after the last.")
    ] = None
    player_stats: Annotated[Maybe[PlayerStats], Field(description="GET_PLAYER_STATS: the player's record.")] = None
    total: Annotated[Maybe[Whole], Field(description="The number of entries on all pages.")] = None
    truncated: Annotated[Maybe[bool], Field(description="True where there are entries on other pages.")] = None
    next_cursor: Annotated[
        Maybe[Text], Field(description="The `cursor` of the next page; left out on the last. Rows can move in between.")
    ] = None


class LeagueErrorMessage(Envelope, frozen=True):
    """An error: the `data` of a JSON-RPC error."""

    message_type: Literal["LEAGUE_ERROR"] = "LEAGUE_ERROR"
    error_code: Annotated[Text, Field(description="The error's code.", examples=["E012"])]
    error_description: Annotated[str, Field(description="The error's name.", examples=["AUTH_TOKEN_INVALID"])]
    context: Annotated[Mapping[str, Json], Field(description="Facts about it: field, value, expectation and the like.")]
