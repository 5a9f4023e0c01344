"""The nouns of a league, as immutable values."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from enum import StrEnum
from typing import cast

from league_sdk.dialect import V2
from league_sdk.json_value import Json
from league_sdk.tournament import SeriesPoints

PROTOCOL = V2
PROTOCOL_VERSION = "2.1.0"
MINIMUM_PROTOCOL_VERSION = "2.0.0"


class Role(StrEnum):
    """An agent's role in a league; the value begins its sender."""

    LEAGUE_MANAGER = "league_manager"
    REFEREE = "referee"
    PLAYER = "player"
    SEATS = "seats"
    """The host of seats for players that cannot be called; it is no member of the league."""


HOSTED = "seat:"
"""The beginning of a hosted player's endpoint, `seat:<id>`; by itself the request for such a seat."""


class ResultStatus(StrEnum):
    """Kinds of results."""

    WIN = "WIN"
    DRAW = "DRAW"
    TECHNICAL_LOSS = "TECHNICAL_LOSS"


class Cause(StrEnum):
    """Causes of a technical loss: the player's fault, as the referee saw it.

    WITHDREW and SITS_OUT are the league's own: no referee reports them.
    """

    NO_JOIN = "no_join"
    NO_MOVE = "no_move"
    ILLEGAL_MOVE = "illegal_move"
    NAME_NOT_FOUND = "name_not_found"
    CONNECTION_REFUSED = "connection_refused"
    CONNECTION_DROPPED = "connection_dropped"
    MALFORMED_REPLY = "malformed_reply"
    DECLINED = "declined"
    CRASHED_HANDLER = "crashed_handler"
    WITHDREW = "withdrew"
    SITS_OUT = "sits_out"


class SubstitutionReason(StrEnum):
    """Reasons of a player for a move that is not its strategy's own."""

    RAISED = "raised"
    LATE = "late"
    ILLEGAL = "illegal"
    OVER_BUDGET = "over_budget"
    BUSY = "busy"


@dataclass(frozen=True, slots=True)
class Scoring:
    """League points by result."""

    win: int = 3
    draw: int = 1
    loss: int = 0
    technical_loss: int = 0


class DepartedResults(StrEnum):
    """The rule for results of players that leave before the end."""

    KEEP = "keep"
    EXPUNGE_BELOW_HALF = "expunge_below_half"
    """They count for nobody if less than half of the player's matches were decided (FIDE's rule for round-robins)."""


class PointsBy(StrEnum):
    """Unit that earns the points that rank."""

    MATCH = "match"
    SERIES = "series"


SERIES_POINTS = "series_points"
"""The ranking criterion that makes a league one of points by series."""

DEFAULT_TIEBREAKERS = ("points", "wins", "draws", "head_to_head")
"""The ranking of protocol §3. The player id comes last, and only orders: it does not break an equal rank."""


@dataclass(frozen=True, slots=True)
class StageRules:
    """One stage of a league: a tournament format by its name.

    Attributes:
        format: The format's name, such as `swiss`.
        options: The format's options by name; its defaults where left out.
        advance: The number of players who advance to the next stage; 0 in the last one.
    """

    format: str = "round_robin"
    options: Mapping[str, Json] = field(default_factory=dict[str, Json])
    advance: int = 0


class OnBadMove(StrEnum):
    """A player's way with a strategy that raises or chooses an illegal move."""

    SUBSTITUTE = "substitute"  # a legal move in its place, marked
    TELL = "tell"  # the move as it is, or an error


