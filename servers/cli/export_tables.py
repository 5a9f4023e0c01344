"""A league as tables, written as CSV, JSON or JSONL."""

import csv
import io
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypeAlias

from league_sdk.domain.events import Record
from league_sdk.domain.league import League
from league_sdk.domain.model import MatchResult
from league_sdk.domain.pairings.schedule import SINGLE, all_series_games
from league_sdk.domain.ranking.standing import Standing
from league_sdk.domain.ranking.standings import at_fault
from league_sdk.json_value import Json
from servers.cli.summary import in_order, league_json, match_json, standing_json
from servers.read_model import Clocks, by_round, match_rows
from servers.read_model.ranking import tie_break_columns, value_of
from servers.read_model.ratings import LeagueRatings, league_ratings

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

    @property
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
    columns: Mapping[str, str]  # what each column holds, in their order
    rows: Callable[[Source], Iterable[Row]]


def to_csv(table: Table, rows: Iterable[Row]) -> Iterator[str]:
    """Records of CSV as in RFC 4180, with a header; to be encoded as UTF-8."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\r\n")

    def written(cells: Iterable[Json]) -> str:
        buffer.seek(0)
        buffer.truncate()
        writer.writerow(list(cells))
        return buffer.getvalue()

    yield written(table.columns)
    for row in rows:
        yield written(cell(row[name]) for name in table.columns)


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


def to_jsonl(table: Table, rows: Iterable[Row]) -> Iterator[str]:
    """A JSON object a line, in ASCII, with the columns as its keys."""
    for row in rows:
        yield compact({name: row[name] for name in table.columns}) + "\n"


def to_json(source: Source, names: Sequence[str]) -> dict[str, Json]:
    chosen = {name: table_of(source, name) for name in names}
    tables = {
        name: [{key: row[key] for key in table.columns} for row in table.rows(source)] for name, table in chosen.items()
    }
    return {**league_json(source.league), **tables}


def compact(value: Json) -> str:
    """JSON without spaces, ASCII alone."""
    return json.dumps(value, separators=(",", ":"))


def table_of(source: Source, name: str) -> Table:
    """The table of a league, with columns for its tie-breaks, series and removals."""
    table, league = TABLES[name], source.league
    if name == "matches":
        series = _SERIES if any(scheduled.game for scheduled in league.rounds) else {}
        placed = any(len(fixture.players) > 2 for scheduled in league.rounds for fixture in scheduled.fixtures)
        removed = _REMOVED if league.removed.keys() & league.players.keys() else {}
        unplayed = _NOT_PLAYED if any(result.not_played for result in league.results.values()) else {}
        more = {**(_PLACED if placed else {}), **series, **removed, **unplayed}
        return replace(table, columns={**table.columns, **more})
    if name not in ("standings", "rounds"):
        return table
    columns = {tie: each.formula for tie, each in tie_break_columns(league.rules).items()}
    rated = _RATED if name == "standings" and source.ratings.players else {}
    return replace(table, columns={**table.columns, **columns, **rated})


def _ranked(source: Source, row: Standing) -> dict[str, Json]:
    ties = {name: value_of(row, name) for name in tie_break_columns(source.league.rules)}
    return {**standing_json(row), **ties}


def read(source: Source, name: str) -> Iterable[Row]:
    return TABLES[name].rows(source)


def _standings(source: Source) -> Iterator[Row]:
    nothing = dict.fromkeys(_RATED)
    for row in source.league.standings():
        yield {**_ranked(source, row), **nothing, **source.ratings.json_of(row.player_id)}


def _agents(source: Source) -> Iterator[Row]:
    league = source.league
    for agent in (*in_order(league.players.values()), *in_order(league.referees.values())):
        yield {
            "role": str(agent.role),
            "agent_id": agent.agent_id,
            "display_name": agent.display_name,
            "version": agent.version,
            "dialect": agent.dialect,
            "endpoint": agent.endpoint,
        }


def _matches(source: Source) -> Iterator[Row]:
    league, clocks, series = source.league, source.clocks, all_series_games(source.league.rounds)
    for match in match_rows(league):
        told = match_json(league, league.fixture(match.match_id))
        row = {name: told[name] for name in ("match_id", "round_id", "status", "referee_id", "attempt")}
        for seat, player in zip("ab", match.players, strict=False):
            row[f"player_{seat}_id"] = player
            row[f"player_{seat}_name"] = _name(league, player)
            row[f"score_{seat}"] = (match.score or {}).get(player)
        yield row | {
            "winner_id": match.winner,
            "winner_name": _name(league, match.winner) if match.winner else None,
            "at_fault": " ".join(match.at_fault),
            "assigned_at": clocks.assigned.get(match.match_id),
            "decided_at": clocks.decided.get(match.match_id),
            "seconds": match.seconds,
            "reason": told.get("reason"),
            "substituted_moves": told.get("substituted_moves"),
            "details": told.get("details"),
            "players": " ".join(match.players),
            "points": match.score,
            "places": dict(result.places) if (result := league.results.get(match.match_id)) else None,
            "stand_ins": dict(result.stand_ins) if result else None,
            **series.get(match.match_id, SINGLE)._asdict(),
            "removed": " ".join(player for player in match.players if player in league.removed),
            "not_played": told.get("not_played", False),
        }


def _rounds(source: Source) -> Iterator[Row]:
    for table in by_round(source.league):
        for row in table.rows:
            yield {**_ranked(source, row), "round_id": table.round_id}


def _faults(source: Source) -> Iterator[Row]:
    """Faults; a minimal referee names only the player at fault."""
    league = source.league
    for result in results_of(league):
        named = {fault.player_id: fault for fault in result.faults}
        for player in (player for player in result.players if player in at_fault(result)):
            fault = named.get(player)
            yield {
                "match_id": result.match_id,
                "round_id": result.round_id,
                "player_id": player,
                "display_name": _name(league, player),
                "cause": str(fault.cause) if fault else None,
                "phase": fault.phase if fault else None,
                "error_code": fault.error_code if fault else None,
                "tries": fault.tries if fault else None,
                "description": fault.description if fault else None,
                "evidence": dict(fault.evidence) if fault else None,
                "substituted_moves": sum(result.substituted.get(player, {}).values()),
            }


def _messages(source: Source) -> Iterator[Row]:
    for result in results_of(source.league):
        for number, entry in enumerate(result.transcript, start=1):
            told = {name: entry.get(name) for name in TABLES["messages"].columns}
            yield told | {"match_id": result.match_id, "round_id": result.round_id, "sequence": number}


def results_of(league: League) -> Iterator[MatchResult]:
    for match in match_rows(league):
        if match.match_id in league.results:
            yield league.results[match.match_id]


def _name(league: League, player_id: str) -> str:
    return league.players[player_id].display_name


def _events(source: Source) -> Iterator[Row]:
    names = TABLES["events"].columns
    yield from ({name: getattr(record, name) for name in names} for record in source.records)


_STANDING: Mapping[str, str] = {
    "rank": "from 1; players that are equal in every criterion share one",
    "player_id": "the player",
    "display_name": "its display name",
    "played": "matches decided",
    "wins": "of these, won; technical wins included",
    "draws": "of these, drawn",
    "losses": "of these, lost; technical losses included",
    "technical_losses": "of the losses, technical ones",
    "points": "league points",
    "substituted_moves": "of its moves, those that the player says were not its strategy's own; they cost nothing",
    "substituted_reasons": "how many of these for which reason: `raised`, `late`, `illegal`, `over_budget`, `busy`; "
    "an object",
}


_RANKED: Mapping[str, str] = {
    "byes": "rounds that it sat out for points",
    "decided_by": "what puts it behind the row before; empty where ranks are equal. A column for each tie-break of the "
    "league follows, by its name",
}


_RATED = {
    "rating": "strength in Elo points around a mean of 1500",
    "rating_margin": "half the width of its 95 % interval; empty after fewer than three matches",
    "not_distinguishable_from": "ids of players for whom the interval of the difference contains zero; a list",
}
"""The last columns of the standings, of a league with ratings."""


_REMOVED = {"removed": "ids of its players that were removed later, with a space between them"}
_NOT_PLAYED = {"not_played": "whether it was not played, because a player sat out: points count, and nothing else does"}
_PLACED = {
    "players": "ids of all its players in the order of their seats, with a space between them",
    "points": "league points of each; an object",
    "places": "the place of each, from 1; equals share one; an object",
    "stand_ins": "the first turn in which a stand-in moved, of each player that failed; an object",
}
"""Columns of matches of three or more."""
_SERIES = {
    "series_id": "the series that it is a match of, by the id of the first match",
    "game": "its number in the series, from 1",
}


_MATCH: Mapping[str, str] = {
    "match_id": "the match, `R<round>M<match>`",
    "round_id": "its round, from 1",
}

TABLES: Mapping[str, Table] = {
    "standings": Table(
        "a player, rank 1 first",
        {
            **_STANDING,
            "removed": "whether it has left: the operator removed it, or it withdrew",
            "withdrew": "the round in which it withdrew, 0 before the first; empty when it did not",
            "expunged": "whether its results count for nobody, because it left before half of its matches were decided",
            "sitting_out": "why it sits out: `absent`, `crashed`, `overstepped` or `operator`; empty when it does not",
            **_RANKED,
        },
        _standings,
    ),
    "rounds": Table(
        "a player's row of the standings after a round",
        {"round_id": "the round, from 1; all that began", **_STANDING, **_RANKED},
        _rounds,
    ),
    "matches": Table(
        "a match of the schedule, played or not",
        {
            **_MATCH,
            "player_a_id": "the player in the first seat",
            "player_a_name": "its name",
            "player_b_id": "the player in the second seat",
            "player_b_name": "its name",
            "status": "`SCHEDULED`, `UNDER_WAY`, `WIN`, `DRAW`, `TECHNICAL_LOSS` or `VOID`",
            "winner_id": "the winner; empty when there is none",
            "winner_name": "its name",
            "score_a": "league points for the first seat; empty until it is decided",
            "score_b": "league points for the second seat",
            "at_fault": "ids of players that lost technically, with a space between them",
            "referee_id": "who referees it",
            "attempt": "number of the attempt to play it; 0 before the first",
            "assigned_at": "when its referee got it the last time, UTC",
            "decided_at": "when the manager recorded its result, UTC",
            "seconds": "how long it took, by the referee's times",
            "reason": "how it ended, in a sentence",
            "substituted_moves": "how many moves each player says were substituted, by reason; an object",
            "details": "the game's own fields, and the random draw; an object",
        },
        _matches,
    ),
    "faults": Table(
        "a technical loss of a player",
        {
            **_MATCH,
            "player_id": "the player at fault",
            "display_name": "its name",
            "cause": "what it did, such as `no_move`",
            "phase": "`join` or `move`",
            "error_code": "code of the last failure",
            "tries": "how often it was asked",
            "description": "a sentence",
            "evidence": "what was sent, what came back, when, and how long it took; an object",
            "substituted_moves": "how many of its moves in this match the player says were substituted",
        },
        _faults,
    ),
    "messages": Table(
        "a message of a match that is decided, in order",
        {
            **_MATCH,
            "sequence": "its place in the match, from 1",
            "timestamp": "when the referee sent or got it, UTC",
            "message_type": "what it is",
            "from": "the player that sent it; empty for the referee",
            "to": "the player that got it; empty for the referee",
            "accept": "of an answer to an invitation: whether it comes",
            "choice": "of an answer to a call for a move: the move",
            "substituted": "of a move that the player says was substituted: why",
            "error_code": "code of a failure: this player gave no valid answer to the message",
            "error": "the failure in a sentence",
            "draw_commitment": "what the referee published of its secret",
            "draw_nonce": "what the player added to the random draw",
        },
        _messages,
    ),
    "agents": Table(
        "a referee or player",
        {
            "role": "`referee` or `player`",
            "agent_id": "its id",
            "display_name": "its display name",
            "version": "its own version",
            "dialect": "the protocol it speaks; empty when not recorded",
            "endpoint": "where it is called",
        },
        _agents,
    ),
    "events": Table(
        "a record of the league's log, from the first",
        {
            "league_id": "the league",
            "sequence": "its number, from 1",
            "at": "when it was stored, UTC",
            "type": "what happened",
            "payload": "the event; an object",
            "previous": "digest of the record before",
            "digest": "its own digest",
        },
        _events,
    ),
}
"""All that can be exported, by name."""
