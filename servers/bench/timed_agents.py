"""Agents of a benchmark: their calls are timed and their usage is reported."""

import functools
import json
import os
import time
from collections.abc import AsyncGenerator, Awaitable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import Any

import anyio

from clients.session_manager import SessionManager
from league_sdk.domain.events import LeagueStarted, MatchRecorded, PlayerRegistered, RefereeRegistered, RoundCompleted
from league_sdk.domain.model import Role
from league_sdk.errors import LeagueError
from league_sdk.game import PlayerView
from league_sdk.json_value import Json
from league_sdk.ports import CallRefused, Connection, MalformedReply, ToolDescriptor
from servers.agent.agent_spec import AgentSpec
from servers.agent.bootstrap import AgentContext
from servers.agent.startup_status import Report, ReportTo
from servers.bench.measures import SAMPLE, Calls, cpu_seconds, memory_bytes
from servers.launcher.agents import run_agent, runner_of
from servers.player.main import run_player
from servers.player.move_substitution import Decision

BENCH = "bench"
"""The kind of report in which an agent tells what was measured."""
LAST_WORD = "notify_round_completed"
LAST_WORD_SEC = 300.0
"""Seconds for everybody to be told of the end of the last round that is played."""
_SEATINGS = (PlayerRegistered.__name__, RefereeRegistered.__name__)
MEMORY_EVERY = 250
"""After so many matches the manager's memory is looked at."""


class TimedConnection:
    """A `Connection` whose calls are timed."""

    def __init__(self, inner: Connection, calls: Calls) -> None:
        self.inner = inner
        self.dialect = inner.dialect
        self._calls = calls

    async def list_tools(self) -> list[ToolDescriptor]:
        """As the connection does; not counted."""
        return await self.inner.list_tools()

    async def call(self, tool: str, arguments: Mapping[str, Json], *, timeout: float) -> Json:
        """As the connection does, and note how long it took."""
        started = time.perf_counter()
        try:
            reply = await self.inner.call(tool, arguments, timeout=timeout)
        except (LeagueError, CallRefused, MalformedReply):
            self._calls.failed.setdefault(tool, []).append(time.time())
            self._calls.took(tool, time.perf_counter() - started)
            raise
        self._calls.took(tool, time.perf_counter() - started)
        if len(self._calls.seconds[tool]) % SAMPLE == 1:
            sizes = (len(json.dumps(said, separators=(",", ":"))) for said in (arguments, reply))
            self._calls.weigh(tool, 1, *sizes)
        return reply

    async def ping(self, *, timeout: float) -> None:
        """As the connection does; not counted."""
        await self.inner.ping(timeout=timeout)


class TimedSessions(SessionManager):
    """A session manager's sessions, with connections that are timed."""

    def __init__(self, inner: SessionManager, calls: Calls) -> None:
        self._inner = inner
        self._calls = calls
        self._timed: dict[str, TimedConnection] = {}

    @asynccontextmanager
    async def lease(self, endpoint: str, wire: str = "") -> AsyncGenerator[Connection]:
        """As the session manager does."""
        async with self._inner.lease(endpoint, wire) as connection:
            timed = self._timed.get(endpoint)
            if timed is None or timed.inner is not connection:
                timed = self._timed[endpoint] = TimedConnection(connection, self._calls)
            yield timed

    async def wire(self, endpoint: str, *, timeout: float) -> str:
        """As the session manager does; not counted."""
        return await self._inner.wire(endpoint, timeout=timeout)


@dataclass(slots=True)
class Thoughtful:
    """A player's choice that takes its time, and is then left to chance."""

    seconds: float

    async def __call__(self, view: PlayerView) -> Decision:
        """The decision for this view."""
        await anyio.sleep(self.seconds)
        return Decision(view.rng.choice(view.legal_moves))


class _Meter:
    """Usage of one agent's process since the league started."""

    def __init__(self, spec: AgentSpec, rounds: int) -> None:
        self._spec = spec
        self._rounds = rounds
        self._seats = 0
        self._enough = anyio.Event()
        self._before = (cpu_seconds(), memory_bytes())
        self._recorded = 0
        self._stopped_at: float | None = None
        self.growth: list[tuple[int, int]] = []

    def heed(self, report: Report) -> None:
        """Reset at registration and league start; sample a manager's memory."""
        if report["kind"] == "registered":
            self._before = (cpu_seconds(), memory_bytes())
        if report["kind"] != "record":
            return
        kind = report["record"]["type"]
        self._seats += kind in _SEATINGS
        if kind == LeagueStarted.__name__:
            self._before = (cpu_seconds(), memory_bytes())
        if kind == RoundCompleted.__name__ and report["record"]["payload"]["round_id"] == self._rounds:
            self._enough.set()
        if kind == MatchRecorded.__name__:
            self._recorded += 1
            if self._recorded % MEMORY_EVERY == 0:
                self.growth.append((self._recorded, memory_bytes()))

    async def enough(self, calls: Calls) -> None:
        """Wait until the last round is over and all agents were told."""
        await self._enough.wait()
        with anyio.move_on_after(LAST_WORD_SEC):
            while calls.answered(LAST_WORD) < self._rounds * self._seats:  # noqa: ASYNC110 - nobody tells of a call
                await anyio.sleep(0.02)
        self._stopped_at = time.time()

    def report(self, calls: Calls) -> Report:
        return {
            "kind": BENCH,
            "name": self._spec.name,
            "role": str(self._spec.role),
            "pid": os.getpid(),
            "cpu_before": self._before[0],
            "cpu": cpu_seconds(),
            "memory_before": self._before[1],
            "memory": memory_bytes(),
            "growth": self.growth,
            "stopped_at": self._stopped_at,
            "calls": calls,
        }


async def run_measured(spec: AgentSpec, report: ReportTo, think: float = 0.0, rounds: int = 0) -> int:
    """Run one agent, and report its measurements at the end."""
    calls, meter = Calls(), _Meter(spec, rounds)

    def heeded(what: Report) -> None:
        meter.heed(what)
        report(what)

    async def measured(tools: AgentContext, told: ReportTo) -> int:
        timed = replace(tools.outbound, sessions=TimedSessions(tools.outbound.sessions, calls))
        run: Any = runner_of(spec.role)
        if think and spec.role is Role.PLAYER:
            run = functools.partial(run_player, choose=Thoughtful(think))
        running = run(replace(tools, outbound=timed), told)
        if not rounds or spec.role is not Role.LEAGUE_MANAGER:
            return await running
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(_end_after, meter.enough(calls), tasks.cancel_scope)
            code = await running
            tasks.cancel_scope.cancel()
            return code
        return 0

    try:
        return await run_agent(spec, heeded, measured)
    finally:
        report(meter.report(calls))


async def _end_after(waiting: Awaitable[None], scope: anyio.CancelScope) -> None:
    await waiting
    scope.cancel()
