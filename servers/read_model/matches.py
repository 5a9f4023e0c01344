"""Matches of a league: their stages, and the conversations of finished ones."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import NamedTuple, TypeAlias

from league_sdk.domain.league import League
from league_sdk.domain.lifecycles import LeagueState
from league_sdk.domain.model import Fixture, MatchResult, SubstitutionReason
from league_sdk.domain.pairings.schedule import SINGLE, SeriesGame, all_series_games
from league_sdk.domain.ranking.standings import at_fault
from league_sdk.json_value import Json
from servers.read_model import public
from servers.read_model.clocks import Clocks


class Stage(StrEnum):
    """Stage of a match."""

    SCHEDULED = "scheduled"
    UNDER_WAY = "under way"
    DECIDED = "decided"
    VOID = "void"


class Kind(StrEnum):
    """Kind of a message of a match."""

    JOIN = "join"
    MOVE = "move"
    ERROR = "error"
    RESULT = "result"


@dataclass(frozen=True, slots=True)
class Limits:
    """Time limits for a player's answers, in seconds; None when not known."""

    join: float | None = None  # for accepting an invitation
    move: float | None = None  # for a move

    def of(self, kind: Kind) -> float | None:
        """The limit for messages of a kind."""
        return {Kind.JOIN: self.join, Kind.MOVE: self.move}.get(kind)


class MatchRow(NamedTuple):
    """A match of the schedule, with all that is recorded of it."""

    league: League
    fixture: Fixture
    clocks: Clocks = Clocks()
    series: SeriesGame = SINGLE

    @property
    def match_id(self) -> str:
        return self.fixture.match_id

    @property
    def round_id(self) -> int:
        return self.fixture.round_id

    @property
    def players(self) -> tuple[str, ...]:
        return self.fixture.players

    @property
    def result(self) -> MatchResult | None:
        return self.league.results.get(self.match_id)

    @property
    def referee_id(self) -> str | None:
        given = self.league.assignments.get(self.match_id)
        return given.referee_id if given else None

    @property
    def attempt(self) -> int:
        given = self.league.assignments.get(self.match_id)
        return given.attempt if given else 0

    @property
    def status(self) -> str:
        if self.match_id in self.league.voided:
            return "VOID"
        if self.result is not None:
            return str(self.result.status)
        return "SCHEDULED" if self.referee_id is None else "UNDER_WAY"

    @property
    def stage(self) -> Stage:
        if self.result is not None:
            return Stage.DECIDED
        if self.match_id in self.league.voided:
            return Stage.VOID
        going = self.referee_id is not None and self.league.state is LeagueState.RUNNING
        return Stage.UNDER_WAY if going else Stage.SCHEDULED

    @property
    def winner(self) -> str | None:
        return self.result.winner if self.result else None

    @property
    def reason(self) -> str | None:
        """The end of a match in the referee's words, or the cause that makes it void."""
        told = self.result.reason if self.result else None
        return self.league.voided.get(self.match_id, told)

    @property
    def at_fault(self) -> tuple[str, ...]:
        """Players with a technical loss, in seat order."""
        blamed = at_fault(self.result) if self.result else ()
        return tuple(player for player in self.players if player in blamed)

    @property
    def seconds(self) -> float | None:
        """The time that it took, by the referee's times."""
        return took(self.result) if self.result else None

    @property
    def score(self) -> Mapping[str, int] | None:
        """League points by player, in seat order; None before it is decided."""
        told = self.result
        return {player: told.score.get(player, 0) for player in self.players} if told else None

    @property
    def not_played(self) -> bool:
        return self.result is not None and self.result.not_played

    def of_result(self, name: str) -> Json:
        """A mapping of the result; None before it is decided."""
        return dict(getattr(self.result, name)) if self.result else None

    def name(self, player_id: str | None) -> str | None:
        return self.league.players[player_id].display_name if player_id else None


@dataclass(frozen=True, slots=True)
class Line:
    """A message of a match that is over."""

    number: int  # from 1, in the order of the transcript
    at: str  # when, as the referee wrote it; empty when it is no time
    offset: float | None  # seconds since the first message; None when one of both is no time
    message_type: str  # what it is called; for an answer that failed, what was asked
    kind: Kind  # what it is about
    speaker: str  # who said it: a player's id, or the referee's
    listener: str  # the receiver
    choice: Json = None  # the move, as JSON; None when there is none, or it is not public
    accepted: bool | None = None  # whether an invitation was accepted; None for other messages
    error_code: str = ""  # why there was no proper answer; empty for one that is proper
    commitment: str = ""  # what the referee committed itself to; empty when nothing
    nonce: str = ""  # what the player added to chance; empty when nothing
    waited: float | None = None  # for an answer: seconds since it was asked for; None when that is not known
    substituted: str = ""  # for a move that the player called substituted: why; empty for others
    stands_for: str = ""  # for a stand-in's move: the player that had failed; empty for others


Conversation: TypeAlias = tuple[Line, ...]
"""Messages of a match, in order."""


