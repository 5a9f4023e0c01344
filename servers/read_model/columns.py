"""Columns of a league's tables, from which every view of it chooses.

A column's audience is a boundary of security: a surface asks for the columns of its readers by `seen_by`, and never
gets those of others. A new column goes into the group that it belongs to, and with it onto every surface.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum, IntEnum
from functools import partial
from typing import Any, TypeAlias

from league_sdk.domain.ranking.standing import Standing
from league_sdk.domain.ranking.tie_breaks import TIE_BREAKS
from league_sdk.json_value import Json
from servers.read_model.ranking import number, value_of
from servers.read_model.ratings import LeagueRatings, Rating

Row: TypeAlias = Any
"""A value that a table has a line for, such as a `Standing`, or its row in a message."""


class Audience(IntEnum):
    """Readers of a column; each may see what those before it may."""

    PUBLIC = 0
    PLAYER = 1  # a player of the league
    OWNER = 2  # the player that the row is about
    OPERATOR = 3


class Visibility(Enum):
    """Places of a column in tables for people."""

    ALWAYS = "always"
    IF_ANY = "where some row has a value"
    IF_ROOM = "where some row has a value, on wide screens"


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table."""

    name: str  # its field in JSON, and its heading in CSV
    heading: str  # its heading for people
    short: str  # the same where there is little room
    help: str  # its meaning, in a phrase
    audience: Audience  # its readers; a column that does not say them cannot be made
    read: Callable[[Row], Json] | None = None  # its value of a row; None for the attribute of its name
    shown: Visibility = Visibility.ALWAYS
    kind: type = int  # of its values, in tables of numbers
    by_agent: bool = False  # true if agents choose its text

    def value(self, row: Row) -> Json:
        return getattr(row, self.name) if self.read is None else self.read(row)

    def text(self, row: Row) -> str:
        """The value for people; empty without one."""
        value = self.value(row)
        return number(value) if value is None or isinstance(value, float) else str(value)


def seen_by(audience: Audience, columns: Iterable[Column]) -> tuple[Column, ...]:
    """The columns that these readers may see."""
    return tuple(column for column in columns if column.audience <= audience)


def with_values(columns: Iterable[Column], rows: Sequence[Row]) -> tuple[Column, ...]:
    """The columns, of optional ones those in which some row has a value."""
    return tuple(each for each in columns if each.shown is Visibility.ALWAYS or any(map(each.value, rows)))


def to_json(columns: Iterable[Column], row: Row) -> dict[str, Json]:
    return {column.name: column.value(row) for column in columns}


def _field(
    name: str, about: str, audience: Audience, read: Callable[[Row], Json] | None = None, *, by_agent: bool = False
) -> Column:
    """A column of tables for programs alone."""
    return Column(name, "", "", about, audience, read, by_agent=by_agent)


PUBLIC = Audience.PUBLIC
IDENTITY = (
    Column("rank", "#", "#", "from 1; players that are equal in every criterion share one", PUBLIC),
    Column("player_id", "player", "player", "the player", PUBLIC),
    Column("display_name", "name", "name", "its display name", PUBLIC, by_agent=True),
)
PLAYED = Column("played", "played", "P", "matches decided", PUBLIC)
OUTCOMES = (
    Column("wins", "won", "W", "of these, won; technical wins included", PUBLIC),
    Column("draws", "drawn", "D", "of these, drawn", PUBLIC),
    Column("losses", "lost", "L", "of these, lost; technical losses included", PUBLIC),
)
COUNTS = (PLAYED, *OUTCOMES)
"""Numbers of a player in every table."""
_TECHNICAL_HELP = "of the losses, technical ones"
TECHNICAL = Column("technical_losses", "technical", "T", _TECHNICAL_HELP, PUBLIC, shown=Visibility.IF_ROOM)
_FORFEITS = "forfeits, since a player sat out: points count, nothing else does"
NOT_PLAYED = Column("not_played", "not played", "N", _FORFEITS, PUBLIC, shown=Visibility.IF_ROOM)
_NOT_OWN = "moves that were not the strategy's own, by the player's account; they cost nothing"
SUBSTITUTED = Column("substituted_moves", "substituted", "S", _NOT_OWN, PUBLIC, shown=Visibility.IF_ANY)
BYES = Column("byes", "byes", "B", "rounds that it sat out for points", PUBLIC, shown=Visibility.IF_ANY)
POINTS = Column("points", "points", "points", "league points", PUBLIC)
TABLE = (*COUNTS, TECHNICAL, NOT_PLAYED, SUBSTITUTED, BYES, POINTS)
"""Columns of tables for people: the page, the report and the terminal."""
MISREAD = (NOT_PLAYED, SUBSTITUTED)
"""Columns that have a legend in the terminal, since their headings say too little."""
HOST = (*COUNTS, POINTS)
"""Columns of the tools of a host's seat."""

