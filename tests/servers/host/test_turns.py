"""Turns that wait for a host, on a clock that the test moves."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Any

import anyio
import pytest

from league_sdk.game import PlayerView
from servers.host.turns import NotLegal, NoTurn, Settled, Turns
from servers.player.move_substitution import Decision
from tests.requirements.marker import requirement
from tests.servers.fakes import SteppingClock, settle

pytestmark = pytest.mark.anyio


async def second(view: PlayerView) -> Any:
    return view.legal_moves[1]


class Waiting:
    """Turns on a clock that stands still."""

    def __init__(self, strategy: Any = second) -> None:
        self.clock = SteppingClock()
        self.changes: list[Settled | None] = []
        self.turns = Turns(self.clock, 30.0, strategy, "second", self.changes.append)

    def view(self, match_id: str = "R1M1", seconds: float | None = 30.0) -> PlayerView:
        deadline = None if seconds is None else self.clock.now() + timedelta(seconds=seconds)
        return PlayerView("doors", "summer", match_id, 1, "P01", "P02", ("left", "right"), deadline=deadline)

    @asynccontextmanager
    async def asked(self, view: PlayerView | None = None) -> AsyncGenerator["asyncio.Task[Decision]"]:
        """A referee that waits for a move."""
        task = asyncio.ensure_future(self.turns(view or self.view()))
        await settle()
        try:
            with anyio.fail_after(30):
                yield task
        finally:
            task.cancel()
            await settle()


async def test_the_hosts_choice_is_played_as_soon_as_it_is_made():
    made = Waiting()
    async with made.asked() as answer:
        await made.clock.pass_by(20)
        assert made.turns.choose("LEFT").match_id == "R1M1"
        decision = await answer
    assert (decision.move, decision.trouble) == ("left", None)
    (settled,) = made.turns.past_turns()
    assert (settled.move, settled.reason) == ("left", "")
    assert made.changes == [None, settled]


async def test_an_illegal_move_is_refused_with_the_legal_ones_and_may_be_repeated():
    made = Waiting()
    async with made.asked() as answer:
        for _ in range(3):
            with pytest.raises(NotLegal, match=r"'up' is not a legal move in R1M1\. Legal moves: left, right\."):
                made.turns.choose("up")
        assert not answer.done()
        made.turns.choose("right")
        assert (await answer).move == "right"


@pytest.mark.parametrize(("seconds", "ends"), [(30.0, 27.0), (600.0, 597.0), (5.0, 4.0), (1.0, 0.8)])
async def test_when_nobody_chose_the_strategy_does_shortly_before_the_deadline(seconds, ends):
    made = Waiting()
    async with made.asked(made.view(seconds=seconds)) as answer:
        turn = made.turns.current()
        assert turn is not None
        assert made.turns.seconds_left(turn) == pytest.approx(ends)
        await made.clock.pass_by(ends - 0.01)
        assert not answer.done()
        await made.clock.pass_by(0.02)
        decision = await answer
    assert decision.move == "right"
    assert decision.trouble == "late"
    assert (decision.move, decision.reason) == ("right", "no move was chosen shortly before the deadline")


async def test_where_no_deadline_is_named_the_configured_limit_holds():
    made = Waiting()
    async with made.asked(made.view(seconds=None)) as answer:
        await made.clock.pass_by(26.9)
        assert not answer.done()
        await made.clock.pass_by(0.2)
        assert (await answer).move == "right"


@pytest.mark.parametrize("seconds", [0.0, -5.0])
async def test_when_the_deadline_is_there_already_the_strategy_chooses_at_once(seconds):
    made = Waiting()
    async with made.asked(made.view(seconds=seconds)) as answer:
        assert (await answer).move == "right"


async def test_a_choice_that_comes_too_late_is_told_what_was_played_instead():
    made = Waiting()
    async with made.asked() as answer:
        await made.clock.pass_by(28)
        await answer
    with pytest.raises(NoTurn, match=r"In R1M1 no move was chosen .* the strategy 'second' played right"):
        made.turns.choose("left")


async def test_nobody_chooses_twice():
    made = Waiting()
    async with made.asked() as answer:
        made.turns.choose("left")
        with pytest.raises(NoTurn, match="not your turn; wait"):
            made.turns.choose("right")
        assert (await answer).move == "left"


async def test_a_choice_for_another_match_is_told_which_one_waits():
    made = Waiting()
    async with made.asked() as answer:
        with pytest.raises(NoTurn, match="your turn in R1M1, and not in R7M7"):
            made.turns.choose("left", "R7M7")
        made.turns.choose("left", "R1M1")
        assert (await answer).move == "left"


async def test_there_is_nothing_to_choose_before_a_turn():
    with pytest.raises(NoTurn, match="wait_for_my_turn"):
        Waiting().turns.choose("left")


async def test_of_several_turns_the_most_urgent_one_is_meant_unless_a_match_is_named():
    made = Waiting()
    async with made.asked(made.view("R1M1", 60)) as slow, made.asked(made.view("R1M2", 10)) as urgent:
        assert made.turns.choose("left").match_id == "R1M2"
        assert (await urgent).move == "left"
        with pytest.raises(NoTurn):
            made.turns.choose("left", "R1M3")
        assert made.turns.choose("right", "R1M1").match_id == "R1M1"
        assert (await slow).move == "right"


@requirement("project-WIRE-08")
async def test_a_choice_without_a_match_is_never_taken_for_a_match_that_was_not_shown():
    made = Waiting()
    async with made.asked(made.view("R1M1", 10)) as first:
        shown = made.turns.current("R1M1")
        assert shown is not None
        made.turns.show(shown)
        await made.clock.pass_by(9)
        assert (await first).trouble
    async with made.asked(made.view("R2M1")) as answer:
        with pytest.raises(NoTurn, match="you were last shown R1M1, and it is your turn in R2M1 now") as refused:
            made.turns.choose("left")
        assert "the strategy 'second' played right" in str(refused.value)
        assert not answer.done()
        now = made.turns.current()
        assert now is not None
        made.turns.show(now)
        assert made.turns.choose("left").match_id == "R2M1"
        assert (await answer).move == "left"


async def test_an_answer_to_an_earlier_turn_of_a_match_does_not_count_for_a_later_one():
    made = Waiting()
    async with made.asked() as first:
        asked = made.turns.current()
        assert asked is not None
        await made.clock.pass_by(28)
        await first
    async with made.asked() as later:
        with pytest.raises(NoTurn):
            made.turns.choose("left", "R1M1", asked.number)
        assert not later.done()


async def test_a_strategy_that_breaks_is_replaced_by_any_legal_move_and_it_is_told():
    async def broken(view: PlayerView) -> Any:
        raise LookupError("no idea")

    made = Waiting(broken)
    async with made.asked() as answer:
        await made.clock.pass_by(28)
        decision = await answer
    assert decision.move in ("left", "right")
    assert "the strategy raised LookupError: no idea" in decision.reason


async def test_a_referee_that_hangs_up_takes_its_turn_along():
    made = Waiting()
    async with made.asked():
        assert made.turns.current() is not None
    assert made.turns.current() is None
    assert made.turns.past_turns() == ()
    assert made.changes == [None, None]
