"""`league strategies`: all strategies, and those that an extra adds."""

from typing import Annotated

import typer
from rich import box
from rich.table import Table
from rich.text import Text

from league_sdk import plugins
from league_sdk.game import Strategy
from league_sdk.game_library import StrategyLibrary
from servers.cli import common
from servers.cli.common import JsonOption, PluginsOption, out


def strategies(
    everything: Annotated[bool, typer.Option("--all", help="Also each strategy of a library.")] = False,
    plugin_folders: PluginsOption = None,
    as_json: JsonOption = False,
) -> None:
    """List the strategies that a player can have, and those that an extra adds.

    Some take an argument after their name: 'mcts-500' plays 500 simulations a move, 'mcts' its default number, and
    'always-rock' always chooses 'rock'.

    [bold]Examples[/bold]

      league strategies
      league strategies --all
      league strategies --plugins my_agents
      league run --player strategy=mcts-500 --players 4 --game tic_tac_toe
      league experiment run --game tic_tac_toe -s minimax -s random

    Exit code: 0 listed, 2 a plug-in cannot be loaded.
    """
    folders = common.folders_of(plugin_folders)
    own, libraries = list(plugins.strategies(folders).values()), plugins.strategy_libraries(folders)
    # Only asked for: a library takes seconds to be imported.
    named = {name: _names(library) for name, library in libraries.items()} if everything else {}
    missing = [libraries[name] for name, names in named.items() if names is None]
    if as_json:
        common.print_json(
            {
                "strategies": [
                    {"strategy": item.name, "argument": item.argument, "description": item.description} for item in own
                ],
                "libraries": {name: named.get(name) or [] for name in libraries},
                "not_installed": [{"library": library.name, "install": library.install} for library in missing],
            }
        )
        return
    out.print(_table(own))
    if not everything:
        common.print_out(
            f"Of libraries: {', '.join(f'{name}:NAME' for name in libraries)}; 'league strategies --all' lists them."
        )
    for name, names in named.items():
        if names is not None:
            common.print_out(f"{len(names)} of the library {name}: {', '.join(f'{name}:{each}' for each in names)}.")
    for library in missing:
        common.print_out(f"Not installed: the library {library.name}. {library.install}")


def _names(library: StrategyLibrary) -> list[str] | None:
    """The library's strategies; None when it is not installed."""
    try:
        return list(library.names())
    except ImportError:
        return None


def _table(listed: list[Strategy]) -> Table:
    table = Table(box=box.SIMPLE)
    for heading in ("strategy", "description"):
        table.add_column(heading)
    for item in listed:
        table.add_row(Text(_usage(item), no_wrap=True), Text(item.description))
    return table


def _usage(item: Strategy) -> str:
    """The name with its argument, in brackets where it may be left out."""
    if not item.argument:
        return item.name
    return f"{item.name}-<{item.argument}>" if item.argument_is_move else f"{item.name}[-<{item.argument}>]"
