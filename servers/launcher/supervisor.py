"""Runs a whole league: starts its agents, watches them, and leaves none behind."""

import signal
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any, Protocol

import anyio
from anyio.abc import TaskGroup

from league_sdk.clock import Clock, SystemClock
from league_sdk.domain.decisions.result_summary import summarised
from league_sdk.domain.events import Record, RoundStarted
from league_sdk.domain.evolution import evolve
from league_sdk.domain.league_state import League
from league_sdk.domain.lifecycles import LeagueState
from league_sdk.domain.model import Role
from league_sdk.logs import JsonLogger
from servers.agent.agent_spec import AgentSpec
from servers.agent.startup_status import Report
from servers.launcher.plan import LaunchPlan, departed
from servers.launcher.process_pool import NotStarted
from servers.launcher.referee_scaling import RefereeScaling, may_leave
from servers.launcher.worker_processes import Launch
from servers.read_model.text import count
from servers.read_model.waits import WaitLine

FAREWELL_SEC = 5.0
"""For each hundred agents: 1,000 players hear of the last results and the end in 3,000 calls, some 300 a second."""

RESTARTS = 10
"""Restarts of one killed or crashed agent in a run."""
RESTART_SEC = 0.1
"""The pause before the first restart of an agent; it doubles each time, up to the next."""
RESTART_MAX_SEC = 5.0


def farewell_sec(agents: int) -> float:
    """Seconds that so many agents have to end by themselves once the league is over."""
    return FAREWELL_SEC * max(1.0, agents / 100)


class RunView(Protocol):
    """Output of a run for the person at the terminal."""

    def league(self, league: League, record: Record) -> None: ...

    def waits(self, lines: Sequence[WaitLine]) -> None: ...

    def note(self, text: str) -> None: ...


class RunEnding(StrEnum):
    """Ways a run can end."""

    COMPLETED = "completed"
    STOPPED = "stopped"
    FAILED = "failed"
    INTERRUPTED = "interrupted"


@dataclass(slots=True)
class RunOutcome:
    """Outcome of a run."""

    ending: RunEnding
    # the league as it was last known, its results without details and transcripts; None when it never began
    league: League | None = None
    reasons: list[str] = field(default_factory=list[str])  # sentences about what went wrong
    records: list[Record] = field(default_factory=list[Record])  # of a league that no store keeps


