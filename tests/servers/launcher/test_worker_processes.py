import multiprocessing
import os
import signal
import threading
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import replace
from multiprocessing.connection import Connection
from pathlib import Path

import anyio
import anyio.to_thread
import pytest

from league_sdk.domain.model import Role
from servers.agent.agent_spec import AgentSpec
from servers.agent.startup_status import Report, ReportTo
from servers.launcher import process_pool, worker_processes
from servers.launcher.worker_processes import WorkerProcess, _Worker, in_worker_processes
from tests.requirements.marker import requirement

pytestmark = pytest.mark.anyio


async def live(spec: AgentSpec, report: ReportTo) -> int:
    """An agent that does what its name says."""
    report({"kind": "note", "text": spec.name})
    if spec.name == "raises":
        raise RuntimeError("a fault")
    if spec.name == "stays":
        await anyio.sleep_forever()
    if spec.name == "leaves":
        assert spec.leave is not None
        await spec.leave.wait()
        return 7
    return 3


def player(name: str, role: Role = Role.PLAYER) -> AgentSpec:
    return AgentSpec(role, name, Path("/nowhere"))


class FakeChild:
    """A child whose life is led on this event loop."""

    def __init__(self, ours: Connection) -> None:
        self.pid = 4711
        self.ours = ours
        self.stopped = anyio.Event()
        self.code = 0

    def tell(self, what: object) -> None:
        self.ours.send(what)

    async def reports(self, take: Callable[[Report], None]) -> int:
        while not self.stopped.is_set():
            while self.ours.poll():
                take(self.ours.recv())
            await anyio.sleep(0.001)
        return self.code

    async def stop(self) -> None:
        self.tell(None)
        self.stopped.set()


@pytest.fixture
def pipes() -> Iterator[tuple[Connection, Connection]]:
    ours, theirs = multiprocessing.Pipe()
    yield ours, theirs
    ours.close()
    theirs.close()


@asynccontextmanager
async def worker_of(room: int, pipes: tuple[Connection, Connection]) -> AsyncGenerator[tuple[WorkerProcess, FakeChild]]:
    child = FakeChild(pipes[0])
    with anyio.fail_after(30):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(_Worker(pipes[1], live).serve)
            worker = WorkerProcess(child, room)
            yield worker, child
            await child.stop()


async def test_several_agents_live_in_one_worker_and_report_each_for_itself(pipes):
    heard: dict[str, list[str]] = {"ends": [], "raises": []}
    async with worker_of(2, pipes) as (worker, _):
        numbers = {name: worker.start(player(name), lambda it, n=name: heard[n].append(it["text"])) for name in heard}
        assert not worker.open
        assert await worker.over(numbers["ends"]) == 3
        assert await worker.over(numbers["raises"]) == 1
    assert heard == {"ends": ["ends"], "raises": ["raises"]}


async def test_an_agent_that_is_given_up_ends_and_leaves_the_others_alone(pipes):
    async with worker_of(3, pipes) as (worker, child):
        stays, other = (worker.start(player("stays"), lambda _: None) for _ in range(2))
        with anyio.move_on_after(0.05) as given_up:
            await worker.over(stays)
        assert given_up.cancelled_caught
        assert not child.stopped.is_set()
        with anyio.move_on_after(0.05):
            await worker.over(other)
        assert child.stopped.is_set()
        assert not worker.open


async def test_an_agent_is_told_that_it_is_to_leave_and_the_others_are_not(pipes):
    async with worker_of(2, pipes) as (worker, _):
        leave = anyio.Event()
        leaves, stays = (worker.start(player(name), lambda _: None) for name in ("leaves", "leaves"))
        leave.set()
        assert await worker.over(leaves, leave) == 7
        with anyio.move_on_after(0.05) as waited:
            await worker.over(stays)
        assert waited.cancelled_caught


async def test_a_process_that_dies_ends_all_of_its_agents(pipes):
    async with worker_of(5, pipes) as (worker, child):
        number = worker.start(player("stays"), lambda _: None)
        child.code = -9
        child.stopped.set()
        assert await worker.over(number) == -9
        assert not worker.open


