"""Plays one whole league with timed agents, and sums up its costs."""

import functools
import random
import socket
import tempfile
import time
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any

import anyio

from league_sdk.clock import SystemIds
from league_sdk.domain.events import LeagueCompleted, LeagueStarted, LeagueStopped, Record
from league_sdk.domain.league import League
from league_sdk.domain.model import Role
from league_sdk.settings import Workspace
from servers.agent.agent_spec import AgentSpec
from servers.agent.startup_status import Report, ReportTo
from servers.bench.bare import Bare, measure_bare
from servers.bench.measures import Calls, Usage, cpu_seconds, megabytes, usage
from servers.bench.timed_agents import BENCH, run_measured
from servers.launcher.plan import LaunchPlan, make_plan
from servers.launcher.run_options import PlanError, PlayerSpec, RunOptions
from servers.launcher.supervisor import RunOutcome, Supervisor
from servers.launcher.worker_processes import Launch, in_worker_processes

REFEREE_PORTS = 100
REGISTRATION_SEC = 600.0
"""A thousand players take longer to come than a league waits by itself."""
FIRST_PORT, LAST_PORT = 10_000, 20_000
NOT_OF_A_MATCH = ("register_player", "register_referee", "league_query", "match_status")
"""Calls that are made before the matches, and looks that only show when something takes long."""
TAKEN_BY_THE_MANAGER = ("report_match_result", "league_query")
"""Tools of the manager that are called while matches are played."""


@dataclass(frozen=True, slots=True)
class BenchSetup:
    """Parameters of a league to be measured."""

    players: int
    referees: int = 2
    at_once: int = 50  # matches at once, all referees together
    agents_per_process: int = 1  # players in one process
    together: bool = False  # whether all agents share this process
    think: float = 0.0  # seconds that a player thinks about a move
    rounds: int = 0  # how many rounds are played, and then the league is stopped; 0 plays all
    remote: tuple[str, ...] = ()  # endpoints of players that run elsewhere; they are among `players`
    game: str | None = None  # the game; the configured one when None
    format: str | None = None  # the tournament format; the configured one when None
    overlapping: bool = False  # whether rounds overlap
    data: Path | None = None  # where to play; a temporary folder when None
    bare_sec: float = 3.0  # seconds for the bare SDK; 0 leaves it out


