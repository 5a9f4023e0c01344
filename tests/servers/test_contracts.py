"""Every tool of every agent: its names, and that its schemas hold what the documents and the agents really send."""

import json
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import pytest
from jsonschema import Draft202012Validator

from league_sdk.domain.commands import AssignMatch, StartRound
from league_sdk.ports import Acknowledged, ToolDescriptor
from league_sdk.protocol.match import GameInvitation, MoveCall
from servers.agent.server import AgentServer
from tests.requirements.marker import requirement
from tests.servers.fakes import (
    LEAGUE,
    NOW,
    OPERATOR,
    Sent,
    context,
    enrol,
    envelope,
    manager,
    never,
    player_request,
    query,
    referee_request,
    result_report,
    start,
)
from tests.servers.player.player_harness import call_for_move, game_error, game_over, invitation, player
from tests.servers.referee.referee_harness import assignment, referee_harness

pytestmark = pytest.mark.anyio
EXAMPLES = Path(__file__).parents[2] / "docs" / "message_examples"

MANAGER = {
    "register_referee": [],
    "register_player": [],
    "withdraw": [],
    "report_match_result": [],
    "league_query": ["handle_league_query"],
    "start_league": [],
    "create_schedule": [],
    "get_standings": [],
}
AGENTS = {
    "notify_round": ["receive_round_announcement"],
    "notify_round_completed": ["receive_round_completed"],
    "notify_league_completed": ["receive_league_completed"],
}
PLAYER = {
    **AGENTS,
    "update_standings": ["notify_standings", "receive_standings_update"],
    "handle_game_invitation": ["receive_game_invitation"],
    "notify_match_result": ["receive_game_over"],
    "notify_game_error": ["notify_error"],
    "choose_parity": ["parity_choose", "receive_parity_call"],
    "choose_move": [],
}
REFEREE = {
    **AGENTS,
    "start_match": [],
    "match_status": [],
    "collect_choices": [],
    "finalize_match": [],
    "receive_game_join_ack": [],
    "receive_parity_response": [],
    "receive_move_response": [],
    "draw_number": [],
    "resolve_match": [],
}
"""Tool and aliases, as the protocol has them; `choose_move` and `resolve_match` are those of a game without words."""

TAKES: Mapping[str, str] = {
    "registration/referee_register_request": "register_referee",
    "registration/player_register_request": "register_player",
    "registration/withdraw_request": "withdraw",
    "results/match_result_report": "report_match_result",
    "results/match_result_report_illegal_move": "report_match_result",
    "results/match_result_report_technical_loss": "report_match_result",
    "queries/league_query": "league_query",
    "queries/league_query_next_match": "league_query",
    "queries/league_query_player_stats": "league_query",
    "queries/league_query_schedule": "league_query",
    "queries/league_query_status": "league_query",
    "operator/start_league": "start_league",
    "operator/create_schedule": "create_schedule",
    "operator/get_standings": "get_standings",
    "rounds/round_announcement": "notify_round",
    "rounds/round_completed": "notify_round_completed",
    "rounds/league_completed": "notify_league_completed",
    "rounds/league_standings_update": "update_standings",
    "gameflow/game_invitation": "handle_game_invitation",
    "gameflow/game_over": "notify_match_result",
    "errors/invalid_move": "notify_game_error",
    "errors/timeout_error": "notify_game_error",
    "gameflow/choose_parity_call": "choose_parity",
    "gameflow/choose_parity_call_again": "choose_parity",
    "operator/start_match": "start_match",
    "operator/match_status": "match_status",
    "operator/match_step": "collect_choices",
}
GIVES: Mapping[str, str] = {
    "registration/referee_register_response": "register_referee",
    "registration/player_register_response": "register_player",
    "registration/player_register_response_rejected": "register_player",
    "registration/withdraw_response": "withdraw",
    "results/match_result_ack": "report_match_result",
    "queries/league_query_response": "league_query",
    "queries/league_query_response_next_match": "league_query",
    "queries/league_query_response_player_stats": "league_query",
    "queries/league_query_response_schedule": "league_query",
    "queries/league_query_response_status": "league_query",
    "operator/start_league_response": "start_league",
    "operator/schedule_response": "create_schedule",
    "operator/standings_response": "get_standings",
    "rounds/round_announcement_ack": "notify_round",
    "rounds/round_completed_ack": "notify_round_completed",
    "rounds/league_completed_ack": "notify_league_completed",
    "rounds/standings_update_ack": "update_standings",
    "gameflow/game_join_ack": "handle_game_invitation",
    "gameflow/game_over_ack": "notify_match_result",
    "errors/game_error_ack": "notify_game_error",
    "gameflow/choose_parity_response": "choose_parity",
    "gameflow/answer_ack": "receive_parity_response",
    "operator/start_match_response": "start_match",
    "operator/match_step_response": "collect_choices",
    "operator/match_step_response_running": "match_status",
}
ELSEWHERE = {
    "errors/league_error": "the data of a JSON-RPC error",
    "errors/league_error_duplicate_report": "the data of a JSON-RPC error",
    "errors/league_error_invalid_field": "the data of a JSON-RPC error",
    "errors/league_error_missing_field": "the data of a JSON-RPC error",
    "gameflow/parity_choice": "read from other players, never sent",
}


