"""`league run` and `league resume`: a whole league, from one command."""

import contextlib
import threading
import time
import webbrowser
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import anyio

from league_sdk.clock import SystemClock
from league_sdk.domain.events import Record
from league_sdk.domain.league import League, fold
from league_sdk.domain.lifecycles import LeagueState
from league_sdk.domain.model import Role
from league_sdk.logs import JsonLogger
from league_sdk.settings import ConfigLoader, Workspace
from servers.agent import event_store
from servers.agent.manager_lock import leader, leader_that_stays
from servers.agent.operator_secret import check_leads, kept_token
from servers.agent.output_guard import guarded_output, printing_to_stderr
from servers.cli import common, detached, run_arguments
from servers.cli.new_token import NewToken, change_token
from servers.cli.option_groups import grouped
from servers.cli.run_arguments import AddressesAndLimits, DataAndSettings, Display, Place, WhatIsPlayed, WhoPlays
from servers.cli.run_planning import (
    format_options_of,
    planned,
    planned_there,
    players_of,
    referees_of,
    settings_of,
    store_of,
)
from servers.cli.run_result import end_of, explain, recorded, show
from servers.cli.views import view_for
from servers.launcher.launcher_lock import launcher_lock
from servers.launcher.plan import LaunchPlan, load_plan
from servers.launcher.plan_document import plan_file, project_plan
from servers.launcher.port_check import wait_for_ports
from servers.launcher.ray_cluster import is_ray
from servers.launcher.requirements import check_here
from servers.launcher.run_options import PlanError, RunOptions, named, refuse_cancelled
from servers.launcher.supervisor import RunEnding, Supervisor
from servers.launcher.worker_processes import Launch, in_this_process, in_worker_processes
from servers.player.strategy_check import check_strategy_named


@dataclass(frozen=True, slots=True)
class _RunMode:
    """Place of the agents, and the way to show the progress of their league."""

    place: Place
    display: Display

    @property
    def cluster(self) -> str:
        """The Ray cluster; empty for processes of this machine."""
        return self.place.on if is_ray(self.place.on) else ""

    def launch(self) -> Launch:
        """Start the launcher of agents, which loads while the rest is prepared."""
        return in_worker_processes(self.place.agents_per_process) if self.place.processes else in_this_process

    def flags(self) -> list[str]:
        """The options of the `league resume` that carries out a detached run."""
        place = self.place
        flags = ["--on", place.on, "--agents-per-process", str(place.agents_per_process)]
        flags += ["--restarts", str(place.restarts)]
        return [*flags, *([] if place.processes else ["--in-process"]), *(["--open"] if self.display.open_page else [])]


