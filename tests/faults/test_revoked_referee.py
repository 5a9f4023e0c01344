"""A referee whose invitation is revoked: it is told so, and its process ends."""

from collections.abc import Mapping
from typing import Any

import anyio
import httpx2
import pytest

from league_sdk import tokens
from league_sdk.domain.model import Role
from servers.agent.agent_spec import AgentSpec
from servers.launcher.agents import run_agent
from tests.faults.league_harness import OPERATOR, LeagueHarness, league_harness, patient_client

pytestmark = pytest.mark.anyio
INVITATION = "an invitation of Rhea's, which goes to the wrong person"


async def order(held: LeagueHarness, http: httpx2.AsyncClient, path: str, **told: str) -> None:
    """Carry out a command of the operator's."""
    url = held.manager.replace("/mcp", f"/admin/{path}")
    answer = await http.post(url, json=told, headers={"authorization": f"Bearer {OPERATOR}"})
    assert answer.status_code == 200, answer.text


async def test_it_says_why_and_ends_with_exit_code_1(tmp_path):
    told, ended = list[Mapping[str, Any]](), list[int]()
    with anyio.fail_after(60):
        async with patient_client() as http, league_harness(tmp_path, players=2, referees=2) as held:
            await order(held, http, "invitations", display_name="Rhea", digest=tokens.digest(INVITATION))
            spec = AgentSpec(
                Role.REFEREE,
                "Rhea",
                tmp_path / "elsewhere",
                overrides={**held.spec.overrides, "security.referee_secret": INVITATION},
                manager_url=held.manager,
                game_types=held.spec.game_types,
                public_host="127.0.0.1",
            )

            async def live() -> None:
                ended.append(await run_agent(spec, told.append))

            async with anyio.create_task_group() as life:
                life.start_soon(live)
                await held.until(lambda league: len(league.referees) == 1)
                await order(held, http, "invitations/revoke", display_name="Rhea")
            assert ended == [1]
            held.tasks.cancel_scope.cancel()
    assert told[-1]["kind"] == "failed"
    assert told[-1]["text"].endswith(": the invitation of this referee was revoked")
