"""The rules of one league (`leagues/<league>.json`), and the registry of games."""

import re
from collections import Counter
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, BeforeValidator, Field, model_validator

from league_sdk.domain.model import DEFAULT_TIEBREAKERS, DepartedResults, OnBadMove, PointsBy, Scoring, StageRules
from league_sdk.domain.ranking.tie_breaks import TIE_BREAKS, refusal
from league_sdk.names import game_type
from league_sdk.settings.base import (
    Also,
    Endpoint,
    Informational,
    LeagueId,
    Name,
    SchemaVersion,
    Seconds,
    Section,
    upper,
)


def _game_type(value: str) -> str:
    as_type = game_type(value)
    if not re.fullmatch(r"[a-z][a-z0-9_]{0,199}", as_type):
        raise ValueError("a game's name: lower-case letters, digits and underscores, or such as openspiel:chess")
    return as_type


def _format_name(value: str) -> str:
    if not re.fullmatch(r"[a-z][a-z0-9_]{0,63}", value):
        raise ValueError("a format's name, such as round_robin: lower-case letters, digits and underscores")
    return value


def _seed(value: Any) -> Any:
    return str(value) if type(value) is int else value


def _tiebreakers(value: tuple[str, ...]) -> tuple[str, ...]:
    unknown = [name for name in value if name not in TIE_BREAKS]
    if unknown:
        raise ValueError(f"names of tie-breaks; {refusal(unknown[0])}")
    if len(set(value)) < len(value):
        raise ValueError("names of tie-breaks, each once")
    return value


def utc_moment(value: str) -> str:
    """A moment in UTC; ValueError for another text."""
    try:
        fine = datetime.fromisoformat(value).utcoffset() == timedelta()
    except ValueError:
        fine = False
    if not fine:
        raise ValueError("a moment in UTC, such as 2025-12-31T00:00:00Z")
    return value


FormatName = Annotated[str, AfterValidator(_format_name)]
GameType = Annotated[str, AfterValidator(_game_type)]
Seed = Annotated[str, BeforeValidator(_seed), Field(min_length=1)]


LeagueStatus = Annotated[Literal["ACTIVE", "SUSPENDED", "COMPLETED"], BeforeValidator(upper)]

_FOR_READERS = Informational("A game is found by its name among the installed ones, wherever its module is.")
_ROUNDS = (
    "Rounds of a format that takes a number of them, such as swiss. Where it follows from the players, another one "
    "is refused on the command line and in the environment, and left aside in a file."
)


class ScoringConfig(Section):
    """League points, and tie-breaks."""

    win_points: int = Field(
        default=3, ge=0, description="Points for a win, also for one by the opponent's technical loss."
    )
    draw_points: int = Field(default=1, ge=0, description="Points for a draw.")
    loss_points: int = Field(default=0, ge=0, description="Points for a loss.")
    technical_loss_points: int = Field(default=0, ge=0, description="Points for a technical loss.")
    tiebreakers: Annotated[tuple[str, ...], AfterValidator(_tiebreakers)] = Field(
        default=DEFAULT_TIEBREAKERS,
        min_length=1,
        description="Ranking criteria, the strongest first; left out: those that the format recommends, else these.",
    )
    points_by: PointsBy = Field(
        default=PointsBy.MATCH,
        description="Points that rank where a pairing is a series (option best_of of the format): match counts those "
        "of all its matches; series counts a win, a draw or a loss for each series (the tie-break series_points, "
        "put before all others) and ends a series early once it is decided.",
    )
    departed_results: DepartedResults = Field(
        default=DepartedResults.KEEP,
        description="Results of a player that is removed or withdraws: keep counts what was played; expunge_below_half "
        "counts none of them, for nobody, if less than half of its matches were decided when it left. It takes a "
        "league whose whole schedule is settled before the first round.",
    )

    @property
    def points(self) -> Scoring:
        return Scoring(self.win_points, self.draw_points, self.loss_points, self.technical_loss_points)


class ExpectedReferee(Section):
    """A referee that is known by its address."""

    display_name: Name = Field(description="Its display name.")
    endpoint: Endpoint = Field(description="Its endpoint, such as `http://192.168.1.11:8001/mcp`.")