@grouped
def run(
    who: WhoPlays,
    what: WhatIsPlayed,
    limits: AddressesAndLimits,
    place: Place,
    files: DataAndSettings,
    display: Display,
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
    timeouts = settings_of(limits.join_timeout, limits.move_timeout, limits.response_timeout, what.points_by)
    options = RunOptions(
        workspace=common.workspace_of(files.data),
        config=files.config,
        overrides=common.overrides_of(files.settings, **timeouts),
        league=what.league,
        league_id=what.league_id,
        rules=named(what.title, what.deadline),
        game=what.game,
        format=what.format_name,
        format_options=format_options_of(
            what.format_options, rounds=what.rounds, cycles=what.cycles, best_of=what.best_of
        ),
        tie_breaks=tuple(name.strip().replace("-", "_") for name in (what.tie_breaks or "").split(",") if name.strip()),
        count=who.players,
        **players_of(who.player, files.data, who.with_class, who.guests, who.seats) | referees_of(who.referees),
        seed=what.seed,
        port_base=limits.port_base,
        bind_host=limits.host,
        store_url=files.store,
        plugins=common.folders_of(files.plugins),
    )
    _start(options, _RunMode(place, display), place.detach)


@grouped
def resume(
    *,
    league: common.LeagueArgument = None,
    port_base: run_arguments.PortBase = None,
    new_token: NewToken = False,
    store: common.StoreOption = None,
    data: common.DataOption = None,
    config: common.ConfigOption = None,
    place: Place,
    display: Display,
) -> None:
    """Continue an interrupted league; everything recorded is kept.

    [bold]Examples[/bold]

      league resume                            the most recent one
      league resume league_even_odd-2
      league resume --port-base 9000           if its ports are in use
      league resume --detach                   in the background
      league resume --new-token                its secrets are lost, or known
      league resume spring --store postgresql://league@db/league
                                               on another machine

    A league that another manager still leads, such as one that is paused,
    is left alone: exit code 2, and how its operator can resume it. Players
    that have left are not started again. With --store the plan of the run
    comes from the records: the league's folder in data/secrets is all that
    another machine needs beside them.
    """
    workspace = common.workspace_of(data)
    league_id = common.league_id_of(workspace, league)
    if store or config or not plan_file(workspace, league_id).is_file():
        _take_plan(workspace, league_id, store, config)
    plan = load_plan(workspace, league_id, without_token=new_token)
    mode = _RunMode(place, display)
    launch = in_this_process if mode.cluster or place.detach else mode.launch()
    known, records = _at_rest(plan, league_id)
    if known is not None and known.state is LeagueState.COMPLETED:
        common.print_err(f"league: {league_id} is already complete")
        show(plan, known, records, as_json=display.as_json, page=plan.page)
        end_of(known, plan.workspace.logs if display.verbose else None)
        return
    if known is not None:
        plan = _with_token(plan, known, new_token=new_token).continued(known)
    elif new_token:
        raise PlanError(f"there are no records of league {league_id!r} here, and so no token to replace")
    plan = plan if port_base is None else plan.at_ports(port_base)
    for spec in plan.agents:
        if spec.role is Role.PLAYER:
            check_strategy_named(spec.strategy, spec.plugins, ConfigLoader(spec.config, overrides=spec.overrides))
    if place.detach:
        flags = [*mode.flags(), *([] if port_base is None else ["--port-base", str(port_base)])]
        detached.detach(plan, flags, as_json=display.as_json)
        return
    if mode.cluster:
        _carry_out_on_ray(lambda: plan, plan.manager.store_url, mode)
        return
    check_here(plan.players)
    anyio.run(wait_for_ports, plan.manager.bind_host, [agent.port for agent in plan.agents], SystemClock())
    _carry_out(plan, launch, mode)


def _take_plan(workspace: Workspace, league_id: str, store: str | None, config: Path | None) -> None:
    """Write the plan of a league's run as its records have it."""
    store_url = common.store_of(workspace, league_id, config, store)
    records = common.read_records(workspace, league_id, config, store_url)
    if not records:
        return
    project_plan(workspace, fold(record.event for record in records), config)
    if store is not None:
        event_store.remember(workspace, league_id, store_url)


def _with_token(plan: LaunchPlan, known: League, *, new_token: bool) -> LaunchPlan:
    """The plan with the operator's token that its league's records know."""
    if new_token:
        change_token(plan.workspace, known, plan.manager.store_url)
    else:
        check_leads(known, kept_token(plan.workspace, known), kept=True)
    project_plan(plan.workspace, known)
    return load_plan(plan.workspace, plan.league_id)


def _at_rest(plan: LaunchPlan, league_id: str) -> tuple[League | None, list[Record]]:
    """A league with its records, once it is complete or no manager adds to them."""
    led = leader(plan.workspace, league_id) is not None
    known, records = _recorded(plan, league_id)
    if known is not None and known.state is LeagueState.COMPLETED:
        return known, records
    if known is not None:
        refuse_cancelled(known)
    _check_unled(plan.workspace, league_id)
    return _recorded(plan, league_id) if led else (known, records)


def _recorded(plan: LaunchPlan, league_id: str) -> tuple[League | None, list[Record]]:
    records = common.read_records(plan.workspace, league_id, plan.manager.config, plan.manager.store_url)
    return (fold(record.event for record in records) if records else None), records


def _check_unled(workspace: Workspace, league_id: str) -> None:
    """Refuse a league that has a live manager, unless that one is about to end."""

    def say(text: str) -> None:
        common.print_err(f"league: {text}")

    endpoint = anyio.run(leader_that_stays, workspace, league_id, SystemClock(), say)
    if endpoint is not None:
        raise common.led_already(workspace, league_id, endpoint)


def _start(options: RunOptions, mode: _RunMode, detach: bool) -> None:
    if detach:
        detached.detach(planned_there(options, mode.place.on), mode.flags(), as_json=mode.display.as_json)
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
        mode.place.on, mode.place.agents_per_process, store, make, lambda text: common.print_err(f"league: {text}")
    ) as league:
        _carry_out(league.plan, league.launch, mode)


