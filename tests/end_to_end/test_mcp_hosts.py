"""A person's steps in MCP Inspector, or any host: list tools, call them, lead a match."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import anyio
import pytest
from mcp.client import Client

from tests.end_to_end.program_harness import QUICK, program_harness

pytestmark = [pytest.mark.anyio, pytest.mark.xdist_group("MCP hosts")]  # they share their agents
TOKEN = "a-token-for-the-operator-of-this-test"


@dataclass(frozen=True)
class Agents:
    """Endpoints of agents that were started by hand.

    Attributes:
        manager: The league manager.
        referee: A referee.
        players: Two players that are in no league.
    """

    manager: str
    referee: str
    players: tuple[str, str]

    def named(self, who: str) -> str:
        """The endpoint of one of them."""
        return {"manager": self.manager, "referee": self.referee, "player": self.players[0]}[who]


@pytest.fixture(scope="module")
def agents(tmp_path_factory) -> Iterator[Agents]:
    with program_harness(tmp_path_factory.mktemp("programs")) as place:
        operator = ("--operator-token", TOKEN, *QUICK)
        programs = [
            place.start("manager", "--port", place.base, "--players", 9, "--json", *operator),
            place.start("referee", "--name", "Rex", "--manager", place.manager, "--port", 0, "--json", *operator),
            *(
                place.start("player", "--standalone", "--strategy", strategy, "--port", 0, "--json")
                for strategy in ("always-even", "always-odd")
            ),
        ]
        for program in programs:
            program.says('"listening"')
        programs[1].says('"registered"')
        heard = [json.loads(line) for program in programs for line in program.out.splitlines()]
        urls = [report["endpoint"] for report in heard if report["kind"] == "listening"]
        yield Agents(urls[0], urls[1], (urls[2], urls[3]))


async def call(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    """Call a tool; its answer, which has to stand twice in the result."""
    with anyio.fail_after(30):
        result = await client.call_tool(tool, {"auth_token": TOKEN, **arguments})
    assert not result.is_error, result
    (content,) = result.content
    assert content.type == "text"
    assert json.loads(content.text) == result.structured_content
    assert result.structured_content is not None
    return result.structured_content


@pytest.mark.parametrize("mode", ["auto", "legacy", "2026-07-28"])
@pytest.mark.parametrize(
    ("who", "tools"),
    [
        ("manager", {"register_player", "register_referee", "league_query", "start_league", "get_standings"}),
        ("referee", {"start_match", "collect_choices", "draw_number", "finalize_match"}),
        ("player", {"handle_game_invitation", "choose_parity", "notify_match_result"}),
    ],
)
async def test_hosts_of_every_era_can_list_the_tools_of_every_agent(agents, mode, who, tools):
    with anyio.fail_after(30):
        async with Client(agents.named(who), mode=mode) as client:
            listed = {tool.name: tool for tool in (await client.list_tools()).tools}
    assert set(listed) >= tools
    for tool in listed.values():
        assert tool.description
        assert tool.input_schema["type"] == "object"
        assert tool.output_schema is not None or "ui" in (tool.meta or {})  # what an app draws is text


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_a_match_is_led_by_hand_step_by_step(agents, mode):
    match = f"R1M{len(mode)}"
    one, two = agents.players
    with anyio.fail_after(60):
        async with Client(agents.referee, mode=mode) as client:
            begun = await call(
                client,
                "start_match",
                match_id=match,
                player_A_id="P01",
                player_B_id="P02",
                player_A_endpoint=one,
                player_B_endpoint=two,
                game_type="even_odd",
                step_by_step=True,
            )
            session = begun["game_session_id"]
            assert (begun["status"], begun["match_id"]) == ("ACCEPTED", match)
            chosen = await call(client, "collect_choices", game_session_id=session)
            assert chosen.get("choices") == {"P01": "even", "P02": "odd"}, json.dumps(chosen)
            drawn = await call(client, "draw_number", game_session_id=session)
            number = drawn["result"]["drawn_number"]
            assert 1 <= number <= 10
            ended = await call(client, "finalize_match", match_id=match)
    winner = "P01" if number % 2 == 0 else "P02"
    assert ended["result"]["winner_player_id"] == winner
    assert ended["state"] in ("FINISHED", "REPORTED")


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_the_manager_answers_its_operator(agents, mode):
    with anyio.fail_after(30):
        async with Client(agents.manager, mode=mode) as client:
            answer = await call(client, "get_standings")
    assert (answer["message_type"], answer["standings"]) == ("STANDINGS_RESPONSE", [])


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_a_player_answers_whoever_asks_it_when_it_is_in_no_league(agents, mode):
    envelope = {
        "protocol": "league.v2",
        "message_type": "CHOOSE_PARITY_CALL",
        "sender": "referee:REF01",
        "timestamp": "2025-01-15T10:15:05.000Z",
        "conversation_id": "by-hand",
        "league_id": "trial",
        "round_id": 1,
        "match_id": "R1M9",
        "player_id": "P01",
        "game_type": "even_odd",
        "deadline": "2025-01-15T10:15:35.000Z",
        "context": {
            "opponent_id": "P02",
            "round_id": 1,
            "your_standings": {"wins": 0, "losses": 0, "draws": 0, "points": 0},
        },
    }
    invitation = {
        **{key: envelope[key] for key in ("protocol", "sender", "timestamp", "conversation_id", "league_id")},
        "round_id": 1,
        "match_id": "R1M9",
        "game_type": "even_odd",
        "role_in_match": "PLAYER_A",
        "message_type": "GAME_INVITATION",
        "player_id": "P01",
        "opponent_id": "P02",
    }
    with anyio.fail_after(30):
        async with Client(agents.players[0], mode=mode) as client:
            joined = await call(client, "handle_game_invitation", **invitation)
            chosen = await call(client, "choose_parity", **envelope)
    assert (joined["message_type"], joined["accept"]) == ("GAME_JOIN_ACK", True)
    assert (chosen["message_type"], chosen["parity_choice"]) == ("CHOOSE_PARITY_RESPONSE", "even")
