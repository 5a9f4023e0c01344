"""Starts processes for agents, and ends each of them.

Each child holds one end of a pipe. It reports over it, and takes its orders from it; None and the end of the pipe are
the order to stop, so a child outlives its parent by no more than it needs to close, however the parent died.
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

from servers.agent.startup_status import Report
from servers.launcher.fork_server import end_fork_server, start_fork_server

Live = Callable[[Connection], None]
"""A child's main function; it has to be importable by its name."""

STOP_SEC = 5.0
"""Seconds that a child has to close after it was told to."""


STARTS = 5
"""Attempts at starting a child, each with a fresh fork server."""


class NotStarted(Exception):
    """No process could be started for an agent; the message says why."""


class Child:
    """A process, and our end of the pipe to it."""

    def __init__(self, process: BaseProcess, pipe: Connection) -> None:
        self._process = process
        self._pipe = pipe

    @property
    def pid(self) -> int | None:
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
        # Without a fork server each child imports for itself.
        self._context: ForkServerContext | SpawnContext = start_fork_server() or multiprocessing.get_context("spawn")

    def start(self, name: str, live: Live) -> Child:
        """Start a process that calls `live` with its end of the pipe.

        Raises:
            NotStarted: The fork server ended each time, or the system gives no process.
        """
        failed: Exception | None = None
        for _ in range(STARTS):
            try:
                return self._start(name, live)
            except (OSError, EOFError) as error:
                failed = error
                end_fork_server()  # whoever ended it: the next try starts it anew
        raise NotStarted(f"its process cannot be started: {failed or type(failed).__name__}") from failed

    def _start(self, name: str, live: Live) -> Child:
        start_fork_server()  # does nothing while it runs
        ours, theirs = self._context.Pipe()
        process = self._context.Process(target=live, args=(theirs,), name=name, daemon=True)
        try:
            process.start()
        except BaseException:
            ours.close()  # a child that came to be all the same ends at once
            raise
        finally:
            theirs.close()
        return Child(process, ours)
