"""`league run` and `league resume`: a whole league, from one command."""

import contextlib
import threading
import time
import webbrowser
from collections.abc import Callable
from dataclasses import dataclass, replace

import anyio

from league_sdk.clock import SystemClock
from league_sdk.domain.league import League, fold
from league_sdk.domain.lifecycles import LeagueState
from league_sdk.domain.model import Role
from league_sdk.logs import JsonLogger
from league_sdk.settings import ConfigLoader, Workspace
from servers.agent.manager_lock import leader_that_stays
from servers.agent.operator_secret import check_leads, kept_token
from servers.agent.output_guard import guarded_output, printing_to_stderr
from servers.cli import common, detached, run_arguments
from servers.cli.new_token import NewToken, change_token
from servers.cli.run_planning import (
    format_options_of,
    planned,
    planned_there,
    players_of,
    referees_of,
    settings_of,
    store_of,
)
from servers.cli.run_result import end_of, explain, show
from servers.cli.views import view_for
from servers.launcher.launcher_lock import launcher_lock
from servers.launcher.plan import LaunchPlan, load_plan
from servers.launcher.port_check import wait_for_ports
from servers.launcher.ray_cluster import is_ray
from servers.launcher.requirements import check_here
from servers.launcher.run_options import PlanError, RunOptions, named, refuse_cancelled
from servers.launcher.supervisor import RESTARTS, RunEnding, RunOutcome, Supervisor
from servers.launcher.worker_processes import Launch, in_this_process, in_worker_processes
from servers.player.strategy_check import check_strategy_named


@dataclass(frozen=True, slots=True)
class _RunMode:
    """Place of the agents, and the way to show the progress of their league."""

    on: str
    processes: bool
    agents_per_process: int
    restarts: int
    as_json: bool
    quiet: bool
    verbose: bool
    open_page: bool

    @property
    def cluster(self) -> str:
        """The Ray cluster; empty for processes of this machine."""
        return self.on if is_ray(self.on) else ""

    def launch(self) -> Launch:
        """Start the launcher of agents, which loads while the rest is prepared."""
        return in_worker_processes(self.agents_per_process) if self.processes else in_this_process

    def flags(self) -> list[str]:
        """The options of the `league resume` that carries out a detached run."""
        flags = ["--on", self.on, "--agents-per-process", str(self.agents_per_process)]
        flags += ["--restarts", str(self.restarts)]
        return [*flags, *([] if self.processes else ["--in-process"]), *(["--open"] if self.open_page else [])]


def run(
    players: run_arguments.PlayersOption = None,
    player: run_arguments.PlayerOption = None,
    guests: run_arguments.Guests = 0,
    seats: run_arguments.Seats = False,
    with_class: common.ClassOption = False,
    referees: run_arguments.Referees = None,
    game: common.GameOption = None,
    format_name: run_arguments.FormatOption = None,
    rounds: run_arguments.Rounds = None,
    cycles: run_arguments.Cycles = None,
    best_of: run_arguments.BestOf = None,
    points_by: run_arguments.PointsByOption = None,
    format_options: run_arguments.FormatOptions = None,
    tie_breaks: run_arguments.TieBreaks = None,
    league: run_arguments.LeagueFile = None,
    league_id: run_arguments.LeagueId = None,
    title: common.TitleOption = None,
    deadline: common.DeadlineOption = None,
    seed: common.SeedOption = None,
    port_base: run_arguments.PortBase = None,
    join_timeout: common.JoinTimeout = None,
    move_timeout: common.MoveTimeout = None,
    response_timeout: common.ResponseTimeout = None,
    host: common.HostOption = None,
    on: run_arguments.On = "processes",
    processes: run_arguments.Processes = True,
    agents_per_process: run_arguments.PerProcess = 1,
    data: common.DataOption = None,
    config: common.ConfigOption = None,
    store: common.StoreOption = None,
    plugins: common.PluginsOption = None,
    settings: common.SetOption = None,
    as_json: common.JsonOption = False,
    restarts: run_arguments.Restarts = RESTARTS,
    quiet: run_arguments.Quiet = False,
    verbose: run_arguments.Verbose = False,
    open_page: run_arguments.Open = False,
    detach: run_arguments.Detach = False,
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

    Exit code: 0 the league is complete, 1 it is not, nothing was played or a match is void,
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
        **players_of(player, data, with_class, guests, seats) | referees_of(referees),
        seed=seed,
        port_base=port_base,
        bind_host=host,
        store_url=store,
        plugins=common.folders_of(plugins),
    )
    _start(options, _RunMode(on, processes, agents_per_process, restarts, as_json, quiet, verbose, open_page), detach)


