"""Answers that come as calls of their own: taken once, from the right player, while there is time."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import anyio
import anyio.lowlevel
import pytest

from league_sdk import tokens
from league_sdk.domain.model import Cause, ResultStatus
from league_sdk.errors import InvalidState, PeerUnreachable
from league_sdk.ports import Acknowledged, CallContext, CallRefused
from league_sdk.protocol.match import GameError, GameInvitation, MoveCall, MoveResponse
from servers.referee.answers import PushedAnswers
from servers.referee.match_runner import MatchRunner
from servers.referee.player_timeouts import PlayerTimeouts
from tests.requirements.marker import requirement
from tests.servers.fakes import NOW, Sent, choose, join
from tests.servers.referee.referee_harness import RefereeHarness, referee_harness

pytestmark = pytest.mark.anyio

TOOLS = {GameInvitation: "receive_game_join_ack", MoveCall: "receive_parity_response"}
BRIEF = PlayerTimeouts(join=0.05, move=0.05, response=1.0)
OWN = "the token that the manager gave P01"


def answer_to(call: Sent, **changes: Any) -> dict[str, Any]:
    """A player's pushed answer to that call."""
    plain = {
        "protocol": "league.v2",
        "sender": f"player:{call.to}",
        "timestamp": NOW,
        "conversation_id": call.message.conversation_id,
        "auth_token": call.peer.token,
        "match_id": call.message.match_id,
        "player_id": call.to,
    }
    if isinstance(call.message, GameInvitation):
        plain |= {"message_type": "GAME_JOIN_ACK", "accept": True, "arrival_timestamp": NOW}
    else:
        plain |= {"message_type": "CHOOSE_PARITY_RESPONSE", "parity_choice": "even"}
    return {name: value for name, value in {**plain, **changes}.items() if value is not None}


async def push(held: RefereeHarness, call: Sent, bearer: str | None = None, **changes: Any) -> dict[str, Any]:
    return await held.agent.call(TOOLS[type(call.message)], answer_to(call, **changes), CallContext(bearer))


async def refused(held: RefereeHarness, call: Sent, **changes: Any) -> str:
    """The code under which a pushed answer is refused."""
    with pytest.raises(CallRefused) as caught:
        await push(held, call, **changes)
    assert caught.value.data is not None
    return caught.value.data["error_code"]


def pushes(held: RefereeHarness, **changes: Any) -> Callable[[Sent], Any]:
    """A player that pushes its answer, and then acknowledges what it was asked."""

    async def answer(call: Sent) -> Any:
        when = f"2025-01-15T10:00:00.{len(held.peers.calls):03}Z"
        assert (await push(held, call, **{"timestamp": when, **changes}))["status"] == "ACKNOWLEDGED"
        return Acknowledged("bare", {"status": "ok"})

    return answer


def acknowledges(call: Sent) -> Any:
    return Acknowledged("bare", {"status": "ok"})


def cause(runner: MatchRunner) -> list[tuple[str, Cause, str]]:
    assert runner.result is not None
    return [(fault.player_id, fault.cause, fault.error_code) for fault in runner.result.faults]


@requirement("001-API-04")
async def test_a_match_is_played_with_a_player_that_pushes_all_its_answers():
    async with referee_harness() as held:
        held.peers.script(GameInvitation, pushes(held), to="P01")
        held.peers.script(MoveCall, pushes(held, parity_choice="odd"), to="P01")
        runner = await held.played()
    assert runner.result is not None
    assert runner.result.faults == ()
    assert runner.result.details["choices"] == {"P01": "odd", "P02": "even"}
    answers = [entry for entry in runner.result.transcript if entry.get("from") == "P01"]
    assert [entry.get("pushed", False) for entry in answers] == [True, True, False]
    assert not any("pushed" in entry for entry in runner.result.transcript if entry.get("from") == "P02")


