"""Players that a check refuses with a sentence, and strategies whose moves are not their own."""

import asyncio
from pathlib import Path
from typing import Any

import anyio
import pytest

from league_sdk.domain.model import Role
from league_sdk.game import Move, PlayerView
from league_sdk.testing.compliance import NotToBeChecked, check_agent
from league_sdk.testing.compliance.match_suite import OWN_MOVES
from league_sdk.testing.compliance.readiness import Readiness
from servers.agent.agent_spec import AgentSpec
from tests.league_sdk.testing.compliance.test_own_agents import free_port, started

pytestmark = pytest.mark.anyio

NEWEST = ("mcp/2026-07-28",)


def typo(view: PlayerView) -> Move:
    return "evne"


def crash(view: PlayerView) -> Move:
    return {}["the key"]


async def late(view: PlayerView) -> Move:
    await asyncio.sleep(3600)


@pytest.mark.parametrize(
    ("function", "complies", "why"),
    [
        (typo, False, "the strategy chose what is not a legal move ('evne'), and a legal move was sent in its place"),
        (crash, False, "the strategy raised an error (test_readiness.py:"),
        (late, True, "the strategy was late (the strategy took longer than 0.05 s), and a legal move was sent"),
    ],
)
async def test_a_strategy_that_makes_no_move_of_its_own_fails_and_one_that_is_late_is_advised(
    tmp_path: Path, function: Any, complies: bool, why: str
):
    async with started(AgentSpec(Role.PLAYER, "Ada", tmp_path, function=function, time_limit=0.05)) as url:
        report = await check_agent(url, dialects=NEWEST)
    (found,) = report.advised if complies else report.failed
    assert (report.complies, found.name) == (complies, OWN_MOVES)
    assert found.detail.startswith(why)


async def test_a_player_that_waits_for_its_manager_is_refused_within_seconds(tmp_path: Path):
    spec = AgentSpec(Role.PLAYER, "Ada", tmp_path, manager_url=f"http://127.0.0.1:{free_port()}/mcp")
    async with started(spec) as url:
        with anyio.fail_after(20), pytest.raises(NotToBeChecked, match=r"waits for its league manager.*--manager-port"):
            await check_agent(url)


@pytest.mark.parametrize("state", ["REGISTERED", "ACTIVE", "SUSPENDED"])
def test_a_player_in_a_league_is_not_disturbed(state: str):
    with pytest.raises(NotToBeChecked, match="is in a league, which the check does not disturb"):
        Readiness("player", state).refuse("http://localhost:8101/mcp", "player", alone=True)
    Readiness("player", state).refuse("http://localhost:8101/mcp", "player", alone=False)


async def test_an_agent_of_another_role_and_a_player_of_another_game_are_refused_by_name(tmp_path: Path):
    async with started(AgentSpec(Role.PLAYER, "Ada", tmp_path, game_types=("even_odd",))) as url:
        with pytest.raises(NotToBeChecked, match="is a player, not a referee: add --role player"):
            await check_agent(url, "referee")
        with pytest.raises(NotToBeChecked, match=r"does not play tic_tac_toe.*Try --game even_odd"):
            await check_agent(url, game="tic_tac_toe")
