"""Public and hidden facts in a referee's report of a match under way."""

from collections.abc import Mapping
from typing import Any

import anyio
import pytest

from league_sdk.errors import PeerUnreachable, ResponseTimeout
from league_sdk.plugins import game
from league_sdk.ports import SeatsAway
from league_sdk.protocol.match import GameInvitation, MoveCall
from tests.servers.fakes import GAMES, choose, never
from tests.servers.referee.referee_harness import RefereeHarness, referee_harness

pytestmark = pytest.mark.anyio
CLOCKS = ("turn", "to_move", "deadlines", "position", "picture")


@pytest.fixture(autouse=True)
def with_a_board(monkeypatch: pytest.MonkeyPatch) -> None:
    """Referees of these tests know a game with a board."""
    board = game("tic_tac_toe")
    monkeypatch.setitem(GAMES, "tic_tac_toe", board)
    monkeypatch.setitem(GAMES, "behind_a_screen", type("BehindAScreen", (type(board),), {"hidden": True})())


async def waiting_for(held: RefereeHarness, kind: type[Any], player: str, times: int = 1) -> Mapping[str, Any]:
    """Answer of `match_status` once a player has been asked `times` times."""
    while len(held.peers.sent(kind, player)) < times:
        await anyio.lowlevel.checkpoint()
    for _ in range(5):
        await anyio.lowlevel.checkpoint()
    told = await held.call("match_status", {"match_id": "R1M1"})
    return {name: told[name] for name in CLOCKS if name in told}


async def test_an_invited_player_has_a_clock_and_the_match_no_turn():
    async with referee_harness() as held:
        held.peers.script(GameInvitation, never, to="P02")
        await held.start()
        told = await waiting_for(held, GameInvitation, "P02")
    assert told == {"to_move": ["P02"], "deadlines": {"P02": "2025-01-15T10:00:05Z"}}


async def test_the_player_to_move_has_the_clock_and_an_open_position_is_told():
    async with referee_harness() as held:
        held.peers.script(MoveCall, choose("b2"), to="P01")
        held.peers.script(MoveCall, never, to="P02")
        await held.start(game_type="tic_tac_toe")
        told = await waiting_for(held, MoveCall, "P02")
    assert told["picture"].startswith("<svg ")
    assert {name: value for name, value in told.items() if name != "picture"} == {
        "turn": 2,
        "to_move": ["P02"],
        "deadlines": {"P02": "2025-01-15T10:00:30Z"},
        "position": "  a b c\n1 . . .\n2 . X .\n3 . . .\nX P01, O P02",
    }


async def test_choices_of_a_turn_that_is_not_resolved_are_not_in_the_position():
    async with referee_harness() as held:
        held.peers.script(MoveCall, choose("rock"), to="P01")
        held.peers.script(MoveCall, never, to="P02")
        await held.start(game_type="rock_paper_scissors")
        told = await waiting_for(held, MoveCall, "P02")
    assert (told["turn"], told["to_move"]) == (1, ["P01", "P02"])
    assert "rock" not in told["position"]


@pytest.mark.parametrize(
    "answers", [(choose("rock"), never), (never, never), (choose("stone"), never)], ids=["chosen", "silent", "illegal"]
)
async def test_until_the_first_trys_time_is_over_players_of_one_turn_are_told_alike(answers: Any):
    async with referee_harness() as held:
        for player, answer in zip(("P01", "P02"), answers, strict=True):
            held.peers.script(MoveCall, answer, never, to=player)
        await held.start(game_type="rock_paper_scissors")
        await waiting_for(held, MoveCall, "P02")
        told = await held.call("match_status", {"match_id": "R1M1"})
    first, second = told["waits"]
    assert first == {**second, "player_id": "P01"}
    assert (first["attempt"], first["attempts"], second["player_id"]) == (1, 4, "P02")
    assert first["waited_sec"] + first["left_sec"] == 30.0
    assert told["deadlines"] == dict.fromkeys(("P01", "P02"), "2025-01-15T10:00:30Z")


async def test_once_it_is_over_the_one_that_is_waited_for_is_told_with_its_attempt():
    async with referee_harness() as held:
        held.peers.script(MoveCall, choose("rock"), to="P01")
        held.peers.script(MoveCall, ResponseTimeout("no answer"), never, to="P02")
        await held.start(game_type="rock_paper_scissors")
        await waiting_for(held, MoveCall, "P02", 2)
        before = await held.call("match_status", {"match_id": "R1M1"})
        held.clock.advance(31)
        told = await held.call("match_status", {"match_id": "R1M1"})
    assert [call["player_id"] for call in before["waits"]] == ["P01", "P02"]
    assert [(call["player_id"], call["attempt"]) for call in before["open_calls"]] == [("P02", 2)], "for the operator"
    assert told["to_move"] == ["P02"]
    (call,) = told["waits"]
    assert (call["player_id"], call["attempt"], call["attempts"]) == ("P02", 2, 4)
    assert call["waited_sec"] > 31


async def test_a_player_that_is_gone_has_one_more_attempt():
    async with referee_harness() as held:
        held.peers.script(MoveCall, PeerUnreachable("connection refused"), never, to="P01")
        await held.start(game_type="tic_tac_toe")
        await waiting_for(held, MoveCall, "P01", 2)
        told = await held.call("match_status", {"match_id": "R1M1"})
    assert [(call["attempt"], call["attempts"]) for call in told["waits"]] == [(2, 2)]


async def test_a_match_that_waits_for_the_seats_process_says_so(monkeypatch: pytest.MonkeyPatch):
    async def ping(peer: Any, *, timeout: float) -> None:
        del peer, timeout
        await anyio.sleep_forever()

    async with referee_harness() as held:
        monkeypatch.setattr(held.peers, "ping", ping)
        held.peers.script(MoveCall, SeatsAway("no answer"), to="P01")
        await held.start(game_type="tic_tac_toe")
        await waiting_for(held, MoveCall, "P01")
        told = await held.call("match_status", {"match_id": "R1M1"})
    assert [(call["player_id"], call["part"]) for call in told["waits"]] == [("P01", "seats")]


async def test_a_game_that_may_hide_something_has_no_position():
    async with referee_harness() as held:
        held.peers.script(MoveCall, never, to="P02")
        await held.start(game_type="behind_a_screen")
        told = await waiting_for(held, MoveCall, "P02")
    assert set(told) == {"turn", "to_move", "deadlines"}


@pytest.mark.parametrize("drawn", ["half of a \ud800 pair", ZeroDivisionError("in render")])
async def test_a_fault_in_a_drawing_costs_the_match_nothing(drawn: Any, monkeypatch: pytest.MonkeyPatch):
    def render(state: Any) -> str:
        if isinstance(drawn, Exception):
            raise drawn
        return drawn

    monkeypatch.setattr(GAMES["tic_tac_toe"], "render", render)
    async with referee_harness() as held:
        held.peers.script(MoveCall, never)
        await held.start(game_type="tic_tac_toe")
        told = await waiting_for(held, MoveCall, "P01")
    assert told["turn"] == 1
    assert told.get("position") in (None, "half of a ? pair")
