"""`league host`: a seat in a league for whoever sits in an MCP host."""

import getpass
import os
import signal
import sys
from pathlib import Path
from typing import Annotated

import anyio
import typer

from league_sdk import plugins as plugins_known
from league_sdk.domain.model import Role
from league_sdk.settings import ConfigLoader
from servers.agent.agent_spec import AgentSpec
from servers.cli import common
from servers.cli.common import (
    ConfigOption,
    DataOption,
    GameOption,
    HostOption,
    ManagerOption,
    PluginsOption,
    SetOption,
    TlsCa,
)
from servers.host.install import HOSTS, NotInstalled, command_line, config_file, entry, install
from servers.host.options import FALLBACK, Ask
from servers.launcher.run_options import PlanError
from servers.player.strategy_check import check_move_named

JOIN_PATIENCE_SEC = 5.0
"""How long a seat looks for a league manager before it says that there is none."""


def host(
    manager_url: ManagerOption = None,
    name: Annotated[str | None, typer.Option("--name", help="Your display name, unique in the league.")] = None,
    fallback: Annotated[
        str, typer.Option("--fallback", help="The strategy that chooses shortly before a deadline if you have not.")
    ] = FALLBACK,
    ask: Annotated[
        Ask,
        typer.Option("--ask", help="Ask for each move, where the host offers it: the person, or the host's model."),
    ] = Ask.OFF,
    http: Annotated[
        bool, typer.Option("--http", help="Serve hosts on this machine over HTTP, instead of the one that starts it.")
    ] = False,
    port: Annotated[
        int, typer.Option("--port", min=0, max=65535, help="With --http: the port to listen on; 0 takes a free one.")
    ] = 8200,
    install_for: Annotated[
        str | None,
        typer.Option("--install", metavar="HOST", help="Write the seat into a host's configuration: claude-desktop."),
    ] = None,
    print_only: Annotated[
        bool, typer.Option("--print", help="Print the entry for a host's configuration, and write nothing.")
    ] = False,
    game: GameOption = None,
    player_host: HostOption = None,
    player_port: Annotated[
        int | None,
        typer.Option("--player-port", min=1, max=65535, help="The port that referees call. Default: a free one, kept."),
    ] = None,
    public_host: Annotated[
        str | None,
        typer.Option("--public-host", help="Host name or address that referees reach this machine by."),
    ] = None,
    data: DataOption = None,
    config: ConfigOption = None,
    plugins: PluginsOption = None,
    tls_ca: TlsCa = None,
    settings: SetOption = None,
) -> None:
    r"""Sit down at a league from an MCP host, such as Claude Desktop.

    [bold]Examples[/bold]

      league host --install claude-desktop --name Ada
      league host --print --manager http://192.168.1.10:8000/mcp
      league host --http --port 8200           for any host with HTTP
      league host --http --ask elicitation     the host asks the person

    Started by a host, it speaks MCP on standard input and output, and
    nothing else stands there.
    """
    overrides = common.overrides_of(settings, **common.tls_overrides(None, None, tls_ca))
    workspace = common.workspace_of(data)
    if install_for is not None or print_only:
        given = [
            *_option("--manager", manager_url),
            *_option("--name", name),
            *_option("--fallback", fallback if fallback != FALLBACK else None),
            *_option("--ask", ask if ask is not Ask.OFF else None),
            *_option("--game", game),
            *_option("--host", player_host),
            *_option("--player-port", player_port),
            *_option("--public-host", public_host),
            *_option("--data", workspace.root.expanduser().absolute()),
            *_option("--config", None if config is None else config.expanduser().absolute()),
            *(word for folder in common.folders_of(plugins) for word in ("--plugins", folder)),
            *_option("--tls-ca", None if tls_ca is None else tls_ca.expanduser().absolute()),
            *(word for text in settings or () for word in ("--set", text)),
        ]
        _install(install_for, given, print_only=print_only)
        return
    loader = ConfigLoader(config, overrides=overrides)
    plugins_known.strategy(fallback, common.folders_of(plugins))
    folders = common.folders_of(plugins)
    games = [plugins_known.game(game, folders)] if game else plugins_known.games(folders).values()
    check_move_named(fallback, folders, games)
    network = loader.load_system().network
    spec = AgentSpec(
        role=Role.PLAYER,
        name=name or _guest(),
        workspace=workspace.root.absolute(),
        config=loader.root,
        overrides=overrides,
        bind_host=player_host or network.bind_host,
        public_host=public_host or network.base_host,
        port=player_port or 0,
        manager_url=common.manager_url_of(loader.load_system(), manager_url),
        game_types=(game,) if game else (),
        plugins=common.folders_of(plugins),
        strategy=fallback,
        patience=JOIN_PATIENCE_SEC,
    )
    workspace.prepare()
    _serve(spec, ask, port if http else None)


def _serve(spec: AgentSpec, ask: Ask, port: int | None) -> None:
    from servers.host.serving import serve_on_http, serve_on_stdio

    # A thread that reads standard input cannot be interrupted, so an interrupt ends the process as a whole.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    if port is None:
        anyio.run(serve_on_stdio, spec, ask)
        return

    def say(url: str) -> None:
        common.tell(f"{spec.name}: hosts find the seat at {url}")

    anyio.run(serve_on_http, spec, ask, port, say)


def _install(host_name: str | None, arguments: list[str], *, print_only: bool) -> None:
    if host_name is not None and host_name not in HOSTS:
        raise PlanError(f"--install {host_name!r}: the configuration of {', '.join(HOSTS)} is known; see --print")
    addition = entry(*command_line(arguments))
    if print_only:
        common.print_json(addition)
        return
    path = config_file(sys.platform, os.environ, Path.home())
    try:
        done = install(path, addition)
    except NotInstalled as error:
        raise PlanError(str(error)) from error
    if not done.changed:
        common.tell(f"league: {path} has this seat already; nothing was changed")
        return
    common.tell(f"league: wrote the seat into {path}")
    if done.backup is not None:
        common.tell(f"league: what was there before is in {done.backup}")
    if done.new_folder:
        common.tell("league: the folder was not there before; is Claude Desktop installed for this user?")
    common.tell("league: quit Claude Desktop completely, and start it again; then ask it to join the league")


def _guest() -> str:
    """What a person is called who has not said it: the same after a restart, which the seat depends on."""
    try:
        return f"Guest {getpass.getuser()}"
    except (OSError, KeyError):
        return "Guest"


def _option(flag: str, value: object) -> list[str]:
    return [] if value is None else [flag, str(value)]