class ParticipantsConfig(Section):
    """Numbers and ids of participants."""

    min_players: int = Field(default=2, ge=2, description="Fewest players that the league can start with.")
    max_players: int = Field(default=10_000, ge=2, description="Most players that may register.")
    standings_window: int = Field(
        default=200,
        ge=10,
        le=1000,
        description="Most players for whom messages carry the whole table and round; above it, they carry the top and "
        "what concerns the receiver, and LEAGUE_QUERY has the rest in pages.",
    )
    max_referees: int = Field(default=100, ge=1, description="Most referees that may register.")
    expected_players: int | None = Field(
        default=None,
        ge=2,
        description="Players with whom registration closes at once; null: those of the agents' registry.",
    )
    expected_referees: int | None = Field(
        default=None,
        ge=1,
        description="Referees that the start waits for; null: those of the agents' registry, at least 1.",
    )
    absences_before_sitting_out: int = Field(
        default=3,
        ge=0,
        le=1000,
        description="Matches running, in each of which a player gave no answer to any try of one call, after which it "
        "sits out: it is paired no more, or its matches are not played, until it answers; 0: never.",
    )
    referees_expected: tuple[ExpectedReferee, ...] = Field(
        default=(),
        description="Referees that can show neither secret nor invitation, such as the documents' own. One is admitted "
        "by its address alone, once, if its registration names that endpoint and comes from its host, and no stranger "
        "comes from there.",
    )
    registered_players: tuple[str, ...] = Field(
        default=(), description="Ids from the registry with a place here; empty: all. Same as `players`."
    )

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        if self.max_players < self.min_players:
            raise ValueError("a max_players that is not below min_players")
        if self.expected_players and not self.min_players <= self.expected_players <= self.max_players:
            raise ValueError("an expected_players between min_players and max_players")
        if self.expected_referees and self.expected_referees > self.max_referees:
            raise ValueError("an expected_referees that is not above max_referees")
        return self


class StageConfig(Section):
    """A stage of a league of several."""

    format: FormatName = Field(description="The tournament format, by its name.")
    options: Mapping[str, Any] = Field(default_factory=dict, description="Options of the format, as it names them.")
    advance: int = Field(
        default=0, ge=0, description="Number of players who advance to the next stage; 0 in the last one."
    )


class ScheduleConfig(Section):
    """The order and times of matches."""

    algorithm: FormatName = Field(default="round_robin", description="The tournament format, by its name.")
    options: Mapping[str, Any] = Field(default_factory=dict, description="Options of the format, as it names them.")
    stages: tuple[StageConfig, ...] = Field(
        default=(), description="Several formats one after the other, in place of `algorithm` and `options`."
    )
    total_rounds: int | None = Field(default=None, ge=1, description=_ROUNDS)
    start_date: Annotated[str, AfterValidator(utc_moment)] | None = Field(
        default=None,
        description="Earliest time of the first round, in UTC; null, and a time that has passed: as soon as all agents "
        "are registered. An operator can start it before.",
    )
    registration_deadline: Annotated[str, AfterValidator(utc_moment)] | None = Field(
        default=None,
        description="When registration closes, in UTC, if not everybody expected is in before; null: after "
        "`registration_timeout_sec`.",
    )
    match_delay_sec: float | None = Field(
        default=None,
        ge=0,
        le=86_400,
        description="Seconds from the end of a round to the matches of the next; null: 0.",
    )
    rounds: Literal["in_order", "overlapping"] = Field(
        default="in_order",
        description="in_order: a round begins when the one before is over; overlapping: each match begins once both of "
        "its players are free, which takes a schedule that is settled before the first round.",
    )

    @model_validator(mode="after")
    def _without_delay(self) -> Self:
        if self.rounds == "overlapping" and self.match_delay_sec:
            raise ValueError("no match_delay_sec where rounds overlap")
        return self


class LeagueTimeouts(Section):
    """Time limits of this league, for all its referees; null values are as elsewhere."""

    move_timeout_sec: Seconds | None = Field(default=None, description="Seconds that a player has for one move.")
    game_join_timeout_sec: Annotated[Seconds | None, Also("game_join_ack_timeout_sec")] = Field(
        default=None, description="Seconds that a player has to accept an invitation."
    )
    generic_response_timeout_sec: Seconds | None = Field(default=None, description="Seconds for any other answer.")


