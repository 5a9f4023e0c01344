"""`league manager`, `league referee`, `league player`: one agent in the foreground."""

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from league_sdk import plugins as plugins_known
from league_sdk.domain.lifecycles import LeagueState
from league_sdk.domain.model import Role
from league_sdk.game import Game
from league_sdk.settings import ConfigLoader, LeagueConfig, Workspace, read_secret
from servers.agent import event_store
from servers.agent.agent_spec import AgentSpec
from servers.agent.manager_lock import leader
from servers.cli import common
from servers.cli.common import (
    ConfigOption,
    DataOption,
    DialectOption,
    GameOption,
    HostOption,
    ManagerOption,
    PluginsOption,
    SeedOption,
    SetOption,
    StoreOption,
    TlsCa,
    TlsCert,
    TlsKey,
    TokenOption,
)
from servers.cli.foreground import get_ready, serve
from servers.launcher.plan import league_config
from servers.launcher.run_options import PlanError
from servers.player.strategy_check import check_strategy_named

Port = Annotated[int | None, typer.Option("--port", min=0, max=65535, help="Port to listen on; 0 takes a free one.")]
Stay = Annotated[bool, typer.Option("--stay", help="Keep serving after the league is over.")]
Public = Annotated[
    str | None,
    typer.Option("--public-host", help="Host name or address that others reach this machine by. Default: localhost."),
]
JsonLines = Annotated[
    bool, typer.Option("--json", help="Print one JSON object a line for all that happens, and nothing else.")
]
Stdio = Annotated[
    bool, typer.Option("--stdio", help="Speak MCP over standard input and output too, and end with that input.")
]
Wait = Annotated[
    float | None, typer.Option("--wait", help="Seconds to look for the league manager. Default: for ever.")
]


def manager(
    league: Annotated[
        str | None, typer.Option("--league", help="A configured league's id, or the path of a league file.")
    ] = None,
    league_id: Annotated[
        str | None, typer.Option("--league-id", help="The new league's id. Default: the configured one, numbered.")
    ] = None,
    resume: Annotated[str | None, typer.Option("--resume", metavar="LEAGUE", help="Go on with this league.")] = None,
    or_resume: Annotated[
        bool,
        typer.Option(
            "--or-resume",
            help="With --league-id: go on with that league if there is one; for a manager that something restarts.",
        ),
    ] = False,
    game: GameOption = None,
    players: Annotated[
        int | None, typer.Option("--players", min=2, help="Registration closes when so many are in.")
    ] = None,
    referees: Annotated[int | None, typer.Option("--referees", min=1, help="How many referees to wait for.")] = None,
    registration_timeout: Annotated[
        float | None,
        typer.Option("--registration-timeout", min=0, help="Seconds until registration closes; 0: never by itself."),
    ] = None,
    port: Port = None,
    host: HostOption = None,
    public_host: Public = None,
    seed: SeedOption = None,
    token: TokenOption = None,
    stay: Stay = False,
    data: DataOption = None,
    config: ConfigOption = None,
    store: StoreOption = None,
    plugins: PluginsOption = None,
    tls_cert: TlsCert = None,
    tls_key: TlsKey = None,
    tls_ca: TlsCa = None,
    settings: SetOption = None,
    as_json: JsonLines = False,
    stdio: Stdio = False,
) -> None:
    r"""Run a league manager in the foreground: registration, schedule, standings.

    [bold]Examples[/bold]

      league manager                 wait for players and referees as configured
      league manager --players 10 --registration-timeout 0
      league manager --port 8000 --league-id league_test_001
      league manager --league-id thursday --or-resume
      league manager --host 0.0.0.0 --public-host 192.168.1.10 \
        --set security.allowed_endpoints=192.168.1.0/24

    The operator's token is written to the data folder, for 'league start' and for MCP Inspector.
    """
    overrides = common.overrides_of(settings, **common.tls_overrides(tls_cert, tls_key, tls_ca))
    loader = ConfigLoader(config, overrides=overrides)
    common.warn(loader)
    workspace = common.workspace_of(data)
    system = loader.load_system()
    if or_resume and resume is None:
        if league_id is None:
            raise PlanError("--or-resume goes on with the league that --league-id names; name one")
        there = event_store.read_records(workspace, league_id, event_store.checked(store or system.store_url))
        resume = league_id if there else None
    if resume is None:
        chosen = league_config(loader, league, game)
        plugins_known.game(chosen.game_type, common.folders_of(plugins), chosen.rules)
        store_url = event_store.checked(store or system.store_url)
        if league_id is not None:
            _check_new(workspace, league_id, store_url)
        changes = {"expected_players": players, "expected_referees": referees, "seed": seed}
        rules = loader.league_rules(
            chosen, as_id=league_id, registration_timeout_sec=registration_timeout, **_room(chosen, players), **changes
        )
        game_type, secret = chosen.game_type, token
    else:
        known, _ = common.read_league(workspace, resume, config, store)
        rules, game_type = None, known.rules.game_type
        endpoint = leader(workspace, resume)
        if endpoint is not None and known.state is not LeagueState.COMPLETED:
            raise common.led_already(workspace, resume, endpoint)
        store_url = event_store.checked(store) or event_store.remembered(workspace, resume)
        # Agents that are still there know the manager by what was derived from this.
        secret = token or read_secret(workspace.operator_token_file(resume))
    spec = AgentSpec(
        role=Role.LEAGUE_MANAGER,
        name=loader.load_agents().league_manager.display_name or "League Manager",
        workspace=workspace.root.absolute(),
        config=loader.root,
        overrides=overrides,
        bind_host=host or system.network.bind_host,
        public_host=public_host or system.network.base_host,
        port=system.network.league_manager_port if port is None else port,
        league_id=resume or league_id or "",
        game_types=(game_type,),
        operator_token=secret,
        plugins=common.folders_of(plugins),
        rules=rules,
        resume=resume is not None,
        store_url=store_url,
        stay=stay or stdio,
        stdio=stdio,
    )
    get_ready(spec, as_json)
    if rules is not None:
        new_id = league_id or event_store.new_league_id(workspace, rules.league_id, store_url)
        event_store.remember(workspace, new_id, store_url)
        spec = replace(spec, league_id=new_id, rules=replace(rules, league_id=new_id))
    if not as_json:
        common.tell(f"the operator's token is in {workspace.operator_token_file(spec.league_id)}")
    serve(spec, as_json)


