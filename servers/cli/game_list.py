"""`league games`: all games, and those that an extra adds."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Annotated, Any

import typer
from rich import box
from rich.table import Table

from league_sdk import plugins
from league_sdk.clock import HashRng
from league_sdk.game import (
    Game,
)
from league_sdk.game_library import GameLibrary, LibraryGame
from servers.cli import common
from servers.cli.common import JsonOption, PluginsOption, out


@dataclass(frozen=True, slots=True)
class _Library:
    """A library's games; None when it is not installed."""

    library: GameLibrary
    games: list[LibraryGame] | None


def games(
    everything: Annotated[
        bool, typer.Option("--all", help="Also games that a league cannot play, each with the reason.")
    ] = False,
    plugin_folders: PluginsOption = None,
    as_json: JsonOption = False,
) -> None:
    """List the games that a league can play, and those that an extra adds.

    The games of a library are loaded by name. Parameters stand in the name:
    'openspiel:kuhn_poker(players=3)'.

    [bold]Examples[/bold]

      league games
      league games --all
      league games --json | jq -r '.games[] | select(.hidden).game'
      league run --players 4 --game openspiel:connect_four

    Exit code: 0 listed, 2 a plug-in cannot be loaded.
    """
    folders = common.folders_of(plugin_folders)
    own = [_own(game) for game in plugins.games(folders).values()]
    libraries = [_Library(library, _listed(library)) for library in plugins.game_libraries(folders).values()]
    found = [*own, *(game for each in libraries for game in _named(each))]
    listed = [game for game in found if everything or not game.refusal]
    missing = [each.library for each in libraries if each.games is None]
    if as_json:
        common.print_json(
            {
                "games": [_as_json(game) for game in listed],
                "not_installed": [
                    {"library": library.name, "description": library.description, "install": library.install}
                    for library in missing
                ],
            }
        )
        return
    out.print(_table(listed, everything))
    refused = sum(bool(game.refusal) for game in found)
    hint = "" if everything or not refused else f"; {refused} more cannot be played: 'league games --all' says why"
    common.print_out(f"{len(found) - refused} games{hint}.")
    for library in missing:
        common.print_out(f"Not installed: {library.description} {library.install}")


def _listed(library: GameLibrary) -> list[LibraryGame] | None:
    try:
        return list(library.games())
    except ImportError:
        return None


def _own(game: Game[Any]) -> LibraryGame:
    players = [f"P{number:02d}" for number in range(1, game.min_players + 1)]
    movers = game.to_move(game.start(players, HashRng("games")))
    title = game.display_name or game.name
    return LibraryGame(game.name, title, game.min_players, game.max_players, game.hidden, len(movers) > 1)


def _named(each: _Library) -> Iterator[LibraryGame]:
    for game in each.games or ():
        yield replace(game, name=f"{each.library.name}:{game.name}")


def _as_json(game: LibraryGame) -> dict[str, Any]:
    return {
        "game": game.name,
        "title": game.title,
        "min_players": game.min_players,
        "max_players": game.max_players,
        "hidden": game.hidden,
        "simultaneous": game.simultaneous,
        "refusal": game.refusal,
    }


def _table(listed: list[LibraryGame], everything: bool) -> Table:
    table = Table(box=box.SIMPLE)
    for heading in ("game", "players", "information", "moves", *(["cannot be played"] if everything else [])):
        table.add_column(heading, overflow="fold")
    for game in listed:
        span = (
            str(game.min_players) if game.min_players == game.max_players else f"{game.min_players}-{game.max_players}"
        )
        information = "hidden" if game.hidden else "open"
        moves = "at once" if game.simultaneous else "in turn"
        table.add_row(game.name, span, information, moves, *([game.refusal] if everything else []))
    return table
