"""`league manager`: a league manager in the foreground."""

from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, TypeAlias

import typer

from league_sdk import plugins as plugins_known
from league_sdk.clock import SystemClock, SystemIds
from league_sdk.domain.lifecycles import LeagueState
from league_sdk.domain.model import Role
from league_sdk.settings import ConfigLoader, LeagueConfig, Workspace
from league_sdk.tournament import Format, FormatDoesNotFit
from servers.agent import event_store
from servers.agent.agent_spec import AgentSpec
from servers.agent.class_roster import class_of
from servers.agent.manager_lock import leader
from servers.agent.operator_secret import check_leads, kept_token
from servers.cli import common
from servers.cli.foreground import AgentOptions, AgentStart, FileOptions, get_ready, serve
from servers.cli.new_token import NewToken, change_token
from servers.cli.option_groups import grouped
from servers.cli.run_arguments import LeagueFile, LeagueId, Seats
from servers.launcher.hosted_seats import seats_beside, with_seats
from servers.launcher.league_stages import league_tie_breaks, on_bad_move, with_total_rounds
from servers.launcher.plan import league_config
from servers.launcher.port_check import check_ports, free_ports
from servers.launcher.run_options import PlanError, check_deadline, named, refuse_cancelled

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


@grouped
def manager(
    *,
    league: LeagueFile = None,
    league_id: LeagueId = None,
    resume: Resume = None,
    or_resume: OrResume = False,
    game: common.GameOption = None,
    players: Players = None,
    referees: Referees = None,
    registration_timeout: RegistrationTimeout = None,
    deadline: common.DeadlineOption = None,
    title: common.TitleOption = None,
    seats: Seats = False,
    with_class: common.ClassOption = False,
    new_token: NewToken = False,
    store: common.StoreOption = None,
    options: AgentOptions,
    files: FileOptions,
) -> None:
    r"""Run a league manager in the foreground: registration, schedule, standings.

    [bold]Examples[/bold]

      league manager                 wait for players and referees as configured
      league manager --players 10 --registration-timeout 0
      league manager --port 8000 --league-id league_test_001
      league manager --league-id thursday --or-resume
      league manager --class --seats
      league manager --host 0.0.0.0 --public-host 192.168.1.10 \
        --set security.allowed_endpoints=192.168.1.0/24

    The operator's token is written to the data folder, for 'league start' and for MCP Inspector.
    """
    start = AgentStart.read(files)
    if or_resume and resume is None:
        resume = _existing(start, league_id, store)
    spec = replace(
        start.spec(Role.LEAGUE_MANAGER, options, files.plugins),
        port=start.system.network.league_manager_port if options.port is None else options.port,
    )
    if with_class:
        kept = class_of(start.workspace)
        players = players or kept.invited
        spec = replace(spec, roster=str(kept.path.absolute()))
    if new_token and resume is None:
        raise PlanError("--new-token is for a league that is continued: name it with --resume")
    if resume is None:
        changes = {"expected_players": players, "expected_referees": referees, "seed": options.seed}
        changes |= {"registration_timeout_sec": registration_timeout, **named(title, deadline)}
        spec = _with_new_league(start, spec, league, league_id, game, store, changes)
    else:
        spec = _with_old_league(start, spec, resume, files.config, store, seats, new_token=new_token)
    _serve_manager(spec, options.as_json, seats)


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
    chosen = league_config(start.loader, league, game and plugins_known.full_game_type(game, spec.plugins))
    played = plugins_known.game(chosen.game_type, spec.plugins, chosen.rules)
    above = start.loader.chosen_above_files
    stages = with_total_rounds(chosen.stages, chosen, changes["expected_players"], spec.plugins, above)
    try:
        made = plugins_known.stages_format(stages, spec.plugins)
        plugins_known.check_seats(made, played, spec.plugins)
        _check_fits(made, chosen, changes["expected_players"])
    except FormatDoesNotFit as misfit:
        raise PlanError(str(misfit)) from misfit
    store_url = event_store.checked(store or start.system.store_url)
    cancelled = league_id is not None and event_store.is_cancelled(start.workspace, league_id, store_url)
    if league_id is not None and not cancelled:
        _check_new(start.workspace, league_id, store_url)
    limits = _limits(chosen, changes["expected_players"])
    changes |= {"stages": stages, "tiebreakers": league_tie_breaks((), chosen, stages, spec.plugins)}
    changes |= {"on_bad_move": on_bad_move(chosen, stages, spec.plugins, roster=bool(spec.roster))}
    rules = start.loader.league_rules(chosen, as_id=league_id, **limits, **changes)
    check_deadline(rules.registration_deadline, SystemClock().now())
    return replace(
        spec,
        league_id="" if cancelled else league_id or "",
        game_types=(chosen.game_type,),
        rules=rules,
        store_url=store_url,
    )


