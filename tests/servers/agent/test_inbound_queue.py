"""Turns of incoming calls: shared out by who calls, with some of their own for those who keep the league going."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import anyio
import pytest
from anyio.abc import TaskGroup

from clients.message_queue import Overloaded
from league_sdk.domain.model import Role
from servers.agent.access import Caller
from servers.agent.inbound_queue import InboundQueue

pytestmark = pytest.mark.anyio

P01, P02 = (Caller(Role.PLAYER, player_id, address="192.0.2.1") for player_id in ("P01", "P02"))
STRANGER, ANOTHER = (Caller(proved=False, address=f"192.0.2.{number}") for number in (1, 2))
KEPT = [Caller(Role.REFEREE, "REF01"), Caller(operator=True), Caller(Role.LEAGUE_MANAGER, "league_manager")]


class Turns:
    """Callers that hold a turn until the test ends."""

    def __init__(self, tasks: TaskGroup) -> None:
        self.queue = InboundQueue(capacity=16, concurrency=16, patience=60)
        self.held: list[Caller] = []
        self.refused: list[Caller] = []
        self._tasks = tasks

    async def ask(self, caller: Caller, times: int = 1) -> None:
        """Let a caller ask so often."""
        for _ in range(times):
            self._tasks.start_soon(self._hold, caller)
        await anyio.wait_all_tasks_blocked()

    async def _hold(self, caller: Caller) -> None:
        try:
            async with self.queue.turn(caller):
                self.held.append(caller)
                await anyio.sleep_forever()
        except Overloaded:
            self.refused.append(caller)


@asynccontextmanager
async def turns() -> AsyncGenerator[Turns]:
    async with anyio.create_task_group() as tasks:
        made = Turns(tasks)
        with anyio.fail_after(10):
            yield made
        tasks.cancel_scope.cancel()


async def test_an_agent_has_an_eighth_of_the_turns_and_of_the_places_to_wait():
    async with turns() as made:
        await made.ask(P01, 10)
        await made.ask(P02)
        assert (made.held.count(P01), made.refused.count(P01), made.held.count(P02)) == (2, 6, 1)
        assert (made.queue.under_way, made.queue.waiting) == (3, 2)


async def test_strangers_of_one_address_have_half_and_take_nothing_from_an_agent_there():
    async with turns() as made:
        await made.ask(STRANGER, 40)
        assert (made.held.count(STRANGER), made.refused.count(STRANGER)) == (8, 24)
        await made.ask(P01)
        await made.ask(ANOTHER)
        assert made.held[-2:] == [P01, ANOTHER]


async def test_a_turn_that_is_given_back_leaves_nothing_behind():
    queue = InboundQueue(capacity=16, concurrency=16, patience=60)
    for caller in (P01, STRANGER, *KEPT):
        async with queue.turn(caller):
            assert queue.under_way == 1
    assert (queue.under_way, queue.waiting, queue._shares) == (0, 0, {})


async def test_those_who_keep_the_league_going_wait_for_nobody_else():
    async with turns() as made:
        for number in range(20):
            await made.ask(Caller(Role.PLAYER, f"P{number}"), 3)
        await made.ask(STRANGER, 20)
        for caller in KEPT:
            await made.ask(caller)
        assert made.held[-3:] == KEPT
