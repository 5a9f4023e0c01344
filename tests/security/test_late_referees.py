"""A player that is losing keeps its referee busy, so that the match is given to another and its loss undone."""

from dataclasses import replace
from typing import Any

import anyio
import pytest

from league_sdk.errors import ResponseTimeout
from league_sdk.protocol.operator import MatchStatus, StartMatch
from tests.servers.fakes import Sent, status
from tests.servers.league_manager.runner_harness import TIMEOUTS, runner_harness, until_called

pytestmark = pytest.mark.anyio

BUSY_SEC = 6.5
"""A process that refuses 600 calls a second has taken so long for an answer."""


async def test_a_player_that_keeps_an_untried_referee_busy_in_the_middle_of_a_match_undoes_nothing():
    """Red before: an answer that took more than the trial's 2 s, at any time of the match, gave it to another."""
    async with runner_harness(2, 2, pace=replace(TIMEOUTS, trial=2.0)) as held:
        gate, asked = anyio.Event(), list[float]()

        async def busy(call: Sent) -> Any:
            asked.append(held.clock.monotonic())
            if len(asked) == 3:
                await held.clock.sleep(min(BUSY_SEC, call.timeout))
                if call.timeout < BUSY_SEC:
                    raise ResponseTimeout(f"no answer within {call.timeout:g} s")
            return status("COLLECTING_CHOICES", messages=2 + len(asked))(call)

        held.peers.script(StartMatch, held.plays_when(gate), to="REF01")
        held.peers.script(MatchStatus, busy, to="REF01")
        held.begin()
        await until_called(held, StartMatch)
        await held.clock.pass_by(30)
        gate.set()
        await held.over.wait()
    assert len(asked) > 3
    assert held.started() == [("R1M1", "REF01", 1)]
