"""The league manager's announcements about the course of the league."""

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal, TypeAlias, cast

from pydantic import AliasChoices, ConfigDict, Field, computed_field, model_validator

from league_sdk.protocol.envelope import (
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
from league_sdk.protocol.substituted import Reasons

Acknowledged: TypeAlias = Annotated[Literal["ACKNOWLEDGED"], Field(description="It has arrived.")]
VoidMatches: TypeAlias = Annotated[
    Maybe[Mapping[str, str]],
    Field(description="Matches that could not be played and do not count: match id to cause."),
]
SittingOut: TypeAlias = Annotated[
    Maybe[Text], Field(description="The reason why it sits out now: absent, crashed, overstepped or operator.")
]
NotPlayed: TypeAlias = Annotated[
    Maybe[Whole], Field(description="Of the matches, those that were not played because a player sat out.")
]
Total: TypeAlias = Annotated[
    Maybe[Whole], Field(description="The number of all of them, where only some are told; LEAGUE_QUERY has the rest.")
]
Truncated: TypeAlias = Annotated[
    Maybe[bool],
    Field(description="True where the league is so large that only the first and the receiver's own are told."),
]


class RecordHead(Message, frozen=True):
    """The last record of the league's log.

    A copy kept elsewhere reveals a log that was rewritten later.
    """

    sequence: Annotated[Positive, Field(description="Its number, from 1.")]
    digest: Annotated[
        str,
        Field(max_length=128, description="Its digest: SHA-256 in hexadecimal, over it and all before it."),
    ]


SeriesId: TypeAlias = Annotated[
    Maybe[MatchId], Field(description="The series of a match that is one of several: the id of its first match.")
]
GameNumber: TypeAlias = Annotated[Maybe[Positive], Field(description="The number of the match in its series, from 1.")]


AllPlayers: TypeAlias = Annotated[
    Maybe[Many[Text]], Field(description="In a match of three or more: the ids of all players, in seat order.")
]


class MatchInfo(Message, frozen=True):
    """A match of the round, with its players and referee."""

    always_written: ClassVar[tuple[str, ...]] = ("game_type", "player_a_id", "player_b_id", "referee_endpoint")

    match_id: MatchId
    game_type: GameType = ""
    player_a_id: Annotated[PlayerId, Field(description="The player in the first seat.")] = ""
    player_b_id: Annotated[PlayerId, Field(description="The player in the second seat.", examples=["P02"])] = ""
    players: AllPlayers = None
    referee_endpoint: Annotated[
        Text, Field(description="Its referee's URL.", examples=["http://localhost:8001/mcp"])
    ] = ""
    referee_id: Maybe[RefereeId] = None
    series_id: SeriesId = None
    game: GameNumber = None


class RoundAnnouncement(Envelope, frozen=True):
    """A round begins, with these matches."""

    always_written: ClassVar[tuple[str, ...]] = ("league_id", "matches")

    message_type: Literal["ROUND_ANNOUNCEMENT"] = "ROUND_ANNOUNCEMENT"
    league_id: LeagueId = ""
    round_id: RoundId
    matches: Annotated[Many[MatchInfo], Field(description="The round's matches.")] = ()
    byes: Annotated[Maybe[Many[Text]], Field(description="Ids of the players who sit this round out.")] = None
    format: Annotated[
        Maybe[Text], Field(description="The tournament format of the stage; absent in a single round-robin.")
    ] = None
    stage: Annotated[Maybe[Positive], Field(description="The number of the stage, from 1.")] = None
    paired_by: Annotated[
        Maybe[Text], Field(description="The base of the pairings: `schedule`, `points`, `bracket` or another word.")
    ] = None
    total: Total = None
    truncated: Truncated = None


class _RoundAck(Reply, frozen=True):
    status: Acknowledged = "ACKNOWLEDGED"
    player_id: Maybe[PlayerId] = None
    referee_id: Maybe[RefereeId] = None
    round_id: RoundId


class RoundAnnouncementAck(_RoundAck, frozen=True):
    """A player or a referee knows of the round."""

    message_type: Literal["ROUND_ANNOUNCEMENT_ACK"] = "ROUND_ANNOUNCEMENT_ACK"


def _describe_games_played(schema: dict[str, Any]) -> None:
    """Describe the computed field in the input schema too, where it is accepted."""
    schema["properties"].setdefault(
        "games_played", {"description": "The same as `played`.", "type": "integer", "minimum": 0}
    )


class StandingRow(Message, frozen=True):
    """One row of the standings.

    A peer may leave out `played`: it is then `games_played`, or the sum of the results.
    """

    model_config = ConfigDict(json_schema_extra=_describe_games_played)
    always_written: ClassVar[tuple[str, ...]] = (
        *("rank", "player_id", "display_name", "played"),
        *("wins", "draws", "losses", "points"),
    )

    rank: Annotated[Positive, Field(description="From 1; equal in every criterion means equal rank.")] = 1
    player_id: PlayerId = ""
    display_name: Annotated[str, Field(description="The player's name.", examples=["Agent Alpha"])] = ""
    played: Annotated[Whole, Field(description="Matches decided.")] = 0
    wins: Annotated[Whole, Field(description="Matches won.")] = 0
    draws: Annotated[Whole, Field(description="Matches drawn.")] = 0
    losses: Annotated[Whole, Field(description="Matches lost.")] = 0
    points: Annotated[Integer, Field(description="League points.")] = 0
    removed: Annotated[
        Maybe[bool], Field(description="True when the player has left: the operator removed it, or it withdrew.")
    ] = None
    withdrew: Annotated[Maybe[Whole], Field(description="The round in which it withdrew; 0 before the first.")] = None
    expunged: Annotated[Maybe[bool], Field(description="True when its results count for nobody.")] = None
    sitting_out: SittingOut = None
    not_played: NotPlayed = None
    substituted: Reasons = None

    @computed_field(description="The same as `played`.")
    @property
    def games_played(self) -> int:
        """The same as `played`."""
        return self.played

    @model_validator(mode="before")
    @classmethod
    def _count_played(cls, data: Any) -> Any:
        if not isinstance(data, Mapping) or "played" in data:
            return cast(Any, data)
        row = dict(cast(Mapping[str, Any], data))
        results = [row.get(name) for name in ("wins", "draws", "losses")]
        if "games_played" in row:
            row["played"] = row["games_played"]
        elif all(type(count) is int for count in results):
            row["played"] = sum(cast(list[int], results))
        return row


class LeagueStandingsUpdate(Envelope, frozen=True):
    """The standings after a round."""

    always_written: ClassVar[tuple[str, ...]] = ("league_id", "round_id", "standings")

    message_type: Literal["LEAGUE_STANDINGS_UPDATE"] = "LEAGUE_STANDINGS_UPDATE"
    league_id: LeagueId = ""
    round_id: Annotated[RoundId, Field(description="The last completed round.")] = 0
    standings: Annotated[Many[StandingRow], Field(description="The standings, rank 1 first.")] = ()
    total: Total = None
    truncated: Truncated = None


class StandingsUpdateAck(_RoundAck, frozen=True):
    """A player has the standings."""

    message_type: Literal["STANDINGS_UPDATE_ACK"] = "STANDINGS_UPDATE_ACK"


class RoundCompletedMessage(Envelope, frozen=True):
    """Every match of the round is decided."""

    always_written: ClassVar[tuple[str, ...]] = ("league_id", "matches_played", "next_round_id")

    message_type: Literal["ROUND_COMPLETED"] = "ROUND_COMPLETED"
    league_id: LeagueId = ""
    round_id: Annotated[RoundId, Field(description="The round that is complete.")]
    matches_played: Annotated[
        Whole,
        Field(
            description="The number of its matches.",
            validation_alias=AliasChoices("matches_played", "matches_completed"),
        ),
    ] = 0
    next_round_id: Annotated[Whole | None, Field(description="The next round, or null after the last.")] = None
    void_matches: VoidMatches = None
    total: Total = None
    truncated: Truncated = None


class RoundCompletedAck(_RoundAck, frozen=True):
    """A player or a referee knows that the round is over."""

    message_type: Literal["ROUND_COMPLETED_ACK"] = "ROUND_COMPLETED_ACK"


class Champion(Message, frozen=True):
    """A winner of the league."""

    always_written: ClassVar[tuple[str, ...]] = ("player_id", "display_name", "points")

    player_id: PlayerId = ""
    display_name: Annotated[str, Field(description="The player's name.", examples=["Agent Alpha"])] = ""
    points: Annotated[Integer, Field(description="League points.")] = 0


class LeagueCompletedMessage(Envelope, frozen=True):
    """The league is over."""

    always_written: ClassVar[tuple[str, ...]] = (
        *("league_id", "total_rounds", "total_matches"),
        *("champion", "final_standings"),
    )

    message_type: Literal["LEAGUE_COMPLETED"] = "LEAGUE_COMPLETED"
    league_id: LeagueId = ""
    total_rounds: Annotated[Whole, Field(description="The number of rounds.")] = 0
    total_matches: Annotated[Whole, Field(description="The number of matches that were decided.")] = 0
    champion: Annotated[
        Champion | None,
        Field(description="The best of the players that have not left, or null where no match was decided."),
    ] = None
    no_champion: Annotated[
        Maybe[Text], Field(description="Why there is no champion.", examples=["no champion: nothing was played"])
    ] = None
    champions: Annotated[
        Maybe[Many[Champion]], Field(description="All champions, when more than one are equal in every criterion.")
    ] = None
    final_standings: Annotated[Many[StandingRow], Field(description="The final standings, rank 1 first.")] = ()
    void_matches: VoidMatches = None
    record_head: Annotated[Maybe[RecordHead], Field(description="The last record: to be kept.")] = None
    total: Total = None
    truncated: Truncated = None

    @property
    def winners(self) -> tuple[Champion, ...]:
        """All champions; empty without one."""
        return self.champions or (() if self.champion is None else (self.champion,))


class LeagueCompletedAck(Reply, frozen=True):
    """An agent knows that the league is over."""

    message_type: Literal["LEAGUE_COMPLETED_ACK"] = "LEAGUE_COMPLETED_ACK"
    status: Acknowledged = "ACKNOWLEDGED"
    player_id: Maybe[PlayerId] = None
    referee_id: Maybe[RefereeId] = None