async def test_players_share_workers_and_everybody_else_is_alone(monkeypatch):
    started: list[str] = []

    class CountingWorker:
        def __init__(self, name: str, room: int) -> None:
            self.room = room
            started.append(f"{name} {room}")

        @property
        def open(self) -> bool:
            return self.room > 0

        def start(self, spec: AgentSpec, report: ReportTo) -> int:
            self.room -= 1
            return self.room

        async def over(self, number: int, leave: anyio.Event | None) -> int:
            del leave
            return number

    class NoProcesses:
        def start(self, name: str, live: object) -> str:
            return name

    monkeypatch.setattr(worker_processes, "ProcessPool", NoProcesses)
    monkeypatch.setattr(worker_processes, "WorkerProcess", CountingWorker)
    launch: Callable[[AgentSpec, ReportTo], Awaitable[int]] = in_worker_processes(2)
    for name, role in (("LM", Role.LEAGUE_MANAGER), ("A", Role.PLAYER), ("B", Role.PLAYER), ("C", Role.PLAYER)):
        await launch(player(name, role), lambda _: None)
    await launch(replace(player("D"), requirements=("gpu=1",)), lambda _: None)
    assert started == ["LM 1", "A 2", "C 2", "D 2"]


@pytest.fixture
def spec(tmp_path: Path) -> AgentSpec:
    """A player that registers nowhere."""
    return AgentSpec(Role.PLAYER, "Ada", tmp_path)


class TestAWorkerOfOne:
    """The worker's side, on this event loop, with a real agent."""

    @staticmethod
    @asynccontextmanager
    async def serving(spec: AgentSpec, pipes: tuple[Connection, Connection]) -> AsyncGenerator[None]:
        pipes[0].send((0, spec))
        with anyio.fail_after(20):
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(_Worker(pipes[1], None).serve)
                yield

    async def heard(self, ours: Connection) -> Report:
        return await anyio.to_thread.run_sync(ours.recv)

    @requirement("000-PL-STOP-01")
    async def test_it_reports_and_ends_when_it_is_told_to(self, pipes, spec):
        async with self.serving(spec, pipes):
            assert (await self.heard(pipes[0]))["report"]["kind"] == "listening"
            pipes[0].send(None)
        assert await self.heard(pipes[0]) == {"number": 0, "code": 0}

    async def test_it_ends_when_its_parent_is_gone(self, pipes, spec):
        async with self.serving(spec, pipes):
            await self.heard(pipes[0])
            pipes[0].close()

    async def test_it_ends_when_its_parent_went_before_it_could_say_anything(self, pipes, spec):
        async with self.serving(spec, pipes):
            pipes[0].close()

    @requirement("000-PL-STOP-01")
    async def test_it_ends_on_a_signal(self, pipes, spec):
        async with self.serving(spec, pipes):
            await self.heard(pipes[0])
            os.kill(os.getpid(), signal.SIGTERM)
        assert await self.heard(pipes[0]) == {"number": 0, "code": 0}
        signal.signal(signal.SIGTERM, signal.SIG_DFL)

    async def test_an_agent_that_cannot_run_fails_with_a_report(self, pipes, spec):
        async with self.serving(replace(spec, game_types=("ludo",)), pipes):
            told = await self.heard(pipes[0])
            assert told["report"]["kind"] == "failed"
            assert "there is no game 'ludo'" in told["report"]["text"]
            assert await self.heard(pipes[0]) == {"number": 0, "code": 1}
            pipes[0].send(None)


@pytest.mark.end_to_end
async def test_an_agent_that_hangs_is_ended_with_its_process(spec, monkeypatch):
    monkeypatch.setattr(process_pool, "STOP_SEC", 0.1)
    launch, listens, reports = in_worker_processes(run=hang), anyio.Event(), list[Report]()

    def take(report: Report) -> None:
        reports.append(report)
        listens.set()

    async def run() -> None:
        await launch(spec, take)

    with anyio.fail_after(60):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(run)
            await listens.wait()
            tasks.cancel_scope.cancel()
    with pytest.raises(ProcessLookupError):
        os.kill(reports[0]["pid"], 0)


async def hang(spec: AgentSpec, report: ReportTo) -> int:
    """An agent that heeds nothing: its event loop is blocked, and SIGTERM ignored."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    report({"kind": "note", "text": spec.name, "pid": os.getpid()})
    threading.Event().wait()
    return 0


@pytest.mark.end_to_end
@pytest.mark.parametrize("role", [Role.PLAYER, Role.LEAGUE_MANAGER])
async def test_the_last_report_of_an_agent_that_is_told_to_stop_arrives(spec, role):
    launch, listens, reports = in_worker_processes(2, run=leave), anyio.Event(), list[Report]()

    def take(report: Report) -> None:
        reports.append(report)
        listens.set()

    async def run() -> None:
        await launch(replace(spec, role=role), take)

    with anyio.fail_after(60):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(run)
            await listens.wait()
            tasks.cancel_scope.cancel()
    assert [report["text"] for report in reports] == ["here", "gone"]


async def leave(spec: AgentSpec, report: ReportTo) -> int:
    """An agent that reports as it ends."""
    report({"kind": "note", "text": "here"})
    try:
        await anyio.sleep_forever()
    finally:
        report({"kind": "note", "text": "gone"})
    return 0
