"""A match followed at its referee, and looked at on the page meanwhile."""

from dataclasses import replace
from typing import Any

import anyio
import pytest

from league_sdk.errors import PeerUnreachable
from league_sdk.protocol.operator import MatchStatus, MatchStepResponse, StartMatch
from servers.read_model.running import MatchProgress, RunningMatches
from servers.read_model.waits import Wait
from tests.servers.fakes import Sent, begun, reply, settle
from tests.servers.league_manager.runner_harness import RunnerHarness, runner_harness, until_called

pytestmark = pytest.mark.anyio


def status(**fields: Any) -> Any:
    """A referee's answer about a match that continues."""
    known = {"match_id": "R1M1", "game_session_id": "R1M1#1", "state": "COLLECTING_CHOICES", **fields}
    return lambda call: reply(call, MatchStepResponse, **known)


async def assigned(held: RunnerHarness) -> RunningMatches:
    """Begin the league; its match is under way and reported by nobody."""
    held.peers.script(StartMatch, lambda call: begun(call))
    held.begin()
    await until_called(held, StartMatch)
    await settle()
    return held.running


def asked(held: RunnerHarness) -> int:
    return len(held.peers.sent(MatchStatus))


async def test_a_look_at_a_match_has_its_referee_asked_at_once():
    async with runner_harness() as held:
        held.peers.script(
            MatchStatus, status(turn=3, to_move=["P02"], deadlines={"P02": "2025-01-15T10:00:30Z"}, position="X")
        )
        running = await assigned(held)
        assert asked(held) == 0
        assert running.look("R1M1") is None
        await settle()
        assert asked(held) == 1
        assert running.look("R1M1") == MatchProgress(3, ("P02",), {"P02": "2025-01-15T10:00:30Z"}, "X", number=1)


async def test_however_many_look_it_is_asked_once_a_second_and_numbered_anew_when_it_changes():
    async with runner_harness() as held:
        held.peers.script(MatchStatus, status(turn=1), status(turn=1), status(turn=2))
        running = await assigned(held)
        numbers: list[int] = []
        for _ in range(3):
            for _ in range(20):
                running.look("R1M1")
                await settle(1)
            known = running.look("R1M1")
            assert known is not None
            numbers.append(known.number)
            await held.clock.pass_by(1.0)
        assert asked(held) == 3
    assert numbers == [1, 1, 2]


async def test_a_referee_that_fails_is_not_asked_more_often_because_somebody_looks():
    async with runner_harness() as held:
        held.peers.script(MatchStatus, PeerUnreachable("connection refused"))
        running = await assigned(held)
        running.look("R1M1")
        await settle()
        for _ in range(4):
            await held.clock.pass_by(1.0)
            running.look("R1M1")
            await settle()
        assert asked(held) == 1


CALL: dict[str, Any] = {"player_id": "P02", "attempt": 2, "attempts": 4, "waited_sec": 31.5, "left_sec": 18.0}
WAIT = Wait("R1M1", ("P02",), True, 2, 4, "2025-01-15T10:00:21.000Z")


async def test_whom_a_match_waits_for_is_known_three_seconds_after_it_began_and_costs_a_faster_one_no_call():
    async with runner_harness() as held:
        held.peers.script(MatchStatus, status(turn=1, to_move=["P02"], waits=[CALL]))
        running = await assigned(held)
        changes: list[int] = []
        running.subscribe(lambda: changes.append(running.number))
        await held.clock.pass_by(2.9)
        assert asked(held) == 0
        await held.clock.pass_by(0.2)
        assert running.waits == (WAIT,)
        await held.clock.pass_by(3)
        assert asked(held) == 2
        assert changes == [1, 2], "the second is another attempt's end"


async def test_the_same_wait_seen_again_is_no_change():
    async with runner_harness() as held:
        later = {**CALL, "waited_sec": 34.5, "left_sec": 15.1}
        held.peers.script(MatchStatus, status(to_move=["P02"], waits=[CALL]), status(to_move=["P02"], waits=[later]))
        running = await assigned(held)
        await held.clock.pass_by(4)
        known = running.waits
        await held.clock.pass_by(3)
        assert (asked(held), running.number, running.waits) == (2, 1, known)


async def test_a_call_that_has_just_gone_out_is_no_wait_and_one_when_it_is_four_seconds_old():
    async with runner_harness() as held:
        young, old = ({**CALL, "waited_sec": waited} for waited in (0.9, 3.9))
        told = (status(turn=1, to_move=["P02"], waits=[call]) for call in (young, old))
        held.peers.script(MatchStatus, *told)
        running = await assigned(held)
        await held.clock.pass_by(4)
        assert (asked(held), running.waits) == (1, ())
        await held.clock.pass_by(2.1)
        assert (asked(held), len(running.waits)) == (2, 1)


async def test_players_who_are_waited_for_alike_stand_in_one_wait():
    async with runner_harness() as held:
        calls = [{**CALL, "player_id": player} for player in ("P01", "P02")]
        held.peers.script(MatchStatus, status(to_move=["P01", "P02"], waits=calls))
        running = await assigned(held)
        await held.clock.pass_by(4)
        assert [(wait.players, wait.move) for wait in running.waits] == [(("P01", "P02"), False)]


async def test_a_referee_that_does_not_answer_is_waited_for():
    async with runner_harness() as held:
        held.peers.script(MatchStatus, PeerUnreachable("connection refused"))
        running = await assigned(held)
        await held.clock.pass_by(5)
        assert running.waits == (Wait("R1M1", part="referee"),)


async def test_the_operator_is_told_every_open_call_and_the_page_not():
    async with runner_harness() as held:
        held.peers.script(MatchStatus, status(turn=1, open_calls=[CALL]))
        running = await assigned(held)
        told = await running.fresh("R1M1", 1.0)
    assert told is not None
    assert (told.open_calls, told.waits, running.waits) == ((replace(WAIT, until="2025-01-15T10:00:18.000Z"),), (), ())
    assert await running.fresh("R9M9", 1.0) is None


async def test_a_match_that_is_over_is_followed_no_more():
    async with runner_harness() as held:
        gate = anyio.Event()
        held.peers.script(MatchStatus, status(turn=1))
        held.peers.script(StartMatch, held.plays_when(gate))
        held.begin()
        await until_called(held, StartMatch)
        await settle()
        running = held.running
        running.look("R1M1")
        await settle()
        assert running.look("R1M1") is not None
        gate.set()
        await held.over.wait()
        assert running.look("R1M1") is None
        assert isinstance(held.peers.calls[-1], Sent)


async def test_a_drawing_that_is_too_long_is_cut():
    async with runner_harness() as held:
        held.peers.script(MatchStatus, status(turn=1, position="x" * 60_000, picture="<svg>" + "x" * 60_000))
        running = await assigned(held)
        running.look("R1M1")
        await settle()
        known = running.look("R1M1")
    assert known is not None
    assert (len(known.position), known.picture) == (4001, "")