def referee(
    name: Annotated[str | None, typer.Option("--name", help="Its display name.")] = None,
    agent: Annotated[
        str | None, typer.Option("--id", help="Take name and port from the registry of agents, such as REF01.")
    ] = None,
    port: Port = None,
    manager_url: ManagerOption = None,
    game: GameOption = None,
    max_matches: Annotated[int | None, typer.Option("--max-matches", min=1, help="Matches at once.")] = None,
    dialect: DialectOption = None,
    host: HostOption = None,
    public_host: Public = None,
    seed: SeedOption = None,
    token: TokenOption = None,
    stay: Stay = False,
    wait: Wait = None,
    data: DataOption = None,
    config: ConfigOption = None,
    plugins: PluginsOption = None,
    tls_cert: TlsCert = None,
    tls_key: TlsKey = None,
    tls_ca: TlsCa = None,
    settings: SetOption = None,
    as_json: JsonLines = False,
    stdio: Stdio = False,
) -> None:
    r"""Run a referee in the foreground. It waits for the league manager, and ends with the league.

    [bold]Examples[/bold]

      league referee --id REF01      as in config/agents/agents_config.json
      league referee --name "Referee Gamma" --port 8003
      league referee --manager http://192.168.1.10:8000/mcp \
        --host 0.0.0.0 --public-host 192.168.1.11
    """
    overrides = common.overrides_of(settings, **common.tls_overrides(tls_cert, tls_key, tls_ca))
    loader = ConfigLoader(config, overrides=overrides)
    common.warn(loader)
    known = loader.get_referee_by_id(agent) if agent else None
    _check_game(game, plugins)
    spec = _member(loader, Role.REFEREE, data, host, public_host, overrides)
    span = loader.load_system().network.referee_port_range
    spec = replace(
        spec,
        name=name or (known.display_name if known else f"Referee {os.getpid()}"),
        port=_port(port, agent, span),
        manager_url=common.manager_url_of(loader.load_system(), manager_url),
        game_types=(game,) if game else (),
        operator_token=token,
        plugins=common.folders_of(plugins),
        seed=seed,
        max_concurrent_matches=max_matches or (known.max_concurrent_matches if known else None),
        dialect=dialect or "",
        stay=stay or stdio,
        stdio=stdio,
        patience=wait,
    )
    get_ready(spec, as_json)
    serve(spec, as_json)


