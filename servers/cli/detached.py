"""`league run --detach`, `league attach` and `league stop`."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path

import anyio

from league_sdk.domain.league import fold
from league_sdk.domain.lifecycles import LeagueState
from league_sdk.settings import Workspace
from servers.agent.manager_lock import leader, manager_at
from servers.agent.waits_file import read_waits
from servers.cli import common
from servers.cli.common import DataOption, JsonOption, LeagueArgument, err, out
from servers.cli.follow import follow_store
from servers.cli.run_result import end_of, recorded, show, tell_kept
from servers.cli.views import view_for
from servers.cli.watch import TAIL, Teller
from servers.launcher.launcher_lock import Launcher, launcher, running
from servers.launcher.plan import LaunchPlan, load_plan
from servers.launcher.plan_document import PLAN_FILE
from servers.launcher.run_options import PlanError

LOOK_SEC = 0.1
"""The pause between two looks whether a launcher runs, or still does."""
END_SEC = 120.0
"""Limit of a launcher's end, which fetches the agents' files from a cluster."""


def detach(plan: LaunchPlan, flags: Sequence[str], *, as_json: bool) -> None:
    """Run a planned league in the background; returns once its manager listens."""
    workspace, league_id = plan.workspace, plan.league_id
    output = workspace.logs / "league" / workspace.league_dir(league_id).name / "run.txt"
    output.parent.mkdir(parents=True, exist_ok=True)
    # -P: a folder called `servers` where the command is typed is not this program.
    command = [sys.executable, "-P", "-m", "servers", "resume", league_id, "--data", str(workspace.root.absolute())]
    with output.open("ab") as file:
        before = file.tell()
        child = subprocess.Popen(  # noqa: S603
            [*command, *flags], stdin=subprocess.DEVNULL, stdout=file, stderr=file, start_new_session=True
        )
    try:
        found = _begun(child, workspace, league_id)
    except KeyboardInterrupt:
        child.terminate()
        child.wait()
        raise
    if found is None:
        text = output.read_bytes()[before:].decode("utf-8", "replace")
        common.print_err(text.strip())
        common.end(child.returncode if child.returncode > 0 else common.FAILED)
    _tell_detached(plan, found, output, as_json=as_json)


def _begun(child: subprocess.Popen[bytes], workspace: Workspace, league_id: str) -> Launcher | None:
    """Wait until a league's page is served; None if its launcher ended before."""
    while child.poll() is None:
        found = launcher(workspace, league_id)
        if found is not None and found.page:
            return found
        time.sleep(LOOK_SEC)
    return None


def _tell_detached(plan: LaunchPlan, found: Launcher, output: Path, *, as_json: bool) -> None:
    if as_json:
        document = {"league_id": plan.league_id, "page": found.page, "pid": found.pid, "output": str(output)}
        common.print_json(document)
        return
    which = _which(plan)
    for line in (
        f"League {plan.league_id} runs in the background. Its output goes to {output}",
        f"Watch it at {found.page}",
        *(() if plan.seats is None else (common.outbound_line(f"{found.page}mcp"),)),
        f"  league attach {which}    follow it here",
        f"  league stop {which}      end it; what was played is kept",
    ):
        common.print_out(line)


def _which(plan: LaunchPlan) -> str:
    """The league's id, and its folder where a command needs it."""
    return f"{plan.league_id}{common.data_flag(plan.workspace)}"


