"""Calls of simple agents: what is taken from tool, token and time, and what never is."""

from collections.abc import Mapping
from typing import Any

import pytest

from clients.derivations import Derivations
from clients.meter import NoMeter
from league_sdk.domain.model import Role
from league_sdk.json_value import Json
from league_sdk.ports import CallRefused
from league_sdk.protocol.catalog import calls_for
from league_sdk.protocol.queries import LeagueQueryResponse
from league_sdk.protocol.registration import LeagueRegisterResponse
from servers.agent.access import Access, Caller
from servers.agent.derived_calls import DerivedCalls, Speaker
from servers.agent.inbound import Tool
from servers.agent.server import AgentServer
from tests.requirements.marker import requirement
from tests.servers.fakes import LEAGUE, NOW, FakeJournal, ManualClock, ManualIds, agent, context

pytestmark = pytest.mark.anyio
META = {
    "display_name": "Alpha",
    "version": "1.0.0",
    "game_types": ["even_odd"],
    "contact_endpoint": "http://127.0.0.1:8101/mcp",
}


class CountingMeter(NoMeter):
    def __init__(self) -> None:
        self.fields: list[tuple[str, str]] = []

    def derived(self, peer: str, field: str) -> None:
        self.fields.append((peer, field))


def speakers(access: Access, arguments: Mapping[str, Json], token: str | None) -> Speaker | None:
    return Speaker("player:P01", "league.v2") if token == "tok" else None


class Manager:
    """A manager's registration and queries, which keep the messages that they are given."""

    def __init__(self, *, lenient: bool = True) -> None:
        self.seen: list[Any] = []
        self.journal = FakeJournal()
        self.meter = CountingMeter()
        derived = DerivedCalls(ManualClock(), ManualIds(), self.journal, Derivations(self.meter), speakers)
        calls = {call.tool: call for call in calls_for(Role.LEAGUE_MANAGER, [])}
        self.host: AgentServer = agent(
            [
                Tool(calls["register_player"], self._register, Access.PUBLIC),
                Tool(calls["league_query"], self._query, Access.AGENT),
            ],
            lambda access, message, token, context: Caller(Role.PLAYER, "P01" if token else ""),
            journal=self.journal,
            derived=derived if lenient else None,
        )

    async def _register(self, message: Any, caller: Caller) -> LeagueRegisterResponse:
        self.seen.append(message)
        told: dict[str, Any] = {
            "sender": "league_manager",
            "timestamp": NOW,
            "conversation_id": message.conversation_id,
        }
        return LeagueRegisterResponse(**told, status="REJECTED", reason="full")

    async def _query(self, message: Any, caller: Caller) -> LeagueQueryResponse:
        self.seen.append(message)
        told: dict[str, Any] = {
            "sender": "league_manager",
            "timestamp": NOW,
            "conversation_id": message.conversation_id,
        }
        return LeagueQueryResponse(**told, query_type="GET_STATUS")

    async def registering(self, **changes: Any) -> Any:
        arguments = {"player_meta": META, **changes}
        await self.host.call("register_player", arguments, context())
        return self.seen[-1]

    async def asking(self, **changes: Any) -> Any:
        arguments = {"league_id": LEAGUE, "query_type": "GET_STATUS", "auth_token": "tok", **changes}
        await self.host.call("league_query", arguments, context())
        return self.seen[-1]


async def test_a_registration_may_be_nothing_but_the_player():
    message = await Manager().registering()
    assert (message.protocol, message.message_type) == ("league.v2", "LEAGUE_REGISTER_REQUEST")
    assert (message.sender, message.timestamp) == ("player:Alpha", "2025-01-15T10:00:00.000Z")
    assert set(message.derived) == {"protocol", "message_type", "sender", "timestamp", "conversation_id"}


async def test_null_counts_as_missing_and_a_wrong_value_does_not():
    manager = Manager()
    message = await manager.registering(protocol=None, timestamp=None, league_id=None)
    assert {"protocol", "timestamp"} <= set(message.derived)
    for wrong in ({"timestamp": "yesterday"}, {"protocol": "league.v9"}, {"sender": "Alpha"}):
        with pytest.raises(CallRefused):
            await manager.registering(**wrong)


@requirement("002-ENV-03")
async def test_a_missing_conversation_makes_no_two_calls_of_two_tries():
    manager = Manager()
    first = await manager.registering(timestamp="2025-01-15T10:00:00Z")
    again = await manager.registering(timestamp="2025-01-15T10:00:07Z")
    other = await manager.registering(player_meta={**META, "display_name": "Beta"})
    elsewhere = await manager.registering(player_meta={**META, "contact_endpoint": "http://127.0.0.1:8102/mcp"})
    assert first.conversation_id == again.conversation_id
    assert len({first.conversation_id, other.conversation_id, elsewhere.conversation_id}) == 3


@requirement("002-ENV-03")
async def test_a_missing_conversation_makes_no_one_query_of_two():
    manager = Manager()
    first, second = await manager.asking(), await manager.asking()
    assert first.conversation_id != second.conversation_id
    assert (first.sender, first.protocol) == ("player:P01", "league.v2")


async def test_a_sender_is_the_tokens_and_nobodys_without_one():
    manager = Manager()
    with pytest.raises(CallRefused, match="sender is missing"):
        await manager.asking(auth_token="another")
    assert manager.seen == []


@pytest.mark.parametrize("name", ["contact_endpoint", "display_name"])
async def test_what_makes_a_player_is_never_derived(name: str):
    meta = {key: value for key, value in META.items() if key != name}
    with pytest.raises(CallRefused, match="is missing"):
        await Manager().registering(player_meta=meta)


async def test_one_warning_an_agent_says_what_was_taken_and_the_rest_is_counted():
    manager = Manager()
    await manager.asking()
    await manager.asking()
    (level, told), (then, _) = manager.journal.named("FIELDS_DERIVED")
    assert (level, then) == ("WARNING", "DEBUG")
    assert told["peer"] == "P01"
    assert told["message"].startswith("LEAGUE_QUERY without protocol, message_type, sender")
    assert 'we took protocol ("league.v2")' in told["message"]
    assert "timestamp (the time of arrival)" in told["message"]
    assert told["message"].endswith("; send them")
    assert manager.meter.fields.count(("P01", "timestamp")) == 2


async def test_a_strict_league_refuses_what_is_missing():
    with pytest.raises(CallRefused, match="protocol is missing"):
        await Manager(lenient=False).registering()


async def test_a_complete_message_is_taken_as_it_is():
    manager = Manager()
    whole = {"protocol": "league.v2", "message_type": "LEAGUE_QUERY", "sender": "player:P01", "league_id": LEAGUE}
    message = await manager.asking(**whole, timestamp=NOW, conversation_id="conv-1")
    assert (message.derived, message.conversation_id) == ((), "conv-1")
    assert manager.journal.named("FIELDS_DERIVED") == []