@dataclass(slots=True)
class BenchResult:
    """Measurements of a league."""

    setup: BenchSetup
    outcome: RunOutcome
    startup_sec: float  # from the command until the first round could begin
    play_sec: float  # from there until the champion was known
    total_sec: float  # from the command until every agent had ended
    calls: Calls
    manager: str  # the manager's name
    manager_calls: Calls  # the calls that it made
    processes: list[Usage]  # what every process used
    overhead_cpu_sec: float  # processor time of what watches over the agents, meanwhile
    growth: list[tuple[int, int]]  # matches recorded, and the manager's resident bytes then
    bare: Bare | None = None  # the bare SDK, right afterwards, with messages of the same size and as many calls at once

    @property
    def matches(self) -> int:
        return len(self.outcome.league.results) if self.outcome.league else 0

    @property
    def match_calls(self) -> int:
        """Calls that belong to the matches, the broadcasts of their rounds included."""
        return sum(len(seconds) for tool, seconds in self.calls.seconds.items() if tool not in NOT_OF_A_MATCH)

    @property
    def concurrency(self) -> int:
        """Average number of concurrent calls (Little's law)."""
        return max(1, round(self.calls.total_seconds / self.play_sec))

    @property
    def cpu_sec(self) -> float:
        """Processor time of all processes while the league was played."""
        return sum(used.cpu_sec for used in self.processes) + self.overhead_cpu_sec

    @property
    def growth_per_1000(self) -> float | None:
        """Growth of the manager's memory in bytes per 1,000 matches (slope of a fit)."""
        if len(self.growth) < 3:
            return None
        mean_x = sum(x for x, _ in self.growth) / len(self.growth)
        mean_y = sum(y for _, y in self.growth) / len(self.growth)
        rise = sum((x - mean_x) * (y - mean_y) for x, y in self.growth)
        return rise / sum((x - mean_x) ** 2 for x, _ in self.growth) * 1000

    def as_json(self) -> dict[str, Any]:
        calls, matches = self.match_calls, max(1, self.matches)
        cpu_ms = self.cpu_sec / max(1, calls) * 1000
        document: dict[str, Any] = {
            "players": self.setup.players,
            "referees": self.setup.referees,
            "at_once": self.setup.at_once,
            "agents_per_process": self.setup.agents_per_process,
            "in_process": self.setup.together,
            "think_time_sec": self.setup.think,
            "ending": str(self.outcome.ending),
            "rounds": self.setup.rounds or None,
            "matches": self.matches,
            "calls": calls,
            "calls_per_match": round(calls / matches, 2),
            "startup_sec": round(self.startup_sec, 2),
            "play_sec": round(self.play_sec, 2),
            "total_sec": round(self.total_sec, 2),
            "matches_per_sec": round(self.matches / self.play_sec, 2),
            "calls_per_sec": round(calls / self.play_sec, 1),
            "cpu_sec": round(self.cpu_sec, 2),
            "cpu_ms_per_call": round(cpu_ms, 3),
            "cpu_ms_per_match": round(self.cpu_sec / matches * 1000, 2),
            "mean_concurrency": self.concurrency,
            "failed_calls": sum(map(len, self.calls.failed.values())),
            "tools": self.calls.by_tool(),
            "processes": [used.as_json() for used in self.processes],
            "supervisor_cpu_sec": round(self.overhead_cpu_sec, 2),
        }
        growth = self.growth_per_1000
        document["manager_growth_mb_per_1000_matches"] = None if growth is None else megabytes(growth)
        if self.bare is not None:
            document["bare"] = self.bare.as_json()
            document["share_of_bare"] = round(calls / self.play_sec / self.bare.calls_per_sec, 3)
            document["share_of_bare_by_cpu"] = round(self.bare.cpu_ms_per_call / cpu_ms, 3)
            document["manager"] = self._capacity(self.bare)
        return document

    def _capacity(self, bare: Bare) -> dict[str, float] | None:
        """The manager's capacity on one core, and the SDK's; None without a process."""
        own = next((used for used in self.processes if used.agents == [self.manager]), None)
        if own is None or not self.matches:
            return None
        made = len(self.manager_calls) / self.matches
        taken = sum(len(self.calls.seconds.get(tool, ())) for tool in TAKEN_BY_THE_MANAGER) / self.matches
        cpu_ms, sdk_ms = own.cpu_sec / self.matches * 1000, made * bare.client_cpu_ms + taken * bare.server_cpu_ms
        return {
            "calls_made_per_match": round(made, 2),
            "calls_taken_per_match": round(taken, 2),
            "cpu_ms_per_match": round(cpu_ms, 2),
            "sdk_cpu_ms_per_match": round(sdk_ms, 2),
            "full_at_matches_per_sec": round(1000 / cpu_ms, 1),
            "sdk_limit_matches_per_sec": round(1000 / sdk_ms, 1),
            "share_of_sdk_limit": round(sdk_ms / cpu_ms, 3),
        }


class BenchFailed(Exception):
    """The league did not come to its end; the message says why."""


async def play(setup: BenchSetup) -> BenchResult:
    """Play a league, and then measure the bare SDK under the same conditions."""
    with ExitStack() as stack:
        root = setup.data or Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="league-bench-")))
        season = await _play(setup, root)
    if setup.bare_sec:
        sizes, seconds = season.calls.sizes, setup.bare_sec
        season.bare = await anyio.to_thread.run_sync(measure_bare, seconds, season.concurrency, sizes)
    return season