async def manager_agent() -> AgentServer:
    return (await manager()).agent


@asynccontextmanager
async def agents() -> AsyncGenerator[dict[str, AgentServer]]:
    """One agent of each role."""
    async with referee_harness() as held:
        yield {"manager": await manager_agent(), "referee": held.agent, "player": player().agent}


def tools_of(host: AgentServer) -> dict[str, ToolDescriptor]:
    return {tool.name: tool for tool in host.tools()}


@requirement(
    "000-LM-RESP-01",
    "000-REF-NOT-03",
    "001-API-01",
    "001-API-05",
    "004-ARCH-02",
    "004-ARCH-03",
    "004-ARCH-04",
    "project-PROTO-01",
)
@pytest.mark.parametrize(("role", "expected"), [("manager", MANAGER), ("referee", REFEREE), ("player", PLAYER)])
async def test_an_agent_has_exactly_its_tools_and_their_aliases(role: str, expected: dict[str, list[str]]):
    async with agents() as everybody:
        names = [tool.name for tool in everybody[role].tools()]
    assert sorted(names) == sorted([name for tool, aliases in expected.items() for name in (tool, *aliases)])


async def test_every_tool_says_what_it_is_and_publishes_sound_schemas():
    async with agents() as everybody:
        for host in everybody.values():
            for tool in host.tools():
                assert tool.title
                assert tool.description
                for schema in (tool.input_schema, tool.output_schema):
                    assert schema is not None
                    assert schema["type"] == "object"
                    Draft202012Validator.check_schema(schema)


async def test_an_alias_has_the_schemas_of_its_tool():
    async with agents() as everybody:
        for role, table in (("manager", MANAGER), ("referee", REFEREE), ("player", PLAYER)):
            tools = tools_of(everybody[role])
            for tool, aliases in table.items():
                for alias in aliases:
                    assert tools[alias].input_schema == tools[tool].input_schema
                    assert tools[alias].output_schema == tools[tool].output_schema


async def test_what_changes_nothing_says_so():
    async with agents() as everybody:
        read_only = {tool.name for host in everybody.values() for tool in host.tools() if tool.read_only}
    assert read_only == {"league_query", "handle_league_query", "get_standings", "match_status"}


def example(name: str) -> Any:
    return json.loads((EXAMPLES / f"{name}.json").read_text())


async def schemas(tool: str) -> list[ToolDescriptor]:
    """A tool, of every agent that has it."""
    async with agents() as everybody:
        return [tools[tool] for host in everybody.values() if tool in (tools := tools_of(host))]


@pytest.mark.parametrize(("name", "tool"), TAKES.items(), ids=list(TAKES))
async def test_a_documented_request_is_taken(name: str, tool: str):
    found = await schemas(tool)
    assert found
    for descriptor in found:
        Draft202012Validator(descriptor.input_schema).validate(example(name))