@dataclass(frozen=True, slots=True)
class LeagueRules:
    """All that a league's course depends on, in its first event for replays.

    Attributes:
        league_id: As configured.
        game_type: The one game of this league.
        display_name: The league's name for people.
        scoring: League points by result.
        tiebreakers: Names of ranking criteria, the strongest first.
        min_players: Fewest players that a league can start with.
        max_players: Most players that may register.
        max_referees: Most referees that may register.
        expected_players: Registration closes with this many; None waits for the timeout or the operator.
        expected_referees: Referees that a start without an operator waits for; at least 1.
        registration_timeout_sec: Seconds until registration closes by itself; None or 0 never does.
        registration_deadline: The time at which it does instead: ISO 8601 in UTC; None leaves it to the seconds.
        roster: Display name to player id, for players whose ids are reserved.
        referee_roster: The same for referees.
        max_attempts: Attempts at a match (a referee that dies is not a result) before it is void.
        seed: Seed of every match's seed; None draws one for each match.
        game_options: Options of the game, as the game names them.
        timeouts: Seconds for answers that hold in this league, by the name of the setting; others are the referees'.
        match_delay_sec: Seconds between the end of a round and the matches of the next one.
        stages: The tournament formats, one after the other.
        equal_meetings: Head-to-head counts only among players who have met equally often; False in leagues from before
            that rule.
        standings_window: Most players whose messages carry the whole table; in a larger league they carry excerpts.
        departed_results: What becomes of the results of a player that leaves before the end.
        overlapping_rounds: A match begins once both players are free, though others of the round before are not over.
        referees_expected: Endpoint of each referee that is admitted by its address, by display name.
        absences_before_sitting_out: Matches running, in each of which a player missed every try of one call, after
            which it sits out; 0 for never, as in leagues from before that rule.
        start_date: Earliest time of the first round: ISO 8601 in UTC; None as soon as all agents are registered.
        on_bad_move: What players are asked to do when their strategy fails; None leaves it to each.
    """

    league_id: str
    game_type: str
    display_name: str = ""
    scoring: Scoring = field(default_factory=Scoring)
    tiebreakers: tuple[str, ...] = DEFAULT_TIEBREAKERS
    min_players: int = 2
    max_players: int = 10_000
    max_referees: int = 100
    expected_players: int | None = None
    expected_referees: int = 1
    registration_timeout_sec: float | None = 60.0
    roster: Mapping[str, str] = field(default_factory=dict[str, str])
    referee_roster: Mapping[str, str] = field(default_factory=dict[str, str])
    max_attempts: int = 5
    seed: str | None = None
    game_options: Mapping[str, Json] = field(default_factory=dict[str, Json])
    timeouts: Mapping[str, float] = field(default_factory=dict[str, float])
    match_delay_sec: float = 0.0
    start_date: str | None = None
    registration_deadline: str | None = None
    stages: tuple[StageRules, ...] = (StageRules(),)
    equal_meetings: bool = True
    standings_window: int = 200
    departed_results: DepartedResults = DepartedResults.KEEP
    overlapping_rounds: bool = False
    referees_expected: Mapping[str, str] = field(default_factory=dict[str, str])
    absences_before_sitting_out: int = 3
    on_bad_move: OnBadMove | None = None

    @property
    def series_points(self) -> SeriesPoints | None:
        """Points for a series, where they rank; None in a league of points by match."""
        scoring = self.scoring
        ranks = SERIES_POINTS in self.tiebreakers
        return SeriesPoints(scoring.win, scoring.draw, scoring.loss) if ranks else None


@dataclass(frozen=True, slots=True)
class Agent:
    """A registered referee or player.

    Attributes:
        agent_id: `P01…` or `REF01…`.
        role: Referee or player.
        display_name: Unique in the league among its role.
        endpoint: Its URL, such as `http://localhost:8101/mcp`, or `seat:<id>` for a hosted player.
        token_digest: SHA-256 of its token, in hexadecimal.
        version: The agent's own version.
        game_types: Games it plays.
        protocol_version: The protocol version it speaks.
        max_concurrent_matches: Referees only: matches it runs at once.
        dialect: Its dialect, as in `league_sdk.dialect`; empty in records from before that was kept.
        instance_id: The running program's, new at each start; empty where it tells none.
        card: The number of the student's card that admitted it; 0 for others, and in records from before that.
        student: The reference of that student in the class, which says nothing to others; empty for the same.
        derived: Fields that its registration left out, and that were derived.
    """

    agent_id: str
    role: Role
    display_name: str
    endpoint: str
    token_digest: str
    version: str = "1.0.0"
    game_types: tuple[str, ...] = ()
    protocol_version: str = PROTOCOL_VERSION
    max_concurrent_matches: int = 1
    dialect: str = ""
    instance_id: str = ""
    card: int = 0
    student: str = ""
    derived: tuple[str, ...] = ()

    @property
    def sender(self) -> str:
        """Its sender in messages: `player:P01`."""
        return f"{self.role}:{self.agent_id}"

    @property
    def hosted(self) -> bool:
        """True for a player that takes its messages at a hosted seat."""
        return self.endpoint.startswith(HOSTED)