async def _play(setup: BenchSetup, root: Path) -> BenchResult:
    began, watch = time.time(), _Watch(cpu_seconds())
    plan = _plan(setup, Workspace(root))
    plan.save()
    run = functools.partial(run_measured, think=setup.think, rounds=setup.rounds)
    launch: Launch = run if setup.together else in_worker_processes(setup.agents_per_process, run)
    outcome = await Supervisor(plan, watch.listening(launch), watch, restarts=0).run()
    total = time.time() - began
    times = watch.times
    ended = times.get(LeagueCompleted.__name__)
    if setup.rounds and outcome.league is not None and outcome.league.rounds_completed >= setup.rounds:
        ended = ended or times.get(LeagueStopped.__name__)
    if ended is None:
        raise BenchFailed("; ".join(outcome.reasons) or f"the league ended as {outcome.ending}")
    calls, manager_calls, started = Calls(), Calls(), times[LeagueStarted.__name__]
    for part in watch.parts:
        calls.add(part["calls"])
        if part["role"] == Role.LEAGUE_MANAGER:
            manager_calls.add(part["calls"])
    for stopped_at in (part["stopped_at"] for part in watch.parts if part["stopped_at"] is not None):
        calls.drop_failures_after(stopped_at)
    return BenchResult(
        setup=setup,
        outcome=outcome,
        startup_sec=started - began,
        play_sec=max(0.001, ended - started),
        total_sec=total,
        calls=calls,
        manager=plan.manager.name,
        manager_calls=manager_calls,
        processes=usage(watch.parts),
        overhead_cpu_sec=0.0 if setup.together else watch.cpu_sec,
        growth=[seen for part in watch.parts if part["role"] == Role.LEAGUE_MANAGER for seen in part["growth"]],
    )


@dataclass(slots=True)
class _Watch:
    """Passes agents' reports to a view, and keeps their measurements."""

    cpu_before: float
    cpu_sec: float = 0.0
    times: dict[str, float] = field(default_factory=dict[str, float])  # of the last record of each type
    parts: list[Mapping[str, Any]] = field(default_factory=list[Mapping[str, Any]])

    def listening(self, launch: Launch) -> Launch:
        """The same starter, listening for measurements too."""

        async def launched(spec: AgentSpec, report: ReportTo) -> int:
            def heard(what: Report) -> None:
                if what["kind"] == BENCH:
                    self.parts.append(what)
                else:
                    report(what)

            return await launch(spec, heard)

        return launched

    def league(self, league: League, record: Record) -> None:
        del league
        self.times[record.type] = datetime.fromisoformat(record.at).timestamp()
        if record.type == LeagueStarted.__name__:
            self.cpu_before = cpu_seconds()
        self.cpu_sec = cpu_seconds() - self.cpu_before

    def waits(self, lines: object) -> None: ...

    def note(self, text: str) -> None:
        """Ignored: anything that matters is among the reasons at the end."""
        del text


def _plan(setup: BenchSetup, workspace: Workspace) -> LaunchPlan:
    base = _free_base(3 + REFEREE_PORTS + setup.players)
    first_player = base + REFEREE_PORTS + 1
    options = RunOptions(
        workspace=workspace,
        overrides={
            "network.league_manager_port": base,
            "network.referee_port_range": [base + 1, base + REFEREE_PORTS],
            "network.player_port_range": [first_player, first_player + setup.players],
            "registration_timeout_sec": REGISTRATION_SEC,
            **({"league.schedule.rounds": "overlapping"} if setup.overlapping else {}),
        },
        game=setup.game,
        format=setup.format,
        count=setup.players,
        players=tuple(PlayerSpec.parse(url) for url in setup.remote),
        referees=setup.referees,
        seed="bench",
    )
    plan = make_plan(options, SystemIds().token())
    shares = [
        setup.at_once // setup.referees + (number < setup.at_once % setup.referees) for number in range(setup.referees)
    ]
    if 0 in shares:
        raise PlanError(f"{setup.at_once} matches at once are too few for {setup.referees} referees")
    referees = tuple(
        replace(spec, max_concurrent_matches=share) for spec, share in zip(plan.referees, shares, strict=True)
    )
    return replace(plan, referees=referees)


def _free_base(size: int) -> int:
    """The first of `size` consecutive free ports below the ephemeral range."""
    # From anywhere on, so that two who measure at the same time hardly ever want the same.
    somewhere = random.SystemRandom().randrange(FIRST_PORT, LAST_PORT)
    for base in (somewhere, FIRST_PORT):
        while base + size <= LAST_PORT:
            taken = next((port for port in range(base, base + size) if not _free(port)), None)
            if taken is None:
                return base
            base = taken + 1
    raise PlanError(f"there are no {size} free ports in a row between {FIRST_PORT} and {LAST_PORT}")


def _free(port: int) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True
