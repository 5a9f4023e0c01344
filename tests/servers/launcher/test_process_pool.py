import multiprocessing
import os
import signal
from collections.abc import AsyncGenerator, Iterator
from contextlib import asynccontextmanager
from multiprocessing import forkserver
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, cast

import anyio
import anyio.to_thread
import pytest

from league_sdk.domain.model import Role
from servers.agent.agent_spec import AgentSpec
from servers.agent.startup_status import Report
from servers.launcher import fork_server
from servers.launcher.process_pool import STARTS, Child, NotStarted, ProcessPool, _serve
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


@pytest.fixture
def spec(tmp_path: Path) -> AgentSpec:
    """A player that registers nowhere."""
    return AgentSpec(Role.PLAYER, "Ada", tmp_path)


def child(pipes: tuple[Connection, Connection], ends_on: str = "") -> tuple[Child, FakeProcess]:
    process = FakeProcess(ends_on, pipes[1])
    return Child(AgentSpec(Role.PLAYER, "Ada", Path("/nowhere")), cast(Any, process), pipes[0]), process


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


class TestLivingAsAChild:
    """The agent's side, on this event loop."""

    @staticmethod
    @asynccontextmanager
    async def serving(spec: AgentSpec, pipe: Connection) -> AsyncGenerator[list[int]]:
        codes: list[int] = []

        async def live() -> None:
            codes.append(await _serve(spec, pipe))

        with anyio.fail_after(20):
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(live)
                yield codes

    async def first_report(self, ours: Connection) -> Report:
        return await anyio.to_thread.run_sync(ours.recv)

    @requirement("000-PL-STOP-01")
    async def test_it_reports_and_ends_when_it_is_told_to(self, pipes, spec):
        async with self.serving(spec, pipes[1]) as codes:
            assert (await self.first_report(pipes[0]))["kind"] == "listening"
            pipes[0].send(None)
        assert codes == [0]

    async def test_it_ends_when_its_parent_is_gone(self, pipes, spec):
        async with self.serving(spec, pipes[1]) as codes:
            await self.first_report(pipes[0])
            pipes[0].close()
        assert codes == [0]

    async def test_it_ends_when_its_parent_went_before_it_could_say_anything(self, pipes, spec):
        pipes[0].close()
        async with self.serving(spec, pipes[1]) as codes:
            pass
        assert codes == [0]

    @requirement("000-PL-STOP-01")
    async def test_it_ends_on_a_signal(self, pipes, spec):
        async with self.serving(spec, pipes[1]) as codes:
            await self.first_report(pipes[0])
            os.kill(os.getpid(), signal.SIGTERM)
        assert codes == [0]
        signal.signal(signal.SIGTERM, signal.SIG_DFL)

    async def test_it_fails_with_a_report(self, pipes, spec):
        async with self.serving(
            AgentSpec(Role.PLAYER, "Ada", spec.workspace, game_types=("chess",)), pipes[1]
        ) as codes:
            report = await self.first_report(pipes[0])
        assert (report["kind"], codes) == ("failed", [1])
        assert "there is no game 'chess'" in report["text"]


@requirement("003-CAP-09")
@pytest.mark.end_to_end
async def test_a_child_lives_in_a_process_of_its_own_and_is_gone_after_its_stop(spec):
    nursery, taken = ProcessPool(), list[Report]()
    started = await anyio.to_thread.run_sync(nursery.start, spec)
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
async def test_where_nothing_can_be_forked_children_are_started_anew(spec, monkeypatch):
    monkeypatch.setattr(fork_server.multiprocessing, "get_all_start_methods", lambda: ["spawn"])
    started = await anyio.to_thread.run_sync(ProcessPool().start, spec)
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

    async def lives(self, nursery: ProcessPool, spec: AgentSpec) -> None:
        started = await anyio.to_thread.run_sync(nursery.start, spec)
        listens = anyio.Event()
        with anyio.fail_after(60):
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(started.reports, lambda _: listens.set())
                await listens.wait()
                await started.stop()

    async def test_while_it_loads(self, spec):
        nursery = ProcessPool()
        kill_fork_server()
        await self.lives(nursery, spec)

    async def test_between_two_children(self, spec):
        nursery = ProcessPool()
        await self.lives(nursery, spec)
        kill_fork_server()
        await self.lives(nursery, spec)

    async def test_before_it_is_asked_for_a_child(self, spec, monkeypatch):
        nursery, running = ProcessPool(), forkserver.ensure_running
        once = iter([kill_fork_server])

        def killed_meanwhile() -> None:
            running()
            next(once, lambda: None)()

        monkeypatch.setattr(forkserver.ensure_running.__self__, "ensure_running", killed_meanwhile)
        await self.lives(nursery, spec)
        assert next(once, None) is None

    async def test_after_it_was_asked_and_before_it_has_answered(self, spec, monkeypatch):
        nursery, ask = ProcessPool(), forkserver.connect_to_new_process
        once = iter([kill_fork_server])

        def killed_meanwhile(fds: list[int]) -> tuple[int, int]:
            answer = ask(fds)
            next(once, lambda: None)()
            return answer

        monkeypatch.setattr(forkserver, "connect_to_new_process", killed_meanwhile)
        await self.lives(nursery, spec)
        assert next(once, None) is None

    async def test_every_time(self, spec, monkeypatch):
        nursery, ask, asked = ProcessPool(), forkserver.connect_to_new_process, list[int]()

        def killed_meanwhile(fds: list[int]) -> tuple[int, int]:
            asked.append(1)
            answer = ask(fds)
            kill_fork_server()
            return answer

        monkeypatch.setattr(forkserver, "connect_to_new_process", killed_meanwhile)
        with pytest.raises(NotStarted, match="its process cannot be started"):
            await anyio.to_thread.run_sync(nursery.start, spec)
        assert len(asked) == STARTS
