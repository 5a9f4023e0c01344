"""All commands of `league`, put together."""

import io
import sys
from importlib import import_module
from keyword import iskeyword
from typing import Annotated

import typer

from league_sdk.domain.records.format_version import NewerRecords
from league_sdk.errors import LeagueError, UnsupportedGameType
from league_sdk.net.tls import TlsUnusable
from league_sdk.plugins import PluginError
from league_sdk.ports import StoreFailed
from league_sdk.settings import ConfigError, UnknownAgent
from servers.agent.class_roster import RosterError
from servers.agent.event_store import StorageError
from servers.agent.operator_secret import NotTheOperator
from servers.cli import common, mistakes, print_version
from servers.cli.command_help import ExplainedCommand
from servers.launcher.port_check import PortsTaken
from servers.launcher.run_options import PlanError

_PLAY, _ONE, _LOOK = "Play a league", "One agent in the foreground", "Look at a league"
_KEEP = "Keep leagues"
_COMMANDS = {
    "run": ("run", _PLAY),
    "resume": ("run", _PLAY),
    "attach": ("detached", _PLAY),
    "stop": ("detached", _PLAY),
    "class": ("classes", _PLAY),
    "doctor": ("doctor", _PLAY),
    "games": ("game_list", _PLAY),
    "strategies": ("strategy_list", _PLAY),
    "bench": ("bench", _PLAY),
    "experiment": ("experiment", _PLAY),
    "manager": ("manager", _ONE),
    "referee": ("foreground_agents", _ONE),
    "player": ("foreground_agents", _ONE),
    "check": ("check", _ONE),
    "host": ("host", _ONE),
    "start": ("operate", _ONE),
    "control": ("control", _ONE),
    "invite": ("invite", _ONE),
    "standings": ("show", _LOOK),
    "ratings": ("ratings", _LOOK),
    "schedule": ("show", _LOOK),
    "matches": ("show", _LOOK),
    "show": ("show", _LOOK),
    "watch": ("watch", _LOOK),
    "replay": ("replay", _LOOK),
    "report": ("report", _LOOK),
    "export": ("export", _LOOK),
    "audit": ("audit", _LOOK),
    "query": ("operate", _LOOK),
    "withdraw": ("operate", _ONE),
    "backup": ("leagues.backup", _KEEP),
    "restore": ("leagues.restore", _KEEP),
    "lead": ("leagues.lead", _KEEP),
    "list": ("leagues.listing", _KEEP),
    "archive": ("leagues.stored_leagues", _KEEP),
    "delete": ("leagues.stored_leagues", _KEEP),
    "move": ("leagues.stored_leagues", _KEEP),
}
"""The module that has each command, and the panel that shows it."""


def command_line(command: str = "") -> typer.Typer:
    """The command `league`, loading only the chosen command."""
    app = typer.Typer(
        name="league",
        help="Leagues between autonomous agents: every agent is an MCP server, every result can be trusted.",
        epilog="Begin with 'league run'. Each command explains itself with --help.",
        rich_markup_mode="rich",
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(_options)
    for name in [command] if command in _COMMANDS else _COMMANDS:
        module, panel = _COMMANDS[name]
        found = getattr(import_module(f"servers.cli.{module}"), f"{name}_" if iskeyword(name) else name)
        if isinstance(found, typer.Typer):
            for each in found.registered_commands:
                each.cls = ExplainedCommand
            app.add_typer(found, name=name, rich_help_panel=panel)
        else:
            app.command(cls=ExplainedCommand, rich_help_panel=panel)(found)
    return app


def _version(wanted: bool) -> None:
    if wanted:
        print_version()
        raise typer.Exit


def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """Options before the command."""


def run_app() -> None:
    """Run the command line; a mistake is told in a sentence, never in a traceback."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # a terminal that lacks a letter still gets the rest
    app = command_line(*sys.argv[1:2])
    try:
        raise SystemExit(app(standalone_mode=False))
    except mistakes.UsageError as mistake:
        if told := mistakes.sentence(mistake, app):
            common.print_err(f"league: {told}")
        raise SystemExit(common.MISUSED) from None
    except (
        ConfigError,
        NewerRecords,
        NotTheOperator,
        PlanError,
        PluginError,
        RosterError,
        StorageError,
        StoreFailed,
        TlsUnusable,
        UnknownAgent,
        UnsupportedGameType,
    ) as error:
        common.print_err(f"league: {error}")
        raise SystemExit(common.MISUSED) from None
    except (LeagueError, PortsTaken) as error:
        code = f" ({error.code})" if isinstance(error, LeagueError) else ""
        common.print_err(f"league: {error}{code}")
        raise SystemExit(common.FAILED) from None
