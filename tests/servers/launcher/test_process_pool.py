import multiprocessing
import os
import signal
from collections.abc import Iterator
from multiprocessing import forkserver
from multiprocessing.connection import Connection
from typing import Any, cast

import anyio
import anyio.to_thread
import pytest

from servers.agent.startup_status import Report
from servers.launcher import fork_server
from servers.launcher.process_pool import STARTS, Child, NotStarted, ProcessPool
from tests.requirements.marker import requirement

pytestmark = pytest.mark.anyio


class FakeProcess:
    """A process that ends when it is asked in the way that it heeds.

    Args:
        ends_on: The method that ends it: `ask`, `terminate`, `kill` or nothing.
        pipe: Its end of the pipe.
    """

    def __init__(self, ends_on: str, pipe: Connection) -> None:
        self.pid = 4711
        self.exitcode: int | None = None
        self.calls: list[str] = []
        self._ends_on = ends_on
        self._pipe = pipe

    def join(self, timeout: float | None = None) -> None:
        self.calls.append("join")
        if self._ends_on == "ask" and self._pipe.poll():
            self.exitcode = 0

    def terminate(self) -> None:
        self.calls.append("terminate")
        if self._ends_on == "terminate":
            self.exitcode = 0

    def kill(self) -> None:
        self.calls.append("kill")
        self.exitcode = -9


@pytest.fixture
def pipes() -> Iterator[tuple[Connection, Connection]]:
    ours, theirs = multiprocessing.Pipe()
    yield ours, theirs
    ours.close()
    theirs.close()


