"""`league export`: a league as data for other programs."""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from league_sdk.domain.league import League
from league_sdk.game import Game, PlayedMatch
from league_sdk.names import alternatives
from servers.cli import common, output
from servers.cli.common import ConfigOption, DataOption, LeagueArgument, PluginsOption, StoreOption
from servers.cli.games import game_of
from servers.cli.output import ForceOption, OutputOption
from servers.launcher.run_options import PlanError
from servers.read_model import replay, rows
from servers.read_model.export import TABLES, Source, columns_of, read, to_csv, to_json, to_jsonl
from servers.read_model.text import count

ALL = "all"
NOTATION = "notation"
FORMATS = ("csv", "json", "jsonl", NOTATION)
SUFFIXES = {".csv": "csv", ".json": "json", ".jsonl": "jsonl", ".ndjson": "jsonl"}


def export(
    league: LeagueArgument = None,
    what: Annotated[
        str, typer.Option("--what", "-w", help=f"{', '.join(TABLES)}; or {ALL} of them in one JSON object.")
    ] = "standings",
    form: Annotated[
        str | None,
        typer.Option("--format", help=f"{', '.join(FORMATS)}. Default: as the file's name ends, or csv."),
    ] = None,
    target: OutputOption = None,
    force: ForceOption = False,
    data: DataOption = None,
    config: ConfigOption = None,
    store: StoreOption = None,
    plugins: PluginsOption = None,
) -> None:
    """Export a league as CSV, JSON or JSON lines.

    All formats have the same columns; docs/export.md lists them. CSV is safe
    against formula injection. 'league audit --records' reads the events as
    jsonl. The format 'notation' is for games that have a standard one, such
    as PGN for chess.

    [bold]Examples[/bold]

      league export                                      standings as CSV
      league export --what matches -o matches.csv
      league export summer --what all -o summer.json
      league export --what messages --format jsonl | head
      league export --what events -o events.jsonl
      league export --format notation -o summer.pgn
    """
    if what != ALL and what not in TABLES:
        raise PlanError(f"--what {what!r}: {alternatives(what, (*TABLES, ALL), 'there are')}")
    chosen = _format(form, target, what)
    output.check_target(target, force=force)
    workspace = common.workspace_of(data)
    known, records = common.read_league(workspace, league, config, store)
    if chosen == NOTATION:
        noted = _notation(Source(known, records), game_of(known, workspace, plugins))
        output.write("\n".join(f"{text.rstrip()}\n" for text in noted), target)
        _told(count(len(noted), "match"), known, target)
        return
    source = Source(known, records)
    written = _write(source, what, chosen, target)
    if what in ("standings", ALL) and source.ratings.remark and not source.ratings.players:
        common.print_err(source.ratings.remark)
    _told(count(written, "row"), known, target)


def _told(number: str, league: League, target: Path | None) -> None:
    if target is not None:
        common.print_err(f"{number} of {league.league_id} written to {target}")


def played_matches(source: Source, game: Game[Any]) -> Iterator[PlayedMatch]:
    """Every match that is decided, as a game writes it down."""
    league, clocks = source.league, source.clocks
    names = {player.agent_id: player.display_name for player in league.players.values()}
    for result in rows.results(league):
        frames = replay(league.league_id, result, game, whole=True).frames
        yield PlayedMatch(
            league_id=league.league_id,
            league_name=league.rules.display_name,
            match_id=result.match_id,
            round_id=result.round_id,
            date=clocks.decided.get(result.match_id, ""),
            players=result.players,
            names={player: names[player] for player in result.players},
            turns=tuple(frame.moves for frame in frames[1:]),
            winner=result.winner,
            score=result.score,
            reason=result.reason,
            faults={fault.player_id: str(fault.cause) for fault in result.faults},
        )


def _notation(source: Source, game: Game[Any] | None) -> list[str]:
    """Every match that is decided, in the notation of its game."""
    name = source.league.rules.game_type
    if game is None:
        raise PlanError(f"the game {name!r} is not installed here: name the folder that it is in with --plugins")
    noted = [text for match in played_matches(source, game) if (text := game.notation(match)).strip()]
    if source.league.results and not noted:
        others = ", ".join(form for form in FORMATS if form != NOTATION)
        raise PlanError(f"the game {name!r} has no standard notation; the other formats are {others}")
    return noted


def _format(form: str | None, target: Path | None, what: str) -> str:
    by_name = SUFFIXES.get(target.suffix.lower(), "") if target else ""
    chosen = form or by_name or ("json" if what == ALL else "csv")
    if chosen not in FORMATS:
        raise PlanError(f"--format {chosen!r}: {alternatives(chosen, FORMATS, 'there are')}")
    if chosen == NOTATION and what not in ("standings", "matches"):
        raise PlanError(f"--format {NOTATION} writes matches, not {what}")
    if what == ALL and chosen != "json":
        raise PlanError(f"--what {ALL} needs --format json: {chosen} holds one table, and they have different columns")
    return chosen


def _write(source: Source, what: str, form: str, target: Path | None) -> int:
    if form == "json":
        document = to_json(source, tuple(TABLES) if what == ALL else (what,))
        output.write([common.json_text(document, indent=2), "\n"], target)
        return sum(len(table) for name, table in document.items() if name in TABLES)
    table = list(read(source, what))
    names = [column.name for column in columns_of(source, what)]
    output.write(to_csv(names, table) if form == "csv" else to_jsonl(table), target)
    return len(table)
