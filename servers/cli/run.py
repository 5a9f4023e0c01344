"""`league run` and `league resume`: a whole league, from one command."""

import contextlib
import threading
import time
import webbrowser
from collections.abc import Callable
from dataclasses import replace
from functools import partial

import anyio

from league_sdk.clock import SystemClock
from league_sdk.domain.league import fold
from league_sdk.domain.lifecycles import LeagueState
from league_sdk.domain.model import Role
from league_sdk.logs import JsonLogger
from league_sdk.settings import ConfigLoader, Workspace
from servers.agent.manager_lock import leader_that_stays
from servers.agent.output_guard import guarded_output, printing_to_stderr
from servers.cli import common, detached
from servers.cli.common import (
    ClassOption,
    ConfigOption,
    DataOption,
    DeadlineOption,
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
    TitleOption,
    err,
    out,
)
from servers.cli.run_arguments import (
    BestOf,
    Cycles,
    Detach,
    FormatOption,
    FormatOptions,
    Guests,
    LeagueFile,
    LeagueId,
    On,
    Open,
    PerProcess,
    PlayerOption,
    PlayersOption,
    PointsByOption,
    PortBase,
    Processes,
    Quiet,
    Referees,
    Restarts,
    Rounds,
    Seats,
    TieBreaks,
)
from servers.cli.run_planning import (
    format_options_of,
    planned,
    planned_there,
    players_of,
    referees_of,
    settings_of,
    store_of,
)
from servers.cli.run_result import end_of, explain, show, strategies
from servers.cli.summary import run_json
from servers.cli.views import view_for
from servers.launcher.launcher_lock import launcher_lock
from servers.launcher.plan import LaunchPlan, load_plan
from servers.launcher.port_check import wait_for_ports
from servers.launcher.ray_cluster import is_ray
from servers.launcher.requirements import check_here
from servers.launcher.run_options import RunOptions, named
from servers.launcher.supervisor import RESTARTS, RunEnding, RunOutcome, Supervisor
from servers.launcher.worker_processes import Launch, in_this_process, in_worker_processes
from servers.player.strategy_check import check_strategy_named


def run(
    players: PlayersOption = None,
    player: PlayerOption = None,
    guests: Guests = 0,
    seats: Seats = False,
    with_class: ClassOption = False,
    referees: Referees = None,
    game: GameOption = None,
    format_name: FormatOption = None,
    rounds: Rounds = None,
    cycles: Cycles = None,
    best_of: BestOf = None,
    points_by: PointsByOption = None,
    format_options: FormatOptions = None,
    tie_breaks: TieBreaks = None,
    league: LeagueFile = None,
    league_id: LeagueId = None,
    title: TitleOption = None,
    deadline: DeadlineOption = None,
    seed: SeedOption = None,
    port_base: PortBase = None,
    join_timeout: JoinTimeout = None,
    move_timeout: MoveTimeout = None,
    response_timeout: ResponseTimeout = None,
    host: HostOption = None,
    on: On = "processes",
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
    detach: Detach = False,
) -> None:
    """Play a whole league: start every agent, follow the matches, show the winner.

    [bold]Examples[/bold]

      league run                               four players, two referees
      league run --players 8 --referees 4 --game tic_tac_toe
      league run --players 50 --referees 2:6   as many as open matches need
      league run --players 16 --format swiss --rounds 5
      league run --players 8 --format knockout --best-of 3
      league run --players 6 --best-of 3 --points-by series
      league run --players 9 --tie-breaks sonneborn_berger,wins
      league run --player name=Ada,strategy=mirror --player name=Bob
      league run --player http://192.168.1.11:8101/mcp --players 4
      league run --players 4 --guests 1        one of them registers by itself
      league run --guests 4 --seats            also from behind routers
      league run --class --seats               the students of a class
      league run --on ray --store postgresql://league@db/league
      league run --players 50 --detach         then: league attach, league stop
      league run --league-id spring --title "Spring Cup"
      league run --seed 42 --in-process --json the same league every time

    Exit code: 0 the league is complete, 1 it is not or a match is void,
    2 a mistake in the command or the configuration, 130 interrupted.
    'league resume' continues an interrupted league.
    """
    options = RunOptions(
        workspace=common.workspace_of(data),
        config=config,
        overrides=common.overrides_of(settings, **settings_of(join_timeout, move_timeout, response_timeout, points_by)),
        league=league,
        league_id=league_id,
        rules=named(title, deadline),
        game=game,
        format=format_name,
        format_options=format_options_of(format_options, rounds=rounds, cycles=cycles, best_of=best_of),
        tie_breaks=tuple(name.strip().replace("-", "_") for name in (tie_breaks or "").split(",") if name.strip()),
        count=players,
        **players_of(player, data, with_class, guests, seats),
        **referees_of(referees),
        seed=seed,
        port_base=port_base,
        bind_host=host,
        store_url=store,
        plugins=common.folders_of(plugins),
    )
    _start(options, (on, processes, agents_per_process), restarts, as_json, quiet, open_page, detach)


