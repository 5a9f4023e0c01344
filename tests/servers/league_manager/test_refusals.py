"""Agents that refuse their manager: the league is paused, and no match is lost to that."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

import anyio
import pytest

from league_sdk.domain.commands import ChangeOperatorToken, ReturnAgent
from league_sdk.domain.lifecycles import LeagueState
from league_sdk.domain.model import ResultStatus
from league_sdk.errors import AuthTokenInvalid, AuthTokenMissing, Forbidden
from league_sdk.protocol.operator import MatchStatus, StartMatch
from servers.agent.manager_lock import is_pause
from servers.league_manager.referee_pool import RefereePool
from servers.league_manager.refusals import REGISTER_AGAIN_SEC
from tests.servers.fakes import settle
from tests.servers.league_manager.runner_harness import RunnerHarness, runner_harness, until_called
from tests.servers.league_manager.test_operator_controls import OperatorControls, controls_for, lead

pytestmark = pytest.mark.anyio

REFUSALS = [AuthTokenInvalid("not the one"), AuthTokenMissing("none"), Forbidden("not yours")]


@asynccontextmanager
async def led(**league: Any) -> AsyncGenerator[tuple[RunnerHarness, OperatorControls]]:
    """A league whose manager heeds its operator, not begun."""
    async with runner_harness(**league) as held:
        controls, course = controls_for(held)

        def begin() -> None:
            held.tasks.start_soon(lead, held, controls, course)

        held.begin = begin
        yield held, controls


async def paused(held: RunnerHarness) -> str:
    """Wait for the league to be paused; the reason."""
    league = await held.manager.ledger.until(lambda now: now.state is LeagueState.STOPPED)
    await settle()
    assert is_pause(league.stop_reason)
    return league.stop_reason


def untouched(held: RunnerHarness) -> bool:
    """True if no match was tried twice, is void, or lost."""
    league = held.manager.league
    lost = [result for result in league.results.values() if result.status is ResultStatus.TECHNICAL_LOSS]
    return (len(league.replays), len(league.voided), lost) == (0, 0, [])


@pytest.mark.parametrize("refusal", REFUSALS, ids=lambda refusal: refusal.code)
async def test_a_league_whose_referee_refuses_its_manager_is_paused_and_no_match_is_void(refusal: Exception):
    async with led(players=4) as (held, controls):
        held.peers.script(StartMatch, refusal)
        held.begin()
        reason = await paused(held)
        assert reason.startswith("paused: REF01 does not take this manager for the league's")
        assert untouched(held)
        held.peers.script(StartMatch, held.plays)
        await controls.resume()
        await held.over.wait()
        assert held.manager.league.state is LeagueState.COMPLETED
        assert untouched(held)
        assert len(held.manager.league.results) == 6
        assert {attempt for _, _, attempt in held.started()} == {1}


async def test_however_often_the_operator_continues_no_attempt_is_used_up():
    async with led(max_attempts=1) as (held, controls):
        held.peers.script(StartMatch, REFUSALS[0])
        held.begin()
        for _ in range(4):
            await paused(held)
            await controls.resume()
            await settle()
        held.peers.script(StartMatch, held.plays)
        await paused(held)
        await controls.resume()
        await held.over.wait()
        assert untouched(held)
        assert held.assigned("R1M1") == [("REF01", 1, "")]


async def test_a_match_under_way_at_a_referee_that_refuses_is_not_played_again():
    async with led() as (held, controls):
        gate = anyio.Event()
        held.peers.script(StartMatch, held.plays_when(gate))
        held.peers.script(MatchStatus, REFUSALS[0])
        held.begin()
        await until_called(held, StartMatch)
        await held.clock.pass_by(10)
        await paused(held)
        assert untouched(held)
        gate.set()
        await held.manager.ledger.until(lambda league: len(league.results) == 1)
        await controls.resume()
        await held.over.wait()
        assert untouched(held)


async def test_a_referee_of_somebody_else_that_refuses_is_passed_over_beside_others():
    """Else it would pause the league whenever it likes."""
    async with led(referees=2) as (held, _):
        held.peers.script(StartMatch, REFUSALS[0], to="REF01")
        held.begin()
        await held.clock.pass_by(60)
        await held.over.wait()
        assert held.manager.league.state is LeagueState.COMPLETED
        assert "LeagueStopped" not in held.manager.types
        assert held.manager.league.results["R1M1"].referee_id == "REF02"


async def test_one_of_the_launchers_that_refuses_pauses_the_league_also_beside_others(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(RefereePool, "_own", lambda _: frozenset({"REF01", "REF02"}))
    async with led(players=4, referees=2) as (held, _):
        held.peers.script(StartMatch, REFUSALS[0], to="REF01")
        held.begin()
        assert (await paused(held)).startswith("paused: REF01 does not take this manager for the league's")
        assert untouched(held)


async def test_after_a_change_of_the_operators_token_nobody_plays_before_it_has_registered_again():
    async with led(players=2) as (held, controls):
        ledger = held.manager.ledger
        await ledger.execute(ChangeOperatorToken("new", "lost"))
        held.begin()
        await held.manager.ledger.until(lambda league: league.state is LeagueState.RUNNING)
        await settle()
        assert held.started() == []
        await held.clock.pass_by(REGISTER_AGAIN_SEC + 1)
        reason = await paused(held)
        assert reason.startswith("paused: P01, P02, REF01 have not registered since the operator's token was changed")
        for agent_id in ("P01", "P02", "REF01"):
            await back(held, agent_id)
        await controls.resume()
        await held.over.wait()
        assert untouched(held)


async def test_agents_that_come_back_at_once_after_a_change_of_the_token_are_waited_for_without_a_pause():
    async with led(players=2) as (held, _):
        await held.manager.ledger.execute(ChangeOperatorToken("new", "rotated"))
        held.begin()
        await settle()
        for agent_id in ("REF01", "P02", "P01"):
            assert held.started() == []
            await back(held, agent_id)
        await held.over.wait()
        assert untouched(held)
        assert "LeagueStopped" not in held.manager.types


async def test_a_referee_that_has_not_come_back_gets_no_match_beside_one_that_has():
    async with led(players=4, referees=2) as (held, _):
        await held.manager.ledger.execute(ChangeOperatorToken("new", "rotated"))
        for agent_id in ("P01", "P02", "P03", "P04", "REF02"):
            await back(held, agent_id)
        held.begin()
        await held.clock.pass_by(60)
        await held.over.wait()
        assert {referee for _, referee, _ in held.started()} == {"REF02"}
        assert untouched(held)


async def test_once_the_operator_continues_nobody_is_waited_for_any_more():
    async with led(players=2) as (held, controls):
        await held.manager.ledger.execute(ChangeOperatorToken("new", "lost"))
        held.begin()
        await settle()
        await held.clock.pass_by(REGISTER_AGAIN_SEC + 1)
        await paused(held)
        await controls.resume()
        await held.over.wait()
        assert held.manager.league.state is LeagueState.COMPLETED


async def back(held: RunnerHarness, agent_id: str) -> None:
    """Let an agent register again as it was."""
    league = held.manager.league
    agent = league.referee(agent_id) if agent_id.startswith("REF") else league.player(agent_id)
    await held.manager.ledger.execute(ReturnAgent(agent_id, agent.token_digest, agent.endpoint))
