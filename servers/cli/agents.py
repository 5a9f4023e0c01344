"""`league manager`, `league referee`, `league player`: agents in the foreground."""

import os
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, TypeAlias

import typer

from league_sdk import plugins as plugins_known
from league_sdk.domain.lifecycles import LeagueState
from league_sdk.domain.model import Role
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
from servers.cli.foreground import AgentStart, get_ready, serve
from servers.launcher.league_stages import league_tie_breaks
from servers.launcher.plan import league_config
from servers.launcher.run_options import PlanError
from servers.player.strategy_check import check_strategy_named

Port: TypeAlias = Annotated[
    int | None, typer.Option("--port", min=0, max=65535, help="Port to listen on; 0 picks a free one.")
]
Stay: TypeAlias = Annotated[bool, typer.Option("--stay", help="Keep serving after the league is over.")]
Public: TypeAlias = Annotated[
    str | None,
    typer.Option("--public-host", help="Host name or address by which others reach this machine. Default: localhost."),
]
JsonLines: TypeAlias = Annotated[bool, typer.Option("--json", help="Print one JSON object per event, one a line.")]
Stdio: TypeAlias = Annotated[
    bool, typer.Option("--stdio", help="Also serve MCP on standard input and output; end when the input ends.")
]
Wait: TypeAlias = Annotated[
    float | None, typer.Option("--wait", help="Seconds to wait for the league manager. Default: no limit.")
]
NewLeague: TypeAlias = Annotated[
    str | None, typer.Option("--league", help="A configured league's id, or the path of a league file.")
]
LeagueId: TypeAlias = Annotated[
    str | None, typer.Option("--league-id", help="The new league's id. Default: the configured one, numbered.")
]
Resume: TypeAlias = Annotated[str | None, typer.Option("--resume", metavar="LEAGUE", help="Continue this league.")]
OrResume: TypeAlias = Annotated[
    bool,
    typer.Option(
        "--or-resume", help="With --league-id: continue that league if it exists, for managers that are restarted."
    ),
]
Players: TypeAlias = Annotated[
    int | None, typer.Option("--players", min=2, help="Close registration at this number of players.")
]
Referees: TypeAlias = Annotated[int | None, typer.Option("--referees", min=1, help="Number of referees to wait for.")]
RegistrationTimeout: TypeAlias = Annotated[
    float | None,
    typer.Option("--registration-timeout", min=0, help="Seconds until registration closes; 0 disables it."),
]
RefereeId: TypeAlias = Annotated[
    str | None, typer.Option("--id", help="Use the name and port of this agent in the registry, such as REF01.")
]
PlayerId: TypeAlias = Annotated[
    str | None,
    typer.Option("--id", help="Use the name, port and strategy of this agent in the registry, such as P01."),
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


def manager(
    league: NewLeague = None,
    league_id: LeagueId = None,
    resume: Resume = None,
    or_resume: OrResume = False,
    game: GameOption = None,
    players: Players = None,
    referees: Referees = None,
    registration_timeout: RegistrationTimeout = None,
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
    start = _start(config, settings, data, tls_cert, tls_key, tls_ca)
    if or_resume and resume is None:
        resume = _existing(start, league_id, store)
    spec = replace(
        start.spec(Role.LEAGUE_MANAGER, host, public_host, plugins, stay=stay, stdio=stdio),
        port=start.system.network.league_manager_port if port is None else port,
        operator_token=token,
    )
    if resume is None:
        changes = {"expected_players": players, "expected_referees": referees, "seed": seed}
        changes |= {"registration_timeout_sec": registration_timeout}
        _serve_manager(_with_new_league(start, spec, league, league_id, game, store, changes), as_json)
    else:
        _serve_manager(_with_old_league(start, spec, resume, config, store), as_json)


def _start(
    config: Path | None,
    settings: list[str] | None,
    data: Path | None,
    tls_cert: Path | None,
    tls_key: Path | None,
    tls_ca: Path | None,
) -> AgentStart:
    overrides = common.overrides_of(settings, **common.tls_overrides(tls_cert, tls_key, tls_ca))
    start = AgentStart(config, overrides, data)
    common.warn(start.loader)
    return start


def _existing(start: AgentStart, league_id: str | None, store: str | None) -> str | None:
    """The league of this id if there is one, for --or-resume."""
    if league_id is None:
        raise PlanError("--or-resume needs --league-id, the league to continue")
    url = event_store.checked(store or start.system.store_url)
    return league_id if event_store.read_records(start.workspace, league_id, url) else None


def _with_new_league(
    start: AgentStart,
    spec: AgentSpec,
    league: str | None,
    league_id: str | None,
    game: str | None,
    store: str | None,
    changes: dict[str, Any],
) -> AgentSpec:
    chosen = league_config(start.loader, league, game)
    plugins_known.game(chosen.game_type, spec.plugins, chosen.rules)
    store_url = event_store.checked(store or start.system.store_url)
    if league_id is not None:
        _check_new(start.workspace, league_id, store_url)
    limits = _limits(chosen, changes["expected_players"])
    changes = {**changes, "tiebreakers": league_tie_breaks((), chosen, chosen.stages, spec.plugins)}
    return replace(
        spec,
        league_id=league_id or "",
        game_types=(chosen.game_type,),
        rules=start.loader.league_rules(chosen, as_id=league_id, **limits, **changes),
        store_url=store_url,
    )


def _with_old_league(
    start: AgentStart, spec: AgentSpec, league_id: str, config: Path | None, store: str | None
) -> AgentSpec:
    known, _ = common.read_league(start.workspace, league_id, config, store)
    endpoint = leader(start.workspace, league_id)
    if endpoint is not None and known.state is not LeagueState.COMPLETED:
        raise common.led_already(start.workspace, league_id, endpoint)
    return replace(
        spec,
        league_id=league_id,
        game_types=(known.rules.game_type,),
        resume=True,
        store_url=event_store.checked(store) or event_store.remembered(start.workspace, league_id),
        # Agents that are still there know the manager by tokens derived from this one.
        operator_token=spec.operator_token or read_secret(start.workspace.operator_token_file(league_id)),
    )


def _serve_manager(spec: AgentSpec, as_json: bool) -> None:
    workspace = Workspace(spec.workspace)
    agents = ConfigLoader(spec.config, overrides=spec.overrides).load_agents()
    spec = replace(spec, name=agents.league_manager.display_name or "League Manager")
    get_ready(spec, as_json)
    if spec.rules is not None:
        new_id = spec.league_id or event_store.new_league_id(workspace, spec.rules.league_id, spec.store_url)
        event_store.remember(workspace, new_id, spec.store_url)
        spec = replace(spec, league_id=new_id, rules=replace(spec.rules, league_id=new_id))
    if not as_json:
        common.tell(f"the operator's token is in {workspace.operator_token_file(spec.league_id)}")
    serve(spec, as_json)


def referee(
    name: Annotated[str | None, typer.Option("--name", help="Its display name.")] = None,
    agent: RefereeId = None,
    port: Port = None,
    manager_url: ManagerOption = None,
    game: GameOption = None,
    max_matches: MaxMatches = None,
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
    r"""Run a referee in the foreground.

    It waits for the league manager, and ends with the league.

    [bold]Examples[/bold]

      league referee --id REF01      as in config/agents/agents_config.json
      league referee --name "Referee Gamma" --port 8003
      league referee --manager http://192.168.1.10:8000/mcp \
        --host 0.0.0.0 --public-host 192.168.1.11
    """
    start = _start(config, settings, data, tls_cert, tls_key, tls_ca)
    known = start.loader.get_referee_by_id(agent) if agent else None
    if game is not None:
        plugins_known.game(game, common.folders_of(plugins))
    spec = replace(
        start.spec(Role.REFEREE, host, public_host, plugins, stay=stay, stdio=stdio),
        name=name or (known.display_name if known else f"Referee {os.getpid()}"),
        port=_port(port, agent, start.system.network.referee_port_range),
        manager_url=common.manager_url_of(start.system, manager_url),
        game_types=(game,) if game else (),
        operator_token=token,
        seed=seed,
        max_concurrent_matches=max_matches or (known.max_concurrent_matches if known else None),
        dialect=dialect or "",
        patience=wait,
    )
    get_ready(spec, as_json)
    serve(spec, as_json)


def player(
    name: Annotated[str | None, typer.Option("--name", help="Its display name, unique in the league.")] = None,
    agent: PlayerId = None,
    strategy: Annotated[
        str | None, typer.Option("--strategy", help="Strategy: random, frequency, mirror, always-even, …")
    ] = None,
    port: Port = None,
    manager_url: ManagerOption = None,
    standalone: Standalone = None,
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
    r"""Run a player in the foreground.

    It waits for the league manager, and ends with the league.

    [bold]Examples[/bold]

      league player --id P01         as in config/agents/agents_config.json
      league player --name Ada --strategy frequency
      league player --name Ada --standalone --port 8101
      league player --name Ada --manager http://192.168.1.10:8000/mcp \
        --host 0.0.0.0 --public-host 192.168.1.12
    """
    start = _start(config, settings, data, tls_cert, tls_key, tls_ca)
    spec = replace(
        start.spec(Role.PLAYER, host, public_host, plugins, stay=stay, stdio=stdio),
        port=_port(port, agent, start.system.network.player_port_range),
        game_types=(game,) if game else (),
        operator_token=token,
        seed=seed,
        dialect=dialect or "",
        patience=wait,
    )
    spec = _as_registered(start, spec, agent, name, strategy, manager_url, standalone)
    get_ready(spec, as_json)
    serve(spec, as_json)


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
        manager_url="" if alone else common.manager_url_of(start.system, manager_url),
    )


def _check_new(workspace: Workspace, league_id: str, store_url: str | None) -> None:
    """Refuse an id that is invalid or taken."""
    if event_store.read_records(workspace, common.league_id_of(workspace, league_id), store_url):
        raise PlanError(
            f"league {league_id!r} already exists; continue it with --resume {league_id}, or choose another id"
        )


def _limits(config: LeagueConfig, players: int | None) -> dict[str, int]:
    """Limits that admit the given number of players."""
    if players is None:
        return {}
    who = config.participants
    return {"min_players": min(players, who.min_players), "max_players": max(players, who.max_players)}


def _port(given: int | None, agent: str | None, span: tuple[int, int]) -> int:
    """The given port, else the registry's, else a free one."""
    if given is not None:
        return given
    digits = "".join(character for character in agent or "" if character.isdigit())
    return span[0] + int(digits) - 1 if digits and span[0] + int(digits) - 1 <= span[1] else 0