def resume(
    league: LeagueArgument = None,
    port_base: PortBase = None,
    on: On = "processes",
    processes: Processes = True,
    agents_per_process: PerProcess = 1,
    data: DataOption = None,
    as_json: JsonOption = False,
    restarts: Restarts = RESTARTS,
    quiet: Quiet = False,
    open_page: Open = False,
    detach: Detach = False,
) -> None:
    """Continue an interrupted league; everything recorded is kept.

    [bold]Examples[/bold]

      league resume                            the most recent one
      league resume league_even_odd-2
      league resume --port-base 9000           if its ports are in use
      league resume --detach                   in the background

    A league that another manager still leads, such as one that is paused,
    is left alone: exit code 2, and how its operator can resume it. Players
    that have left are not started again.
    """
    workspace = common.workspace_of(data)
    league_id = common.league_id_of(workspace, league)
    plan = load_plan(workspace, league_id)
    plan = plan if port_base is None else plan.at_ports(port_base)
    launch = _launch(processes and not is_ray(on) and not detach, agents_per_process)
    records = common.read_records(workspace, league_id, plan.manager.config, plan.manager.store_url)
    known = fold(record.event for record in records) if records else None
    if known is not None and known.state is LeagueState.COMPLETED:
        common.tell(f"league: {league_id} is already complete")
        document = run_json(known, records, workspace, strategies(plan)) | {"page": plan.page}
        show(workspace, known, document, as_json=as_json, seconds=None)
        end_of(known)
        return
    plan = plan if known is None else plan.continued(known)
    for spec in plan.agents:
        if spec.role is Role.PLAYER:
            check_strategy_named(spec.strategy, spec.plugins, ConfigLoader(spec.config, overrides=spec.overrides))
    _check_unled(workspace, league_id)
    if detach:
        flags = _flags((on, processes, agents_per_process), restarts, open_page)
        flags += [] if port_base is None else ["--port-base", str(port_base)]
        detached.detach(plan, flags, as_json=as_json)
        return
    shown = partial(_carry_out, restarts=restarts, as_json=as_json, quiet=quiet, open_page=open_page)
    if is_ray(on):
        _on_ray(on, agents_per_process, lambda: plan, plan.manager.store_url, shown)
        return
    check_here(plan.players)
    anyio.run(wait_for_ports, plan.manager.bind_host, [agent.port for agent in plan.agents], SystemClock())
    shown(plan, launch)


def _check_unled(workspace: Workspace, league_id: str) -> None:
    """Refuse a league that has a live manager, unless that one is about to end."""

    def say(text: str) -> None:
        common.tell(f"league: {text}")

    endpoint = anyio.run(leader_that_stays, workspace, league_id, SystemClock(), say)
    if endpoint is not None:
        raise common.led_already(workspace, league_id, endpoint)


def _launch(processes: bool, agents_per_process: int) -> Launch:
    """Start the launcher of agents, which loads while the rest is prepared."""
    return in_worker_processes(agents_per_process) if processes else in_this_process


