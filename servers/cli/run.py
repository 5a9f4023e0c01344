"""`league run` and `league resume`: a whole league, from one command."""

import contextlib
import threading
import time
import webbrowser
from dataclasses import replace
from functools import partial
from typing import Annotated, Any

import anyio
import typer

from league_sdk.clock import SystemClock, SystemIds
from league_sdk.domain.league import League, fold
from league_sdk.domain.lifecycles import LeagueState
from league_sdk.domain.model import Role
from league_sdk.logs import JsonLogger
from league_sdk.settings import ConfigLoader, Workspace
from servers.agent.manager_lock import leader_that_stays
from servers.agent.output_guard import guarded_output, printing_to_stderr
from servers.agent.security import authorities
from servers.cli import common
from servers.cli.common import (
    ConfigOption,
    DataOption,
    GameOption,
    HostOption,
    JoinTimeout,
    JsonOption,
    LeagueArgument,
    MoveTimeout,
    PluginsOption,
    ResponseTimeout,
    SeedOption,
    SetOption,
    StoreOption,
    err,
    out,
)
from servers.cli.summary import run_json, spending_lines
from servers.cli.views import standings_table, view_for
from servers.launcher.plan import LaunchPlan, load_plan, make_plan
from servers.launcher.port_check import check_ports, wait_for_ports
from servers.launcher.run_options import PlayerSpec, RunOptions, introduced
from servers.launcher.supervisor import (
    RESTARTS,
    Launch,
    RunEnding,
    RunOutcome,
    Supervisor,
    in_processes,
    in_this_process,
)
from servers.player.strategy_check import check_strategy_named
from servers.read_model.text import count, name_of, printable

