"""Whatever players answer, the referee builds a report that the manager's codec takes."""

import json
import random
from collections import Counter
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from typing import Any

import anyio
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from clients.circuit import CircuitBreakers, CircuitSettings
from clients.message_queue import MessageQueue
from clients.outbound import Outbound, Route
from clients.peer import PeerClient
from clients.retry import RetryPolicy
from clients.session_manager import SessionManager
from clients.tool_registry import ToolRegistry
from league_sdk.bounds import Bounds, repr_of
from league_sdk.clock import HashRng, ManualClock
from league_sdk.domain.events import GENESIS, MatchRecorded, event_from_json, seal
from league_sdk.domain.model import Fixture, ResultStatus
from league_sdk.errors import LeagueError
from league_sdk.ports import CallRefused, MalformedReply, Priority, ToolDescriptor
from league_sdk.protocol import mapping
from league_sdk.protocol.match import GameOver, MatchResultReport
from tests.faults.hostile import HostileReply, hostile_reply, nested
from tests.requirements.marker import requirement
from tests.servers.fakes import CODEC, NATURAL, NOW, SPECS, FakeJournal, FakePeers, Sent
from tests.servers.referee.referee_harness import referee_harness

STRICTEST = Bounds(depth=16, text=2048, items=1000)
"""The narrowest bounds that a league may be configured with."""


class HostileConnection:
    """Answers like a player, but for what `spoil` makes of the answer."""

    dialect = "jsonrpc"

    def __init__(self, connector: "HostileConnector", endpoint: str) -> None:
        self._connector = connector
        self._player = endpoint.rpartition("/")[2]

    async def list_tools(self) -> list[ToolDescriptor]:
        return []

    async def ping(self, *, timeout: float) -> None:
        return

    async def call(self, tool: str, arguments: Mapping[str, Any], *, timeout: float) -> Any:
        reply = self._connector.answer(self._player, arguments)
        if reply.kind == "body":
            raise MalformedReply("the reply is not a JSON-RPC object", reply.value)
        if reply.kind == "result":
            return reply.value
        error = reply.value
        if isinstance(error.get("code"), bool) or not isinstance(error.get("code"), int):
            raise MalformedReply("the error has no code", error)
        data = error.get("data")
        raise CallRefused(
            error["code"], repr_of(error.get("message"))[:100_000], data if isinstance(data, dict) else None
        )


class HostileConnector:
    """Connects to players of which P01 is hostile."""

    name = "fake"

    def __init__(self, answers: list[HostileReply] | random.Random) -> None:
        self._answers = answers

    def accepts(self, endpoint: str) -> bool:
        return True

    @asynccontextmanager
    async def connect(self, endpoint: str) -> AsyncGenerator[HostileConnection]:
        yield HostileConnection(self, endpoint)

    def answer(self, player: str, arguments: Mapping[str, Any]) -> HostileReply:
        good = {
            "protocol": "league.v2",
            "sender": f"player:{player}",
            "timestamp": NOW,
            "conversation_id": arguments["conversation_id"],
            "match_id": arguments["match_id"],
            "player_id": player,
        }
        kind = arguments["message_type"]
        if kind == "GAME_INVITATION":
            good |= {"message_type": "GAME_JOIN_ACK", "accept": True, "arrival_timestamp": NOW}
        elif kind == "CHOOSE_PARITY_CALL":
            good |= {"message_type": "CHOOSE_PARITY_RESPONSE", "parity_choice": "even"}
        else:
            good |= {"message_type": f"{kind}_ACK"}
        if player != "P01":
            assert kind != "GAME_OVER" or CODEC.parse(arguments, GameOver)
            return HostileReply("result", good)
        if isinstance(self._answers, random.Random):
            return HostileReply("result", good) if self._answers.random() < 0.4 else hostile_reply(self._answers, good)
        asked = kind == "CHOOSE_PARITY_CALL"
        spoilt = self._answers[0] if asked else HostileReply("result", good)
        return HostileReply("result", {**good, **spoilt.value}) if spoilt.kind == "result" and asked else spoilt


