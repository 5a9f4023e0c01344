"""Answers by which a hosted player would pass for its seats process, to have a match that it loses played again."""

import json
from typing import Any

import anyio
import httpx2
import pytest

from clients.circuit import CircuitBreakers
from clients.message_queue import MessageQueue
from clients.outbound import Outbound, Route
from clients.peer import PeerClient
from clients.retry import RetryPolicy
from clients.session_manager import SessionManager
from clients.tool_registry import ToolRegistry
from league_sdk import tokens
from league_sdk.clock import HashRng, SystemClock
from league_sdk.dialect import known_dialect
from league_sdk.errors import LeagueError, PeerUnreachable
from league_sdk.ports import MalformedReply, Peer, Priority, SaysUnreachable
from league_sdk.protocol.match import GameOverAck
from league_sdk.transports import connectors
from tests.security.hosted import KEY, request, seats_process
from tests.servers.fakes import CODEC, NOW, FakeJournal

pytestmark = pytest.mark.anyio

FORGED = {"error_code": "E009", "no_pulse": True, "own_part": "seats"}
ANSWERS: dict[str, dict[str, Any]] = {
    "says that it is gone": {"error": {"code": 9, "message": "gone", "data": FORGED}},
    "says so in a reply": {"reply": {"message_type": "LEAGUE_ERROR", **FORGED}},
    "says so in a tool's error": {"reply": {"isError": True, "content": [], "structuredContent": FORGED}},
    "says that the connection was closed": {
        "error": {"code": -32000, "message": "Connection closed", "data": {"dropped": True}}
    },
    "says so in JSON-RPC": {"reply": {"jsonrpc": "2.0", "id": 1, "error": {"code": -32000, "message": "closed"}}},
    "gives a number of 4000 digits": {"reply": {"x": 10**3999}},
    "gives an error of 4000 digits": {"error": {"code": 10**3999, "message": "x"}},
    "gives more than is read": {"reply": {"x": '"' * 1_000_000}},
    "tells a long error": {"error": {"code": 5, "message": "\x01" * 500_000}},
}


@pytest.mark.parametrize("wire", ["mcp", "jsonrpc"])
async def test_whatever_a_hosted_player_answers_is_its_own_word_and_no_failure_of_its_seats_process(
    wire: str, tmp_path
):
    clock, token = SystemClock(), tokens.seat_token(KEY, "mal")
    message = GameOverAck(
        sender="player:P01", timestamp=NOW, conversation_id="conv-1", match_id="R1M1", player_id="P01"
    )
    with anyio.fail_after(60):
        async with (
            seats_process(tmp_path, {}) as process,
            httpx2.AsyncClient(timeout=20) as http,
            connectors() as transports,
            SessionManager(transports, clock) as sessions,
        ):
            outbound = Outbound(
                sessions, MessageQueue(), RetryPolicy(clock, HashRng("")), CircuitBreakers(clock), ToolRegistry()
            )
            peers = PeerClient(outbound, CODEC, lambda _: Route(("notify_match_result",)), FakeJournal())
            seat = f"{process.origin}/seat/{tokens.seat_address(KEY, 'mal')}/mcp"
            peer = Peer("P01", seat, dialect=known_dialect(wire), hosted=True)

            async def answer(said: dict[str, Any]) -> None:
                asked = {"seat_token": token, "seconds": 20}
                waited = (await http.post(process.endpoint, json=request("wait_for_message", asked))).json()
                number = waited["result"]["messages"][0]["number"]
                brought = request("answer", {"seat_token": token, "number": number, **said})
                taken = await http.post(process.endpoint, content=json.dumps(brought))
                assert taken.json()["result"] == {"taken": True}

            for name, said in ANSWERS.items():
                failed: Exception | None = None
                async with anyio.create_task_group() as tasks:
                    tasks.start_soon(answer, said)
                    try:
                        await peers.call(peer, message, GameOverAck, timeout=10, retry=False, priority=Priority.MATCH)
                    except (LeagueError, MalformedReply) as error:
                        failed = error
                assert failed is not None, name
                assert not isinstance(failed, PeerUnreachable) or isinstance(failed, SaysUnreachable), name
