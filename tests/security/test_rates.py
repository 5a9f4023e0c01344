"""Rate limits: E023, and its counters."""

from dataclasses import replace
from typing import Any

import pytest

from league_sdk.clock import ManualClock
from league_sdk.errors import SPECS, RateLimited
from league_sdk.ports import CallContext
from servers.agent.inbound import InboundLayers
from servers.agent.rate_limit import Buckets, Rate, Throttle
from tests.requirements.marker import requirement
from tests.security.guarded_manager import guarded, refusal
from tests.servers.fakes import OPERATOR, Manager, enrol, player_request, query
from tests.servers.player import player_harness

pytestmark = pytest.mark.anyio

AGENTS = Rate(per_sec=2, burst=3)
STRANGERS = Rate(per_sec=1, burst=2)


async def made_with_limits() -> Manager:
    clock = ManualClock()
    made = await guarded(clock=clock, throttle=Throttle(clock, AGENTS, STRANGERS))
    await enrol(made.ledger, 2)
    return made


@requirement("004-DEP-05")
async def test_an_agent_that_calls_too_often_is_told_so_and_when_to_come_again():
    made = await made_with_limits()
    for _ in range(3):
        await made.call("league_query", query("GET_STATUS"))
    refused = await refusal(made, "league_query", query("GET_STATUS"))
    assert (refused["error_code"], refused["number"]) == ("E023", 23)
    assert refused["context"]["retry_after_sec"] == 0.5
    assert SPECS["E023"].retryable
    made.clock.advance(0.5)
    await made.call("league_query", query("GET_STATUS"))


@requirement("004-DEP-05")
async def test_it_takes_nothing_from_the_others():
    made = await made_with_limits()
    for _ in range(3):
        await made.call("league_query", query("GET_STATUS"))
    await made.call("league_query", query("GET_STATUS", "P02"))
    await made.call("league_query", query("GET_STATUS", "REF01"))
    await made.call("register_player", player_request("Ada"))


async def test_strangers_who_share_an_address_take_nothing_from_an_agent_there():
    made = await made_with_limits()
    for _ in range(2):
        await refusal(made, "league_query", query("GET_STATUS") | {"auth_token": "guessed"})
    refused = await refusal(made, "league_query", query("GET_STATUS") | {"auth_token": "guessed"})
    assert refused["error_code"] == "E023"
    await made.call("league_query", query("GET_STATUS"))


@requirement("004-DEP-05")
@pytest.mark.parametrize(
    "message",
    [player_request("Ada"), {}, {"message_type": 7}, player_request("Ada", display_name="\n")],
    ids=["good", "empty", "malformed", "bad name"],
)
async def test_who_asks_for_a_seat_again_and_again_is_told_to_wait(message: dict[str, Any]):
    made = await made_with_limits()
    for _ in range(2):
        await refusal(made, "register_player", {})
    assert (await refusal(made, "register_player", message))["error_code"] == "E023"
    made.clock.advance(1)
    assert (await made.call("register_player", player_request("Ada")))["status"] == "ACCEPTED"


async def test_another_address_is_another_stranger():
    made = await made_with_limits()
    for _ in range(2):
        await refusal(made, "register_player", {})
    assert (await refusal(made, "register_player", {}))["error_code"] == "E023"
    assert (await refusal(made, "register_player", {}, address="192.0.2.7"))["error_code"] == "E003"


async def test_the_operator_is_not_limited():
    made = await made_with_limits()
    for _ in range(20):
        await made.call("get_standings", {}, bearer=OPERATOR)


async def test_calls_that_are_one_too_many_do_not_fill_the_log():
    made = await made_with_limits()
    for _ in range(3):
        await refusal(made, "register_player", {})
    assert [level for level, _ in made.journal.named("CALL_REFUSED")] == ["WARNING", "WARNING", "DEBUG"]


async def test_the_manager_is_not_limited_by_an_agent_and_unproved_callers_are():
    clock = ManualClock()
    throttle = Throttle(clock, AGENTS, STRANGERS)
    for credentials, limited in ((player_harness.CREDENTIALS, False), (None, True)):
        player = player_harness.player(credentials=credentials)
        token = player_harness.PEER_TOKEN if credentials else None
        message = {
            "protocol": "league.v2",
            "message_type": "ROUND_COMPLETED",
            "sender": "league_manager",
            "timestamp": "2025-01-15T10:00:00.000Z",
            "conversation_id": "c",
            "league_id": "summer",
            "round_id": 1,
            "matches_played": 2,
            "next_round_id": 2,
        }
        player.agent.layers = InboundLayers(replace(player.agent.layers._inbound, throttle=throttle))
        call = player.agent.call
        context = CallContext(bearer_token=token, address="192.0.2.9")
        for _ in range(2):
            await call("notify_round_completed", message, context)
        for _ in range(9):
            if limited:
                with pytest.raises(Exception, match="calls a second"):
                    await call("notify_round_completed", message, context)
            else:
                await call("notify_round_completed", message, context)


def test_a_bucket_fills_with_time_and_not_beyond_its_size():
    clock = ManualClock()
    buckets = Buckets(clock, Rate(per_sec=10, burst=2))
    buckets.take("a")
    buckets.take("a")
    with pytest.raises(RateLimited):
        buckets.take("a")
    clock.advance(0.1)
    buckets.take("a")
    clock.advance(1000)
    buckets.take("a")
    buckets.take("a")
    with pytest.raises(RateLimited):
        buckets.take("a")


def test_the_bucket_that_was_not_used_for_longest_is_forgotten():
    buckets = Buckets(ManualClock(), Rate(per_sec=1, burst=1), remembered=2)
    for key in ("a", "b", "c"):
        buckets.take(key)
    assert list(buckets._left) == ["b", "c"]
