"""A villain that registers again and again with its own token."""

from datetime import timedelta
from typing import Any

import pytest

from league_sdk.clock import ManualClock
from servers.agent.rate_limit import Rate, Throttle
from servers.league_manager.service import RETURNS
from tests.security.guarded_manager import guarded, refusal
from tests.servers.fakes import Manager, enrol, player_request, query, referee_request, token_of

pytestmark = pytest.mark.anyio
AGENTS = Rate(per_sec=2, burst=3)


def again(**meta: Any) -> dict[str, Any]:
    return player_request("Player 1", token_of("P01"), **meta)


async def seated(**door: Any) -> Manager:
    """A manager with agents that have registered over the wire once."""
    made = await guarded(**door)
    await enrol(made.ledger, 2)
    await made.call("register_player", again(instance_id="one"))
    return made


async def test_eight_thousand_returns_that_change_nothing_leave_no_record_and_no_line():
    made = await seated()
    before, events = len(made.records), len(made.journal.events)
    league = made.league
    for _ in range(8000):
        assert (await made.call("register_player", again(instance_id="one")))["player_id"] == "P01"
    assert (len(made.records), len(made.journal.events)) == (before, events)
    assert made.league == league, "nor do they pass for a restart"


async def test_nor_do_those_of_an_agent_that_does_not_say_which_instance_it_is():
    made = await guarded()
    await enrol(made.ledger, 2)
    await made.call("register_player", again())
    before = len(made.records)
    for _ in range(100):
        await made.call("register_player", again())
    assert len(made.records) == before
    assert made.league.returns["P01"] > 100, "each may be a restart, and is counted in memory"


@pytest.mark.parametrize("changing", ["instance_id", "contact_endpoint"])
async def test_returns_that_change_something_are_recorded_so_often_and_no_more(changing):
    made = await seated()
    before = len(made.records)
    for number in range(RETURNS.burst - 1):
        value = {"instance_id": f"{number}"} if changing == "instance_id" else {"instance_id": "one"}
        endpoint = f"http://localhost:{9000 + number}/mcp"
        await made.call("register_player", again(**value, contact_endpoint=endpoint))
    for number in range(50):
        request = again(instance_id=f"again {number}", contact_endpoint=f"http://localhost:{8500 + number}/mcp")
        assert (await refusal(made, "register_player", request))["error_code"] == "E023"
    assert len(made.records) == before + RETURNS.burst - 1
    await made.call("register_player", player_request("Player 2", token_of("P02"), instance_id="one"))
    made.clock.advance(1 / RETURNS.per_sec)
    await made.call("register_player", again(instance_id="later"))


async def test_a_seated_agent_registers_out_of_its_own_bucket_and_strangers_take_nothing_from_it():
    clock = ManualClock()
    made = await guarded(clock=clock, throttle=Throttle(clock, AGENTS, Rate(per_sec=1, burst=1)))
    await enrol(made.ledger, 2)
    await made.call("register_player", player_request("Ada"))
    assert (await refusal(made, "register_player", player_request("Bea")))["error_code"] == "E023"
    for _ in range(AGENTS.burst):
        await made.call("register_player", again(instance_id="one"))
    assert (await refusal(made, "register_player", again(instance_id="one")))["error_code"] == "E023"
    assert (await refusal(made, "league_query", query("GET_STATUS")))["error_code"] == "E023"
    await made.call("league_query", query("GET_STATUS", "P02"))


async def test_an_agent_that_was_restarted_with_the_same_token_and_endpoint_is_noticed():
    made = await seated()
    before = made.league.returns["P01"]
    await made.call("register_player", again(instance_id="two"))
    assert (made.types[-1], made.league.returns["P01"]) == ("AgentReturned", before + 1)
    for instance_id in (None, "three"):
        await made.call("register_referee", referee_request("Referee 1", token_of("REF01"), instance_id=instance_id))
    assert made.league.returns["REF01"] == 2


async def test_a_token_that_expires_is_renewed_by_returns_with_few_records():
    clock = ManualClock()
    made = await seated(clock=clock, token_ttl=timedelta(hours=1))
    before = len(made.records)
    for _ in range(120):
        clock.advance(60)
        await made.call("register_player", again(instance_id="one"))
    assert before + 4 <= len(made.records) <= before + 9
    restarted = type(made.ledger)(made.store, clock, made.ledger.league_id)
    await restarted.open()
    assert clock.now() - restarted.seated_at("P01") < timedelta(minutes=20)