def wait_for_the_end(pipe: Connection) -> None:
    """A child that reports, and ends with the first order or signal to end."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    pipe.send({"kind": "listening"})
    pipe.recv()


def child(pipes: tuple[Connection, Connection], ends_on: str = "") -> tuple[Child, FakeProcess]:
    process = FakeProcess(ends_on, pipes[1])
    return Child(cast(Any, process), pipes[0]), process


class TestWatchingAChild:
    async def test_its_reports_are_handed_over_in_order_until_it_ends(self, pipes):
        watched, process = child(pipes)
        taken: list[Report] = []
        for number in range(50):
            pipes[1].send({"kind": "note", "text": str(number)})
        process.exitcode = 3
        pipes[1].close()
        with anyio.fail_after(30):
            assert await watched.reports(taken.append) == 3
        assert [report["text"] for report in taken] == [str(number) for number in range(50)]
        assert watched.pid == 4711

    async def test_one_that_closed_its_pipe_and_still_does_not_end_counts_as_killed(self, pipes):
        watched, _ = child(pipes)
        pipes[1].close()
        with anyio.fail_after(30):
            assert await watched.reports(lambda _: None) == -signal.SIGKILL

    @pytest.mark.parametrize(
        ("ends_on", "calls"),
        [
            ("ask", ["join"]),
            ("terminate", ["join", "terminate", "join"]),
            ("nothing", ["join", "terminate", "join", "kill", "join"]),
        ],
    )
    async def test_it_is_asked_then_terminated_then_killed(self, pipes, ends_on, calls):
        watched, process = child(pipes, ends_on)
        with anyio.fail_after(30):
            await watched.stop()
        assert process.calls == calls

    async def test_one_that_is_gone_already_is_no_trouble(self, pipes):
        watched, process = child(pipes)
        process.exitcode = 0
        pipes[1].close()
        with anyio.fail_after(30):
            await watched.stop()
        assert process.calls == ["join"]


@requirement("003-CAP-09")
@pytest.mark.end_to_end
async def test_a_child_lives_in_a_process_of_its_own_and_is_gone_after_its_stop():
    pool, taken = ProcessPool(), list[Report]()
    started = await anyio.to_thread.run_sync(pool.start, "Ada", wait_for_the_end)
    assert started.pid is not None
    assert started.pid != os.getpid()
    codes: list[int] = []

    async def watch() -> None:
        codes.append(await started.reports(take))

    listens = anyio.Event()

    def take(report: Report) -> None:
        taken.append(report)
        listens.set()

    with anyio.fail_after(30):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(watch)
            await listens.wait()
            os.kill(started.pid, signal.SIGINT)  # what Ctrl-C means is for the parent to decide
            await started.stop()
    assert codes == [0]
    assert [report["kind"] for report in taken] == ["listening"]
    with pytest.raises(ProcessLookupError):
        os.kill(started.pid, 0)


@pytest.mark.end_to_end
async def test_where_nothing_can_be_forked_children_are_started_anew(monkeypatch):
    monkeypatch.setattr(fork_server.multiprocessing, "get_all_start_methods", lambda: ["spawn"])
    started = await anyio.to_thread.run_sync(ProcessPool().start, "Ada", wait_for_the_end)
    reports, listens = list[Report](), anyio.Event()

    def take(report: Report) -> None:
        reports.append(report)
        listens.set()

    async def stop_when_it_listens() -> None:
        await listens.wait()
        await started.stop()

    with anyio.fail_after(60):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(stop_when_it_listens)
            assert await started.reports(take) == 0
    assert reports[0]["kind"] == "listening"


def kill_fork_server() -> None:
    """Kill the fork server of this process, and wait until it is dead, though not yet known to be."""
    pid = vars(forkserver.ensure_running.__self__)["_forkserver_pid"]
    os.kill(pid, signal.SIGKILL)
    os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)


@pytest.mark.end_to_end
class TestAForkServerThatIsKilled:
    """Real processes: the kill comes at each step of starting a child."""

    @pytest.fixture(autouse=True)
    def fresh(self) -> Iterator[None]:
        fork_server.end_fork_server()
        yield
        fork_server.end_fork_server()

    async def lives(self, pool: ProcessPool) -> None:
        started = await anyio.to_thread.run_sync(pool.start, "Ada", wait_for_the_end)
        listens = anyio.Event()
        with anyio.fail_after(60):
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(started.reports, lambda _: listens.set())
                await listens.wait()
                await started.stop()

    async def test_while_it_loads(self):
        pool = ProcessPool()
        kill_fork_server()
        await self.lives(pool)

    @pytest.mark.slow
    async def test_between_two_children(self):
        pool = ProcessPool()
        await self.lives(pool)
        kill_fork_server()
        await self.lives(pool)

    @pytest.mark.slow
    async def test_before_it_is_asked_for_a_child(self, monkeypatch):
        pool, running = ProcessPool(), forkserver.ensure_running
        once = iter([kill_fork_server])

        def killed_meanwhile() -> None:
            running()
            next(once, lambda: None)()

        monkeypatch.setattr(forkserver.ensure_running.__self__, "ensure_running", killed_meanwhile)
        await self.lives(pool)
        assert next(once, None) is None

    async def test_after_it_was_asked_and_before_it_has_answered(self, monkeypatch):
        pool, ask = ProcessPool(), forkserver.connect_to_new_process
        once = iter([kill_fork_server])

        def killed_meanwhile(fds: list[int]) -> tuple[int, int]:
            answer = ask(fds)
            next(once, lambda: None)()
            return answer

        monkeypatch.setattr(forkserver, "connect_to_new_process", killed_meanwhile)
        await self.lives(pool)
        assert next(once, None) is None

    async def test_every_time(self, monkeypatch):
        pool, ask, asked = ProcessPool(), forkserver.connect_to_new_process, list[int]()

        def killed_meanwhile(fds: list[int]) -> tuple[int, int]:
            asked.append(1)
            answer = ask(fds)
            kill_fork_server()
            return answer

        monkeypatch.setattr(forkserver, "connect_to_new_process", killed_meanwhile)
        with pytest.raises(NotStarted, match="its process cannot be started"):
            await anyio.to_thread.run_sync(pool.start, "Ada", wait_for_the_end)
        assert len(asked) == STARTS