def attach(league: LeagueArgument = None, data: DataOption = None, as_json: JsonOption = False) -> None:
    """Follow a league that runs on this machine as its own terminal does.

    Ctrl-C leaves the view; the league continues. At its end the result is shown, also if that was before.

    [bold]Examples[/bold]

      league attach                            the league that runs, else the last
      league attach league_even_odd-2

    Exit code: 0 the league is complete, 1 it is not, nothing was played or a match is void,
    2 a mistake in the command, or two leagues run and none is named,
    130 ended with Ctrl-C.
    """
    plan = _chosen(common.workspace_of(data), league, "attach")
    found = launcher(plan.workspace, plan.league_id)
    if found is not None:
        try:
            with view_for(err if as_json else out, quiet=as_json, waiting="waiting for the league …") as view:
                _follow(plan, Teller(view, TAIL, as_json=False))
        except KeyboardInterrupt:
            common.print_err(f"league: {plan.league_id} continues. To see it again, or to end it:")
            common.print_err(f"  league attach {_which(plan)}\n  league stop {_which(plan)}")
            common.end(common.INTERRUPTED)
    records = recorded(plan)
    known = fold(record.event for record in records) if records else None
    if known is not None and known.state is LeagueState.COMPLETED:
        show(plan, known, records, as_json=as_json)
        end_of(known)
        return
    common.print_err(f"league: {plan.league_id} {'does not run' if found is None else 'has ended'}")
    tell_kept(plan, known, "" if found is None else found.on)
    common.end(common.FAILED)


def _follow(plan: LaunchPlan, teller: Teller) -> None:
    """Follow a league until it is complete or its launcher ends."""

    def ended() -> bool:
        return launcher(plan.workspace, plan.league_id) is None

    url = common.store_of(plan.workspace, plan.league_id, plan.manager.config, plan.manager.store_url)
    waits = partial(read_waits, plan.workspace, plan.league_id)
    anyio.run(partial(follow_store, url, plan.workspace.data, plan.league_id, teller.take, ended=ended, waits=waits))


def stop(league: LeagueArgument = None, data: DataOption = None) -> None:
    """End a league that runs on this machine: its agents, and 'league run'.

    All that was played is kept, and 'league resume' continues it.

    [bold]Examples[/bold]

      league stop                              the league that runs
      league stop league_even_odd-2

    Exit code: 0 the league does not run any more, 1 it could not be ended,
    2 a mistake in the command, or two leagues run and none is named.
    """
    plan = _chosen(common.workspace_of(data), league, "stop")
    found = launcher(plan.workspace, plan.league_id)
    if found is not None:
        _end(plan, found)
    records = recorded(plan)
    known = fold(record.event for record in records) if records else None
    if known is not None and known.state is LeagueState.COMPLETED:
        common.print_err(f"league: {plan.league_id} is complete; 'league attach {_which(plan)}' shows its result")
        return
    common.print_err(f"league: {plan.league_id} {'does not run' if found is None else 'has been stopped'}")
    tell_kept(plan, known, "" if found is None else found.on)


def _end(plan: LaunchPlan, found: Launcher) -> None:
    """Ask a launcher to end, and wait until it has."""
    with suppress(ProcessLookupError):  # it has just ended
        os.kill(found.pid, signal.SIGTERM)
    end = time.monotonic() + END_SEC
    while launcher(plan.workspace, plan.league_id) == found:
        if time.monotonic() > end:
            common.print_err(
                f"league: process {found.pid} still runs {plan.league_id} after {END_SEC:g} s; end it by hand"
            )
            common.end(common.FAILED)
        time.sleep(LOOK_SEC)


def _chosen(workspace: Workspace, league: str | None, command: str) -> LaunchPlan:
    """The plan of the league named, else the running, else the most recent one."""
    live = running(workspace)
    if league is None and len(live) > 1:
        named = f"league {command} {live[0]}{common.data_flag(workspace)}"
        raise PlanError(f"{len(live)} leagues run in {workspace.root}: {', '.join(live)}. Name one: {named}")
    league_id = common.league_id_of(workspace, league or (live[0] if live else None))
    if workspace.league_dir(league_id).is_dir() and not (workspace.league_dir(league_id) / PLAN_FILE).is_file():
        led = leader(workspace, league_id)
        by = "" if led is None else f" {manager_at(led)} leads it: 'league watch' follows it, and Ctrl-C there ends it."
        raise PlanError(f"{league_id} was not started with 'league run', so there is nothing to {command}.{by}")
    return load_plan(workspace, league_id)