def resume(
    league: common.LeagueArgument = None,
    port_base: run_arguments.PortBase = None,
    new_token: NewToken = False,
    on: run_arguments.On = "processes",
    processes: run_arguments.Processes = True,
    agents_per_process: run_arguments.PerProcess = 1,
    data: common.DataOption = None,
    as_json: common.JsonOption = False,
    restarts: run_arguments.Restarts = RESTARTS,
    quiet: run_arguments.Quiet = False,
    verbose: run_arguments.Verbose = False,
    open_page: run_arguments.Open = False,
    detach: run_arguments.Detach = False,
) -> None:
    """Continue an interrupted league; everything recorded is kept.

    [bold]Examples[/bold]

      league resume                            the most recent one
      league resume league_even_odd-2
      league resume --port-base 9000           if its ports are in use
      league resume --detach                   in the background
      league resume --new-token                its secrets are lost, or known

    A league that another manager still leads, such as one that is paused,
    is left alone: exit code 2, and how its operator can resume it. Players
    that have left are not started again.
    """
    workspace = common.workspace_of(data)
    league_id = common.league_id_of(workspace, league)
    plan = load_plan(workspace, league_id, without_token=new_token)
    mode = _RunMode(on, processes, agents_per_process, restarts, as_json, quiet, verbose, open_page)
    launch = in_this_process if mode.cluster or detach else mode.launch()
    records = common.read_records(workspace, league_id, plan.manager.config, plan.manager.store_url)
    known = fold(record.event for record in records) if records else None
    if known is not None and known.state is LeagueState.COMPLETED:
        common.tell(f"league: {league_id} is already complete")
        show(plan, known, records, as_json=as_json, page=plan.page)
        end_of(known, plan.workspace.logs if verbose else None)
        return
    if known is not None:
        refuse_cancelled(known)
    _check_unled(workspace, league_id)
    if known is not None:
        plan = _with_token(plan, known, new_token=new_token).continued(known)
    elif new_token:
        raise PlanError(f"there are no records of league {league_id!r} here, and so no token to replace")
    plan = plan if port_base is None else plan.at_ports(port_base)
    for spec in plan.agents:
        if spec.role is Role.PLAYER:
            check_strategy_named(spec.strategy, spec.plugins, ConfigLoader(spec.config, overrides=spec.overrides))
    if detach:
        flags = [*mode.flags(), *([] if port_base is None else ["--port-base", str(port_base)])]
        detached.detach(plan, flags, as_json=as_json)
        return
    if mode.cluster:
        _carry_out_on_ray(lambda: plan, plan.manager.store_url, mode)
        return
    check_here(plan.players)
    anyio.run(wait_for_ports, plan.manager.bind_host, [agent.port for agent in plan.agents], SystemClock())
    _carry_out(plan, launch, mode)


def _with_token(plan: LaunchPlan, known: League, *, new_token: bool) -> LaunchPlan:
    """The plan with the operator's token that its league's records know."""
    if new_token:
        change_token(plan.workspace, known, plan.manager.store_url)
    else:
        check_leads(known, kept_token(plan.workspace, known), kept=True)
    return load_plan(plan.workspace, plan.league_id)


