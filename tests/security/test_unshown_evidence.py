"""Referees with a credential that report what they show nothing of: the audit says so."""

from typing import Any

import anyio
import pytest

from league_sdk import plugins
from league_sdk.audit import audit
from league_sdk.audit.findings import Report
from league_sdk.domain.model import Role
from tests.faults.league_harness import HEALTHY, LeagueHarness, healthy, league_harness, patient_client
from tests.faults.rogue import Call
from tests.faults.test_referees import Crook

pytestmark = [
    pytest.mark.anyio,
    # A league that is ended in the middle of a connect leaves its socket to the collector of the event loop's library.
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]


async def never_calls_the_players(crook: Crook, call: Call) -> None:
    """It reports a technical loss of the second player, whom nobody has asked."""
    first, second = call.params["player_A_id"], call.params["player_B_id"]
    fault = {
        "player_id": second,
        "cause": "no_move",
        "phase": "move",
        "error_code": "E001",
        "tries": 1,
        "description": "",
    }
    result = {
        "winner": first,
        "score": {first: 3, second: 0},
        "details": {"status": "TECHNICAL_LOSS"},
        "faults": [fault],
    }
    await crook.report(call.params["match_id"], first, {}, result=result)


async def withholds_the_draw(call: Call) -> bytes:
    """It commits to a draw, and then reports a winner without one."""
    crook = call.rogue
    assert isinstance(crook, Crook)
    if call.params["draw_recorded"]:
        first, second = call.params["player_A_id"], call.params["player_B_id"]
        await crook.report(call.params["match_id"], first, {first: 3, second: 0})
    return call.result(call.good(draw_commitment="c0ffee"))


async def judged_by(crook: Crook, held: LeagueHarness, http: Any) -> Report:
    """The audit of a league of two whose only referee is a crook."""
    crook.manager, crook.http = held.manager, http
    agents = [healthy(name) for name in list(HEALTHY)[:2]]
    for agent in (crook, *agents):
        await agent.listen()
    await crook.register(held.manager, http, held.referee_secret)
    for agent in agents:
        await agent.register(held.manager, http)
    await held.over()
    for agent in (crook, *agents):
        agent.vanish()
    assert held.failures() == []
    assert [referee.role for referee in held.league.referees.values()] == [Role.REFEREE]
    return audit(held.rows, lambda name, options: plugins.game(name, (), options))


async def test_a_referee_that_reports_technical_losses_and_called_nobody_is_doubted(tmp_path):
    with anyio.fail_after(60):
        async with patient_client() as http, league_harness(tmp_path, players=2) as held:
            report = await judged_by(Crook(never_calls_the_players, {}), held, http)
    assert report.ok
    assert [found.match for found in report.doubtful] == ["R1M1"]
    assert "by REF01's word alone" in report.doubtful[0].message


@pytest.mark.tampers
async def test_a_referee_that_commits_to_a_draw_and_withholds_it_is_found(tmp_path):
    with anyio.fail_after(60):
        async with patient_client() as http, league_harness(tmp_path, players=2) as held:
            report = await judged_by(Crook(None, {"start": withholds_the_draw}), held, http)
    assert [(found.kind, found.match) for found in report.findings] == [("draw", "R1M1")]
    assert "committed to a draw, and revealed none" in report.findings[0].message
