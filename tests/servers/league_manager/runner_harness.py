"""A league manager with its course, against referees that play as a script says."""

from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import anyio
from anyio.abc import TaskGroup

from league_sdk.plugins import stages_format
from league_sdk.ports import Peer
from league_sdk.protocol.operator import StartMatch
from servers.league_manager.announcements import Announcements
from servers.league_manager.league_context import LeagueContext
from servers.league_manager.league_runner import LeagueRunner
from servers.league_manager.lost_nodes import LostNodes
from servers.league_manager.manager_timeouts import ManagerTimeouts
from servers.league_manager.operator_controls import OperatorControls
from servers.league_manager.pairing import Pairing
from servers.read_model.running import RunningMatches
from tests.servers.fakes import (
    OPERATOR,
    FakePeers,
    Manager,
    Sent,
    SteppingClock,
    StubbornStore,
    begun,
    enrol,
    manager,
    result_report,
    settle,
)

TIMEOUTS = ManagerTimeouts(response=10.0, grace=0.02, heartbeat=5.0, match=60.0, referee_failures=3, trial=15.0)


@dataclass
class RunnerHarness:
    """A manager, its course, and the others."""

    manager: Manager
    peers: FakePeers
    clock: SteppingClock
    store: StubbornStore
    tasks: TaskGroup
    course: LeagueRunner
    running: RunningMatches
    over: anyio.Event = field(default_factory=anyio.Event)

    async def lead(self) -> None:
        """Run the course."""
        await self.course.run()
        self.over.set()

    def begin(self) -> None:
        """Run the course in the background."""
        self.tasks.start_soon(self.lead)

    async def until(self, *types: str) -> None:
        """Wait until the last events that were stored are of these types."""
        await self.manager.ledger.until(lambda _: self.manager.types[-len(types) :] == list(types))

    async def report(self, call: Sent) -> None:
        """The report of the assigned referee: the first seat wins."""
        first, second = call.message.player_a_id, call.message.player_b_id
        score = {first: 3, second: 0}
        message = result_report(call.message.match_id, first, score, call.to, attempt=call.message.attempt)
        await self.manager.call("report_match_result", message)

    def plays(self, call: Sent) -> Any:
        """A referee takes a match and soon reports it."""
        self.tasks.start_soon(self.report, call)
        return begun(call)

    def plays_when(self, gate: anyio.Event) -> Callable[[Sent], Any]:
        """A referee takes a match, and reports it once the gate opens."""

        async def later(call: Sent) -> None:
            await gate.wait()
            await self.report(call)

        def answer(call: Sent) -> Any:
            self.tasks.start_soon(later, call)
            return begun(call)

        return answer

    def started(self) -> list[tuple[str, str, int]]:
        """Match, referee and attempt of every assignment that went out, in order."""
        return [
            (call.message.match_id, call.to, call.message.attempt)
            for call in self.peers.calls
            if isinstance(call.message, StartMatch)
        ]

    def assigned(self, match_id: str) -> list[tuple[str, int, str]]:
        """Referee, attempt and reason of every assignment of a match that is on record."""
        return [
            (record.payload["referee_id"], record.payload["attempt"], record.payload["reason"])
            for record in self.manager.records
            if record.type == "MatchAssigned" and record.payload["match_id"] == match_id
        ]


@asynccontextmanager
async def runner_harness(
    players: int = 2,
    referees: int = 1,
    *,
    concurrent: int = 2,
    pace: ManagerTimeouts = TIMEOUTS,
    between_rounds: Callable[[], None] = lambda: None,
    tell: Callable[[str], None] = lambda _: None,
    stays_open: bool = False,
    lost_nodes: LostNodes | None = None,
    limit_sec: float | None = 30,
    **rules: Any,
) -> AsyncGenerator[RunnerHarness]:
    """A league whose agents are registered, its course not begun; the referees play at once."""
    clock, peers, store = SteppingClock(), FakePeers(), StubbornStore()
    changes: dict[str, Any] = {"expected_players": players, "expected_referees": referees, **rules}
    made = await manager(store, clock, lost_nodes=lost_nodes, **changes)
    await enrol(made.ledger, players, referees, concurrent=concurrent)
    with anyio.fail_after(limit_sec):
        async with anyio.create_task_group() as tasks:
            running = RunningMatches(clock)
            course = course_of(made, peers, clock, pace, between_rounds, tell, running=running, stays_open=stays_open)
            held = RunnerHarness(made, peers, clock, store, tasks, course, running)
            peers.script(StartMatch, held.plays)
            yield held
            tasks.cancel_scope.cancel()


def course_of(
    made: Manager,
    peers: FakePeers,
    clock: SteppingClock,
    pace: ManagerTimeouts = TIMEOUTS,
    between_rounds: Callable[[], None] = lambda: None,
    tell: Callable[[str], None] = lambda _: None,
    controls: OperatorControls | None = None,
    running: RunningMatches | None = None,
    stays_open: bool = False,
) -> LeagueRunner:
    """The course of a manager's league."""
    context = LeagueContext(
        made.ledger,
        peers,
        Announcements(clock, made.ids, OPERATOR),
        clock,
        made.journal,
        OPERATOR,
        pace,
        tell,
        Pairing(stages_format),
        running=running or RunningMatches(clock),
        lost_nodes=made.lost_nodes,
        stays_open=stays_open,
    )
    return LeagueRunner(context, controls, between_rounds)


async def until_called(held: RunnerHarness, kind: type[Any], times: int = 1) -> None:
    """Let the time stand still until so many messages of a kind went out."""
    while len(held.peers.sent(kind)) < times:
        await settle(1)


def peer_named(calls: list[Sent], agent_id: str) -> Peer:
    """The peer that an agent was called as."""
    return next(call.peer for call in calls if call.to == agent_id)
