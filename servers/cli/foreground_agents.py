"""`league manager`, `league referee`, `league player`: agents in the foreground."""

import os
from dataclasses import replace
from pathlib import Path
from typing import Annotated, TypeAlias

import typer

from league_sdk import plugins as plugins_known
from league_sdk.domain.model import Role
from servers.agent.agent_spec import AgentSpec
from servers.cli import common, joining
from servers.cli.foreground import AgentOptions, AgentStart, FileOptions, get_ready, serve
from servers.cli.invite import read_invitation
from servers.cli.option_groups import grouped
from servers.launcher.run_options import PlanError
from servers.player.strategy_check import check_strategy_named

Wait: TypeAlias = Annotated[
    float | None, typer.Option("--wait", help="Seconds to wait for the league manager. Default: no limit.")
]
RefereeId: TypeAlias = Annotated[
    str | None, typer.Option("--id", help="Use the name and port of this agent in the registry, such as REF01.")
]
PlayerId: TypeAlias = Annotated[
    str | None,
    typer.Option("--id", help="Use the name, port and strategy of this agent in the registry, such as P01."),
]
Outbound: TypeAlias = Annotated[
    bool | None,
    typer.Option(
        "--outbound/--listen",
        help="Do not listen: take messages at a seat of the league's, for a machine that can't be called; or listen. "
        "Default: listen, unless --join-link-file is given.",
    ),
]
InvitationFile: TypeAlias = Annotated[
    Path | None,
    typer.Option(
        "--invitation-file", help="Invitation that the league's operator made: 'league invite --referee NAME'."
    ),
]
MaxMatches: TypeAlias = Annotated[
    int | None, typer.Option("--max-matches", min=1, help="Maximum number of concurrent matches.")
]
Standalone: TypeAlias = Annotated[
    bool | None,
    typer.Option(
        "--standalone/--register",
        help="Serve any caller, such as MCP Inspector, without registering; or register. Default: register, "
        "unless auto_register is false.",
    ),
]


@grouped
def referee(
    *,
    name: Annotated[str | None, typer.Option("--name", help="Its display name.")] = None,
    agent: RefereeId = None,
    invitation_file: InvitationFile = None,
    manager_url: common.ManagerOption = None,
    game: common.GameOption = None,
    max_matches: MaxMatches = None,
    dialect: common.DialectOption = None,
    wait: Wait = None,
    options: AgentOptions,
    files: FileOptions,
) -> None:
    r"""Run a referee in the foreground.

    It waits for the league manager, and ends with the league.

    [bold]Examples[/bold]

      league referee --id REF01      as in config/agents/agents_config.json
      league referee --name "Referee Gamma" --port 8003
      league referee --manager http://192.168.1.10:8000/mcp \
        --host 0.0.0.0 --public-host 192.168.1.11
      league referee --invitation-file gamma.json \
        --host 0.0.0.0 --public-host 192.168.1.11

    On the league manager's data folder it finds the league's secret; elsewhere it needs an invitation.
    """
    secret: dict[str, str] = {}
    if invitation_file is not None:
        invitation = read_invitation(invitation_file)
        name, manager_url = invitation.checked_name(name), manager_url or invitation.manager
        secret = {"security.referee_secret": invitation.secret}
    start = AgentStart.read(files, secret)
    known = start.loader.get_referee_by_id(agent) if agent else None
    if game is not None:
        game = plugins_known.full_game_type(game, common.folders_of(files.plugins))
        plugins_known.game(game, common.folders_of(files.plugins))
    spec = replace(
        start.spec(Role.REFEREE, options, files.plugins),
        name=name or (known.display_name if known else f"Referee {os.getpid()}"),
        port=_port(options.port, agent, start.system.network.referee_port_range),
        manager_url=common.manager_url_of(start.loader, manager_url),
        game_types=(game,) if game else (),
        seed=options.seed,
        max_concurrent_matches=max_matches or (known.max_concurrent_matches if known else None),
        dialect=dialect or "",
        patience=wait,
    )
    get_ready(spec, options.as_json)
    serve(spec, options.as_json)


