"""Every planted fault is found, and named by the check that is about it; correct agents pass."""

from collections.abc import Callable, Iterator
from functools import partial

import anyio
import httpx2
import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from league_sdk.domain.model import Role
from league_sdk.testing.compliance import ComplianceReport, Status, Timeouts, check_agent
from league_sdk.testing.compliance.check import game_of, open_wires, survive
from league_sdk.testing.compliance.check_report import ComplianceOutcome
from league_sdk.testing.compliance.responses import AgentGone
from league_sdk.testing.compliance.script import Script
from league_sdk.testing.compliance.suite import Suite
from league_sdk.testing.compliance.wire import Http, Wire, open_client
from tests.league_sdk.testing.compliance.faults import FAULTS, LIMITS, Fault
from tests.league_sdk.testing.compliance.handmade import Handmade, error, in_a_thread, served

pytestmark = pytest.mark.anyio

SHORT = Timeouts(0.1, 0.1, 0.1)
LONGER = Timeouts(0.5, 0.5, 0.5)
"""Enough for an answer that is given at once, on a machine that has other work to do."""


@pytest.fixture(scope="module")
def url() -> Iterator[Callable[[str], str]]:
    with served({"good": Handmade, "good-mcp": lambda: Handmade(mcp=True)}) as where:
        yield where


@pytest.fixture
def without_sockets(monkeypatch: pytest.MonkeyPatch) -> Callable[[Handmade], None]:
    """Hand requests to a player as they are: what it says is looked at, not how it travels."""

    def put(player: Handmade) -> None:
        app = Starlette(routes=[Route("/mcp", player.serve, methods=["POST"])])
        client = partial(httpx2.AsyncClient, transport=httpx2.ASGITransport(app=app), timeout=None)
        monkeypatch.setattr("league_sdk.testing.compliance.check.open_client", client)

    return put


@pytest.fixture(scope="module")
def web() -> Iterator[Callable[[str], str]]:
    """Servers that are no agents: a site without such a page, and some that are silent or repeat themselves."""
    asked, dropped = 0, "nothing"

    async def silent(request: Request) -> Response:
        await anyio.sleep(1)
        return Response()

    async def tired(request: Request) -> Response:
        nonlocal asked
        asked += 1
        body = await request.json()
        return JSONResponse(error(body["id"], -32602, "no")) if asked <= 2 else await silent(request)

    async def stubborn(request: Request) -> Response:
        return JSONResponse(error(None, -32601, "no"))

    async def clumsy(request: Request) -> Response:
        body = await request.json()
        if "id" not in body:
            nonlocal dropped
            dropped = request.headers["connection"]
        return JSONResponse(error(body.get("id"), -32602, f"dropped: {dropped}"))

    pages = {"/silent": silent, "/tired": tired, "/stubborn": stubborn, "/clumsy": clumsy}
    with in_a_thread(Starlette(routes=[Route(path, page, methods=["POST"]) for path, page in pages.items()])) as base:
        yield lambda name: f"{base}/{name}"


def test_there_are_many_faults_and_each_has_a_name_of_its_own():
    assert len({fault.name for fault in FAULTS}) == len(FAULTS)
    assert sum(not fault.advice for fault in FAULTS) >= 20


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
async def test_a_fault_is_found_and_named(without_sockets, fault: Fault):
    without_sockets(Handmade(fault.behaviour, fault.mcp))
    dialect = "mcp/2025-06-18" if fault.mcp else "jsonrpc"
    report = await check_agent("http://player/mcp", timeouts=LIMITS, dialects=(dialect,))
    assert report.complies == fault.advice
    assert fault.check in {check.name for check in (report.advised if fault.advice else report.failed)}
    (found,) = [check for check in report.checks if check.name == fault.check]
    assert found.status is (Status.ADVISED if fault.advice else Status.FAILED)
    assert "" not in (found.detail, found.section, found.expected)
    assert (report.verdict.outcome is ComplianceOutcome.PLAYS) == fault.advice


async def test_what_is_no_agent_at_all_is_told_in_one_failure(web):
    report = await check_agent(web("page"), timeouts=LIMITS)
    (failed,) = report.failed
    assert failed.name == "speaks MCP or JSON-RPC"
    assert (
        failed.detail
        == "it does not: a call of handle_game_invitation without MCP gets: HTTP 404, and the body is no JSON"
    )
    assert "many end in /mcp" in failed.expected
    assert "'method': 'handle_game_invitation'" in str(failed.sent)
    assert str(report.verdict) == f"cannot play: speaks MCP or JSON-RPC: {failed.detail}"
    assert sum(check.name == "is spoken" and check.status is Status.SKIPPED for check in report.checks) == 6
    assert (report.complies, report.dialects) == (False, ())


async def test_what_answers_in_no_dialect_but_as_json_rpc_has_it_is_still_asked(web):
    report = await check_agent(web("stubborn"), timeouts=LIMITS)
    failed = {check.name for check in report.failed}
    assert {"speaks MCP or JSON-RPC", "GAME_INVITATION: a reply, and no error"} <= failed


async def test_what_never_answers_is_given_up_after_two_dialects(web):
    report = await check_agent(web("silent"), timeouts=SHORT)
    assert [check.name for check in report.failed] == ["speaks MCP or JSON-RPC"]
    assert [check.detail for check in report.checks].count("it is not tried: 2 others got no answer at all") == 4


async def test_who_drops_its_connection_at_what_is_no_request_loses_no_request_with_it(web):
    async with httpx2.AsyncClient(trust_env=False) as client:
        await check_agent(web("clumsy"), timeouts=LIMITS, dialects=("jsonrpc",))
        answer = await client.post(web("clumsy"), json={"id": 1})
    assert answer.json()["error"]["message"] == "dropped: close"


async def test_what_stops_answering_is_given_up_after_a_few_calls(web):
    report = await check_agent(web("tired"), timeouts=LONGER, dialects=("jsonrpc",))
    assert [check.name for check in report.failed] == ["GAME_INVITATION: answered in time"]
    why = "GAME_INVITATION got no answer in time 2 times, which loses the match: the verdict is known"
    assert ("the rest", why) in {(check.name, check.detail) for check in report.checks}
    assert report.verdict.outcome is ComplianceOutcome.LOSES


@pytest.mark.parametrize(("may_be_gone", "status"), [(False, Status.FAILED), (True, Status.SKIPPED)])
async def test_an_agent_has_to_be_there_until_its_league_is_over(may_be_gone: bool, status: Status):
    async def goes() -> None:
        raise AgentGone("nobody listens there")

    report = ComplianceReport("http://localhost:8101/mcp", "player")
    suite = Suite(Wire(), report, Script(game_of(None)), Role.PLAYER)
    assert not await survive(suite, goes, may_be_gone=may_be_gone)
    assert [(check.name, check.status) for check in report.checks] == [("it is still there", status)]


async def test_who_is_gone_when_it_is_asked_what_it_speaks_fails():
    report = ComplianceReport("http://127.0.0.1:9/mcp", "player")
    async with open_client() as client:
        http = Http(client, report.url, 1.0)
        assert await open_wires(report, http, Role.PLAYER, Script(game_of(None)), ("jsonrpc",)) == ()
    assert [check.name for check in report.failed] == ["it is still there"]