@pytest.mark.parametrize(("name", "tool"), GIVES.items(), ids=list(GIVES))
async def test_a_documented_reply_is_one(name: str, tool: str):
    for descriptor in await schemas(tool):
        assert descriptor.output_schema is not None
        Draft202012Validator(descriptor.output_schema).validate(example(name))


def test_no_example_is_left_out():
    there = {str(path.relative_to(EXAMPLES).with_suffix("")) for path in EXAMPLES.rglob("*.json")}
    assert there == set(TAKES) | set(GIVES) | set(ELSEWHERE)


@pytest.mark.parametrize("field", ["message_type", "sender", "timestamp", "conversation_id", "query_type"])
async def test_a_schema_refuses_what_the_agent_would_refuse(field: str):
    (descriptor,) = await schemas("league_query")
    message = example("queries/league_query")
    del message[field]
    assert not Draft202012Validator(descriptor.input_schema).is_valid(message)


class Checked:
    """Calls tools, and checks that request and reply fit the schemas that the tool publishes."""

    def __init__(self, host: AgentServer) -> None:
        self._host = host
        self._tools = tools_of(host)
        self.called: set[str] = set()

    async def call(self, tool: str, message: Mapping[str, Any]) -> dict[str, Any]:
        descriptor = self._tools[tool]
        Draft202012Validator(descriptor.input_schema).validate(message)
        reply = await self._host.call(tool, message, context(OPERATOR))
        assert descriptor.output_schema is not None
        Draft202012Validator(descriptor.output_schema).validate(json.loads(json.dumps(reply)))
        self.called.add(tool)
        return reply

    def pushing(self, tool: str) -> Callable[[Sent], Any]:
        """A player that answers by calling that tool; the operator may do whatever a player may."""

        async def answer(call: Sent) -> Any:
            own: dict[str, Any] = {"match_id": call.message.match_id, "player_id": call.to}
            own |= {"conversation_id": call.message.conversation_id, "auth_token": call.peer.token}
            if isinstance(call.message, GameInvitation):
                own |= {"message_type": "GAME_JOIN_ACK", "accept": True, "arrival_timestamp": NOW}
            else:
                move = call.message.context.legal_moves[0]
                parity = tool == "receive_parity_response"
                own |= {"message_type": "CHOOSE_PARITY_RESPONSE" if parity else "MOVE_RESPONSE"}
                own |= {"parity_choice" if parity else "move": move}
            await self.call(tool, {"protocol": "league.v2", "sender": "player:P01", "timestamp": NOW, **own})
            return Acknowledged("bare")

        return answer


@requirement("004-V2-05")
async def test_the_managers_real_replies_fit_its_schemas():
    made = await manager(max_players=3)
    checked = Checked(made.agent)
    player, *_ = [await checked.call("register_player", player_request(f"Player {number}")) for number in range(4)]
    referee = await checked.call("register_referee", referee_request())
    await checked.call("create_schedule", {})
    await checked.call("start_league", {})
    await made.ledger.execute(StartRound(1))
    fixture = made.league.rounds[0].fixtures[0]
    await made.ledger.execute(AssignMatch(fixture.match_id, "REF01"))
    score = {fixture.players[0]: 3, fixture.players[1]: 0}
    report = result_report(fixture.match_id, fixture.players[0], score, token=referee["auth_token"])
    leave = envelope("WITHDRAW_REQUEST", "player:P01", player["auth_token"])
    for tool, message in (("report_match_result", report), ("withdraw", leave)):
        reply = await made.agent.call(tool, message, context())
        (descriptor,) = await schemas(tool)
        assert descriptor.output_schema is not None
        Draft202012Validator(descriptor.input_schema).validate(message)
        Draft202012Validator(descriptor.output_schema).validate(reply)
    for kind in ("GET_STANDINGS", "GET_STATUS", "GET_SCHEDULE", "GET_NEXT_MATCH", "GET_PLAYER_STATS"):
        message = {**query(kind, params={"player_id": "P01"}), "auth_token": OPERATOR}
        await checked.call("league_query", message)
    await checked.call("get_standings", {})
    assert checked.called == set(MANAGER) - {"report_match_result", "withdraw"}


