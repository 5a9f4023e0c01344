"""Refused calls: a line for the operator and in the log, and no more than one a kind and address in a while."""

import re

import anyio
import pytest

from league_sdk.clock import ManualClock, to_record_time
from servers.agent.refused_calls import LINES_A_WINDOW, QUIET_SEC, RefusedCalls
from tests.faults.league_harness import league_harness, patient_client
from tests.mcp_player import McpPlayer
from tests.requirements.marker import requirement
from tests.servers.fakes import FakeJournal

CALM = {"security.join_secret": "sesame-open-sesame"}


@requirement("project-WIRE-13")
def test_a_line_for_each_kind_and_address_and_a_count_of_the_rest():
    clock, said = ManualClock(), list[str]()
    calls = RefusedCalls(clock, FakeJournal(), said.append)
    for _ in range(5):
        calls.refused("E012", "10.0.0.1", "wrong token")
    calls.refused("E012", "10.0.0.2", "wrong token")
    calls.refused("unknown", "10.0.0.1", "there is no tool 'x'")
    assert len(said) == 3
    clock.advance(QUIET_SEC)
    calls.refused("E012", "10.0.0.1", "wrong token")
    at = to_record_time(clock.now())[11:19]
    assert said[3] == f"refused a call from 10.0.0.1 at {at} UTC: wrong token (4 more like it before were left out)"


def test_a_call_that_the_log_has_already_is_told_and_not_logged_again():
    journal, said = FakeJournal(), list[str]()
    calls = RefusedCalls(ManualClock(), journal, said.append)
    calls.refused("E012", "10.0.0.1", "wrong token", logged=True)
    calls.refused("unknown", "10.0.0.1", "there is no tool 'x'")
    assert len(said) == 2
    assert journal.named("CALL_REFUSED") == [
        ("WARNING", {"code": "unknown", "address": "10.0.0.1", "message": "there is no tool 'x'", "left_out": 0})
    ]


def test_many_addresses_fill_no_screen():
    said = list[str]()
    calls = RefusedCalls(ManualClock(), FakeJournal(), said.append)
    for number in range(5000):
        calls.refused("E012", f"10.{number // 250}.{number % 250}.1", "wrong token")
    assert len(said) == LINES_A_WINDOW


@requirement("project-WIRE-13")
@pytest.mark.anyio
async def test_an_operator_sees_every_kind_of_refused_call(tmp_path):
    base = {"jsonrpc": "2.0", "id": 1}
    with anyio.fail_after(30):
        async with patient_client() as client, league_harness(tmp_path, players=2, settings=CALM) as held:
            await McpPlayer("Moe").register(held.manager, "http://127.0.0.1:9/mcp", client)
            for method, params in (("play_chess", {}), ("league_query", {"auth_token": "no"}), ("register_player", {})):
                await client.post(held.manager, json={**base, "method": method, "params": params})
            mcp = {"method": "tools/call", "params": {"name": "no_such_tool", "arguments": {}}}
            headers = {"accept": "application/json, text/event-stream", "mcp-protocol-version": "2025-06-18"}
            await client.post(held.manager, json={**base, **mcp}, headers=headers)
            for body in ("I would like to play", '{"message_type": "LEAGUE_REGISTER_REQUEST"}', "[]"):
                for _ in range(3):
                    await client.post(held.manager, content=body)
            told = [said["text"] for _, said in held.said if said["kind"] == "note"]
    assert [text for text in told if not re.match(r"refused a call from 127\.0\.0\.1 at [\d:]{8} UTC: ", text)] == []
    for words in ("join secret", "no tool 'play_chess'", "league_query: ", "E0", "Parse error"):
        assert any(words in text for text in told), told
    assert len([text for text in told if "Parse error" in text or "Invalid Request" in text]) == 1
