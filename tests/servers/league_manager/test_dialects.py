"""Detection of an agent's dialect by the league manager, and its use."""

from typing import Any

import pytest

from league_sdk.domain.events import PlayerRegistered, event_from_json
from league_sdk.ports import CallContext, CallRefused
from servers.league_manager.announcements import Announcements
from tests.servers.fakes import OPERATOR, Manager, manager, player_request, referee_request, start

pytestmark = pytest.mark.anyio
V1_REQUEST = {
    "protocol": "league.v1",
    "message_type": "LEAGUE_REGISTER_REQUEST",
    "league_id": "550e8400-e29b-41d4-a716-446655440000",
    "round_id": 0,
    "match_id": "REGISTRATION",
    "conversation_id": "660e8400-e29b-41d4-a716-446655440001",
    "sender": "player_candidate",
    "timestamp": "2025-12-13T21:30:00.000Z",
    "player_meta": player_request()["player_meta"],
}
"""003's own example of a registration."""


async def looking(seen: str = "mcp", **rules: Any) -> tuple[Manager, list[str]]:
    """A manager that finds `seen` wherever it looks; and where it has looked."""
    looked: list[str] = []

    async def look(endpoint: str) -> str:
        looked.append(endpoint)
        return seen

    return await manager(look=look, **rules), looked


async def ask(made: Manager, message: dict[str, Any], wire: str = "jsonrpc", tool: str = "register_player") -> Any:
    return await made.agent.call(tool, message, CallContext(dialect=wire))


@pytest.mark.parametrize("wire", ["mcp", "jsonrpc"])
async def test_the_wire_is_what_the_agent_answers_in_however_it_asked(wire):
    made, looked = await looking(wire)
    for asked in ("mcp", "jsonrpc"):
        meta = {"contact_endpoint": f"http://localhost/{asked}"}
        await ask(made, player_request(asked, **meta), asked)
    assert looked == ["http://localhost/mcp", "http://localhost/jsonrpc"]
    assert {player.dialect for player in made.league.players.values()} == {f"{wire}/league.v2"}


async def test_of_an_agent_that_does_not_answer_yet_the_wire_is_only_assumed():
    made, _ = await looking("")
    await ask(made, player_request(), "jsonrpc")
    await ask(made, referee_request(), "mcp", "register_referee")
    assert made.league.player("P01").dialect == "jsonrpc/league.v2?"
    assert made.league.referee("REF01").dialect == "mcp/league.v2?"


async def test_what_an_agent_says_of_itself_is_taken_without_a_look():
    made, looked = await looking("mcp")
    await ask(made, player_request(dialect="jsonrpc/league.v1/push"), "mcp")
    assert (made.league.player("P01").dialect, looked) == ("jsonrpc/league.v1/push", [])


V1_REFEREE = {
    **{name: value for name, value in V1_REQUEST.items() if name != "player_meta"},
    "message_type": "REFEREE_REGISTER_REQUEST",
    "sender": "referee",
    "referee_meta": referee_request()["referee_meta"],
}


async def test_a_referee_of_the_older_protocol_is_told_that_it_can_be_given_no_match():
    made, looked = await looking()
    answer = await ask(made, V1_REFEREE, tool="register_referee")
    assert (answer["status"], answer["error_code"]) == ("REJECTED", "E018")
    assert "has no message that gives a referee a match" in answer["reason"]
    assert '"dialect": "league.v1" in referee_meta' in answer["reason"]
    assert (dict(made.league.referees), looked) == ({}, [])


async def test_a_referee_of_the_older_protocol_that_says_that_it_takes_our_message_is_let_in():
    made, _ = await looking("jsonrpc")
    knowing = {**V1_REFEREE, "referee_meta": {**referee_request()["referee_meta"], "dialect": "league.v1"}}
    answer = await ask(made, knowing, tool="register_referee")
    assert (answer["status"], answer["referee_id"]) == ("ACCEPTED", "REF01")
    assert made.league.referee("REF01").dialect == "jsonrpc/league.v1"


async def test_what_it_leaves_unsaid_is_looked_at():
    made, looked = await looking("mcp")
    await ask(made, player_request(dialect="push"))
    assert (made.league.player("P01").dialect, len(looked)) == ("mcp/league.v2/push", 1)


async def test_a_dialect_that_nobody_speaks_is_refused():
    made, _ = await looking()
    with pytest.raises(CallRefused) as refused:
        await ask(made, player_request(dialect="smtp"))
    assert refused.value.data is not None
    assert refused.value.data["context"]["field"] == "player_meta.dialect"


@pytest.mark.parametrize("meta", [{"game_types": ["chess"]}, {"display_name": "Ada"}, {"contact_endpoint": "nowhere"}])
async def test_whoever_is_refused_is_not_called(meta):
    made, looked = await looking()
    await ask(made, player_request())
    looked.clear()
    assert (await ask(made, player_request("Bea", **meta)))["status"] == "REJECTED"
    assert looked == []


async def test_an_agent_that_comes_back_is_looked_at_again():
    made, looked = await looking("mcp")
    token = (await ask(made, player_request()))["auth_token"]
    await ask(made, player_request("Ada", token, dialect="jsonrpc"))
    assert (made.league.player("P01").dialect, len(looked)) == ("jsonrpc/league.v2", 1)


async def test_who_asks_in_the_older_dialect_is_answered_in_it_and_spoken_to_in_it():
    made, _ = await looking("jsonrpc")
    answer = await ask(made, V1_REQUEST)
    assert (answer["protocol"], answer["status"], answer["player_id"]) == ("league.v1", "ACCEPTED", "P01")
    assert answer["conversation_id"] == V1_REQUEST["conversation_id"]
    assert made.league.player("P01").dialect == "jsonrpc/league.v1"
    query = {**V1_REQUEST, "message_type": "LEAGUE_QUERY", "sender": "player_P01", "query_type": "GET_STATUS"}
    query |= {"league_id": answer["league_id"], "auth_token": answer["auth_token"]}
    told = await ask(made, query, tool="league_query")
    assert (told["protocol"], told["status"]["players"]) == ("league.v1", 1)


async def test_an_error_is_told_in_the_dialect_of_the_caller():
    made, _ = await looking()
    with pytest.raises(CallRefused) as refused:
        await ask(made, {**V1_REQUEST, "player_meta": {}})
    assert refused.value.data is not None
    assert (refused.value.data["protocol"], refused.value.data["error_code"]) == ("league.v1", "E003")
    assert refused.value.data["match_id"] == "LEAGUE"


async def test_the_referee_is_told_how_to_speak_to_both_players():
    made, _ = await looking("mcp", expected_players=2)
    await ask(made, player_request(dialect="jsonrpc/league.v1"))
    await ask(made, player_request("Bea"))
    await ask(made, referee_request(), tool="register_referee")
    await start(made.ledger)
    fixture = made.league.rounds[0].fixtures[0]
    message = Announcements(made.clock, made.ids, OPERATOR).start_match(made.league, fixture, 1)
    told = {message.player_a_id: message.player_a_dialect, message.player_b_id: message.player_b_dialect}
    assert told == {"P01": "jsonrpc/league.v1", "P02": "mcp/league.v2"}


async def test_a_log_from_before_dialects_were_kept_reads_as_ever():
    made, _ = await looking()
    await ask(made, player_request())
    record = made.records[-1]
    old = {name: value for name, value in record.payload["player"].items() if name != "dialect"}
    assert "dialect" in record.payload["player"]
    event = event_from_json(record.type, {"player": old})
    assert isinstance(event, PlayerRegistered)
    assert event.player.dialect == ""
