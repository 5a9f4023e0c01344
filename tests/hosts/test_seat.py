"""A seat in both eras: the official conformance suite of MCP, and whom it asks."""

from pathlib import Path

import anyio
import pytest

from league_sdk.domain.model import Role
from servers.agent.agent_spec import AgentSpec
from servers.host.options import Ask
from tests.hosts.node import package
from tests.hosts.scenarios import APPLY, REQUIRED
from tests.hosts.test_conformance import passed, run
from tests.servers.host.seat_league import Answers, call, host_on_stdio, seat_league, the_end
from tests.servers.host.test_http import seat

pytestmark = [pytest.mark.anyio, pytest.mark.slow, pytest.mark.xdist_group("hosts")]
HANDSHAKE, MODERN = REQUIRED


@pytest.mark.parametrize("revision", REQUIRED)
async def test_a_seat_passes_every_scenario_that_applies_to_an_agent(tmp_path: Path, revision: str):
    package("@modelcontextprotocol/conformance")
    with anyio.fail_after(90):
        async with seat(AgentSpec(Role.PLAYER, "Host", tmp_path), Ask.OFF) as url:
            found = await run(url, tmp_path, "--requirements", revision)
    expected = {scenario for scenario, revisions in APPLY.items() if revision in revisions}
    assert expected == {scenario for scenario in expected if passed(found, scenario)}, found


@pytest.mark.end_to_end
@pytest.mark.parametrize(
    ("mode", "ask"), [(mode, ask) for mode in ("legacy", "auto") for ask in (Ask.ELICITATION, Ask.SAMPLING)]
)
async def test_over_stdio_it_asks_hosts_of_both_eras_in_both_ways(tmp_path: Path, mode: str, ask: Ask):
    answers = Answers("odd")
    async with (
        seat_league(tmp_path, {"Ada": "always-even"}) as made,
        host_on_stdio(made, mode, "--ask", str(ask), **answers.of(ask)) as client,
    ):
        await call(client, "join_league")
        assert (await call(client, "wait_for_my_turn", seconds=30))["say"] == "Your move in R1M1 is made."
        await the_end(client)
        assert made.result("R1M1")["details"]["choices"]["P01"] == "odd"
    (said,) = answers.asked
    assert "Your move in R1M1, round 1, against P02 <untrusted>Ada</untrusted>." in said
    assert "Legal moves: even, odd." in said
