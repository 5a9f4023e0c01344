"""The official conformance suite of MCP on a seat, in both eras."""

from pathlib import Path

import anyio
import pytest

from league_sdk.domain.model import Role
from servers.agent_spec import AgentSpec
from servers.host.options import Ask
from tests.hosts.node import THOROUGH, package
from tests.hosts.scenarios import APPLY, REQUIRED
from tests.hosts.test_conformance import passed, run
from tests.servers.host.test_http import seat

pytestmark = [pytest.mark.anyio, pytest.mark.xdist_group("hosts")]
HANDSHAKE, MODERN = REQUIRED


@pytest.mark.parametrize("revision", [pytest.param(HANDSHAKE, marks=THOROUGH), MODERN])
async def test_a_seat_passes_every_scenario_that_applies_to_an_agent(tmp_path: Path, revision: str):
    package("@modelcontextprotocol/conformance")
    with anyio.fail_after(90):
        async with seat(AgentSpec(Role.PLAYER, "Host", tmp_path), Ask.OFF) as url:
            found = await run(url, tmp_path, "--requirements", revision)
    expected = {scenario for scenario, revisions in APPLY.items() if revision in revisions}
    assert expected == {scenario for scenario in expected if passed(found, scenario)}, found
