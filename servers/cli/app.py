"""All commands of `league`, put together."""

import io
import sys
from typing import Annotated

import typer

from league_sdk.errors import LeagueError, UnsupportedGameType
from league_sdk.net.tls import TlsUnusable
from league_sdk.plugins import PluginError
from league_sdk.ports import StoreFailed
from league_sdk.release import DISTRIBUTION, release
from league_sdk.settings import ConfigError, UnknownAgent
from servers.agent.event_store import StorageError
from servers.cli import (
    agents,
    audit,
    bench,
    check,
    common,
    doctor,
    export,
    host,
    look,
    operate,
    replay,
    report,
    run,
    watch,
)
from servers.launcher.port_check import PortsTaken
from servers.launcher.run_options import PlanError

app = typer.Typer(
    name="league",
    help="Leagues between autonomous agents: every agent is an MCP server, every result can be trusted.",
    epilog="Begin with 'league run'. Each command explains itself with --help.",
    rich_markup_mode="rich",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

_PLAY, _ONE, _LOOK = "Play a league", "One agent in the foreground", "Look at a league"

app.command(rich_help_panel=_PLAY)(run.run)
app.command(rich_help_panel=_PLAY)(run.resume)
app.command(rich_help_panel=_PLAY)(doctor.doctor)
app.command(rich_help_panel=_PLAY)(bench.bench)
app.command(rich_help_panel=_ONE)(agents.manager)
app.command(rich_help_panel=_ONE)(agents.referee)
app.command(rich_help_panel=_ONE)(agents.player)
app.command(rich_help_panel=_ONE)(check.check)
app.command(rich_help_panel=_ONE)(host.host)
app.command(rich_help_panel=_ONE)(operate.start)
app.command(rich_help_panel=_LOOK)(look.standings)
app.command(rich_help_panel=_LOOK)(look.schedule)
app.command(rich_help_panel=_LOOK)(look.matches)
app.command(rich_help_panel=_LOOK)(look.show)
app.command(rich_help_panel=_LOOK)(watch.watch)
app.command(rich_help_panel=_LOOK)(replay.replay)
app.command(rich_help_panel=_LOOK)(report.report)
app.command(rich_help_panel=_LOOK)(export.export)
app.command(rich_help_panel=_LOOK)(audit.audit)
app.command(rich_help_panel=_LOOK)(operate.query)


def _version(wanted: bool) -> None:
    if wanted:
        common.out.print(f"{DISTRIBUTION} {release()}", markup=False)
        raise typer.Exit


@app.callback()
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
    try:
        app()
    except (ConfigError, PlanError, PluginError, StorageError, TlsUnusable, UnknownAgent, UnsupportedGameType) as error:
        common.tell(f"league: {error}")
        raise SystemExit(common.MISUSED) from None
    except (LeagueError, PortsTaken, StoreFailed) as error:
        code = f" ({error.code})" if isinstance(error, LeagueError) else ""
        common.tell(f"league: {error}{code}")
        raise SystemExit(common.FAILED) from None
