"""The own side of a hosted player."""

from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from types import SimpleNamespace
from typing import Any, cast

import anyio
import pytest

from league_sdk.clock import SystemIds
from league_sdk.errors import PeerUnreachable
from servers.agent.bootstrap import AgentContext
from servers.agent.hosted_seat import HostedSeatClient
from servers.agent.identity import Credentials
from tests.servers.fakes import FakeJournal, FakePeers, SteppingClock, settle

pytestmark = pytest.mark.anyio
SEAT = "http://localhost:8001/mcp"


class Stopped:
    """The sessions of a league whose seats have ended."""

    @asynccontextmanager
    async def lease(self, endpoint: str, _transport: str) -> AsyncGenerator[Any]:
        raise PeerUnreachable(f"{endpoint} answered HTTP 503", dropped=True)
        yield


async def test_a_player_whose_league_is_stopped_says_once_that_it_waits_for_the_operator():
    clock, told = SteppingClock(), list[Mapping[str, Any]]()
    tools = SimpleNamespace(
        clock=clock,
        ids=SystemIds(),
        outbound=SimpleNamespace(sessions=Stopped()),
        system=SimpleNamespace(manager_absence_sec=600.0),
    )
    own = Credentials("P01", "token", "cup", seat_endpoint=SEAT, seat_token="seat")
    client = HostedSeatClient(cast(AgentContext, tools), cast(Any, None), own, FakePeers(), FakeJournal(), told.append)
    with anyio.fail_after(30):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(client.run)
            await settle()
            await clock.pass_by(60)
            tasks.cancel_scope.cancel()
    [note] = told
    assert note["text"] == (
        f"the seat at {SEAT} does not answer: {SEAT} answered HTTP 503. If the league is stopped, this player waits "
        "for its operator to resume it, for 600 s at most"
    )
