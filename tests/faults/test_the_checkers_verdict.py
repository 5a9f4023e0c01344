"""Every player of the table is checked: the verdict is what becomes of it in the leagues of `test_players`."""

import anyio
import pytest

from league_sdk.testing.compliance import ComplianceReport, Timeouts, check_agent
from league_sdk.testing.compliance.check_report import ComplianceOutcome
from tests.faults.league_harness import FAULTY, JOIN, MOVE, RESPONSE
from tests.faults.misbehaviours import TABLE, Misbehaviour
from tests.faults.rogue import Rogue
from tests.requirements.marker import requirement

pytestmark = [
    pytest.mark.slow,
    pytest.mark.anyio,
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]
LIMITS = Timeouts(JOIN, MOVE, RESPONSE)
SPOKEN = ("jsonrpc", "mcp/2025-06-18")
THERE = [entry for entry in TABLE if not entry.deaf]


async def checked(entry: Misbehaviour) -> ComplianceReport:
    rogue = Rogue(FAULTY, entry.effects, mcp=entry.mcp, agent_id="P01")
    await rogue.listen()
    try:
        return await check_agent(rogue.endpoint, timeouts=LIMITS, dialects=SPOKEN)
    finally:
        rogue.vanish()


@requirement("project-WIRE-07")
@pytest.mark.parametrize("entry", THERE, ids=lambda entry: entry.name.replace(" ", "_"))
async def test_the_verdict_is_what_becomes_of_a_player_that(entry: Misbehaviour):
    with anyio.fail_after(60):
        report = await checked(entry)
    told = [(check.title, check.detail) for check in report.failed]
    assert (report.verdict.outcome is ComplianceOutcome.PLAYS) == (not entry.causes), told
    assert report.complies == (not entry.causes)