CHAMPION = {"player_id": "P01", "display_name": "Ada", "points": 3}
ROW = {
    "rank": 1,
    "player_id": "P01",
    "display_name": "Ada",
    "played": 1,
    "wins": 1,
    "draws": 0,
    "losses": 0,
    "points": 3,
}
FROM_THE_MANAGER: Mapping[str, dict[str, Any]] = {
    "notify_round": envelope("ROUND_ANNOUNCEMENT", "league_manager", league_id=LEAGUE, round_id=1, matches=[]),
    "update_standings": envelope(
        "LEAGUE_STANDINGS_UPDATE", "league_manager", league_id=LEAGUE, round_id=1, standings=[ROW]
    ),
    "notify_round_completed": envelope(
        "ROUND_COMPLETED", "league_manager", league_id=LEAGUE, round_id=1, matches_played=1, next_round_id=None
    ),
    "notify_league_completed": envelope(
        "LEAGUE_COMPLETED",
        "league_manager",
        league_id=LEAGUE,
        total_rounds=1,
        total_matches=1,
        champion=CHAMPION,
        final_standings=[ROW],
    ),
}


@requirement("003-TEST-A-03")
async def test_the_players_real_replies_fit_its_schemas():
    made = player()
    made.service.registered()
    checked = Checked(made.agent)
    await checked.call("handle_game_invitation", invitation(game_type="chess"))
    await checked.call("handle_game_invitation", invitation())
    await checked.call("choose_parity", call_for_move())
    await checked.call("notify_game_error", game_error())
    await checked.call("choose_move", {**call_for_move(), "message_type": "MOVE_CALL"})
    await checked.call("notify_match_result", game_over())
    for tool, message in FROM_THE_MANAGER.items():
        await checked.call(tool, message)
    assert checked.called == set(PLAYER)


async def test_the_referees_real_replies_fit_its_schemas():
    async with referee_harness() as held:
        checked = Checked(held.agent)
        held.peers.script(GameInvitation, checked.pushing("receive_game_join_ack"), to="P01")
        held.peers.script(
            MoveCall, checked.pushing("receive_parity_response"), checked.pushing("receive_move_response"), to="P01"
        )
        for game_type, resolve in (("even_odd", "draw_number"), ("rock_paper_scissors", "resolve_match")):
            match_id = f"{game_type}-1"
            await checked.call("start_match", assignment(match_id, game_type=game_type, step_by_step=True))
            for tool in ("match_status", "collect_choices", resolve, "match_status"):
                await checked.call(tool, {"match_id": match_id})
        await checked.call("finalize_match", {"match_id": "even_odd-1"})
        held.peers.script(GameInvitation, never)
        held.peers.script(GameInvitation, never, to="P01")
        await checked.call("start_match", assignment("R1M1"))
        for tool in AGENTS:
            await checked.call(tool, FROM_THE_MANAGER[tool])
    assert checked.called == set(REFEREE)


async def test_what_a_referee_sends_fits_the_tools_of_a_player():
    async with referee_harness() as held:
        await held.played()
        from_referee = [call.message for call in held.peers.calls if call.to == "P01"]
    tools = tools_of(player().agent)
    by_type = {
        "GAME_INVITATION": "handle_game_invitation",
        "CHOOSE_PARITY_CALL": "choose_parity",
        "GAME_OVER": "notify_match_result",
    }
    assert [message.message_type for message in from_referee] == list(by_type)
    for message in from_referee:
        wire = json.loads(message.model_dump_json(by_alias=True))
        Draft202012Validator(tools[by_type[message.message_type]].input_schema).validate(wire)


async def test_a_manager_that_has_started_still_publishes_the_same_tools():
    made = await manager()
    before = made.agent.tools()
    await enrol(made.ledger, 2)
    with anyio.fail_after(30):
        await start(made.ledger)
    assert made.agent.tools() == before
