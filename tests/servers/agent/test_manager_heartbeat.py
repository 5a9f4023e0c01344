"""An agent does not wait for ever for a manager that is gone."""

from collections.abc import Awaitable, Callable
from types import SimpleNamespace
from typing import Any, cast

import anyio
import pytest

from league_sdk.dialect import Dialect
from league_sdk.domain.lifecycles import AgentState, AgentTrigger
from league_sdk.errors import PeerUnreachable
from servers.agent.bootstrap import AgentContext
from servers.agent.lifecycle import AgentLifecycle
from servers.agent.manager_heartbeat import watch_manager
from tests.servers.fakes import FakeJournal, FakePeers, SteppingClock, settle

pytestmark = pytest.mark.anyio
AWAY = PeerUnreachable("connection refused")


class Watching:
    """Somebody who watches, with a clock in hand."""

    unknown: Callable[[], Awaitable[str]] | None = None

    def __init__(self, *, stay: bool = False) -> None:
        self.clock, self.peers, self.journal, self.over = SteppingClock(), FakePeers(), FakeJournal(), anyio.Event()
        spec = SimpleNamespace(manager_url="http://localhost:8000/mcp", stay=stay)
        system = SimpleNamespace(heartbeat_interval_sec=5.0, manager_absence_sec=100.0)
        self.tools = cast(AgentContext, SimpleNamespace(spec=spec, system=system, clock=self.clock, dialect=Dialect()))
        self.ended: list[str] = []
        self.life = AgentLifecycle(self.journal)
        self.life.try_transition(AgentTrigger.REGISTER)
        self.life.try_transition(AgentTrigger.LEAGUE_START)

    async def watch(self) -> None:
        ended = await watch_manager(self.tools, self.peers, self.journal, self.over, self.life, self.unknown)
        self.ended.append(ended)

    async def during(self, story: Callable[[], Any]) -> list[str]:
        """Watch while a story is told; what the watch ended with."""
        with anyio.fail_after(30):
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(self.watch)
                await settle()
                await story()
                await settle()
                tasks.cancel_scope.cancel()
        return self.ended


async def test_it_ends_with_the_league():
    held = Watching()

    async def story() -> None:
        await held.clock.pass_by(1000)
        assert held.ended == []
        held.over.set()

    assert await held.during(story) == [""]
    assert held.peers.pinged == 200


async def test_a_manager_that_is_away_for_too_long_is_given_up():
    held = Watching()
    held.peers.pings = [AWAY]

    async def story() -> None:
        await held.clock.pass_by(99)
        assert held.ended == []
        await held.clock.pass_by(1)

    assert await held.during(story) == ["the league manager at http://localhost:8000/mcp has not answered for 100 s"]
    silences = held.journal.named("MANAGER_SILENT")
    assert [details["missed"] for _, details in silences] == list(range(1, 21))


async def test_an_agent_that_its_manager_knows_no_more_ends_with_the_reason():
    held, answers = Watching(), ["", "", "its invitation was revoked"]

    async def unknown() -> str:
        return answers.pop(0)

    held.unknown = unknown

    async def story() -> None:
        await held.clock.pass_by(10)
        assert held.ended == []
        await held.clock.pass_by(5)

    assert await held.during(story) == ["its invitation was revoked"]


async def test_a_manager_that_comes_back_is_forgiven():
    held = Watching()
    held.peers.pings = [*[AWAY] * 19, None, *[AWAY] * 19, None]

    async def story() -> None:
        await held.clock.pass_by(250)

    assert await held.during(story) == []


async def test_who_is_to_stay_stays_even_when_the_manager_goes():
    held = Watching(stay=True)

    async def story() -> None:
        held.over.set()
        await settle()
        held.peers.pings = [AWAY]
        await held.clock.pass_by(10_000)

    assert await held.during(story) == []
    assert held.peers.pinged == 0


async def test_but_not_for_a_league_that_never_ended():
    held = Watching(stay=True)
    held.peers.pings = [AWAY]

    async def story() -> None:
        await held.clock.pass_by(101)

    assert len(await held.during(story)) == 1


async def test_a_silent_manager_suspends_the_agent_until_it_answers_again():
    held = Watching()
    held.peers.pings = [AWAY]

    async def story() -> None:
        assert held.life.state is AgentState.ACTIVE
        await held.clock.pass_by(5)
        assert held.life.state is AgentState.SUSPENDED
        held.peers.pings = []
        await held.clock.pass_by(5)
        assert held.life.state is AgentState.ACTIVE
        held.over.set()

    assert await held.during(story) == [""]
    told = [details["state"] for kind, _, details in held.journal.events if kind == "AGENT_STATE"]
    assert told == ["REGISTERED", "ACTIVE", "SUSPENDED", "ACTIVE"]