@dataclass(frozen=True, slots=True)
class Exchange:
    """A question of a referee, and how long the player took."""

    match_id: str
    round_id: int
    player_id: str  # who was asked
    kind: Kind  # what was asked
    at: str  # when it was answered, or given up
    seconds: float  # how long that took
    limit: float | None = None  # how long it had; None when that is not known
    error_code: str = ""  # why there was no proper answer; empty for one that is proper


def match_rows(league: League, round_id: int | None = None, clocks: Clocks | None = None) -> Iterator[MatchRow]:
    series, clocks = all_series_games(league.rounds), clocks or Clocks()
    for scheduled in league.rounds if round_id is None else (league.round(round_id),):
        for fixture in scheduled.fixtures:
            yield MatchRow(league, fixture, clocks, series.get(fixture.match_id, SINGLE))


def took(result: MatchResult) -> float | None:
    """Seconds from the first to the last state of a match, by the referee's times."""
    times = [when for text in result.lifecycle.values() if (when := moment(text)) is not None]
    return round((max(times) - min(times)).total_seconds(), 3) if len(times) > 1 else None


def conversation(result: MatchResult) -> Conversation:
    """The public messages of a finished match."""
    lines: list[Line] = []
    first: datetime | None = None
    for number, (entry, heard) in enumerate(zip(public.transcript(result), _heard(result), strict=True), start=1):
        first = first or heard.at
        lines.append(
            Line(
                number=number,
                at="" if heard.at is None else str(entry["timestamp"]),
                offset=None if heard.at is None or first is None else _between(first, heard.at),
                message_type=str(entry.get("message_type", "")),
                kind=heard.kind,
                speaker=heard.sender or result.referee_id,
                listener=heard.receiver or result.referee_id,
                choice=entry.get("choice"),
                accepted=entry["accept"] if isinstance(entry.get("accept"), bool) else None,
                error_code=str(entry.get("error_code", "")),
                commitment=str(entry.get("draw_commitment", "")),
                nonce=str(entry.get("draw_nonce", "")),
                waited=heard.waited,
                substituted=_reason(entry.get("substituted")),
                stands_for=_known(entry.get("for"), result),
            )
        )
    return tuple(lines)


def exchanges(result: MatchResult, limits: Limits | None = None) -> tuple[Exchange, ...]:
    """Every question of a match, with its answer's time or failure."""
    bounds = limits or Limits()
    return tuple(
        Exchange(
            result.match_id,
            result.round_id,
            heard.sender,
            heard.kind,
            str(entry["timestamp"]),
            heard.waited,
            bounds.of(heard.kind),
            str(entry.get("error_code", "")),
        )
        for entry, heard in zip(result.transcript, _heard(result), strict=True)
        if heard.waited is not None
    )


def _reason(told: Json) -> str:
    """A known reason for a substituted move; empty for anything else."""
    return told if isinstance(told, str) and told in {*SubstitutionReason} else ""


class _Heard(NamedTuple):
    """A transcript entry: time, sender, receiver, kind and seconds taken."""

    at: datetime | None
    sender: str
    receiver: str
    kind: Kind
    waited: float | None


def _heard(result: MatchResult) -> Iterator[_Heard]:
    """Each transcript entry; an answer belongs to the last question of its kind."""
    asked: dict[tuple[str, Kind], datetime] = {}
    for entry in result.transcript:
        at = moment(entry.get("timestamp"))
        sender, receiver = _known(entry.get("from"), result), _known(entry.get("to"), result)
        kind = _kind(str(entry.get("message_type", "")))
        waited: float | None = None
        if receiver and at is not None:
            asked[receiver, kind] = at
        elif sender and at is not None and (since := asked.pop((sender, kind), None)) is not None:
            waited = _between(since, at)
        yield _Heard(at, sender, receiver, kind, waited)


def _between(since: datetime, until: datetime) -> float:
    """Seconds, to the millisecond: times are written no more precisely."""
    return round((until - since).total_seconds(), 3)


def moment(text: Json) -> datetime | None:
    """A referee's timestamp; None when it is none, or has no time zone."""
    try:
        at = datetime.fromisoformat(text)
    except (ValueError, TypeError):
        return None
    return None if at.tzinfo is None else at


_KINDS: Mapping[str, Kind] = {
    "GAME_INVITATION": Kind.JOIN,
    "GAME_JOIN_ACK": Kind.JOIN,
    "GAME_ERROR": Kind.ERROR,
    "GAME_ERROR_ACK": Kind.ERROR,
    "GAME_OVER": Kind.RESULT,
    "GAME_OVER_ACK": Kind.RESULT,
}


def _kind(message_type: str) -> Kind:
    """The kind of a message; all that isn't known is a move, named by the game."""
    return _KINDS.get(message_type, Kind.MOVE)


def _known(name: Json, result: MatchResult) -> str:
    """A player of the match; empty for anything else that a referee may write."""
    return name if name in result.players else ""