_REASON_HELP = "how many of these for which reason: `raised`, `late`, `illegal`, `over_budget`, `busy`; an object"
_REASONS = _field("substituted_reasons", _REASON_HELP, PUBLIC, lambda row: dict(row.substituted))
_EXPUNGED_HELP = "whether its results count for nobody, because it left before half of its matches were decided"
_SITTING_OUT_HELP = "why it sits out: `absent`, `crashed`, `overstepped` or `operator`; empty when it does not"
_ABSENCE = (
    _field("removed", "whether it has left: the operator removed it, or it withdrew", PUBLIC),
    _field("withdrew", "the round in which it withdrew, 0 before the first; empty when it did not", PUBLIC),
    _field("expunged", _EXPUNGED_HELP, PUBLIC),
    _field("sitting_out", _SITTING_OUT_HELP, PUBLIC),
)
_TIE_BREAKS = _field("tie_breaks", "values of the league's criteria", PUBLIC, lambda row: dict(row.tie_breaks))
_DECIDED_HELP = (
    "what puts it behind the row before; empty where ranks are equal. A column for each tie-break of the league "
    "follows, by its name"
)
_DECIDED_BY = _field("decided_by", _DECIDED_HELP, PUBLIC)
_ROUND = (*IDENTITY, *COUNTS, TECHNICAL, POINTS, SUBSTITUTED, _REASONS)
EXPORTED_ROUND = (*_ROUND, BYES, _DECIDED_BY)
EXPORTED = (*_ROUND, *_ABSENCE, BYES, _DECIDED_BY)
_ALIAS = _field("games_played", PLAYED.help, PUBLIC, PLAYED.value)
_ALL_COUNTS = (PLAYED, _ALIAS, *COUNTS[1:], TECHNICAL, NOT_PLAYED, POINTS, SUBSTITUTED, _REASONS)
COMMAND_LINE = (*IDENTITY, *_ALL_COUNTS, *_ABSENCE, BYES, _TIE_BREAKS, _DECIDED_BY)
"""Columns of the command line's JSON."""
RESOURCE = (*IDENTITY, *COUNTS, POINTS, TECHNICAL)
_SUBSTITUTED = _field("substituted", _NOT_OWN, PUBLIC, _REASONS.value)
RESOURCE_MARKS = (*_ABSENCE, NOT_PLAYED, BYES, _TIE_BREAKS, _DECIDED_BY, _SUBSTITUTED)
"""Columns of resources that are left out of a row where they say nothing."""
_UNMARKED = Standing(0, "", "")

_RATED = {
    "rating": "strength in Elo points around a mean of 1500",
    "rating_margin": "half the width of its 95 % interval; empty after fewer than three matches",
    "not_distinguishable_from": "ids of players for whom the interval of the difference contains zero; a list",
}


def resource_json(row: Standing, mark_words: Callable[[str], Json]) -> dict[str, Json]:
    """A row for everybody's hosts; `mark_words` marks the words of agents."""
    told = {
        each.name: mark_words(each.value(row)) if each.by_agent else each.value(row)
        for each in seen_by(PUBLIC, RESOURCE)
    }
    marks = {each: each.value(row) for each in seen_by(PUBLIC, RESOURCE_MARKS)}
    return told | {each.name: mark for each, mark in marks.items() if mark != each.value(_UNMARKED)}


TOLD = (POINTS, *COUNTS)
"""Columns of a sentence on a row."""


def counted(row: Row, columns: Iterable[Column] = OUTCOMES) -> str:
    """Numbers in words: `2 won, 1 drawn, 0 lost`."""
    return ", ".join(f"{each.text(row)} {each.heading}" for each in seen_by(PUBLIC, columns))