async def test_an_answer_may_follow_later_than_the_acknowledgement():
    async with referee_harness() as held:
        held.peers.script(MoveCall, acknowledges, to="P01")
        await held.start()
        while not held.peers.sent(MoveCall, "P01"):
            await anyio.lowlevel.checkpoint()
        call = next(call for call in held.peers.calls if isinstance(call.message, MoveCall) and call.to == "P01")
        await push(held, call, parity_choice="odd")
        runner = await held.ended("R1M1#1")
    assert runner.result is not None
    assert runner.result.details["choices"]["P01"] == "odd"


async def test_the_invitation_says_where_an_answer_can_be_pushed():
    async with referee_harness() as held:
        held.service._hooks = replace(held.service._hooks, endpoint=lambda: "http://localhost:8001/mcp")
        await held.played()
        assert held.peers.sent(GameInvitation, "P01")[0].referee_endpoint == "http://localhost:8001/mcp"


@pytest.mark.parametrize(("kind", "blamed"), [(GameInvitation, Cause.NO_JOIN), (MoveCall, Cause.NO_MOVE)])
async def test_who_acknowledges_and_never_answers_is_blamed_as_for_silence(kind, blamed):
    async with referee_harness(limits=lambda *_: BRIEF, max_retries=1) as held:
        held.peers.script(kind, acknowledges, to="P01")
        runner = await held.played()
        assert len(held.peers.sent(GameError, "P01")) == 1
    assert runner.result is not None
    assert (runner.result.status, runner.result.winner) == (ResultStatus.TECHNICAL_LOSS, "P02")
    assert cause(runner) == [("P01", blamed, "E001")]


async def test_who_was_late_once_is_asked_again_and_may_push_then():
    async with referee_harness(limits=lambda *_: BRIEF) as held:
        held.peers.script(MoveCall, acknowledges, pushes(held), to="P01")
        runner = await held.played()
    assert cause(runner) == []


async def test_who_declines_by_a_push_has_declined():
    async with referee_harness() as held:
        held.peers.script(GameInvitation, pushes(held, accept=False), to="P01")
        runner = await held.played()
    assert cause(runner) == [("P01", Cause.DECLINED, "E008")]


async def test_an_illegal_move_is_as_illegal_when_it_is_pushed():
    async with referee_harness(max_retries=1) as held:
        held.peers.script(MoveCall, pushes(held, parity_choice="maybe"), to="P01")
        runner = await held.played()
        assert [error.error_code for error in held.peers.sent(GameError, "P01")] == ["E004"]
    assert cause(runner) == [("P01", Cause.ILLEGAL_MOVE, "E004")]


class TestTheSameAnswerAgain:
    async def test_it_is_acknowledged_again_and_counts_once(self):
        async with referee_harness() as held:
            twice = []

            async def answer(call: Sent) -> Any:
                twice.append(await push(held, call))
                twice.append(await push(held, call, timestamp="2025-01-15T10:00:01.000Z"))
                return Acknowledged("bare")

            held.peers.script(MoveCall, answer, to="P01")
            runner = await held.played()
            call = next(call for call in held.peers.calls if isinstance(call.message, MoveCall) and call.to == "P01")
            twice.append(await push(held, call))
        assert [answer["message_type"] for answer in twice] == ["ANSWER_ACK"] * 3
        assert cause(runner) == []

    async def test_another_answer_is_refused_and_the_first_counts(self):
        async with referee_harness() as held:
            codes = []

            async def answer(call: Sent) -> Any:
                await push(held, call, parity_choice="odd")
                codes.append(await refused(held, call, parity_choice="even"))
                return choose("even")(call)

            held.peers.script(MoveCall, answer, to="P01")
            runner = await held.played()
        assert codes == ["E008"]
        assert runner.result is not None
        assert runner.result.details["choices"]["P01"] == "odd"

    async def test_an_answer_that_was_pushed_counts_though_the_connection_breaks(self):
        async with referee_harness() as held:

            async def answer(call: Sent) -> Any:
                await push(held, call)
                return PeerUnreachable("gone", dropped=True)

            held.peers.script(MoveCall, answer, to="P01")
            runner = await held.played()
        assert cause(runner) == []