def _lost(sentence: str) -> None:
    common.print_err(f"league: {sentence}; the league continues")


# A league continues when its reader leaves; nobody has to have seen it for it to count.
@guarded_output(_lost, patience=None)
def _carry_out(plan: LaunchPlan, launch: Launch, mode: _RunMode) -> None:
    started = time.monotonic()
    log = JsonLogger("orchestrator", logs=plan.workspace.logs)
    apart = printing_to_stderr() if mode.display.as_json else contextlib.nullcontext()
    silent = mode.display.quiet or mode.display.as_json
    with (
        contextlib.closing(log),
        apart,
        launcher_lock(plan.workspace, plan.league_id, mode.cluster) as serves,
        view_for(common.err if mode.display.as_json else common.out, quiet=silent) as view,
    ):

        def ready() -> None:
            serves(plan.page)
            _ready(plan, tell=not silent, open_page=mode.display.open_page)

        outcome = anyio.run(Supervisor(plan, launch, view, restarts=mode.place.restarts, ready=ready, log=log).run)
    for reason in outcome.reasons:
        common.print_err(f"league: {reason}")
    if outcome.ending is RunEnding.COMPLETED and outcome.league is not None:
        seconds, records = time.monotonic() - started, outcome.records or recorded(plan)
        league = fold(record.event for record in records)
        show(plan, league, records, as_json=mode.display.as_json, seconds=seconds, page=plan.page)
        if mode.display.open_page and common.out.is_terminal and not mode.display.as_json:
            _stay(plan, records)
        end_of(outcome.league, plan.workspace.logs if mode.display.verbose else None)
        return
    explain(plan, outcome, mode.cluster)
    common.end(common.INTERRUPTED if outcome.ending is RunEnding.INTERRUPTED else common.FAILED)


def _ready(plan: LaunchPlan, *, tell: bool, open_page: bool) -> None:
    """Name and open the page, in a thread: some browsers block until closed."""
    if tell:
        common.print_out(f"Watch it at {plan.page}")
    if tell and plan.manager.roster:
        flag = common.data_flag(plan.workspace)
        common.print_out(
            f"Students join with their cards. Who is there: {plan.page}operator, or league class status{flag}"
        )
    elif tell and plan.seats is not None:
        common.print_out(common.outbound_line(f"{plan.page}mcp"))
    if open_page:
        threading.Thread(target=webbrowser.open, args=(plan.page,), daemon=True).start()


def _stay(plan: LaunchPlan, records: Sequence[Record]) -> None:
    """Serve the page of a complete league until Ctrl-C."""
    from servers.ui.web.recorded_page import show as show_page  # brings a web server

    common.print_out(f"The page stays at {plan.page} until you press Ctrl-C.")
    with contextlib.suppress(KeyboardInterrupt, OSError):
        anyio.run(show_page, records, plan.manager.port, plan.manager.plugins)