def player(
    name: Annotated[str | None, typer.Option("--name", help="Its display name, unique in the league.")] = None,
    agent: Annotated[
        str | None, typer.Option("--id", help="Take name, port and strategy from the registry of agents, such as P01.")
    ] = None,
    strategy: Annotated[
        str | None,
        typer.Option("--strategy", help="How it chooses: random, frequency, mirror, always-even, …"),
    ] = None,
    port: Port = None,
    manager_url: ManagerOption = None,
    standalone: Annotated[
        bool | None,
        typer.Option(
            "--standalone/--register",
            help="Register nowhere and answer whoever calls, such as MCP Inspector; or register. Default: register, "
            "unless auto_register is false.",
        ),
    ] = None,
    game: GameOption = None,
    dialect: DialectOption = None,
    host: HostOption = None,
    public_host: Public = None,
    seed: SeedOption = None,
    token: TokenOption = None,
    stay: Stay = False,
    wait: Wait = None,
    data: DataOption = None,
    config: ConfigOption = None,
    plugins: PluginsOption = None,
    tls_cert: TlsCert = None,
    tls_key: TlsKey = None,
    tls_ca: TlsCa = None,
    settings: SetOption = None,
    as_json: JsonLines = False,
    stdio: Stdio = False,
) -> None:
    r"""Run a player in the foreground. It waits for the league manager, and ends with the league.

    [bold]Examples[/bold]

      league player --id P01         as in config/agents/agents_config.json
      league player --name Ada --strategy frequency
      league player --name Ada --standalone --port 8101
      league player --name Ada --manager http://192.168.1.10:8000/mcp \
        --host 0.0.0.0 --public-host 192.168.1.12
    """
    overrides = common.overrides_of(settings, **common.tls_overrides(tls_cert, tls_key, tls_ca))
    loader = ConfigLoader(config, overrides=overrides)
    common.warn(loader)
    known = loader.get_player_by_id(agent) if agent else None
    spec = _member(loader, Role.PLAYER, data, host, public_host, overrides)
    span = loader.load_system().network.player_port_range
    defaults = loader.load_player_defaults().default_settings
    chosen = strategy or (known.strategy if known else defaults.strategy)
    alone = not defaults.auto_register if standalone is None else standalone
    folders = common.folders_of(plugins)
    check_strategy_named(chosen, folders, loader, _games(game, folders))
    spec = replace(
        spec,
        name=name or (known.display_name if known else f"Player {os.getpid()}"),
        port=_port(port, agent, span),
        manager_url="" if alone else common.manager_url_of(loader.load_system(), manager_url),
        game_types=(game,) if game else (),
        operator_token=token,
        plugins=common.folders_of(plugins),
        seed=seed,
        strategy=chosen,
        dialect=dialect or "",
        stay=stay or stdio,
        stdio=stdio,
        patience=wait,
    )
    get_ready(spec, as_json)
    serve(spec, as_json)


def _check_new(workspace: Workspace, league_id: str, store_url: str | None) -> None:
    """Refuse an id for a new league that cannot be one, or that is taken."""
    if event_store.read_records(workspace, common.league_id_of(workspace, league_id), store_url):
        raise PlanError(
            f"there is a league {league_id!r} already; go on with it by --resume {league_id}, or choose another id"
        )


def _room(config: LeagueConfig, players: int | None) -> dict[str, int]:
    """Limits that leave room for the number of players that was asked for."""
    if players is None:
        return {}
    who = config.participants
    return {"min_players": min(players, who.min_players), "max_players": max(players, who.max_players)}


def _games(name: str | None, folders: tuple[str, ...]) -> list[Game[Any]]:
    """The games that a player may have to play: the one that is named, else all that are installed."""
    return [plugins_known.game(name, folders)] if name else list(plugins_known.games(folders).values())


def _check_game(game: str | None, folders: list[Path] | None) -> None:
    if game is not None:
        plugins_known.game(game, common.folders_of(folders))


def _member(
    loader: ConfigLoader,
    role: Role,
    data: Path | None,
    host: str | None,
    public_host: str | None,
    overrides: Mapping[str, Any],
) -> AgentSpec:
    network = loader.load_system().network
    return AgentSpec(
        role=role,
        name="",
        workspace=common.workspace_of(data).root.absolute(),
        config=loader.root,
        overrides=overrides,
        bind_host=host or network.bind_host,
        public_host=public_host or network.base_host,
    )


def _port(given: int | None, agent: str | None, span: tuple[int, int]) -> int:
    """The port: as given, else the registry's (the first of the range is number 1's), else a free one."""
    if given is not None:
        return given
    digits = "".join(character for character in agent or "" if character.isdigit())
    return span[0] + int(digits) - 1 if digits and span[0] + int(digits) - 1 <= span[1] else 0