def _check_fits(made: Format, chosen: LeagueConfig, players: int | None) -> None:
    """Raise FormatDoesNotFit where no number of players that may come fits."""
    if players is not None:
        return made.check(players)
    who, misfit = chosen.participants, None
    for number in range(who.min_players, who.max_players + 1):
        try:
            return made.check(number)
        except FormatDoesNotFit as found:
            misfit = found
    if misfit is not None:
        raise misfit
    return None


def _with_old_league(
    start: AgentStart,
    spec: AgentSpec,
    league_id: str,
    config: Path | None,
    store: str | None,
    seats: bool,
    *,
    new_token: bool,
) -> AgentSpec:
    known, _ = common.read_league(start.workspace, league_id, config, store)
    refuse_cancelled(known)
    endpoint = leader(start.workspace, league_id)
    if endpoint is not None and known.state is not LeagueState.COMPLETED:
        raise common.led_already(start.workspace, league_id, endpoint)
    if not seats and any(player.hosted for player in known.players.values()):
        raise PlanError(f"players of league {league_id!r} have hosted seats: continue it with --seats")
    if new_token:
        where = common.store_of(start.workspace, league_id, config, store)
        token = kept = change_token(start.workspace, known, where, spec.operator_token)
    else:
        kept = kept_token(start.workspace, known)
        token = spec.operator_token or kept
        check_leads(known, token, kept=token == kept)
    return replace(
        spec,
        league_id=league_id,
        game_types=(known.rules.game_type,),
        resume=True,
        store_url=event_store.checked(store) or event_store.remembered(start.workspace, league_id),
        # Agents that are still there know the manager by tokens derived from this one.
        operator_token=token,
        token_kept=token is not None and token == kept,
    )


def _serve_manager(spec: AgentSpec, as_json: bool, seats: bool) -> None:
    workspace = Workspace(spec.workspace)
    agents = ConfigLoader(spec.config, overrides=spec.overrides).load_agents()
    spec = replace(spec, name=agents.league_manager.display_name or "League Manager")
    hosting = None
    if seats:
        spec = replace(
            spec,
            operator_token=spec.operator_token or SystemIds().token(),
            port=spec.port or free_ports(spec.bind_host, 1)[0],
        )
        hosting = seats_beside(spec)
        check_ports(spec.bind_host, [hosting.port], "--port")
        spec = with_seats(spec, hosting)
    get_ready(spec, as_json)
    if spec.rules is not None:
        new_id = spec.league_id or event_store.new_league_id(workspace, spec.rules.league_id, spec.store_url)
        event_store.remember(workspace, new_id, spec.store_url)
        spec = replace(spec, league_id=new_id, rules=replace(spec.rules, league_id=new_id))
    if not as_json:
        common.print_err(f"the operator's token is in {workspace.operator_token_file(spec.league_id)}")
    if hosting is not None and not as_json:
        common.print_err(common.outbound_line(spec.seats_url.replace(f":{hosting.port}/", f":{spec.port}/")))
    serve(spec, as_json, None if hosting is None else replace(hosting, league_id=spec.league_id))


def _check_new(workspace: Workspace, league_id: str, store_url: str | None) -> None:
    """Refuse an id that is invalid or taken."""
    if event_store.read_records(workspace, common.league_id_of(workspace, league_id), store_url):
        raise PlanError(
            f"league {league_id!r} already exists; continue it with --resume {league_id}, end it for good with "
            f"'league control cancel --league {league_id}', or choose another id"
        )


def _limits(config: LeagueConfig, players: int | None) -> dict[str, int]:
    """Limits that admit the given number of players."""
    if players is None:
        return {}
    who = config.participants
    return {"min_players": min(players, who.min_players), "max_players": max(players, who.max_players)}
