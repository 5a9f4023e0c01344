"""A league as tables, written as CSV, JSON or JSONL."""

import csv
import io
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from operator import itemgetter
from typing import Any, TypeAlias

from league_sdk.domain.events import Record
from league_sdk.domain.league import League
from league_sdk.domain.ranking.standing import Standing
from league_sdk.json_value import Json
from servers.read_model import by_round, columns, rows
from servers.read_model.clocks import Clocks
from servers.read_model.columns import Audience, Column
from servers.read_model.matches import match_rows
from servers.read_model.ranking import tie_break_columns
from servers.read_model.ratings import LeagueRatings, league_ratings
from servers.read_model.rows import in_order, league_json

Row: TypeAlias = Mapping[str, Json]

FORMULA = (
    "=+-@'\t\r\n\N{FULLWIDTH EQUALS SIGN}\N{FULLWIDTH PLUS SIGN}\N{FULLWIDTH HYPHEN-MINUS}\N{FULLWIDTH COMMERCIAL AT}"
)
"""Characters that begin a formula in spreadsheets, and the mark that keeps them from doing so."""


@dataclass(frozen=True)
class Source:
    """A league as it is stored, with all its records."""

    league: League
    records: Sequence[Record]

    @cached_property
    def clocks(self) -> Clocks:
        clocks = Clocks()
        for record in self.records:
            clocks = clocks.after(record)
        return clocks

    @cached_property
    def ratings(self) -> LeagueRatings:
        """Ratings of its players, where the extra `analysis` is installed."""
        return league_ratings(self.league)


@dataclass(frozen=True, slots=True)
class Table:
    """Something of a league that can be exported."""

    about: str  # what a row is, as a phrase
    columns: Sequence[Column]  # those of every league
    rows: Callable[[Source], Iterable[Any]]
    more: Callable[[Source], Sequence[Column]] = lambda _: ()  # those of leagues that have something to tell in them


def columns_of(source: Source, name: str) -> tuple[Column, ...]:
    """The columns of a league's table; an export is for its operator."""
    table = TABLES[name]
    return columns.seen_by(Audience.OPERATOR, (*table.columns, *table.more(source)))


def read(source: Source, name: str) -> Iterator[dict[str, Json]]:
    """The rows of a league's table, by column."""
    chosen = columns_of(source, name)
    return (columns.to_json(chosen, row) for row in TABLES[name].rows(source))


def to_csv(names: Sequence[str], rows: Iterable[Row]) -> Iterator[str]:
    """Records of CSV as in RFC 4180, with a header; to be encoded as UTF-8."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\r\n")

    def written(cells: Iterable[Json]) -> str:
        buffer.seek(0)
        buffer.truncate()
        writer.writerow(list(cells))
        return buffer.getvalue()

    yield written(names)
    for row in rows:
        yield written(cell(row[name]) for name in names)


def cell(value: Json) -> str | int | float:
    """A value as a cell, safe against formulas and terminal control; else JSON."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if value is None:
        return ""
    if isinstance(value, int | float):
        return value
    text = value if isinstance(value, str) else compact(value)
    shown = "".join(sign if sign.isprintable() or sign == "\n" else json.dumps(sign)[1:-1] for sign in text)
    begin = text.lstrip(" \N{NO-BREAK SPACE}")[:1]
    return f"'{shown}" if begin and begin in FORMULA else shown


def to_jsonl(rows: Iterable[Row]) -> Iterator[str]:
    """A JSON object a line, in ASCII, with the columns as its keys."""
    return (compact(row) + "\n" for row in rows)


def to_json(source: Source, names: Sequence[str]) -> dict[str, Json]:
    return {**league_json(source.league), **{name: list(read(source, name)) for name in names}}


def compact(value: Json) -> str:
    """JSON without spaces, ASCII alone."""
    return json.dumps(value, separators=(",", ":"))


def _ties(source: Source) -> tuple[Column, ...]:
    return columns.tie_columns(tie_break_columns(source.league.rules))


def _more_of_matches(source: Source) -> tuple[Column, ...]:
    """Columns of matches of three, of series, of removals and of forfeits."""
    league = source.league
    return (
        *(columns.PLACED if any(len(match.players) > 2 for match in match_rows(league)) else ()),
        *(columns.SERIES if any(scheduled.game for scheduled in league.rounds) else ()),
        *((columns.REMOVED,) if league.removed.keys() & league.players.keys() else ()),
        *((columns.MATCH_NOT_PLAYED,) if any(result.not_played for result in league.results.values()) else ()),
    )


def _after_round(column: Column) -> Column:
    """A column of the standings, for rows with a round before them."""
    return replace(column, read=partial(_value_after, column))


def _value_after(column: Column, ranked: tuple[int, Standing]) -> Json:
    return column.value(ranked[1])


_ROUND_ID = Column("round_id", "", "", "the round, from 1; all that began", Audience.PUBLIC, itemgetter(0))
TABLES: Mapping[str, Table] = {
    "standings": Table(
        "a player, rank 1 first",
        columns.EXPORTED,
        lambda source: source.league.standings(),
        lambda source: (*_ties(source), *columns.rating_columns(source.ratings)),
    ),
    "rounds": Table(
        "a player's row of the standings after a round",
        (_ROUND_ID, *map(_after_round, columns.EXPORTED_ROUND)),
        lambda source: ((table.round_id, row) for table in by_round(source.league) for row in table.rows),
        lambda source: [*map(_after_round, _ties(source))],
    ),
    "matches": Table(
        "a match of the schedule, played or not",
        columns.MATCH,
        lambda source: match_rows(source.league, clocks=source.clocks),
        _more_of_matches,
    ),
    "faults": Table("a technical loss of a player", columns.FAULT, lambda source: rows.faults(source.league)),
    "messages": Table(
        "a message of a match that is decided, in order", columns.MESSAGE, lambda source: rows.messages(source.league)
    ),
    "agents": Table(
        "a referee or player",
        columns.AGENT,
        lambda source: [*in_order(source.league.players.values()), *in_order(source.league.referees.values())],
    ),
    "events": Table("a record of the league's log, from the first", columns.EVENT, lambda source: source.records),
}
"""All that can be exported, by name."""