def tie_columns(names: Iterable[str]) -> tuple[Column, ...]:
    """Columns of ranking criteria that are no field of a row."""
    made: list[Column] = []
    for name in names:
        tie = TIE_BREAKS[name]
        about, read = f"{tie.label}: {tie.formula}", partial(value_of, name=name)
        made.append(Column(name, tie.abbreviation, tie.abbreviation, about, PUBLIC, read, Visibility.IF_ROOM))
    return tuple(made)


def rating_column(ratings: Mapping[str, Rating]) -> tuple[Column, ...]:
    """The rating with its error, for people; none where nobody is rated."""
    if not ratings:
        return ()
    about = "strength in Elo points, with half the width of its 95 % interval"
    shown = Column("rating", "rating", "rating", about, PUBLIC, lambda row: str(ratings.get(row.player_id, "")))
    return (replace(shown, shown=Visibility.IF_ROOM),)


def rating_columns(ratings: LeagueRatings) -> tuple[Column, ...]:
    """The same for programs, in columns of their own."""
    return tuple(
        _field(name, about, PUBLIC, lambda row, name=name: ratings.json_of(row.player_id).get(name))
        for name, about in (_RATED.items() if ratings.players else ())
    )


def _of_result(name: str) -> Callable[[Row], Json]:
    return lambda match: match.of_result(name)


def _at(what: str) -> Callable[[Row], Json]:
    return lambda match: getattr(match.clocks, what).get(match.match_id)


def _score(seat: int) -> Callable[[Row], Json]:
    return lambda match: match.score and match.score[match.players[seat]]


def _seat(place: int) -> tuple[Column, ...]:
    """The columns of a seat of a match."""
    seat, which = f"player_{'ab'[place]}", ("first", "second")[place]
    return (
        _field(f"{seat}_id", f"the player in the {which} seat", PUBLIC, lambda match: match.players[place]),
        _field(f"{seat}_name", "its name", PUBLIC, lambda m: m.name(m.players[place]), by_agent=True),
    )


_A, _B = _seat(0), _seat(1)
MATCH_ID = Column("match_id", "match", "match", "the match, `R<round>M<match>`", PUBLIC)
ROUND_ID = Column("round_id", "round", "round", "its round, from 1", PUBLIC)
_STATUSES = "`SCHEDULED`, `UNDER_WAY`, `WIN`, `DRAW`, `TECHNICAL_LOSS` or `VOID`"
STATUS = Column("status", "status", "status", _STATUSES, PUBLIC)
_REFEREE = (
    Column("referee_id", "referee", "referee", "who referees it", PUBLIC),
    Column("attempt", "attempt", "attempt", "number of the attempt to play it; 0 before the first", PUBLIC),
)
REASON = _field("reason", "how it ended, in a sentence", PUBLIC, by_agent=True)
_BY_REASON = "how many moves each player says were substituted, by reason; an object"
_SUBSTITUTED_MOVES = _field("substituted_moves", _BY_REASON, PUBLIC, _of_result("substituted"))
_DETAILS_HELP = "the game's own fields, and the random draw; an object"
DETAILS = _field("details", _DETAILS_HELP, Audience.OPERATOR, _of_result("details"))
MATCH = (
    *(MATCH_ID, ROUND_ID, *_A, *_B, STATUS),
    _field("winner_id", "the winner; empty when there is none", PUBLIC, lambda match: match.winner),
    _field("winner_name", "its name", PUBLIC, lambda match: match.name(match.winner), by_agent=True),
    _field("score_a", "league points for the first seat; empty until it is decided", PUBLIC, _score(0)),
    _field("score_b", "league points for the second seat", PUBLIC, _score(1)),
    _field(
        "at_fault",
        "ids of players that lost technically, with a space between them",
        PUBLIC,
        lambda m: " ".join(m.at_fault),
    ),
    *_REFEREE,
    _field("assigned_at", "when its referee got it the last time, UTC", PUBLIC, _at("assigned")),
    _field("decided_at", "when the manager recorded its result, UTC", PUBLIC, _at("decided")),
    _field("seconds", "how long it took, by the referee's times", PUBLIC),
    *(REASON, _SUBSTITUTED_MOVES, DETAILS),
)
"""Columns of the exported matches."""
_IDS = "ids of all its players in the order of their seats, with a space between them"
_STAND_INS = "the first turn in which a stand-in moved, of each player that failed; an object"
PLACED = (
    _field("players", _IDS, PUBLIC, lambda match: " ".join(match.players)),
    _field("points", "league points of each; an object", PUBLIC, lambda match: match.score),
    _field("places", "the place of each, from 1; equals share one; an object", PUBLIC, _of_result("places")),
    _field("stand_ins", _STAND_INS, PUBLIC, _of_result("stand_ins")),
)
"""Columns of matches of three or more."""
SERIES = (
    _field("series_id", "the series that it is a match of, by its first match's id", PUBLIC, lambda m: m.series[0]),
    _field("game", "its number in the series, from 1", PUBLIC, lambda m: m.series[1]),
)
REMOVED = _field(
    "removed",
    "ids of its players that were removed later, with a space between them",
    PUBLIC,
    lambda match: " ".join(player for player in match.players if player in match.league.removed),
)
_NOT_PLAYED = "whether it was not played, because a player sat out: points count, and nothing else does"
MATCH_NOT_PLAYED = _field("not_played", _NOT_PLAYED, PUBLIC)
MATCH_STATE = (
    *(MATCH_ID, ROUND_ID, Column("players", "players", "players", _IDS, PUBLIC, lambda match: list(match.players))),
    *(STATUS, *_REFEREE, Column("winner", "winner", "winner", "the winner's id", PUBLIC)),
    _field("score", "league points by player", PUBLIC, lambda match: match.of_result("score") or {}),
)
"""Columns of a match in the command line's JSON, and of its end."""
MATCH_END = (REASON, DETAILS, _SUBSTITUTED_MOVES)


