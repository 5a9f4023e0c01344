"""Many matches in a row, over real sockets."""

import itertools
from dataclasses import replace
from pathlib import Path

import anyio
import pytest

from league_sdk.domain.events import event_from_json
from league_sdk.domain.league import fold
from league_sdk.domain.lifecycles import LeagueState
from league_sdk.domain.model import Role
from league_sdk.settings import ConfigLoader
from servers.agent.agent_spec import AgentSpec
from servers.agent.startup_status import Report
from servers.launcher.agents import run_agent
from tests.requirements.marker import requirement

pytestmark = pytest.mark.anyio

PLAYERS = 11
QUICK = {"retry_policy.backoff_base_sec": 0.01}


@pytest.mark.slow
@requirement("003-CAP-09", "003-PHASE-02", "003-IMPL-07")
async def test_more_than_fifty_matches_in_a_row_without_a_time_out_or_a_crash(tmp_path: Path):
    """One referee that takes one match at a time plays all 55 of them, one after the other."""
    config = ConfigLoader(overrides=QUICK)
    rules = config.league_rules(
        config.league_for_game("even_odd"),
        as_id="long",
        expected_players=PLAYERS,
        expected_referees=1,
        max_players=PLAYERS,
        roster={},
        referee_roster={},
    )
    spec = AgentSpec(
        Role.LEAGUE_MANAGER, "manager", tmp_path, overrides=QUICK, league_id="long", game_types=("even_odd",)
    )
    told: list[Report] = []
    codes: dict[str, int] = {}
    listening = anyio.Event()

    def report(said: Report) -> None:
        told.append(said)
        if said["kind"] == "listening":
            listening.set()

    async def run(one: AgentSpec) -> None:
        codes[one.name] = await run_agent(one, report if one.role is Role.LEAGUE_MANAGER else lambda _: None)

    with anyio.fail_after(120):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(run, replace(spec, rules=rules))
            await listening.wait()
            url = next(said["endpoint"] for said in told if said["kind"] == "listening")
            for number in range(1, PLAYERS + 1):
                tasks.start_soon(run, replace(spec, role=Role.PLAYER, name=f"Player {number}", manager_url=url))
            referee = replace(spec, role=Role.REFEREE, name="Whistle", manager_url=url, max_concurrent_matches=1)
            tasks.start_soon(run, referee)
    records = [said["record"] for said in told if said["kind"] == "record"]
    league = fold(event_from_json(record["type"], record["payload"]) for record in records)
    assert set(codes.values()) == {0}
    assert len(codes) == PLAYERS + 2
    assert league.state is LeagueState.COMPLETED
    assert len(league.results) == 55
    assert {result.attempt for result in league.results.values()} == {1}
    assert all(result.faults == () for result in league.results.values())
    assert {row.played for row in league.standings()} == {PLAYERS - 1}
    courses = sorted((result.lifecycle["CREATED"], result.lifecycle["FINISHED"]) for result in league.results.values())
    assert all(ended <= begun for (_, ended), (begun, _) in itertools.pairwise(courses))
