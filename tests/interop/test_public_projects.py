"""Messages of public projects of the same documents, both ways: as their sources write them.

igornazarenko434/LLM_Agent_Orchestration_HW7 at d8c185e43114: `agents/player_P01/handlers.py`,
`agents/referee_REF01/match_conductor.py`, `agents/league_manager/server.py`. volo10/MCP at a505c79cb4c3:
`agents/player_P02/handlers.py`, `agents/referee_REF01/handlers.py`, `agents/league_manager/handlers.py`.
"""

from datetime import timedelta
from typing import Any, Final

import pytest

from league_sdk.protocol.acknowledgements import says_only_that_it_arrived
from league_sdk.protocol.codec import Codec
from league_sdk.protocol.envelope import Message
from league_sdk.protocol.match import GameJoinAck, GameOverAck, MoveResponse
from league_sdk.protocol.replies import Answering, read_reply
from tests.league_sdk.protocol.samples import PARITY
from tests.servers.fakes import GAMES, NOW, OPERATOR
from tests.servers.player.player_harness import Player, player

pytestmark = pytest.mark.anyio
IGOR, VOLO = "igornazarenko434", "volo10"
CODEC: Final = Codec([PARITY])
INVITED: Final = {"message_type": "GAME_INVITATION", "conversation_id": "conv-r1m1", "match_id": "R1M1", "round_id": 1}
OVER: Final = {**INVITED, "message_type": "GAME_OVER"}


def signed(kind: str, sender: str, **fields: Any) -> dict[str, Any]:
    head = {"protocol": "league.v2", "message_type": kind, "sender": sender, "timestamp": NOW}
    return {**head, "conversation_id": "conv-r1m1", **fields}


def answers(project: str) -> dict[type[Message], dict[str, Any]]:
    """A project's player's answers to ours, as P03 by its own configuration, or without an id."""
    own = {IGOR: "P03", VOLO: None}[project]
    sender = f"player:{own or 'UNREGISTERED'}"
    about = {"match_id": "R1M1", "player_id": own, "auth_token": "its own"}
    join = signed("GAME_JOIN_ACK", sender, **about, arrival_timestamp=NOW, accept=True)
    if project == VOLO:
        join["timestamp"] = "2025-01-15T10:00:00.123456Z"
    return {
        GameJoinAck: join,
        MoveResponse: signed("CHOOSE_PARITY_RESPONSE", sender, **about, parity_choice="odd"),
    }


@pytest.mark.parametrize("project", [IGOR, VOLO])
@pytest.mark.parametrize("kind", [GameJoinAck, MoveResponse])
def test_a_player_s_answers_are_its_own_whatever_its_configuration_calls_it(project: str, kind: type[Message]):
    answering = Answering("P01", NOW)
    read: Any = read_reply(answers(project)[kind], INVITED, kind, CODEC, spec=PARITY, answering=answering)
    assert (read.player_id, read.match_id) == ("P01", "R1M1")


def test_a_result_that_is_acknowledged_in_few_words_is_acknowledged():
    assert says_only_that_it_arrived({"status": "ok", "match_id": "R1M1"}, OVER, GameOverAck)


def messages(project: str) -> list[tuple[str, dict[str, Any]]]:
    """Messages of a project's referee and league manager to our player, in a league's order: method and message."""
    referee, manager = "referee:REF01", {IGOR: "league_manager:LM01", VOLO: "league_manager"}[project]
    match = {"match_id": "R1M1", "game_type": "even_odd"}
    pairing = {**match, "player_A_id": "P01", "player_B_id": "P02", "referee_endpoint": "http://localhost:8001/mcp"}
    invited = {**match, "league_id": "league_2025_even_odd", "round_id": 1, "opponent_id": "P02"}
    record = {"your_standings": {"wins": 0, "losses": 0, "draws": 0}} if project == VOLO else {}
    told = {"winner_player_id": "P02", "drawn_number": 3, "number_parity": "odd"}
    choices = {"P01": "even", "P02": "odd"}
    result = {IGOR: {"status": "LOSS", "player_choices": choices, "points_awarded": 0, "opponent_id": "P02"}}.get(
        project, {"status": "WIN", "choices": choices, "reason": "3 is odd"}
    )
    row = {"rank": 1, "player_id": "P02", "points": 3}
    names = ["ROUND_ANNOUNCEMENT", "GAME_INVITATION", "CHOOSE_PARITY_CALL", "GAME_OVER", "ROUND_COMPLETED"]
    methods = (
        dict(zip(names, names, strict=True))
        if project == IGOR
        else {
            "ROUND_ANNOUNCEMENT": "notify_round",
            "GAME_INVITATION": "handle_game_invitation",
            "CHOOSE_PARITY_CALL": "choose_parity",
            "GAME_OVER": "notify_match_result",
            "ROUND_COMPLETED": "notify_round_completed",
        }
    )
    sent = [
        signed("ROUND_ANNOUNCEMENT", manager, round_id=1, matches=[pairing]),
        signed("GAME_INVITATION", referee, **invited, role_in_match="PLAYER_A"),
        # volo10's deadline is the time of writing.
        signed(
            "CHOOSE_PARITY_CALL", referee, **match, player_id="P01", deadline=NOW,
            context={"opponent_id": "P02", "round_id": 1, **record},
        ),
        signed("GAME_OVER", referee, **match, game_result={**told, **result}),
        signed("ROUND_COMPLETED", manager, round_id=1, matches_completed=2, next_round_id=None, summary={"wins": 1}),
    ]  # fmt: skip
    over = signed("LEAGUE_COMPLETED", manager, total_rounds=1, total_matches=1, champion=row, final_standings=[row])
    return [*((methods[message["message_type"]], message) for message in sent), ("notify_league_completed", over)]


@pytest.mark.parametrize("project", [IGOR, VOLO])
async def test_our_player_plays_a_league_of_the_project_to_its_end(project: str):
    made = player(games={"even_odd": GAMES["even_odd"]})
    made.service.registered()
    replies = {kind: await _told(made, kind, message) for kind, message in messages(project)}
    (move,) = [reply for reply in replies.values() if reply["message_type"] == "CHOOSE_PARITY_RESPONSE"]
    assert move["parity_choice"] == "even"
    assert made.views[0].deadline == made.clock.now() + timedelta(seconds=30)
    ((past, _, _),) = made.memory.remembered
    assert (past.match_id, past.result, past.opponent_id) == ("R1M1", "LOSS", "P02")
    assert made.over == [True]


async def _told(made: Player, method: str, message: dict[str, Any]) -> dict[str, Any]:
    """The reply to a method of bare JSON-RPC, which may be a message type."""
    tools = {kind: tool.name for tool in reversed(made.agent.tools()) for kind in kinds_of(tool.input_schema)}
    return await made.call(tools.get(method, method), message, OPERATOR)


def kinds_of(schema: Any) -> list[str]:
    """The message types of a tool, by its schema."""
    kind = schema["properties"]["message_type"]
    return kind.get("enum") or [kind["const"]]
