"""The operator's routes, over a real socket."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
import httpx2
import pytest

from league_sdk.domain.lifecycles import LeagueState
from league_sdk.transports import serve
from servers.agent.class_roster import ClassRoster
from servers.league_manager.admin import admin_routes
from servers.league_manager.class_status import ClassStatus
from servers.league_manager.operator_controls import OperatorControls
from tests.requirements.marker import requirement
from tests.servers.class_season import a_class
from tests.servers.fakes import OPERATOR, Manager, enrol, manager, result_report, token_of

pytestmark = pytest.mark.anyio


@asynccontextmanager
async def served(players: int = 2, roster: Path | None = None) -> AsyncGenerator[tuple[Manager, httpx2.AsyncClient]]:
    made = await manager()
    await enrol(made.ledger, players)
    students = None if roster is None else ClassStatus(roster, made.ledger, made.clock, made.service.refusals)
    with anyio.fail_after(20):
        async with (
            serve(made.agent, extra_routes=admin_routes(made.agent, students=students), grace=0) as listener,
            httpx2.AsyncClient(base_url=listener.endpoint.removesuffix("/mcp")) as client,
        ):
            yield made, client


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


@requirement("001-DEP-04", "001-API-02", "project-CLI-06")
async def test_the_league_is_started():
    async with served(4) as (made, client):
        answer = await client.post("/admin/start_league", headers=bearer(OPERATOR))
    assert answer.status_code == 200
    body = answer.json()
    assert (body["status"], body["total_players"], body["total_matches"]) == ("started", 4, 6)
    assert made.league.state is LeagueState.RUNNING


async def test_the_standings_are_shown():
    async with served() as (_, client):
        answer = await client.get("/admin/standings", headers=bearer(OPERATOR))
    assert answer.status_code == 200
    assert [row["player_id"] for row in answer.json()["standings"]] == ["P01", "P02"]


@requirement("project-PROTO-07")
@pytest.mark.parametrize(
    ("headers", "status", "code"),
    [
        pytest.param({}, 401, "E011", id="no token"),
        pytest.param({"Authorization": "Bearer"}, 401, "E011", id="an empty token"),
        pytest.param({"Authorization": f"Basic {OPERATOR}"}, 401, "E011", id="another scheme"),
        pytest.param(bearer("a guess"), 401, "E012", id="a guessed token"),
        pytest.param(bearer(token_of("P01")), 403, "E013", id="a player's token"),
    ],
)
@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("POST", "/admin/start_league"),
        ("GET", "/admin/standings"),
        ("GET", "/admin/class"),
        ("GET", "/admin/matches/R1M1"),
    ],
)
async def test_only_for_the_operator(method: str, path: str, headers: dict[str, str], status: int, code: str):
    async with served() as (made, client):
        answer = await client.request(method, path, headers=headers)
    assert answer.status_code == status
    assert answer.json()["error_code"] == code
    told = answer.json().get("help", "")
    assert ("Authorization: Bearer <token>" in told and "operator.token" in told) == (status == 401)
    assert made.league.state is LeagueState.WAITING_FOR_REGISTRATIONS


async def test_the_operator_of_a_class_sees_its_students(tmp_path):
    roster = tmp_path / "class.json"
    async with served(roster=roster) as (_, client):
        missing = await client.get("/admin/class", headers=bearer(OPERATOR))
        ClassRoster(roster).save(a_class())
        answer = await client.get("/admin/class", headers=bearer(OPERATOR))
    assert (missing.status_code, "there is no class" in missing.json()["error"]) == (409, True)
    assert answer.json()["summary"] == "3 missing"
    assert [row["name"] for row in answer.json()["students"]] == ["Ada L", "Bob M", "Cy N"]
    assert all(student.secret not in answer.text for student in a_class())


async def test_a_league_without_a_class_has_no_students():
    async with served() as (_, client):
        answer = await client.get("/admin/class", headers=bearer(OPERATOR))
    assert answer.json() == {"summary": "", "students": None, "refused": []}


async def test_a_second_start_is_a_conflict():
    async with served() as (_, client):
        await client.post("/admin/start_league", headers=bearer(OPERATOR))
        answer = await client.post("/admin/start_league", headers=bearer(OPERATOR))
    assert answer.status_code == 409
    assert answer.json()["error_code"] == "E008"
    assert answer.json()["error"]


@pytest.mark.parametrize(("method", "path"), [("GET", "/admin/start_league"), ("POST", "/admin/standings")])
async def test_the_wrong_method_is_refused(method: str, path: str):
    async with served() as (made, client):
        answer = await client.request(method, path, headers=bearer(OPERATOR))
    assert answer.status_code == 405
    assert made.league.state is LeagueState.WAITING_FOR_REGISTRATIONS


async def test_a_page_on_another_host_cannot_use_the_routes():
    async with served() as (_, client):
        headers = {**bearer(OPERATOR), "Host": "evil.example"}
        answer = await client.get("/admin/standings", headers=headers)
    assert answer.status_code in (400, 403, 421)


async def test_the_routes_stand_beside_the_tools():
    async with served() as (made, client):
        call = {
            "jsonrpc": "2.0",
            "id": 1,
            "method": "report_match_result",
            "params": result_report(),
        }
        answer = await client.post("/mcp", json=call)
    assert answer.json()["error"]["data"]["error_code"] == "E007"
    assert not made.league.results


async def test_only_the_operator_invites_referees_and_takes_an_invitation_back():
    made, digest = await manager(), "0" * 64
    told = {"display_name": "Rhea", "digest": digest}
    routes = admin_routes(made.agent, OperatorControls(made.ledger))
    with anyio.fail_after(20):
        async with (
            serve(made.agent, extra_routes=routes, grace=0) as listener,
            httpx2.AsyncClient(base_url=listener.endpoint.removesuffix("/mcp")) as client,
        ):

            async def post(path: str, body: object, token: str = OPERATOR) -> int:
                return (await client.post(f"/admin/{path}", json=body, headers=bearer(token))).status_code

            assert await post("invitations", told, "a guess") == 401
            wrong = ({}, [], {"display_name": "Rhea"}, {**told, "digest": "short"}, {**told, "display_name": " "})
            for body in wrong:
                assert await post("invitations", body) == 400, body
            assert made.league.invited == {}
            assert await post("invitations", told) == 200
            assert made.league.invited == {"rhea": digest}
            assert await post("invitations/revoke", {"display_name": "Rolf"}) == 404
            assert await post("invitations/revoke", {"display_name": "Rhea"}) == 200
    assert made.league.invited == {}


async def test_a_match_that_no_referee_tells_of_is_not_found():
    async with served() as (_, client):
        answer = await client.get("/admin/matches/R1M1", headers=bearer(OPERATOR))
    assert (answer.status_code, answer.json()["error_code"]) == (404, "E007")
