import multiprocessing
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from multiprocessing.connection import Connection
from pathlib import Path

import anyio
import pytest

from league_sdk.domain.model import Role
from servers.agent.agent_spec import AgentSpec
from servers.agent.startup_status import Report, ReportTo
from servers.launcher import worker_processes
from servers.launcher.worker_processes import WorkerProcess, _Within, in_worker_processes

pytestmark = pytest.mark.anyio


async def live(spec: AgentSpec, report: ReportTo) -> int:
    """An agent that does what its name says."""
    report({"kind": "note", "text": spec.name})
    if spec.name == "raises":
        raise RuntimeError("a fault")
    if spec.name == "stays":
        await anyio.sleep_forever()
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
            tasks.start_soon(_Within(pipes[1], live).serve)
            worker = WorkerProcess(child, room)  # pyright: ignore[reportArgumentType]
            yield worker, child
            await child.stop()


async def test_several_agents_live_in_one_crew_and_report_each_for_itself(pipes):
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


async def test_a_process_that_dies_ends_all_of_its_agents(pipes):
    async with worker_of(5, pipes) as (worker, child):
        number = worker.start(player("stays"), lambda _: None)
        child.code = -9
        child.stopped.set()
        assert await worker.over(number) == -9
        assert not worker.open


async def test_players_share_crews_and_everybody_else_is_alone(monkeypatch):
    started: list[str] = []

    class CountingCrew:
        def __init__(self, name: str, room: int) -> None:
            self.room = room
            started.append(f"{name} {room}")

        @property
        def open(self) -> bool:
            return self.room > 0

        def start(self, spec: AgentSpec, report: ReportTo) -> int:
            self.room -= 1
            return self.room

        async def over(self, number: int) -> int:
            return number

    class NoNursery:
        def start(self, spec: AgentSpec, live: object) -> str:
            return spec.name

    monkeypatch.setattr(worker_processes, "ProcessPool", NoNursery)
    monkeypatch.setattr(worker_processes, "WorkerProcess", CountingCrew)
    launch: Callable[[AgentSpec, ReportTo], Awaitable[int]] = in_worker_processes(2)
    for name, role in (("LM", Role.LEAGUE_MANAGER), ("A", Role.PLAYER), ("B", Role.PLAYER), ("C", Role.PLAYER)):
        await launch(player(name, role), lambda _: None)
    assert started == ["LM 1", "A 2", "C 2"]