class LeagueConfig(Section):
    """The whole of a league's file."""

    schema_version: SchemaVersion = Field(default="1.0.0", description="Version of the file's format.")
    league_id: LeagueId = Field(description="The league's id, which is also the file's name.")
    display_name: str = Field(default="", max_length=128, description="Its name for people; the id when empty.")
    game_type: GameType = Field(description="The one game of this league.")
    status: LeagueStatus = Field(default="ACTIVE", description="Any other than ACTIVE is not started.")
    format: FormatName = Field(default="round_robin", description="Same as `schedule.algorithm`.")
    scoring: ScoringConfig = Field(default=ScoringConfig(), description="Points and ranking.")
    participants: ParticipantsConfig = Field(default=ParticipantsConfig(), description="Participants.")
    schedule: ScheduleConfig = Field(default=ScheduleConfig(), description="Order and times of matches.")
    timeouts: LeagueTimeouts = Field(default=LeagueTimeouts(), description="Time limits of this league.")
    registration_timeout_sec: float | None = Field(
        default=None, ge=0, le=86_400, description="As in `system.json`, for this league; null: as there."
    )
    players: tuple[str, ...] = Field(default=(), description="Ids from the registry with a place here; empty: all.")
    referees: tuple[str, ...] = Field(default=(), description="Ids of referees with a place here; empty: all.")
    league_manager: str | None = Field(
        default=None, description="Id of the manager in the agents' registry; where that has another, none is started."
    )
    total_rounds: int | None = Field(default=None, ge=1, description="Same as `schedule.total_rounds`.")
    matches_per_round: int | None = Field(
        default=None,
        ge=1,
        description="Half of the players; refused where they are as configured and that is not so.",
    )
    max_attempts: int = Field(
        default=5, ge=1, le=100, description="Attempts at a match whose referees die, before it is void."
    )
    on_bad_move: OnBadMove | None = Field(
        default=None,
        description="For a player of ours whose strategy raises or chooses an illegal move: substitute sends a random "
        "legal move in its place, marked; tell sends it as it is, to be judged as any player's; null: tell in classes "
        "and where the format asks for it (ladder), else as the player is set.",
    )
    seed: Seed | None = Field(default=None, description="Seed of all chance; null: fresh chance.")
    rules: Annotated[Mapping[str, Any], Also("game_options")] = Field(
        default_factory=dict, description="Options of the game, as the game names them."
    )

    @model_validator(mode="after")
    def _one_format(self) -> Self:
        named = {name for name in (self.format, self.schedule.algorithm) if name != "round_robin"}
        if len(named) > 1:
            raise ValueError("a format and a schedule.algorithm that are the same")
        if self.schedule.stages and (named or self.schedule.options):
            raise ValueError("either schedule.stages or one format, with its options")
        return self

    @property
    def stages(self) -> tuple[StageRules, ...]:
        """The stages as the domain takes them."""
        if self.schedule.stages:
            return tuple(StageRules(stage.format, stage.options, stage.advance) for stage in self.schedule.stages)
        name = self.format if self.format != "round_robin" else self.schedule.algorithm
        return (StageRules(name, self.schedule.options),)

    @property
    def player_ids(self) -> tuple[str, ...]:
        """Ids of the players with a place, from either field; empty for all."""
        return self.players or self.participants.registered_players


class GameConfig(Section):
    """A game that leagues can play."""

    game_type: GameType = Field(description="Its name, as leagues and agents give it.")
    display_name: Annotated[str, _FOR_READERS] = Field(default="", description="Its name for people.")
    rules_module: Annotated[Name, _FOR_READERS] = Field(description="The module with its rules.")
    max_round_time_sec: Annotated[
        Seconds, Informational("Limits are set by `timeouts`, of the league or of `system.json`, for every game.")
    ] = Field(default=30.0, description="Seconds that one round of moves is meant to take at most, for information.")
    min_players: int = Field(default=2, ge=1, description="Fewest players in a match, as the installed game has it.")
    max_players: int = Field(default=2, ge=1, description="Most players in a match, as the installed game has it.")
    description: Annotated[str, _FOR_READERS] = Field(default="", description="A sentence for a new player.")

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        if self.max_players < self.min_players:
            raise ValueError("a max_players that is not below min_players")
        return self


class GamesRegistry(Section):
    """The whole of `games_registry.json`."""

    schema_version: SchemaVersion = Field(default="1.0.0", description="Version of the file's format.")
    games: tuple[GameConfig, ...] = Field(default=(), description="All games. Games of plug-ins need no entry.")

    @model_validator(mode="after")
    def _unique(self) -> Self:
        doubles = [name for name, count in Counter(game.game_type for game in self.games).items() if count > 1]
        if doubles:
            raise ValueError(f"one entry a game, but {', '.join(doubles)} stands there more than once")
        return self

    def game(self, game_type: str) -> GameConfig | None:
        return next((game for game in self.games if game.game_type == game_type), None)