@dataclass(frozen=True, slots=True)
class Fixture:
    """A match as scheduled: players, round and seats.

    Attributes:
        match_id: `R<round>M<match>`; from the second match of a series on with `G<game>` behind it.
        round_id: From 1.
        players: The players' ids in seat order; the first is PLAYER_A.
    """

    match_id: str
    round_id: int
    players: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Round:
    """A round of the schedule.

    Attributes:
        round_id: From 1.
        fixtures: Its matches; no player is in two of them.
        byes: Players who sit it out.
        bye_points: The league points that they get for it: `none`, `draw` or `win`, once the round is complete.
        title: Its name where it has one, such as `Semi-finals`.
        stage: Its place among the stages of the league, from 0.
        game: The number of its matches in their series, from 1; 0 for single matches.
        paired_by: The base of its pairings, as the format names it; empty in records from before that was kept.
    """

    round_id: int
    fixtures: Sequence[Fixture]
    byes: tuple[str, ...] = ()
    bye_points: str = "none"
    title: str = ""
    stage: int = 0
    game: int = 0
    paired_by: str = ""


@dataclass(frozen=True, slots=True)
class Assignment:
    """A match's referee and the number of the attempt.

    Attributes:
        match_id: The match.
        referee_id: The referee.
        attempt: From 1; a match that is played again has the next number.
        commitment: The referee's commitment to its draw; empty if it gave none.
    """

    match_id: str
    referee_id: str
    attempt: int
    commitment: str = ""


@dataclass(frozen=True, slots=True)
class Fault:
    """The reason for a player's technical loss.

    Attributes:
        player_id: The player at fault.
        cause: The kind of fault.
        phase: `join` or `move`.
        error_code: The E-code of the last failure.
        tries: The number of times it was asked.
        description: A sentence for a person.
        evidence: JSON: request, answer, and their times.
    """

    player_id: str
    cause: Cause
    phase: str
    error_code: str
    tries: int
    description: str
    evidence: Mapping[str, Json] = field(default_factory=dict[str, Json])

    def to_json(self) -> dict[str, Json]:
        """The fault as files and messages tell it."""
        told = {each.name: getattr(self, each.name) for each in fields(self)}
        return {**told, "cause": str(self.cause), "evidence": dict(self.evidence)}


@dataclass(frozen=True, slots=True)
class MatchResult:
    """The one result of a match.

    Attributes:
        match_id: The match.
        round_id: Its round.
        players: The players' ids in seat order.
        status: The kind of result.
        winner: The winner's id, or None.
        score: League points by player id.
        referee_id: The reporting referee.
        attempt: The number of the decided attempt.
        reason: A sentence for a person.
        details: The game's JSON fields (moves, results of chance, …).
        faults: One entry a player at fault.
        lifecycle: State name to ISO timestamp, in the order the states were entered.
        transcript: JSON entries, one a message sent or received.
        substituted: By player id and reason: the number of answers that the player itself called substituted.
        not_played: True for a forfeit of a player that sits out: it has points, and no tie-break or rating counts it.
    """

    match_id: str
    round_id: int
    players: tuple[str, ...]
    status: ResultStatus
    winner: str | None
    score: Mapping[str, int]
    referee_id: str
    attempt: int = 1
    reason: str = ""
    details: Mapping[str, Json] = field(default_factory=dict[str, Json])
    faults: tuple[Fault, ...] = ()
    lifecycle: Mapping[str, str] = field(default_factory=dict[str, str])
    transcript: Sequence[Mapping[str, Json]] = ()
    substituted: Mapping[str, Mapping[str, int]] = field(default_factory=dict[str, Mapping[str, int]])
    not_played: bool = False

    def moves_of(self, player_id: str) -> int:
        """The number of moves that a player sent, as far as the transcript tells."""
        return sum("choice" in entry and entry.get("from") == player_id for entry in self.transcript)

    @property
    def places(self) -> Mapping[str, int]:
        """Places by player id, from 1 and shared by equals; empty for two players."""
        told = self.details.get("places") if len(self.players) > 2 else None
        return cast(Mapping[str, int], told) if isinstance(told, Mapping) else {}

    @property
    def stand_ins(self) -> Mapping[str, int]:
        """First turn of each stand-in, by the player that had failed; empty for two."""
        told = self.details.get("stand_ins") if len(self.players) > 2 else None
        known = cast(Mapping[str, Json], told) if isinstance(told, Mapping) else dict[str, Json]()
        return {player: turn for player, turn in known.items() if player in self.players and type(turn) is int}
