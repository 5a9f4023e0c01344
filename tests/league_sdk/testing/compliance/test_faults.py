"""Every planted fault is found, and named by the check that is about it; correct agents pass."""

from collections.abc import Callable, Iterator

import pytest

from league_sdk.testing.compliance import Status, check_agent
from tests.league_sdk.testing.compliance.faults import FAULTS, LIMITS, Fault
from tests.league_sdk.testing.compliance.handmade import Handmade, served

pytestmark = pytest.mark.anyio


def slug(fault: Fault) -> str:
    return fault.name.replace(" ", "-").replace("+", "")


def player(fault: Fault) -> Callable[[], Handmade]:
    return lambda: Handmade(fault.behaviour, fault.mcp)


@pytest.fixture(scope="module")
def url() -> Iterator[Callable[[str], str]]:
    players = {slug(fault): player(fault) for fault in FAULTS}
    with served({**players, "good": Handmade, "good-mcp": lambda: Handmade(mcp=True)}) as where:
        yield where


def test_there_are_many_faults_and_each_has_a_name_of_its_own():
    assert len({fault.name for fault in FAULTS}) == len(FAULTS) >= 25


async def test_a_correct_player_written_by_hand_complies(url):
    report = await check_agent(url("good"), timeouts=LIMITS)
    assert [(check.title, check.detail) for check in report.failed] == []
    assert report.complies
    assert report.dialects == ("jsonrpc",)


async def test_a_correct_player_of_mcp_written_by_hand_complies(url):
    report = await check_agent(url("good-mcp"), timeouts=LIMITS)
    assert [(check.title, check.detail) for check in report.failed] == []
    assert report.complies
    assert report.dialects == ("mcp/2025-06-18",)


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
async def test_a_fault_is_found_and_named(url, fault: Fault):
    dialect = "mcp/2025-06-18" if fault.mcp else "jsonrpc"
    report = await check_agent(url(slug(fault)), timeouts=LIMITS, dialects=(dialect,))
    assert not report.complies
    assert fault.check in {check.name for check in report.failed}
    (found,) = [check for check in report.checks if check.name == fault.check]
    assert found.status is Status.FAILED
    assert "" not in (found.detail, found.section, found.expected)
