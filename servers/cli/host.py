"""`league host`: play from an MCP host."""

import getpass
import os
import signal
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, ClassVar

import anyio
import typer

from league_sdk import plugins as plugins_known
from league_sdk.domain.model import Role
from league_sdk.settings import Workspace
from servers.agent.agent_spec import AgentSpec
from servers.cli import common, joining
from servers.cli.foreground import AgentOptions, AgentStart
from servers.cli.option_groups import grouped, words_of
from servers.host.install import HOSTS, NotInstalled, command_line, config_file, entry_of, install
from servers.host.options import FALLBACK, Ask
from servers.launcher.run_options import PlanError
from servers.player.strategy_check import check_move_named

JOIN_PATIENCE_SEC = 5.0
"""Seconds to look for a league manager before reporting that there is none."""


@dataclass(frozen=True, slots=True)
class HostMoves:
    """Options for moves that the person, the host's model or a strategy makes."""

    panel: ClassVar = "Moves"
    fallback: Annotated[
        str, typer.Option("--fallback", help="Strategy that moves for you shortly before a deadline.")
    ] = FALLBACK
    ask: Annotated[
        Ask, typer.Option("--ask", help="Ask for each move, if the host supports it: the person, or the host's model.")
    ] = Ask.OFF


@dataclass(frozen=True, slots=True)
class HostAccess:
    """Options for the way by which the host reaches this server."""

    panel: ClassVar = "MCP host"
    http: Annotated[
        bool, typer.Option("--http", help="Serve hosts on this machine over HTTP instead of standard input and output.")
    ] = False
    port: Annotated[
        int, typer.Option("--port", min=0, max=65535, help="With --http: the port to listen on; 0 picks a free one.")
    ] = 8200
    install_for: Annotated[
        str | None,
        typer.Option("--install", metavar="HOST", help="Add this server to a host's configuration: claude-desktop."),
    ] = None
    print_only: Annotated[
        bool, typer.Option("--print", help="Print the entry for a host's configuration, and write nothing.")
    ] = False


@dataclass(frozen=True, slots=True)
class HostEntry:
    """Options for the player's entry in the league."""

    panel: ClassVar = "League"
    manager_url: common.ManagerOption = None
    name: Annotated[str | None, typer.Option("--name", help="Your display name, unique in the league.")] = None
    join_link_file: joining.LinkFile = None
    join_secret_file: joining.SecretFile = None
    game: common.GameOption = None


@dataclass(frozen=True, slots=True)
class PlayerAddress:
    """Options for the address that referees call."""

    panel: ClassVar = "Address"
    player_host: common.HostOption = None
    player_port: Annotated[
        int | None,
        typer.Option("--player-port", min=1, max=65535, help="Port that referees call. Default: a free one, kept."),
    ] = None
    public_host: Annotated[
        str | None, typer.Option("--public-host", help="Host name or address by which referees reach this machine.")
    ] = None


@dataclass(frozen=True, slots=True)
class PlayerFiles:
    """Options for folders, settings and certificates."""

    panel: ClassVar = "Data, settings and certificates"
    data: common.DataOption = None
    config: common.ConfigOption = None
    plugins: common.PluginsOption = None
    tls_ca: common.TlsCa = None
    settings: common.SetOption = None


@grouped
def host(entry: HostEntry, moves: HostMoves, access: HostAccess, address: PlayerAddress, files: PlayerFiles) -> None:
    r"""Play from an MCP host, such as Claude Desktop.

    [bold]Examples[/bold]

      league host --install claude-desktop --name Ada
      league host --print --manager http://192.168.1.10:8000/mcp
      league host --install claude-desktop --join-link-file card.txt
      league host --http --port 8200           for any host with HTTP
      league host --http --ask elicitation     the host asks the person

    Started by a host, it speaks MCP on standard input and output only.
    """
    overrides = common.overrides_of(files.settings, **common.tls_overrides(None, None, files.tls_ca))
    if access.install_for is not None or access.print_only:
        files = replace(files, data=common.workspace_of(files.data).root)
        _install(access.install_for, words_of(entry, moves, address, files), print_only=access.print_only)
        return
    joins = joining.read_joining(entry.name, entry.manager_url, entry.join_link_file, entry.join_secret_file)
    start, game = AgentStart(files.config, {**overrides, **joins.settings}, files.data), entry.game or joins.game
    options = AgentOptions(host=address.player_host, public_host=address.public_host)
    spec = replace(
        start.spec(Role.PLAYER, options, files.plugins),
        name=joins.name or _guest(),
        port=address.player_port or 0,
        manager_url=common.manager_url_of(start.loader, joins.manager_url),
        game_types=(plugins_known.full_game_type(game, common.folders_of(files.plugins)),) if game else (),
        strategy=moves.fallback,
        patience=JOIN_PATIENCE_SEC,
    )
    _serve(spec, moves.ask, access.port if access.http else None)


def _serve(spec: AgentSpec, ask: Ask, port: int | None) -> None:
    from servers.host.serving import serve_on_http, serve_on_stdio

    plugins_known.strategy(spec.strategy, spec.plugins)
    game = spec.game_types[0] if spec.game_types else None
    check_move_named(spec.strategy, spec.plugins, common.games_of(game, spec.plugins))
    Workspace(spec.workspace).prepare()
    # A thread that reads standard input cannot be interrupted, so an interrupt ends the process as a whole.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    if port is None:
        anyio.run(serve_on_stdio, spec, ask)
        return

    def say(url: str) -> None:
        common.print_err(f"{spec.name}: hosts connect to {url}")

    anyio.run(serve_on_http, spec, ask, port, say)


def _install(host_name: str | None, arguments: list[str], *, print_only: bool) -> None:
    if host_name is not None and host_name not in HOSTS:
        raise PlanError(f"--install {host_name!r}: the configuration of {', '.join(HOSTS)} is known; see --print")
    addition = entry_of(*command_line(arguments))
    if print_only:
        common.print_json(addition)
        return
    path = config_file(sys.platform, os.environ, Path.home())
    try:
        done = install(path, addition)
    except NotInstalled as error:
        raise PlanError(str(error)) from error
    if not done.changed:
        common.print_err(f"league: {path} already has this entry; nothing was changed")
        return
    common.print_err(f"league: wrote the entry to {path}")
    if done.backup is not None:
        common.print_err(f"league: the previous version is in {done.backup}")
    if done.new_folder:
        common.print_err("league: the folder was not there before; is Claude Desktop installed for this user?")
    common.print_err("league: quit Claude Desktop completely, and start it again; then ask it to join the league")


def _guest() -> str:
    """The default name: the same after a restart, since credentials are kept by name."""
    try:
        return f"Guest {getpass.getuser()}"
    except (OSError, KeyError):
        return "Guest"
