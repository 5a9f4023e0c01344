"""Runs agents in processes of their own, none left behind.

Each child holds one end of a pipe. It reports over it what its parent wants to know, and takes anything that comes the
other way, the end of the pipe included, for the order to stop: so a child outlives its parent by no more than it needs
to close, however the parent died.
"""

import asyncio
import contextlib
import multiprocessing
import signal
from collections.abc import Callable
from multiprocessing.connection import Connection
from multiprocessing.context import ForkServerContext, SpawnContext
from multiprocessing.process import BaseProcess

import anyio

from servers.agent.agent_spec import AgentSpec
from servers.agent.memory import settle_memory
from servers.agent.output_guard import print_to_stderr
from servers.agent.startup_status import Report
from servers.launcher.fork_server import end_fork_server, start_fork_server

Live = Callable[[AgentSpec, Connection], None]
"""A child's main function; it has to be importable by its name."""

STOP_SEC = 5.0
"""Seconds that a child has to close after it was told to."""


STARTS = 5
"""Attempts at starting a child, each with a fresh fork server."""


class NotStarted(Exception):
    """No process could be started for an agent; the message says why."""


class Child:
    """One agent's process.

    Args:
        spec: The agent.
        process: Its process.
        pipe: Our end of the pipe.
    """

    def __init__(self, spec: AgentSpec, process: BaseProcess, pipe: Connection) -> None:
        self.spec = spec
        self._process = process
        self._pipe = pipe

    @property
    def pid(self) -> int | None:
        """The process's number."""
        return self._process.pid

    async def reports(self, take: Callable[[Report], None]) -> int:
        """Pass on the child's reports until it ends; its exit code, -N for signal N."""
        loop = asyncio.get_running_loop()
        ended = asyncio.Event()

        def read() -> None:
            try:
                while self._pipe.poll():
                    take(self._pipe.recv())
            except (EOFError, OSError):
                loop.remove_reader(self._pipe.fileno())
                ended.set()

        loop.add_reader(self._pipe.fileno(), read)
        try:
            await ended.wait()
        finally:
            loop.remove_reader(self._pipe.fileno())
        await anyio.to_thread.run_sync(self._process.join, STOP_SEC, abandon_on_cancel=True)
        return -signal.SIGKILL if self._process.exitcode is None else self._process.exitcode

    def tell(self, what: object) -> None:
        """Send the child something; one that is gone, or told None, ends."""
        with contextlib.suppress(OSError):
            self._pipe.send(what)

    async def stop(self) -> None:
        """End the process: ask, then terminate, then kill. Returns when it is gone."""
        self.tell(None)
        for end in (None, self._process.terminate, self._process.kill):
            if end is not None:
                end()
            await anyio.to_thread.run_sync(self._process.join, STOP_SEC)
            if self._process.exitcode is not None:
                return


class ProcessPool:
    """Starts children. One for the whole of a run, so that the imports are done once."""

    def __init__(self) -> None:
        # Where there is no fork server, each child imports for itself.
        self._context: ForkServerContext | SpawnContext = start_fork_server() or multiprocessing.get_context("spawn")

    def start(self, spec: AgentSpec, live: Live | None = None) -> Child:
        """Start one agent with its specification and the child's end of the pipe.

        Raises:
            NotStarted: The fork server ended each time, or the system gives no process.
        """
        failed: Exception | None = None
        for _ in range(STARTS):
            try:
                return self._start(spec, live)
            except (OSError, EOFError) as error:
                failed = error
                end_fork_server()  # whoever ended it: the next try starts it anew
        raise NotStarted(f"its process cannot be started: {failed or type(failed).__name__}") from failed

    def _start(self, spec: AgentSpec, live: Live | None) -> Child:
        start_fork_server()  # does nothing while it runs
        ours, theirs = self._context.Pipe()
        process = self._context.Process(target=live or _child, args=(spec, theirs), name=spec.name, daemon=True)
        try:
            process.start()
        except BaseException:
            ours.close()  # a child that came to be all the same ends at once
            raise
        finally:
            theirs.close()
        return Child(spec, process, ours)


def _child(spec: AgentSpec, pipe: Connection) -> None:
    """A child's life."""
    settle_memory()
    print_to_stderr()
    # The parent decides what Ctrl-C means.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    code = anyio.run(_serve, spec, pipe)
    raise SystemExit(code)


async def _serve(spec: AgentSpec, pipe: Connection) -> int:
    from servers.launcher.agents import run_agent  # the fork server has it; its parent does without

    loop = asyncio.get_running_loop()

    def report(what: Report) -> None:
        try:
            pipe.send(what)
        except OSError:
            scope.cancel()

    with anyio.CancelScope() as scope:
        loop.add_reader(pipe.fileno(), scope.cancel)
        loop.add_signal_handler(signal.SIGTERM, scope.cancel)
        try:
            return await run_agent(spec, report)
        finally:
            loop.remove_reader(pipe.fileno())
    return 0