def _start(
    options: RunOptions,
    where: tuple[str, bool, int],
    restarts: int,
    as_json: bool,
    quiet: bool,
    open_page: bool,
    detach: bool,
) -> None:
    on, processes, size = where
    if detach:
        detached.detach(planned_there(options, on), _flags(where, restarts, open_page), as_json=as_json)
        return
    shown = partial(_carry_out, restarts=restarts, as_json=as_json, quiet=quiet, open_page=open_page)
    if is_ray(on):
        _on_ray(on, size, lambda: planned(replace(options, port_base=0)), store_of(options), shown)
    else:
        launch = _launch(processes, size)  # before the plan is made, so that it loads meanwhile
        plan = planned(options)
        check_here(plan.players)
        shown(plan, launch)


def _flags(where: tuple[str, bool, int], restarts: int, open_page: bool) -> list[str]:
    """The options of the `league resume` that carries out a detached run."""
    on, processes, size = where
    flags = ["--on", on, "--agents-per-process", str(size), "--restarts", str(restarts)]
    return [*flags, *([] if processes else ["--in-process"]), *(["--open"] if open_page else [])]


def _on_ray(
    place: str, size: int, make: Callable[[], LaunchPlan], store: str | None, carry_out: Callable[..., None]
) -> None:
    """Play a league in a Ray cluster; nothing is planned where there is none."""
    from servers.launcher.ray_place import ray_place

    with ray_place(place, size, store, make, lambda text: common.tell(f"league: {text}")) as league:
        carry_out(league.plan, league.launch, on=place)


def _carry_out(
    plan: LaunchPlan, launch: Launch, *, restarts: int, as_json: bool, quiet: bool, open_page: bool, on: str = ""
) -> None:
    # What is started here continues when its reader leaves; nobody has to have seen a league for it to count.
    with guarded_output(_lost, patience=None):
        _play(plan, launch, restarts=restarts, as_json=as_json, quiet=quiet, open_page=open_page, on=on)


def _lost(sentence: str) -> None:
    common.tell(f"league: {sentence}; the league continues")


def _play(
    plan: LaunchPlan, launch: Launch, *, restarts: int, as_json: bool, quiet: bool, open_page: bool, on: str
) -> None:
    started = time.monotonic()
    log = JsonLogger("orchestrator", logs=plan.workspace.logs)
    apart = printing_to_stderr() if as_json else contextlib.nullcontext()
    console = err if as_json else out
    with (
        contextlib.closing(log),
        apart,
        launcher_lock(plan.workspace, plan.league_id, on) as serves,
        view_for(console, quiet=quiet or as_json) as view,
    ):

        def ready() -> None:
            serves(plan.page)
            _ready(plan, tell=not quiet and not as_json, open_page=open_page)

        outcome = anyio.run(Supervisor(plan, launch, view, restarts=restarts, ready=ready, log=log).run)
    for reason in outcome.reasons:
        common.tell(f"league: {reason}")
    if outcome.ending is RunEnding.COMPLETED and outcome.league is not None:
        document = run_json(outcome.league, outcome.records, plan.workspace, strategies(plan)) | {"page": plan.page}
        show(plan.workspace, outcome.league, document, as_json=as_json, seconds=time.monotonic() - started)
        if open_page and out.is_terminal and not as_json:
            _stay(plan, outcome)
        end_of(outcome.league)
        return
    explain(plan, outcome, on)
    common.end(common.INTERRUPTED if outcome.ending is RunEnding.INTERRUPTED else common.FAILED)


def _ready(plan: LaunchPlan, *, tell: bool, open_page: bool) -> None:
    """Name and open the page, in a thread: some browsers block until closed."""
    if tell:
        out.print(f"Watch it at {plan.page}", markup=False, soft_wrap=True)
    if tell and plan.seats is not None:
        out.print(common.outbound_line(f"{plan.page}mcp"), markup=False, soft_wrap=True)
    if open_page:
        threading.Thread(target=webbrowser.open, args=(plan.page,), daemon=True).start()


def _stay(plan: LaunchPlan, outcome: RunOutcome) -> None:
    """Serve the page of a complete league until Ctrl-C."""
    from servers.ui.web.recorded_page import show as show_page  # brings a web server

    out.print(f"The page stays at {plan.page} until you press Ctrl-C.", markup=False, soft_wrap=True)
    with contextlib.suppress(KeyboardInterrupt, OSError):
        anyio.run(show_page, outcome.records, plan.manager.port, plan.manager.plugins)
