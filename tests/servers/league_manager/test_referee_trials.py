"""A referee's first match: another has it soon if this one is silent."""

from dataclasses import replace
from typing import Any

import anyio
import pytest

from league_sdk.errors import ResponseTimeout
from league_sdk.ports import MalformedReply
from league_sdk.protocol.operator import MatchStatus, StartMatch
from servers.league_manager.manager_timeouts import ManagerTimeouts
from tests.servers.fakes import Sent, begun, never, status
from tests.servers.league_manager.runner_harness import TIMEOUTS, RunnerHarness, runner_harness, until_called

pytestmark = pytest.mark.anyio

TRIALS: ManagerTimeouts = replace(TIMEOUTS, trial=2.0)


def silent(held: RunnerHarness) -> Any:
    async def answer(call: Sent) -> Any:
        await held.clock.sleep(call.timeout)
        raise ResponseTimeout(f"no answer within {call.timeout:g} s")

    return answer


async def test_a_referee_that_is_silent_in_its_first_match_loses_it_after_the_time_of_a_trial():
    async with runner_harness(2, 2, pace=TRIALS) as held:
        held.peers.script(StartMatch, begun, to="REF01")
        held.peers.script(MatchStatus, silent(held), to="REF01")
        held.begin()
        await until_called(held, StartMatch)
        await held.clock.pass_by(1.9)
        assert held.started() == [("R1M1", "REF01", 1)]
        await held.clock.pass_by(0.2)
        await held.over.wait()
    assert held.started()[1] == ("R1M1", "REF02", 2)
    assert held.manager.league.results["R1M1"].referee_id == "REF02"


async def test_and_so_does_one_that_does_not_take_it():
    async with runner_harness(2, 2, pace=TRIALS) as held:
        held.peers.script(StartMatch, never, to="REF01")
        held.begin()
        await until_called(held, StartMatch)
        await held.clock.pass_by(2.1)
        await held.over.wait()
    assert held.assigned("R1M1")[1] == ("REF02", 2, "REF01 did not take it: no answer within 2 s")


async def test_a_referee_that_knows_no_such_question_has_its_time_all_the_same():
    async with runner_harness(2, 2, pace=TRIALS) as held:
        held.peers.script(StartMatch, begun, to="REF01")
        held.peers.script(MatchStatus, MalformedReply("Method not found"), to="REF01")
        held.begin()
        await until_called(held, StartMatch)
        await held.clock.pass_by(9.9)
        assert held.started() == [("R1M1", "REF01", 1)]
        held.tasks.cancel_scope.cancel()


async def test_the_only_referee_has_no_trial():
    async with runner_harness(2, 1, pace=TRIALS) as held:
        gate = anyio.Event()
        held.peers.script(StartMatch, held.plays_when(gate), to="REF01")
        held.peers.script(MatchStatus, silent(held), to="REF01")
        held.begin()
        await until_called(held, StartMatch)
        await held.clock.pass_by(9)
        gate.set()
        await held.over.wait()
    assert held.started() == [("R1M1", "REF01", 1)]


async def test_a_second_time_it_has_all_the_time_that_others_have():
    async with runner_harness(2, 2, pace=TRIALS) as held:
        for referee in ("REF01", "REF02"):
            held.peers.script(StartMatch, begun, to=referee)
            held.peers.script(MatchStatus, silent(held), to=referee)
        held.begin()
        await until_called(held, StartMatch)
        await held.clock.pass_by(4.1)
        again = held.started()[2:]
        assert len(again) == 1
        assert again[0][2] == 3
        await held.clock.pass_by(10)
        assert held.started()[2:] == again
        held.tasks.cancel_scope.cancel()


async def test_once_one_has_failed_its_trial_others_have_one_match_until_it_is_finished():
    async with runner_harness(8, 3, concurrent=4, pace=TRIALS) as held:
        held.peers.script(StartMatch, begun, to="REF01")
        held.peers.script(MatchStatus, silent(held), to="REF01")
        gate = anyio.Event()
        for referee in ("REF02", "REF03"):
            held.peers.script(StartMatch, held.plays_when(gate), to=referee)
            held.peers.script(MatchStatus, status("COLLECTING_CHOICES", messages=2), to=referee)
        held.begin()
        await until_called(held, StartMatch)
        await held.clock.pass_by(2.1)
        tried = [referee for _, referee, attempt in held.started() if attempt > 1]
        assert not tried, "both have one already"
        gate.set()
        await held.over.wait()
    assert {result.referee_id for result in held.manager.league.results.values()} == {"REF02", "REF03"}
