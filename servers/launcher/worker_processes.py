"""Worker processes, each of which runs one or more agents with own addresses.

A worker starts agents as it is told to, over one pipe. Its agents share an event loop, and what ends the process ends
all of them; apart from that they know no more of one another than agents in processes of their own.
"""

import asyncio
import functools
import logging
import signal
from collections.abc import Awaitable, Callable
from dataclasses import replace
from multiprocessing.connection import Connection
from typing import Protocol, TypeAlias

import anyio
import anyio.to_thread

from league_sdk.domain.model import Role
from servers.agent.agent_spec import AgentSpec
from servers.agent.gc_tuning import settle_memory
from servers.agent.output_guard import print_to_stderr
from servers.agent.startup_status import Report, ReportTo
from servers.launcher.process_pool import STOP_SEC, Child, ProcessPool

logger = logging.getLogger(__name__)

Launch: TypeAlias = Callable[[AgentSpec, ReportTo], Awaitable[int]]
"""Runs one agent to its end and returns its exit code; cancelled, it leaves nothing of the agent behind."""


LEAVE = "leave"
"""The order to an agent to withdraw, and to end when it is done with its matches."""


class WorkerHandle(Protocol):
    """One end of a worker, which carries orders there and reports back."""

    @property
    def pid(self) -> object:
        """The process's number, or another name for it."""
        ...

    async def reports(self, take: Callable[[Report], None]) -> int:
        """Pass on its reports until it ends; its exit code."""
        ...

    def tell(self, what: object) -> None:
        """Send an order: an agent's number with what to start, LEAVE or None."""
        ...

    async def stop(self) -> None:
        """End it, and return when it is gone."""
        ...


class WorkerProcess:
    """One process with room for several agents, seen from outside."""

    def __init__(self, child: WorkerHandle, room: int) -> None:
        self._child = child
        self._room = room
        self._started = 0
        self._reports: dict[int, ReportTo] = {}
        self._codes: dict[int, int] = {}
        self._ended: dict[int, asyncio.Event] = {}
        self._watching = asyncio.create_task(self._watch(), name=f"worker {child.pid}")

    @property
    def open(self) -> bool:
        """True while the worker takes one more agent."""
        return self._started < self._room and not self._watching.done()

    def start(self, spec: AgentSpec, report: ReportTo) -> int:
        """Start an agent in it; the number by which it is known."""
        number, self._started = self._started, self._started + 1
        self._ended[number], self._reports[number] = asyncio.Event(), report
        if self._watching.done():
            self._end(number, self._watching.result())
        self._child.tell((number, replace(spec, leave=None)))
        return number

    async def over(self, number: int, leave: anyio.Event | None = None) -> int:
        """Wait for an agent's end; its exit code, or that of its process.

        Cancelled, it leaves nothing of the agent behind. The process ends with the last of its agents. Once `leave` is
        set, the agent is told to withdraw.
        """
        ended = self._ended[number]
        try:
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(self._pass_on, number, leave or anyio.Event())
                await ended.wait()
                tasks.cancel_scope.cancel()
        finally:
            with anyio.CancelScope(shield=True):
                if not ended.is_set() and len(self._ended) > 1:
                    self._child.tell((number, None))
                    with anyio.move_on_after(STOP_SEC):  # one that hangs ends with its process
                        await ended.wait()
                del self._ended[number]
                if not self._ended:
                    self._room = 0
                    await self._child.stop()
                    await self._watching
                del self._reports[number]  # it may report until its process has ended
        return self._codes[number]

    async def _pass_on(self, number: int, leave: anyio.Event) -> None:
        await leave.wait()
        self._child.tell((number, LEAVE))

    async def _watch(self) -> int:
        code = await self._child.reports(self._take)
        for number in self._ended:
            self._end(number, code)
        return code

    def _take(self, report: Report) -> None:
        number = report["number"]
        if "code" in report:
            self._end(number, report["code"])
        elif number in self._reports:
            self._reports[number](report["report"])

    def _end(self, number: int, code: int) -> None:
        self._codes.setdefault(number, code)
        if number in self._ended:
            self._ended[number].set()


