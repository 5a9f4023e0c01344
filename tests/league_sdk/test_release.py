"""Servers and clients introduce themselves with the version of the release."""

from importlib import metadata

import anyio
import pytest
from mcp.client import Client

from league_sdk.domain.model import Role
from league_sdk.mcp_adapter.client import client_info
from league_sdk.release import DISTRIBUTION
from servers.host.host_server import build_server as build_seat
from tests.faults.league_harness import league_harness
from tests.requirements.marker import requirement
from tests.servers.host.seat_harness import seat_harness

pytestmark = pytest.mark.anyio
RELEASE = metadata.version(DISTRIBUTION)


@requirement("project-WIRE-06")
def test_our_clients_say_the_release():
    assert (client_info().name, client_info().version) == (DISTRIBUTION, RELEASE)


@requirement("project-WIRE-06")
async def test_a_seat_says_the_release(tmp_path):
    async with seat_harness(tmp_path) as made, Client(build_seat(made.membership)) as client:
        assert client.server_info is not None
        assert client.server_info.version == RELEASE


@pytest.mark.parametrize("role", [Role.LEAGUE_MANAGER, Role.REFEREE, Role.PLAYER])
@requirement("project-WIRE-06")
async def test_every_agent_says_the_release(role, tmp_path):
    with anyio.fail_after(30):
        async with league_harness(tmp_path, players=2) as held:
            endpoint = held.manager
            if role is not Role.LEAGUE_MANAGER:
                held.start(role, "Ann")
                league = await held.until(lambda league: bool({**league.players, **league.referees}))
                (ann,) = (*league.players.values(), *league.referees.values())
                endpoint = ann.endpoint
            async with Client(endpoint) as client:
                assert client.server_info is not None
                assert client.server_info.version == RELEASE
