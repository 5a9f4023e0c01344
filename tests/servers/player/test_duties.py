"""A player's duties: acknowledge every message, and log every action."""

from typing import Any

import pytest

from tests.requirements.marker import requirement
from tests.servers.fakes import LEAGUE, envelope
from tests.servers.player.player_harness import game_error, game_over, player

pytestmark = pytest.mark.anyio


def news(kind: str, **fields: Any) -> dict[str, Any]:
    return envelope(kind, "league_manager", league_id=LEAGUE, **fields)


STANDINGS = news("LEAGUE_STANDINGS_UPDATE", round_id=1, standings=[])
LAST_ROUND = news("ROUND_COMPLETED", round_id=3, matches_played=2, next_round_id=None)
FIRST_ROUND = news("ROUND_COMPLETED", round_id=1, matches_played=2, next_round_id=2)
THE_END = news(
    "LEAGUE_COMPLETED",
    total_rounds=3,
    total_matches=6,
    champion={"player_id": "P02", "display_name": "Bea", "points": 9},
    final_standings=[],
)

HEARD = [
    ("notify_round", news("ROUND_ANNOUNCEMENT", round_id=1, matches=[]), "ROUND_ANNOUNCEMENT_ACK", {"round_id": 1}),
    ("update_standings", STANDINGS, "STANDINGS_UPDATE_ACK", {"round_id": 1}),
    ("notify_round_completed", FIRST_ROUND, "ROUND_COMPLETED_ACK", {"round_id": 1}),
    ("notify_round_completed", LAST_ROUND, "ROUND_COMPLETED_ACK", {"round_id": 3}),
    ("notify_league_completed", THE_END, "LEAGUE_COMPLETED_ACK", {}),
    ("notify_match_result", game_over(), "GAME_OVER_ACK", {"match_id": "R1M1"}),
    ("notify_game_error", game_error(), "GAME_ERROR_ACK", {"match_id": "R1M1"}),
]


@requirement(
    "000-PL-RCOMP-01",
    "000-PL-LCOMP-01",
    "000-PL-RESP-01",
    "002-RANN-02",
    "002-STAND-03",
    "002-RCOMP-03",
    "002-LCOMP-04",
    "002-OVER-03",
    "002-GERR-03",
)
@pytest.mark.parametrize(("tool", "message", "acknowledgement", "about"), HEARD)
async def test_whatever_it_hears_is_acknowledged_and_both_stand_in_its_log(
    tool: str, message: dict[str, Any], acknowledgement: str, about: dict[str, Any]
):
    made = player()
    made.service.registered()
    answer = await made.call(tool, message)
    assert answer["message_type"] == acknowledgement
    assert answer["conversation_id"] == message["conversation_id"]
    assert (answer["status"], answer["player_id"]) == ("ACKNOWLEDGED", "P01")
    assert about.items() <= answer.items()
    sender = message["sender"]
    assert made.journal.messages == [("RECEIVED", message["message_type"], sender), ("SENT", acknowledgement, sender)]


@requirement("000-PL-CALL-05")
async def test_a_move_stands_in_its_log():
    made = player(lambda view: "odd")
    await made.invite()
    await made.ask()
    assert made.journal.named("MOVE_CHOSEN") == [("INFO", {"match_id": "R1M1", "move": "odd"})]


@requirement("000-PL-LCOMP-01")
async def test_the_champion_stands_in_its_log():
    made = player()
    made.service.registered()
    await made.call("notify_league_completed", THE_END)
    assert made.journal.named("LEAGUE_COMPLETED") == [("INFO", {"champion": "P02"})]


@requirement("000-PL-RESP-02", "000-PL-OVER-01")
async def test_a_technical_loss_is_a_result_like_others_and_the_next_match_is_played():
    made = player()
    await made.invite("R1M1")
    lost = {"status": "TECHNICAL_LOSS", "winner_player_id": "P02", "score": {"P01": 0, "P02": 3}, "choices": {}}
    assert (await made.tell("R1M1", **lost))["status"] == "ACKNOWLEDGED"
    ((past, _, _),) = made.memory.remembered
    assert (past.match_id, past.result, past.points) == ("R1M1", "LOSS", 0)
    assert (await made.invite("R2M1"))["accept"] is True
    assert (await made.ask("R2M1"))["parity_choice"] == "even"