async def in_this_process(spec: AgentSpec, report: ReportTo, run: Launch | None = None) -> int:
    """Run an agent on this event loop; a fault in it ends that agent alone."""
    try:
        if run is None:
            from servers.launcher.agents import run_agent as run  # the fork server has it; its parent does without
        return await run(spec, report)
    except Exception:
        logger.exception("%s: a fault in the program", spec.name)
        return 1


def in_worker_processes(size: int = 1, run: Launch | None = None) -> Launch:
    """Run players `size` to a process, others in one each; `run` is importable."""
    pool = ProcessPool()
    live = functools.partial(run_worker, run=run)

    async def start(spec: AgentSpec) -> Child:
        return await anyio.to_thread.run_sync(pool.start, spec.name, live)

    return in_workers(start, size)


def in_workers(start: Callable[[AgentSpec], Awaitable[WorkerHandle]], size: int) -> Launch:
    """Run players of the same requirements `size` to a worker, others in one each."""
    one_at_a_time = anyio.Lock()
    workers: list[tuple[tuple[str, ...], WorkerProcess]] = []

    async def launch(spec: AgentSpec, report: ReportTo) -> int:
        together = spec.role is Role.PLAYER
        async with one_at_a_time:  # so that an interruption leaves the rest unstarted
            alike = (worker for needed, worker in workers if needed == spec.requirements)
            worker = next((worker for worker in alike if together and worker.open), None)
            if worker is None:
                worker = WorkerProcess(await start(spec), size if together else 1)
                workers.append((spec.requirements, worker))
            number = worker.start(spec, report)
        return await worker.over(number, spec.leave)

    return launch


def run_worker(pipe: Connection, run: Launch | None = None) -> None:
    """Main function of a worker's process."""
    settle_memory()
    print_to_stderr()
    # The parent decides what Ctrl-C means.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    anyio.run(_Worker(pipe, run).serve)


class _Worker:
    """The worker's side: runs agents as its parent orders over the pipe."""

    def __init__(self, pipe: Connection, run: Launch | None) -> None:
        self._pipe = pipe
        self._run = run
        self._scopes: dict[int, anyio.CancelScope] = {}
        self._leave: dict[int, anyio.Event] = {}

    async def serve(self) -> None:
        """Start and stop agents as told, until told to end, or the parent is gone."""
        loop = asyncio.get_running_loop()
        async with anyio.create_task_group() as tasks:

            def take_orders() -> None:
                try:
                    while self._pipe.poll():
                        order = self._pipe.recv()
                        if order is None:
                            raise EOFError
                        number, spec = order
                        if spec == LEAVE:
                            self._leave[number].set()
                        elif spec is not None:
                            self._scopes[number], self._leave[number] = anyio.CancelScope(), anyio.Event()
                            tasks.start_soon(self._keep, number, replace(spec, leave=self._leave[number]))
                        elif number in self._scopes:
                            self._scopes[number].cancel()
                except (EOFError, OSError):
                    tasks.cancel_scope.cancel()

            loop.add_reader(self._pipe.fileno(), take_orders)
            loop.add_signal_handler(signal.SIGTERM, tasks.cancel_scope.cancel)
            try:
                await anyio.sleep_forever()
            finally:
                loop.remove_reader(self._pipe.fileno())

    async def _keep(self, number: int, spec: AgentSpec) -> None:
        def report(what: Report) -> None:
            self._tell({"number": number, "report": what})

        code = 0
        try:
            with self._scopes[number]:
                code = await in_this_process(spec, report, self._run)
        finally:
            del self._scopes[number]
            self._tell({"number": number, "code": code})

    def _tell(self, what: Report) -> None:
        try:
            self._pipe.send(what)
        except OSError:
            for scope in self._scopes.values():
                scope.cancel()