Processes = Annotated[
    bool, typer.Option("--processes/--in-process", help="A process for each agent, or all on one event loop.")
]
PerProcess = Annotated[
    int, typer.Option("--agents-per-process", min=1, help="Players that share a process, each with its own address.")
]
Restarts = Annotated[
    int, typer.Option("--restarts", min=0, help="How often an agent that was killed or crashed is started again.")
]
PortBase = Annotated[
    int | None,
    typer.Option(
        "--port-base", min=0, max=65535, help="The manager's port; all others move with it. 0 takes any free ports."
    ),
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Show the result only, not the course.")]
Open = Annotated[
    bool, typer.Option("--open", help="Open the league's page in a browser; on a terminal it stays until Ctrl-C.")
]


def run(
    players: Annotated[
        int | None,
        typer.Option(
            "--players",
            "-n",
            min=1,
            help="Players of the whole league, those of --player and --guests among them; the rest comes from the "
            "registry of agents. Default: as many as these name; without --player, as configured.",
        ),
    ] = None,
    player: Annotated[
        list[str] | None,
        typer.Option(
            "--player",
            help="One of the players: name=Ada,strategy=frequency, or the URL of an agent elsewhere; may be repeated.",
        ),
    ] = None,
    guests: Annotated[
        int, typer.Option("--guests", min=0, help="How many of the players are agents that register by themselves.")
    ] = 0,
    referees: Annotated[int | None, typer.Option("--referees", min=1, help="How many referees.")] = None,
    game: GameOption = None,
    league: Annotated[
        str | None, typer.Option("--league", help="A configured league's id, or the path of a league file.")
    ] = None,
    seed: SeedOption = None,
    port_base: PortBase = None,
    join_timeout: JoinTimeout = None,
    move_timeout: MoveTimeout = None,
    response_timeout: ResponseTimeout = None,
    host: HostOption = None,
    processes: Processes = True,
    agents_per_process: PerProcess = 1,
    data: DataOption = None,
    config: ConfigOption = None,
    store: StoreOption = None,
    plugins: PluginsOption = None,
    settings: SetOption = None,
    as_json: JsonOption = False,
    restarts: Restarts = RESTARTS,
    quiet: Quiet = False,
    open_page: Open = False,
) -> None:
    """Play a whole league: start every agent, watch, and show who won.

    [bold]Examples[/bold]

      league run                               four players, two referees
      league run --players 8 --referees 4 --game tic_tac_toe
      league run --player name=Ada,strategy=mirror --player name=Bob
      league run --player http://192.168.1.11:8101/mcp --players 4
      league run --players 4 --guests 1        one of them registers by itself
      league run --seed 42 --in-process --json the same league every time

    Exit code: 0 the league is complete, 1 it is not, or a match is void that
    no referee brought to a result, 2 a mistake in the command or the
    configuration, 130 interrupted. An interrupted league goes on with
    'league resume'.
    """
    options = RunOptions(
        workspace=common.workspace_of(data),
        config=config,
        overrides=common.overrides_of(
            settings,
            timeouts__game_join_timeout_sec=join_timeout,
            timeouts__move_timeout_sec=move_timeout,
            timeouts__generic_response_timeout_sec=response_timeout,
        ),
        league=league,
        game=game,
        count=players,
        players=tuple(PlayerSpec.parse(text) for text in player or ()),
        guests=guests,
        referees=referees,
        seed=seed,
        port_base=port_base,
        bind_host=host,
        store_url=store,
        plugins=common.folders_of(plugins),
    )
    if any(seat.url and not seat.name for seat in options.players):
        system = ConfigLoader(config, overrides=options.overrides).load_system()
        options = replace(options, players=anyio.run(introduced, options.players, authorities(system.security)))
    plan = make_plan(options, SystemIds().token(), check_ports)
    common.warn(ConfigLoader(config, overrides=options.overrides))
    launch = _launch(processes, agents_per_process)
    plan.save()
    _carry_out(plan, launch, restarts=restarts, as_json=as_json, quiet=quiet, open_page=open_page)


def resume(
    league: LeagueArgument = None,
    port_base: PortBase = None,
    processes: Processes = True,
    agents_per_process: PerProcess = 1,
    data: DataOption = None,
    as_json: JsonOption = False,
    restarts: Restarts = RESTARTS,
    quiet: Quiet = False,
    open_page: Open = False,
) -> None:
    """Go on with a league that was interrupted: everything that was recorded is kept.

    [bold]Examples[/bold]

      league resume                            the one last written to
      league resume league_2025_even_odd-2
      league resume --port-base 9000           when its ports are taken by now

    A league that another manager still leads, such as one that is paused,
    is left alone: exit code 2, and how its operator lets it go on. Players
    that were removed are not started again.
    """
    workspace = common.workspace_of(data)
    league_id = common.league_id_of(workspace, league)
    plan = load_plan(workspace, league_id)
    plan = plan if port_base is None else plan.at_ports(port_base)
    launch = _launch(processes, agents_per_process)
    records = common.read_records(workspace, league_id, plan.manager.config, plan.manager.store_url)
    known = fold(record.event for record in records) if records else None
    if known is not None and known.state is LeagueState.COMPLETED:
        common.tell(f"league: {league_id} is complete already")
        document = run_json(known, records, workspace, _strategies(plan)) | {"page": plan.page}
        _show(workspace, known, document, as_json=as_json, seconds=None)
        _end_of(known)
        return
    plan = plan if known is None else plan.without_removed(known)
    for spec in plan.agents:
        if spec.role is Role.PLAYER:
            check_strategy_named(spec.strategy, spec.plugins, ConfigLoader(spec.config, overrides=spec.overrides))
    _check_unled(workspace, league_id)
    anyio.run(wait_for_ports, plan.manager.bind_host, [agent.port for agent in plan.agents], SystemClock())
    _carry_out(plan, launch, restarts=restarts, as_json=as_json, quiet=quiet, open_page=open_page)


def _check_unled(workspace: Workspace, league_id: str) -> None:
    """Leave a league alone that another manager leads, unless that is about to end.

    Raises:
        PlanError: It stays.
    """

    def say(text: str) -> None:
        common.tell(f"league: {text}")

    endpoint = anyio.run(leader_that_stays, workspace, league_id, SystemClock(), say)
    if endpoint is not None:
        raise common.led_already(workspace, league_id, endpoint)


def _launch(processes: bool, agents_per_process: int) -> Launch:
    """How agents are started. What starts them has much to load, which it does while we get ready."""
    if processes and agents_per_process > 1:
        from servers.launcher.worker_processes import in_worker_processes

        return in_worker_processes(agents_per_process)
    return in_processes() if processes else in_this_process


def _carry_out(
    plan: LaunchPlan, launch: Launch, *, restarts: int, as_json: bool, quiet: bool, open_page: bool = False
) -> None:
    # What is started here goes on when its reader leaves; nobody has to have seen a league for it to count.
    with guarded_output(_lost, patience=None):
        _play(plan, launch, restarts=restarts, as_json=as_json, quiet=quiet, open_page=open_page)


def _lost(sentence: str) -> None:
    """Said once, where somebody may still read it."""
    common.tell(f"league: {sentence}; the league plays on")


def _play(plan: LaunchPlan, launch: Launch, *, restarts: int, as_json: bool, quiet: bool, open_page: bool) -> None:
    started = time.monotonic()
    ready = partial(_ready, plan.page, tell=not quiet and not as_json, open_page=open_page)
    log = JsonLogger("orchestrator", logs=plan.workspace.logs)
    apart = printing_to_stderr() if as_json else contextlib.nullcontext()
    with contextlib.closing(log), apart, view_for(err if as_json else out, quiet=quiet or as_json) as view:
        outcome = anyio.run(Supervisor(plan, launch, view, restarts=restarts, ready=ready, log=log).run)
    for reason in outcome.reasons:
        common.tell(f"league: {reason}")
    if outcome.ending is RunEnding.COMPLETED and outcome.league is not None:
        document = run_json(outcome.league, outcome.records, plan.workspace, _strategies(plan)) | {"page": plan.page}
        _show(plan.workspace, outcome.league, document, as_json=as_json, seconds=time.monotonic() - started)
        if open_page and out.is_terminal and not as_json:
            _stay(plan, outcome)
        _end_of(outcome.league)
        return
    _explain(plan, outcome)
    common.end(common.INTERRUPTED if outcome.ending is RunEnding.INTERRUPTED else common.FAILED)


def _end_of(league: League) -> None:
    """Say which matches no referee brought to a result; the exit code tells it too."""
    unplayed = league.unplayed
    for match_id, cause in unplayed.items():
        common.tell(f"league: {match_id} is void: {printable(cause, 300)}")
    if unplayed:
        common.end(common.FAILED)


def _ready(page: str, *, tell: bool, open_page: bool) -> None:
    """The page is there. It is opened without waiting for the browser: some of them end when they are closed only."""
    if tell:
        out.print(f"Watch it at {page}", markup=False, soft_wrap=True)
    if open_page:
        threading.Thread(target=webbrowser.open, args=(page,), daemon=True).start()


def _stay(plan: LaunchPlan, outcome: RunOutcome) -> None:
    """Go on to show the page of a league whose manager has ended, until the person has seen enough."""
    from servers.ui.web.recorded_page import show  # brings a web server

    out.print(f"The page stays at {plan.page} until you press Ctrl-C.", markup=False, soft_wrap=True)
    with contextlib.suppress(KeyboardInterrupt, OSError):
        anyio.run(show, outcome.records, plan.manager.port, plan.manager.plugins)


def _explain(plan: LaunchPlan, outcome: RunOutcome) -> None:
    """Why there is no champion, and how to go on."""
    league = outcome.league
    command = f"league resume {plan.league_id}{common.data_flag(plan.workspace)}"
    if outcome.ending is RunEnding.STOPPED and league is not None:
        common.tell(f"league: stopped: {league.stop_reason}")
    if league is None or not league.rounds:
        other = "" if outcome.ending is RunEnding.INTERRUPTED else "\nWith --port-base it takes other ports."
        common.tell(f"league: nothing was played. To begin again:\n  {command}{other}")
        return
    # A result may have been stored while everybody went home.
    records = common.read_records(plan.workspace, plan.league_id, plan.manager.config, plan.manager.store_url)
    league = fold(record.event for record in records)
    void = f"; {len(league.voided)} are void" if league.voided else ""
    done = f"{len(league.results)} of {league.total_matches} matches are decided, and kept{void}"
    common.tell(f"league: {done}. To go on:\n  {command}")


def _show(
    workspace: Workspace, league: League, document: dict[str, Any], *, as_json: bool, seconds: float | None
) -> None:
    if as_json:
        common.print_json(document)
        return
    out.print()
    out.print(standings_table(league))
    names = ", ".join(name_of(league, champion) for champion in league.champions)
    title = "Champion" if len(league.champions) == 1 else "Champions, equal in everything"
    took = "" if seconds is None else f", {seconds:.1f} s"
    lines = [f"{title}: {names}"]
    if league.voided:
        lines.append(f"Void, counted for nobody: {', '.join(league.voided)}")
    lines.append(f"{count(len(league.results), 'match')}, {count(len(league.rounds), 'round')}{took}.")
    lines += spending_lines(document["spending"])
    lines.append(f"Head of the records, to be kept: {document['record_head']['digest']}")
    lines.append(f"Data: {document['paths']['data']}  Logs: {document['paths']['logs']}")
    flag = common.data_flag(workspace)
    lines.append(f"More: league matches{flag}, league show R1M1{flag}, league standings{flag}, league report{flag}")
    for line in lines:
        out.print(line, markup=False, soft_wrap=True)


def _strategies(plan: LaunchPlan) -> dict[str, str]:
    return {spec.name: spec.strategy for spec in plan.players}
