"""The dispatcher: what goes in, what comes out, and what never gets out."""

import logging
from typing import Any

import anyio
import pytest

from game_rules.even_odd import EvenOdd
from league_sdk.domain.model import Role
from league_sdk.errors import InvalidMove, MatchNotFound, RateLimited
from league_sdk.ports import CallContext, CallRefused
from league_sdk.protocol.catalog import calls_for
from league_sdk.protocol.envelope import Message
from league_sdk.protocol.match import MoveResponse
from league_sdk.protocol.rounds import RoundCompletedAck
from servers.agent.access import Access, Caller
from servers.agent.inbound import Tool
from servers.agent.inbound_queue import InboundQueue
from servers.agent.server import AgentServer
from tests.requirements.marker import requirement
from tests.servers.fakes import LEAGUE, NOW, FakeJournal, agent, context, envelope, settle
from tests.servers.player.player_harness import call_for_move

pytestmark = pytest.mark.anyio
ROUND_OVER: dict[str, Any] = {"league_id": LEAGUE, "round_id": 1, "matches_played": 1, "next_round_id": None}


def anybody(access: Access, message: Message, token: str | None, context: CallContext) -> Caller:
    return Caller(Role.LEAGUE_MANAGER, "league_manager")


def hosting(handler: Any, tool: str = "notify_round_completed", **more: Any) -> AgentServer:
    """An agent with one tool."""
    spec = EvenOdd.move_spec
    (call,) = [call for call in calls_for(Role.PLAYER, [spec]) if call.tool == tool]
    return agent([Tool(call, handler, Access.MANAGER, call.spec)], more.pop("identify", anybody), **more)


async def acknowledge(message: Any, caller: Caller) -> RoundCompletedAck:
    return RoundCompletedAck(
        sender="player:P01", timestamp=NOW, conversation_id=message.conversation_id, round_id=message.round_id
    )


def round_over(**changes: Any) -> dict[str, Any]:
    return envelope("ROUND_COMPLETED", "league_manager", **{**ROUND_OVER, **changes})


async def refusal(host: AgentServer, tool: str, message: Any) -> CallRefused:
    with pytest.raises(CallRefused) as caught:
        await host.call(tool, message, context())
    return caught.value


async def test_a_message_goes_to_its_handler_and_the_answer_comes_back_as_json():
    seen: list[Any] = []

    async def handler(message: Any, caller: Caller) -> RoundCompletedAck:
        seen.append((message.round_id, caller.agent_id))
        return await acknowledge(message, caller)

    answer = await hosting(handler).call("notify_round_completed", round_over(), context())
    assert seen == [(1, "league_manager")]
    assert (answer["message_type"], answer["conversation_id"]) == ("ROUND_COMPLETED_ACK", "conv-of-caller")


@requirement("001-API-05", "project-PROTO-01")
async def test_an_alias_is_the_same_tool():
    host = hosting(acknowledge)
    assert [tool.name for tool in host.tools()] == ["notify_round_completed", "receive_round_completed"]
    assert await host.call("receive_round_completed", round_over(), context())
    assert "Another name of notify_round_completed" in host.tools()[1].description


@requirement("000-REF-RESP-03", "000-PL-RESP-03", "003-PLAYER-09")
async def test_both_ways_are_written_down_without_secrets():
    journal = FakeJournal()
    host = hosting(acknowledge, journal=journal)
    await host.call("notify_round_completed", {**round_over(), "auth_token": "secret"}, context("secret"))
    assert journal.messages == [
        ("RECEIVED", "ROUND_COMPLETED", "league_manager"),
        ("SENT", "ROUND_COMPLETED_ACK", "league_manager"),
    ]


async def test_a_token_in_the_message_wins_over_the_bearer_header():
    shown: list[str | None] = []

    def identify(access: Access, message: Message, token: str | None, context: CallContext) -> Caller:
        shown.append(token)
        return Caller()

    host = hosting(acknowledge, identify=identify)
    await host.call("notify_round_completed", round_over(), context("bearer"))
    await host.call("notify_round_completed", {**round_over(), "auth_token": "message"}, context("bearer"))
    await host.call("notify_round_completed", round_over(), context())
    assert shown == ["bearer", "message", None]


async def test_a_tool_that_is_not_there():
    refused = await refusal(hosting(acknowledge), "x" * 500, {})
    assert refused.number == -32602
    assert refused.message.startswith("Unknown tool: xxx")
    assert len(refused.message) < 150


@requirement("002-LERR-03")
async def test_a_league_error_becomes_a_json_rpc_error_that_says_what_was_wrong():
    async def handler(message: Any, caller: Caller) -> Any:
        raise MatchNotFound("no match 'R9M9'", match_id="R9M9")

    journal = FakeJournal()
    refused = await refusal(hosting(handler, journal=journal), "notify_round_completed", round_over())
    assert (refused.number, refused.message) == (7, "no match 'R9M9'")
    assert refused.data == {
        "protocol": "league.v2",
        "message_type": "LEAGUE_ERROR",
        "sender": "player:P01",
        "timestamp": "2025-01-15T10:00:00Z",
        "conversation_id": "conv-of-caller",
        "error_code": "E007",
        "error_description": "MATCH_NOT_FOUND",
        "context": {"action": "ROUND_COMPLETED", "match_id": "R9M9"},
    }
    ((level, details),) = journal.named("CALL_REFUSED")
    assert (level, details["tool"], details["code"]) == ("WARNING", "notify_round_completed", "E007")


