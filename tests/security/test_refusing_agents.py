"""Agents that refuse their callers' tokens to stop a league that they lose."""

from collections import Counter

import anyio
import pytest

from league_sdk.domain.lifecycles import LeagueState
from league_sdk.domain.model import ResultStatus
from league_sdk.errors import AuthTokenInvalid
from league_sdk.protocol.operator import StartMatch
from tests.faults import effects as do
from tests.faults.league_harness import FAULTY, league_harness, patient_client, play
from tests.faults.rogue import PHASES, Rogue
from tests.servers.league_manager.runner_harness import until_called
from tests.servers.league_manager.test_refusals import led

pytestmark = pytest.mark.anyio

REFUSES = do.error(-32000, "who are you?", {"error_code": "E012", "error_description": "who are you?"})


async def test_a_player_that_refuses_every_call_loses_its_matches_and_pauses_nothing(tmp_path):
    rogue = Rogue(FAULTY, dict.fromkeys((*PHASES.values(), "other"), REFUSES))
    await rogue.listen()
    async with patient_client() as http_client, league_harness(tmp_path) as held:
        league = await play(held, [rogue], http_client)
        assert "LeagueStopped" not in [row.type for row in held.rows]
    assert league.state is LeagueState.COMPLETED
    assert not league.replays
    assert not league.unplayed
    own = [result for result in league.results.values() if rogue.agent_id in result.players]
    assert own
    for result in own:
        assert result.status is ResultStatus.TECHNICAL_LOSS
        assert [fault.player_id for fault in result.faults] == [rogue.agent_id]


async def test_a_referee_of_a_strangers_that_refuses_a_match_that_it_took_pauses_nothing_beside_others():
    async with led(players=4, referees=2) as (held, _):
        held.peers.script(StartMatch, AuthTokenInvalid("who are you?"), to="REF02")
        held.begin()
        await until_called(held, StartMatch)
        await held.clock.pass_by(200)
        await held.over.wait()
        assert "LeagueStopped" not in held.manager.types
        assert len(held.manager.league.results) == 6


async def test_a_referee_that_refuses_finds_no_refusal_of_long_ago_beside_its_own():
    """Red before: another one that had refused once, and taken matches since, made it a refusal of all."""
    refusal, taken = AuthTokenInvalid("who are you?"), Counter[str]()
    async with led(players=6, referees=2) as (held, _):

        def plays_but(call, *, refused: int):
            taken[call.to] += 1
            return refusal if taken[call.to] == refused else held.plays(call)

        held.peers.script(StartMatch, lambda call: plays_but(call, refused=2), to="REF01")
        held.peers.script(StartMatch, lambda call: plays_but(call, refused=8), to="REF02")
        held.begin()
        await held.clock.pass_by(200)
        with anyio.move_on_after(6):
            await held.over.wait()
        assert "LeagueStopped" not in held.manager.types
        assert len(held.manager.league.results) == 15