def _check_unled(workspace: Workspace, league_id: str) -> None:
    """Refuse a league that has a live manager, unless that one is about to end."""

    def say(text: str) -> None:
        common.tell(f"league: {text}")

    endpoint = anyio.run(leader_that_stays, workspace, league_id, SystemClock(), say)
    if endpoint is not None:
        raise common.led_already(workspace, league_id, endpoint)


def _start(options: RunOptions, mode: _RunMode, detach: bool) -> None:
    if detach:
        detached.detach(planned_there(options, mode.on), mode.flags(), as_json=mode.as_json)
    elif mode.cluster:
        _carry_out_on_ray(lambda: planned(replace(options, port_base=0)), store_of(options), mode)
    else:
        launch = mode.launch()  # before the plan is made, so that it loads meanwhile
        plan = planned(options)
        check_here(plan.players)
        _carry_out(plan, launch, mode)


def _carry_out_on_ray(make: Callable[[], LaunchPlan], store: str | None, mode: _RunMode) -> None:
    """Play a league in a Ray cluster; nothing is planned where there is none."""
    from servers.launcher.ray_place import ray_place

    with ray_place(
        mode.on, mode.agents_per_process, store, make, lambda text: common.tell(f"league: {text}")
    ) as league:
        _carry_out(league.plan, league.launch, mode)


def _lost(sentence: str) -> None:
    common.tell(f"league: {sentence}; the league continues")


# What is started here continues when its reader leaves; nobody has to have seen a league for it to count.
@guarded_output(_lost, patience=None)
def _carry_out(plan: LaunchPlan, launch: Launch, mode: _RunMode) -> None:
    started = time.monotonic()
    log = JsonLogger("orchestrator", logs=plan.workspace.logs)
    apart = printing_to_stderr() if mode.as_json else contextlib.nullcontext()
    silent = mode.quiet or mode.as_json
    with (
        contextlib.closing(log),
        apart,
        launcher_lock(plan.workspace, plan.league_id, mode.cluster) as serves,
        view_for(common.err if mode.as_json else common.out, quiet=silent) as view,
    ):

        def ready() -> None:
            serves(plan.page)
            _ready(plan, tell=not silent, open_page=mode.open_page)

        outcome = anyio.run(Supervisor(plan, launch, view, restarts=mode.restarts, ready=ready, log=log).run)
    for reason in outcome.reasons:
        common.tell(f"league: {reason}")
    if outcome.ending is RunEnding.COMPLETED and outcome.league is not None:
        seconds = time.monotonic() - started
        show(plan, outcome.league, outcome.records, as_json=mode.as_json, seconds=seconds, page=plan.page)
        if mode.open_page and common.out.is_terminal and not mode.as_json:
            _stay(plan, outcome)
        end_of(outcome.league, plan.workspace.logs if mode.verbose else None)
        return
    explain(plan, outcome, mode.cluster)
    common.end(common.INTERRUPTED if outcome.ending is RunEnding.INTERRUPTED else common.FAILED)


def _ready(plan: LaunchPlan, *, tell: bool, open_page: bool) -> None:
    """Name and open the page, in a thread: some browsers block until closed."""
    if tell:
        common.say(f"Watch it at {plan.page}")
    if tell and plan.manager.roster:
        flag = common.data_flag(plan.workspace)
        common.say(f"Students join with their cards. Who is there: {plan.page}operator, or league class status{flag}")
    elif tell and plan.seats is not None:
        common.say(common.outbound_line(f"{plan.page}mcp"))
    if open_page:
        threading.Thread(target=webbrowser.open, args=(plan.page,), daemon=True).start()


def _stay(plan: LaunchPlan, outcome: RunOutcome) -> None:
    """Serve the page of a complete league until Ctrl-C."""
    from servers.ui.web.recorded_page import show as show_page  # brings a web server

    common.say(f"The page stays at {plan.page} until you press Ctrl-C.")
    with contextlib.suppress(KeyboardInterrupt, OSError):
        anyio.run(show_page, outcome.records, plan.manager.port, plan.manager.plugins)