@pytest.mark.parametrize("conversation", [None, 7, ["x"]])
async def test_an_error_of_a_message_without_a_conversation_gets_a_new_one(conversation: Any):
    refused = await refusal(hosting(acknowledge), "notify_round_completed", {"conversation_id": conversation})
    assert refused.data is not None
    assert refused.data["conversation_id"] == "conv-1"


async def test_an_invalid_move_has_the_games_name():
    async def handler(message: Any, caller: Caller) -> Any:
        raise InvalidMove("no", field="parity_choice")

    refused = await refusal(hosting(handler, "choose_parity"), "choose_parity", call_for_move())
    assert refused.data is not None
    assert (refused.number, refused.data["error_code"]) == (4004, "E004")
    assert refused.data["error_description"] == "INVALID_PARITY_CHOICE"


async def test_and_the_general_one_where_there_is_no_game():
    async def handler(message: Any, caller: Caller) -> Any:
        raise InvalidMove("no")

    refused = await refusal(hosting(handler), "notify_round_completed", round_over())
    assert refused.data is not None
    assert refused.data["error_description"] == "INVALID_MOVE"


async def test_a_fault_of_ours_stays_in_our_log(caplog: pytest.LogCaptureFixture):
    async def handler(message: Any, caller: Caller) -> Any:
        raise RuntimeError("password is 1234")

    with caplog.at_level(logging.ERROR):
        refused = await refusal(hosting(handler), "notify_round_completed", round_over())
    assert (refused.number, refused.message) == (-32603, "INTERNAL_ERROR")
    assert refused.data is not None
    assert (refused.data["error_code"], refused.data["context"]) == ("E099", {"action": "ROUND_COMPLETED"})
    assert "1234" not in str(refused.data)
    assert "1234" in caplog.text


async def test_a_handler_that_answers_with_nonsense_is_such_a_fault():
    async def handler(message: Any, caller: Caller) -> Any:
        return RoundCompletedAck(timestamp=NOW, round_id=1)

    refused = await refusal(hosting(handler), "notify_round_completed", round_over())
    assert refused.data is not None
    assert refused.data["error_code"] == "E099"


async def test_a_cancelled_call_is_not_answered():
    async def handler(message: Any, caller: Caller) -> Any:
        await anyio.sleep_forever()

    with anyio.move_on_after(0.01) as scope:
        await hosting(handler).call("notify_round_completed", round_over(), context())
    assert scope.cancelled_caught


async def test_a_malformed_message_is_refused_before_anybody_is_asked_who_calls():
    def identify(access: Access, message: Message, token: str | None, context: CallContext) -> Caller:
        raise AssertionError("asked")

    message = round_over()
    del message["round_id"]
    refused = await refusal(hosting(acknowledge, identify=identify), "notify_round_completed", message)
    assert refused.data is not None
    assert (refused.number, refused.data["error_code"], refused.data["context"]["field"]) == (
        -32602,
        "E003",
        "round_id",
    )


async def test_only_so_many_calls_are_handled_at_once_and_only_so_many_wait():
    gate, running = anyio.Event(), list[int]()

    async def handler(message: Any, caller: Caller) -> Any:
        running.append(message.round_id)
        await gate.wait()
        return await acknowledge(message, caller)

    host = hosting(handler, queue=InboundQueue(capacity=1, concurrency=2, patience=60))
    answers: list[Any] = []

    async def call(round_id: int) -> None:
        answers.append(await host.call("notify_round_completed", round_over(round_id=round_id), context()))

    with anyio.fail_after(30):
        async with anyio.create_task_group() as tasks:
            for round_id in (1, 2, 3):
                tasks.start_soon(call, round_id)
            await settle()
            assert running == [1, 2]
            refused = await refusal(host, "notify_round_completed", round_over(round_id=4))
            assert refused.number == 23
            gate.set()
    assert sorted(answer["round_id"] for answer in answers) == [1, 2, 3]


async def test_a_move_is_read_and_written_in_the_games_own_words():
    async def handler(message: Any, caller: Caller) -> MoveResponse:
        return MoveResponse(
            sender="player:P01", timestamp=NOW, conversation_id="c", match_id="R1M1", player_id="P01", move="odd"
        )

    answer = await hosting(handler, "choose_parity").call("choose_parity", call_for_move(), context())
    assert (answer["message_type"], answer["parity_choice"]) == ("CHOOSE_PARITY_RESPONSE", "odd")


async def test_a_call_waits_until_the_agent_is_ready_and_counts_as_one():
    ready = anyio.Event()

    async def busy(message: Any, caller: Caller) -> Any:
        raise RateLimited("busy")

    host = hosting(busy, ready=ready.wait)
    outcome: list[int] = []

    async def call() -> None:
        outcome.append((await refusal(host, "notify_round_completed", round_over())).number)

    with anyio.fail_after(30):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(call)
            await settle()
            assert outcome == []
            ready.set()
    assert outcome == [23]