class TestWhoMayAnswer:
    async def test_only_who_shows_the_ticket_of_this_match(self):
        async with referee_harness() as held:
            codes: dict[str, str] = {}

            async def answer(call: Sent) -> Any:
                codes["none"] = await refused(held, call, auth_token=None)
                codes["wrong"] = await refused(held, call, auth_token="guessed")
                codes["other"] = await refused(held, call, auth_token="ticket of P02")
                codes["stranger"] = await refused(held, call, player_id="P09")
                codes["match"] = await refused(held, call, match_id="R9M9")
                codes["talk"] = await refused(held, call, conversation_id="another")
                codes["accept"] = await refused(held, call, accept=None)
                return join()(call)

            held.peers.script(GameInvitation, answer, to="P01")
            await held.played()
        who = {"none": "E011", "wrong": "E012", "other": "E012", "stranger": "E005", "match": "E007"}
        assert codes == {**who, "talk": "E002", "accept": "E003"}

    async def test_the_player_s_own_token_is_as_good(self):
        async with referee_harness() as held:
            held.peers.script(GameInvitation, pushes(held, auth_token=OWN), to="P01")

            async def by_header(call: Sent) -> Any:
                await push(held, call, bearer=OWN, auth_token=None)
                return Acknowledged("bare")

            held.peers.script(MoveCall, by_header, to="P01")
            runner = await held.played(player_A_token_digest=tokens.digest(OWN))
        assert cause(runner) == []

    async def test_where_nobody_has_tickets_a_player_is_taken_at_its_word(self):
        async with referee_harness() as held:
            held.peers.script(GameInvitation, pushes(held, auth_token=None), to="P01")
            runner = await held.played(player_A_ticket=None)
        assert cause(runner) == []


class TestTime:
    async def test_an_answer_to_what_was_not_asked_is_refused(self):
        async with referee_harness() as held:
            codes = []

            async def answer(call: Sent) -> Any:
                move = {"message_type": "CHOOSE_PARITY_RESPONSE", "parity_choice": "even"}
                message = answer_to(call) | move
                with pytest.raises(CallRefused) as caught:
                    await held.agent.call("receive_parity_response", message, CallContext())
                assert caught.value.data is not None
                codes.append(caught.value.data["error_code"])
                return join()(call)

            held.peers.script(GameInvitation, answer, to="P01")
            await held.played()
        assert codes == ["E008"]

    async def test_a_late_answer_is_refused(self):
        async with referee_harness(limits=lambda *_: BRIEF, max_retries=0) as held:
            held.peers.script(MoveCall, acknowledges, to="P01")
            runner = await held.played()
            call = next(call for call in held.peers.calls if isinstance(call.message, MoveCall) and call.to == "P01")
            assert await refused(held, call) == "E008"
        assert cause(runner) == [("P01", Cause.NO_MOVE, "E001")]


def move(turn: int | None = None, choice: str = "rock") -> MoveResponse:
    """A pushed move, always of the same second."""
    return MoveResponse(timestamp=NOW, match_id="R1M1", player_id="P01", move=choice, turn=turn)


class TestEqualMovesWithinASecond:
    @requirement("project-WIRE-03")
    def test_an_equal_move_answers_the_next_turn_and_not_the_last_one_again(self):
        for echoes in (True, False):
            pushed = PushedAnswers({})
            for turn in (1, 2):
                with pushed.question("P01", MoveResponse, "conv-1", turn) as question:
                    pushed.take(move(turn if echoes else None))
                    assert question.answer is not None, f"turn {turn}, echoed: {echoes}"

    def test_the_move_of_an_earlier_turn_sent_again_is_not_the_move_of_this_turn(self):
        pushed = PushedAnswers({})
        with pushed.question("P01", MoveResponse, "conv-1", 1):
            pushed.take(move(1))
        with pushed.question("P01", MoveResponse, "conv-1", 2) as question:
            pushed.take(move(1))
            assert question.answer is None
            with pytest.raises(InvalidState):
                pushed.take(move(1, "paper"))
            with pytest.raises(InvalidState):
                pushed.take(move(3))
            pushed.take(move(2, "paper"))
        assert question.answer == move(2, "paper")