class Supervisor:
    """Runs one plan.

    `ready` is called once, when the manager listens.
    """

    def __init__(
        self,
        plan: LaunchPlan,
        launch: Launch,
        view: RunView,
        *,
        restarts: int = RESTARTS,
        clock: Clock | None = None,
        ready: Callable[[], None] | None = None,
        log: JsonLogger | None = None,
    ) -> None:
        self._plan = plan
        self._launch = launch
        self._view = view
        self._restarts = restarts
        self._clock = clock or SystemClock()
        self._ready = ready
        self._log = log
        self._league: League | None = None
        self._over = anyio.Event()
        self._gone = anyio.Event()
        self._records: list[Record] | None = [] if (plan.manager.store_url or "").startswith("memory:") else None
        self._scaling = RefereeScaling.of(plan)
        self._running = [may_leave(spec) if self._scaling else spec for spec in plan.agents]
        self._agents: TaskGroup | None = None
        self._reasons: list[str] = []
        self._interrupted = False
        self._stopped = False

    async def run(self) -> RunOutcome:
        """Start everything, and return when all of it has ended."""
        self._write("RUN_STARTED", agents=len(self._plan.agents))
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._heed_signals)
            async with anyio.create_task_group() as self._agents:
                for spec in self._running:
                    self._agents.start_soon(self._keep, spec)
                await self._over.wait()
                if self._state is LeagueState.COMPLETED:
                    with anyio.move_on_after(farewell_sec(len(self._plan.agents))):
                        await self._gone.wait()
                self._agents.cancel_scope.cancel()
            tasks.cancel_scope.cancel()
        ending = self._ending()
        well = ending in (RunEnding.COMPLETED, RunEnding.STOPPED)
        self._write("RUN_ENDED", "INFO" if well else "WARNING", ending=ending, reasons=self._reasons)
        return RunOutcome(ending, self._league, self._reasons, self._records or [])

    def _write(self, event_type: str, level: str = "INFO", **details: Any) -> None:
        if self._log is not None:
            self._log.log(event_type, level, league_id=self._plan.league_id, **details)

    def _trouble(self, event_type: str, spec: AgentSpec, code: int, text: str) -> None:
        """Tell of an agent that ended before its league, at the terminal and in the log."""
        self._view.note(text)
        self._write(event_type, "WARNING", name=spec.name, role=spec.role, exit_code=code, text=text)

    @property
    def _state(self) -> LeagueState | None:
        return self._league.state if self._league else None

    def _ending(self) -> RunEnding:
        if self._state is LeagueState.COMPLETED:
            return RunEnding.COMPLETED
        if self._interrupted:
            return RunEnding.INTERRUPTED
        return RunEnding.STOPPED if self._state is LeagueState.STOPPED and not self._reasons else RunEnding.FAILED

    async def _heed_signals(self) -> None:
        with anyio.open_signal_receiver(signal.SIGINT, signal.SIGTERM) as signals:
            async for which in signals:
                if self._interrupted:
                    continue
                self._interrupted = True
                self._view.note("stopping: every agent is told to end")
                if which is not signal.SIGINT:
                    # A reason is said when the live table has been taken away; nobody at the terminal knows it.
                    self._reasons.append(f"ended by {which.name}")
                self._over.set()

    async def _keep(self, spec: AgentSpec) -> None:
        """Run one agent, again when it crashes, and judge its end."""
        told: list[str] = []
        code = await self._live(spec, told)
        for restart in range(1, self._restarts + 1):
            # To end well, or to say why it cannot continue, is no crash; nor is a manager that has stopped its league.
            stopped = spec.role is Role.LEAGUE_MANAGER and self._stopped
            if code == 0 or told or stopped or self._over.is_set() or self._removed(spec):
                break
            again_text = f"{_ended(spec, code)}; it is started again ({restart} of {self._restarts})"
            self._trouble("AGENT_RESTARTED", spec, code, again_text)
            await self._clock.sleep(restart_pause(restart))
            again = replace(spec, resume=True) if spec.role is Role.LEAGUE_MANAGER else spec
            code = await self._live(again, told)
        self._running.remove(spec)
        if all(left.role is Role.SEATS for left in self._running):  # these would serve for ever
            self._gone.set()
        if self._over.is_set() and (not told or spec.leave is not None):
            return  # a referee may come when the league is just over
        if code == 0 and spec.leave is not None and spec.leave.is_set():
            self._write("AGENT_LEFT", name=spec.name, role=spec.role)
            return
        if self._removed(spec):
            self._trouble("AGENT_REMOVED", spec, code, f"{_ended(spec, code)}; it has left the league")
            return
        for text in told:
            self._reasons.append(f"{spec.name}: {text}")
        self._judge(spec, code, told)

    async def _live(self, spec: AgentSpec, told: list[str]) -> int:
        """Run one agent to its end; its exit code, also when it can't be started."""
        try:
            return await self._launch(spec, lambda report: self._take(spec, report, told))
        except NotStarted as error:
            told.append(str(error))
            return 1

    def _take(self, spec: AgentSpec, report: Report, told: list[str]) -> None:
        """Handle an agent's report."""
        if report["kind"] == "record":
            self._record(Record(**report["record"]), report["replayed"])
        elif report["kind"] == "failed":
            told.append(report["text"])
        elif report["kind"] == "waits":
            self._view.waits([WaitLine(text, until) for text, until in report["lines"]])
        elif report["kind"] == "note":
            self._view.note(f"{spec.name}: {report['text']}")
        elif report["kind"] == "listening":
            self._listens(spec)

    def _listens(self, spec: AgentSpec) -> None:
        if spec.role is Role.LEAGUE_MANAGER and self._ready is not None:
            self._ready()
            self._ready = None
        if self._state is LeagueState.COMPLETED:
            # The manager was killed between its last event and telling of it.
            self._over.set()

    def _removed(self, spec: AgentSpec) -> bool:
        """True for an agent that was removed or withdrew."""
        return self._league is not None and (spec.role, spec.name) in departed(self._league)

    def _judge(self, spec: AgentSpec, code: int, told: list[str]) -> None:
        """End the run if the league can't continue without an agent that has ended."""
        league = self._league
        started = league is not None and LeagueState.RUNNING in (league.state, league.stopped_in)
        what = _ended(spec, code)
        if league is not None and league.cancelled and spec.role is not Role.LEAGUE_MANAGER:
            return  # its manager has just told it
        if spec.role is Role.LEAGUE_MANAGER or not started:
            if not told and self._state not in (LeagueState.COMPLETED, LeagueState.STOPPED):
                self._reasons.append(f"{what} before the league was over")
            self._over.set()
            return
        self._trouble("AGENT_LOST", spec, code, f"{what}; the league continues without it")
        if not any(left.role is Role.REFEREE for left in self._running):
            self._reasons.append("no referee is left")
            self._over.set()

    def _record(self, record: Record, replayed: bool) -> None:
        if record.sequence == 1:  # a manager that was started again reports everything anew
            self._league = None
            self._records = None if self._records is None else []
        if self._records is not None:
            self._records.append(record)
        # The store has all of it: a launcher that kept records grew by 21 KB a match.
        self._league = evolve(self._league, summarised(record.event, self._league))
        if replayed:
            return
        # One that was only read to be stopped is about to continue.
        self._stopped = self._league.state is LeagueState.STOPPED
        self._view.league(self._league, record)
        if record.type == RoundStarted.__name__ and self._scaling is not None:
            self._scale(self._scaling, self._league)
        # The manager knows if a stopped league continues: it ends when it does not.
        if self._league.state is LeagueState.COMPLETED:
            self._over.set()

    def _scale(self, scaling: RefereeScaling, league: League) -> None:
        """Start referees, or ask some to leave, as the open matches need them."""
        agents = self._agents
        if agents is None:
            return
        joining, leaving, matches = scaling.change(league, self._running)
        are_open = f"{count(matches, 'match')} {'is' if matches == 1 else 'are'} open"
        for spec in joining:
            self._view.note(f"{spec.name} joins: {are_open}")
            self._running.append(spec)
            agents.start_soon(self._keep, spec)
        for spec in leaving:
            self._view.note(f"{spec.name} leaves: {are_open}")
            if spec.leave is not None:
                spec.leave.set()


def restart_pause(restart: int) -> float:
    """Seconds before the first, second, … restart of an agent."""
    return min(RESTART_MAX_SEC, RESTART_SEC * 2.0 ** min(restart - 1, 64))


def _ended(spec: AgentSpec, code: int) -> str:
    if code < 0:
        return f"{spec.name} was ended by signal {-code}"
    return f"{spec.name} ended" + (f" with exit code {code}" if code else "")