def _of_fault(name: str, about: str, audience: Audience, *, by_agent: bool = False) -> Column:
    """A column of what a referee says of a fault; empty where it says nothing."""
    return _field(name, about, audience, lambda row: row.of_fault(name), by_agent=by_agent)


FAULT = (
    *(MATCH_ID, ROUND_ID, _field("player_id", "the player at fault", PUBLIC)),
    _field("display_name", "its name", PUBLIC, by_agent=True),
    _of_fault("cause", "what it did, such as `no_move`", PUBLIC),
    _of_fault("phase", "`join` or `move`", PUBLIC),
    _of_fault("error_code", "code of the last failure", PUBLIC),
    _of_fault("tries", "how often it was asked", PUBLIC),
    _of_fault("description", "a sentence", Audience.OWNER, by_agent=True),
    _of_fault(
        "evidence",
        "what was sent, what came back, when, and how long it took; an object",
        Audience.OWNER,
        by_agent=True,
    ),
    _field("substituted_moves", "how many of its moves in this match the player says were substituted", PUBLIC),
)


def _said(name: str, about: str, audience: Audience) -> Column:
    return _field(name, about, audience, lambda message: message.entry.get(name), by_agent=True)


MESSAGE = (
    *(MATCH_ID, ROUND_ID, _field("sequence", "its place in the match, from 1", PUBLIC)),
    _said("timestamp", "when the referee sent or got it, UTC", PUBLIC),
    _said("message_type", "what it is", PUBLIC),
    _said("from", "the player that sent it; empty for the referee", PUBLIC),
    _said("to", "the player that got it; empty for the referee", PUBLIC),
    _said("accept", "of an answer to an invitation: whether it comes", PUBLIC),
    _said("choice", "of an answer to a call for a move: the move", Audience.OWNER),
    _said("substituted", "of a move that the player says was substituted: why", PUBLIC),
    _said("error_code", "code of a failure: this player gave no valid answer to the message", PUBLIC),
    _said("error", "the failure in a sentence", Audience.OWNER),
    _said("draw_commitment", "what the referee published of its secret", PUBLIC),
    _said("draw_nonce", "what the player added to the random draw", PUBLIC),
)
AGENT = (
    _field("role", "`referee` or `player`", PUBLIC, lambda agent: str(agent.role)),
    _field("agent_id", "its id", PUBLIC),
    _field("display_name", "its display name", PUBLIC, by_agent=True),
    _field("version", "its own version", PUBLIC, by_agent=True),
    _field("dialect", "the protocol it speaks; empty when not recorded", PUBLIC, by_agent=True),
    _field("endpoint", "where it is called", Audience.OPERATOR, by_agent=True),
)
_EVENT = {
    "league_id": "the league",
    "sequence": "its number, from 1",
    "at": "when it was stored, UTC",
    "type": "what happened",
    "payload": "the event; an object",
    "previous": "digest of the record before",
    "digest": "its own digest",
}
EVENT = tuple(_field(name, about, Audience.OPERATOR) for name, about in _EVENT.items())