class Wire(FakePeers):
    """Calls players through a real client, and judges reports as the manager's codec does."""

    def __init__(self, players: PeerClient) -> None:
        super().__init__()
        self._players = players
        self.reports: list[dict[str, Any]] = []
        self.refusals: list[LeagueError] = []

    async def call(self, peer: Any, message: Any, reply: Any, **how: Any) -> Any:
        if peer.agent_id != "league_manager":
            return await self._players.call(peer, message, reply, **how)
        body = json.dumps(CODEC.render(message), ensure_ascii=False, allow_nan=False).encode()
        assert len(body) < 131_072
        self.reports.append(json.loads(body))
        try:
            STRICTEST.check(self.reports[-1])
            CODEC.parse(self.reports[-1], MatchResultReport)
        except LeagueError as error:
            self.refusals.append(error)
            raise
        return NATURAL[MatchResultReport](Sent(peer, message, 0, Priority.RESULT, False))


async def played(answers: list[HostileReply] | random.Random) -> dict[str, Any]:
    """The one report of a match against a hostile player."""
    clock = ManualClock()
    async with SessionManager([HostileConnector(answers)], clock) as sessions:
        outbound = Outbound(
            sessions,
            MessageQueue(),
            RetryPolicy(clock, HashRng("jitter")),
            CircuitBreakers(clock, CircuitSettings()),
            ToolRegistry(),
        )
        wire = Wire(PeerClient(outbound, CODEC, lambda _: Route(("any",), SPECS[0]), FakeJournal()))
        async with referee_harness(peers=wire, clock=clock) as held:
            await held.played()
            assert not held.journal.named("MATCH_FAILED")
    assert not wire.refusals, [(str(error), error.context) for error in wire.refusals]
    (report,) = wire.reports
    return report


def check(report: dict[str, Any]) -> None:
    """The report can be recorded, and nobody but the hostile player is blamed."""
    message = CODEC.parse(report, MatchResultReport)
    result = mapping.match_result(message, Fixture("R1M1", 1, ("P01", "P02")), "REF01")
    record = seal("summer", 1, NOW, MatchRecorded(result), GENESIS)
    payload = json.loads(json.dumps(record.payload, ensure_ascii=False, allow_nan=False).encode())
    assert event_from_json("MatchRecorded", payload) == record.event
    assert {fault.player_id for fault in result.faults} <= {"P01"}
    if result.status is ResultStatus.TECHNICAL_LOSS:
        assert result.winner == "P02"


@requirement("project-TRUST-04")
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(seed=st.integers(0, 2**32))
def test_a_report_of_any_replies_is_taken(seed: int):
    check(anyio.run(played, random.Random(seed)))


@requirement("project-TRUST-04")
@pytest.mark.parametrize(
    "reply",
    [
        HostileReply("error", {"code": 10**30, "message": "no"}),
        HostileReply(
            "error", {"code": -32603, "message": "no", "data": {"error_code": "E002", "context": {"a": 10**30}}}
        ),
        HostileReply(
            "error", {"code": 12, "message": "\ud800" * 5000, "data": {"error_code": "E012", "context": nested(20)}}
        ),
        HostileReply("result", {"parity_choice": 10**30}),
        HostileReply("result", {"parity_choice": 5 * 10**18}),
        HostileReply("result", {"match_id": None, "mood": 10**30}),
        HostileReply("result", {"parity_choice": {f"k{number}": number for number in range(50_000)}}),
        HostileReply("result", {"parity_choice": "\N{GRINNING FACE}" * 60_000}),
        HostileReply("result", {"parity_choice": nested(28)}),
        HostileReply("result", {"parity_choice": 10**4400}),
        HostileReply("result", {"parity_choice": float("nan")}),
        HostileReply("body", {"\ud800": 10**30}),
    ],
    ids=[
        "error code of 31 digits",
        "context of 31 digits",
        "halves of pairs",
        "move of 31 digits",
        "move of 19 digits",
        "unknown field of 31 digits",
        "move of 50,000 keys",
        "move of 60,000 characters",
        "deep move",
        "more digits than Python writes",
        "NaN",
        "no response at all",
    ],
)
def test_a_reply_that_undid_a_match_loses_it(reply: HostileReply):
    report = anyio.run(played, [reply])
    check(report)
    assert report["result"]["details"]["status"] == "TECHNICAL_LOSS"
    assert Counter(fault["player_id"] for fault in report["result"]["faults"]) == {"P01": 1}