@grouped
def player(
    *,
    name: Annotated[str | None, typer.Option("--name", help="Its display name, unique in the league.")] = None,
    agent: PlayerId = None,
    strategy: Annotated[
        str | None, typer.Option("--strategy", help="Strategy: random, frequency, mirror, always-even, …")
    ] = None,
    manager_url: common.ManagerOption = None,
    standalone: Standalone = None,
    outbound: Outbound = None,
    join_link_file: joining.LinkFile = None,
    join_secret_file: joining.SecretFile = None,
    ask_join_secret: joining.AskSecret = False,
    on_command_line: joining.OnCommandLine = None,
    game: common.GameOption = None,
    dialect: common.DialectOption = None,
    wait: Wait = None,
    options: AgentOptions,
    files: FileOptions,
) -> None:
    r"""Run a player in the foreground.

    It waits for the league manager, and ends with the league.

    [bold]Examples[/bold]

      league player --id P01         as in config/agents/agents_config.json
      league player --name Ada --strategy frequency
      league player --name Ada --standalone --port 8101
      league player --name Ada --manager http://192.168.1.10:8000/mcp \
        --host 0.0.0.0 --public-host 192.168.1.12
      league player --name Ada --manager http://192.168.1.10:8000/mcp \
        --outbound                   from behind a router
      league player --join-link-file card.txt --strategy frequency
      league player --name Ada --manager http://192.168.1.10:8000/mcp \
        --outbound --ask-join-secret
    """
    del on_command_line  # its callback refuses it
    if options.stdio and ask_join_secret:
        raise PlanError("--ask-join-secret and --stdio both want standard input; use LEAGUE_JOIN_SECRET")
    joins = joining.read_joining(name, manager_url, join_link_file, join_secret_file, ask_join_secret)
    start, game = AgentStart.read(files, joins.settings), game or joins.game
    spec = replace(
        start.spec(Role.PLAYER, options, files.plugins),
        port=_port(options.port, agent, start.system.network.player_port_range),
        game_types=(plugins_known.full_game_type(game, common.folders_of(files.plugins)),) if game else (),
        seed=options.seed,
        dialect=dialect or "",
        patience=wait,
    )
    spec = _as_registered(start, spec, agent, joins.name, strategy, joins.manager_url, standalone)
    outbound = joins.by_link if outbound is None else outbound
    if outbound and (options.stdio or not spec.manager_url):
        raise PlanError("--outbound needs a league manager, and does not go with --standalone or --stdio")
    spec = replace(spec, outbound=outbound, port=0 if outbound else spec.port)
    get_ready(spec, options.as_json)
    serve(spec, options.as_json)


def _as_registered(
    start: AgentStart,
    spec: AgentSpec,
    agent: str | None,
    name: str | None,
    strategy: str | None,
    manager_url: str | None,
    standalone: bool | None,
) -> AgentSpec:
    """Complete a player by the registry of agents and the defaults of players."""
    known = start.loader.get_player_by_id(agent) if agent else None
    defaults = start.loader.load_player_defaults().default_settings
    alone = not defaults.auto_register if standalone is None else standalone
    chosen = strategy or (known.strategy if known else defaults.strategy)
    game = spec.game_types[0] if spec.game_types else None
    check_strategy_named(chosen, spec.plugins, start.loader, common.games_of(game, spec.plugins))
    return replace(
        spec,
        name=name or (known.display_name if known else f"Player {os.getpid()}"),
        strategy=chosen,
        manager_url="" if alone else common.manager_url_of(start.loader, manager_url),
    )


def _port(given: int | None, agent: str | None, span: tuple[int, int]) -> int:
    """The given port, else the registry's, else a free one."""
    if given is not None:
        return given
    digits = "".join(character for character in agent or "" if character.isdigit())
    return span[0] + int(digits) - 1 if digits and span[0] + int(digits) - 1 <= span[1] else 0
