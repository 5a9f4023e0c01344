"""The operator's desk: pause, resume, stop, and a match played again, with a course and over its routes."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import anyio
import httpx2
import pytest
from starlette.applications import Starlette

from league_sdk.domain.commands import StopLeague
from league_sdk.domain.league import decide
from league_sdk.domain.lifecycles import LeagueState
from league_sdk.errors import InvalidState, LeagueAlreadyComplete, MatchNotFound
from league_sdk.protocol.operator import StartMatch
from league_sdk.protocol.rounds import LeagueCompletedMessage
from servers.agent.manager_lock import PAUSED
from servers.league_manager.admin import admin_routes
from servers.league_manager.league_runner import LeagueRunner
from servers.league_manager.operator_controls import OperatorControls
from tests.servers.fakes import OPERATOR, Manager, begun, enrol, manager, settle, start, token_of
from tests.servers.league_manager.runner_harness import RunnerHarness, course_of, runner_harness, until_called

pytestmark = pytest.mark.anyio


def controls_for(held: RunnerHarness) -> tuple[OperatorControls, LeagueRunner]:
    """A desk, and a course that heeds it."""
    controls = OperatorControls(held.manager.ledger)
    course = course_of(held.manager, held.peers, held.clock, controls=controls)
    return controls, course


async def lead(held: RunnerHarness, controls: OperatorControls, course: LeagueRunner) -> None:
    """As the manager does."""
    await course.run()
    while await controls.goes_on():
        await course.run()
    held.over.set()


async def test_a_paused_league_counts_what_is_under_way_and_goes_on_where_it_was():
    async with runner_harness(players=4) as held:
        controls, course = controls_for(held)
        gate = anyio.Event()
        held.peers.script(StartMatch, held.plays_when(gate))
        held.tasks.start_soon(lead, held, controls, course)
        await until_called(held, StartMatch, 2)
        await controls.pause()
        assert held.manager.league.state is LeagueState.STOPPED
        assert held.manager.league.stop_reason == PAUSED
        gate.set()
        await held.manager.ledger.until(lambda league: len(league.results) == 2)
        await settle()
        assert not held.over.is_set()
        assert len(held.started()) == 2
        held.peers.script(StartMatch, held.plays)
        await controls.resume()
        await held.clock.pass_by(60)
        await held.over.wait()
        assert held.manager.league.state is LeagueState.COMPLETED
        assert len(held.manager.league.results) == 6
        assert {attempt for _, _, attempt in held.started()} == {1}


async def test_a_league_that_is_resumed_at_once_is_not_lost():
    async with runner_harness(players=2) as held:
        controls, course = controls_for(held)
        held.peers.script(StartMatch, held.plays_when(anyio.Event()))
        held.tasks.start_soon(lead, held, controls, course)
        await until_called(held, StartMatch)
        await controls.pause()
        await controls.resume()
        await settle()
        assert not held.over.is_set()


@asynccontextmanager
async def a_match_under_way(*, paused: bool) -> AsyncGenerator[tuple[RunnerHarness, OperatorControls, LeagueRunner]]:
    """A league in the middle of a match, which the operator may have paused."""
    async with runner_harness(players=2) as held:
        controls, course = controls_for(held)
        held.peers.script(StartMatch, held.plays_when(anyio.Event()))
        held.tasks.start_soon(lead, held, controls, course)
        await until_called(held, StartMatch)
        if paused:
            await controls.pause()
            await settle()
        yield held, controls, course


@pytest.mark.parametrize("paused", [False, True])
async def test_a_stopped_league_ends(paused: bool):
    async with a_match_under_way(paused=paused) as (held, controls, _):
        await controls.stop()
        await held.over.wait()
        assert held.manager.league.state is LeagueState.STOPPED


async def test_a_match_under_way_is_played_again_by_another_referee():
    async with runner_harness(players=2, referees=2) as held:
        controls, course = controls_for(held)
        held.peers.script(StartMatch, begun, held.plays)
        held.tasks.start_soon(lead, held, controls, course)
        await until_called(held, StartMatch)
        await settle()
        controls.play_again("R1M1")
        await held.over.wait()
        (first, second) = held.assigned("R1M1")
        assert first[:2] != second[:2]
        assert second[1:] == (2, "the operator wants it played again")
        assert held.manager.league.results["R1M1"].attempt == 2


async def test_only_what_can_be_done_is_done():
    made = await manager()
    await enrol(made.ledger, 2)
    controls = OperatorControls(made.ledger)
    with pytest.raises(InvalidState):
        await controls.pause()
    with pytest.raises(InvalidState):
        await controls.resume()
    with pytest.raises(MatchNotFound):
        controls.play_again("R1M1")
    await start(made.ledger)
    with pytest.raises(InvalidState, match="not under way"):
        controls.play_again("R1M1")


async def test_a_league_that_is_over_is_over():
    async with runner_harness(players=2) as held:
        controls, course = controls_for(held)
        held.tasks.start_soon(lead, held, controls, course)
        await held.over.wait()
        for act in (controls.pause, controls.resume, controls.stop):
            with pytest.raises(LeagueAlreadyComplete):
                await act()


@pytest.mark.parametrize("paused", [False, True])
async def test_a_cancelled_league_ends_and_does_not_go_on(paused: bool):
    async with a_match_under_way(paused=paused) as (held, controls, course):
        await controls.cancel("wrong roster")
        await held.over.wait()
        with pytest.raises(InvalidState):
            await controls.resume()
        assert held.manager.league.cancelled
        assert not held.peers.sent(LeagueCompletedMessage)
        await course.tell_over()
        for agent_id in ("P01", "P02", "REF01"):
            (told,) = held.peers.sent(LeagueCompletedMessage, agent_id)
            assert told.champion is None
            assert told.no_champion == "no champion: the league was cancelled by the operator: wrong roster"


async def test_a_deadline_is_put_off_by_its_route_and_counted_from_the_one_before():
    made = await manager(registration_deadline="2025-01-15T10:05:00Z")
    app = Starlette(routes=admin_routes(made.agent, OperatorControls(made.ledger, made.clock)))
    headers = {"authorization": f"Bearer {OPERATOR}"}
    client = httpx2.AsyncClient(transport=httpx2.ASGITransport(app=app), base_url="http://localhost", headers=headers)
    async with client:
        for told, deadline in (
            ({}, "2025-01-15T10:15:00Z"),
            ({"deadline": "+90s"}, "2025-01-15T10:16:30Z"),
            ({"deadline": "2025-01-16T10:00:00Z"}, "2025-01-16T10:00:00Z"),
        ):
            answer = await client.post("/admin/deadline", json=told)
            assert answer.json() == {"status": "done", "deadline": deadline}
            assert made.league.rules.registration_deadline == deadline
        past = await client.post("/admin/deadline", json={"deadline": "2025-01-15T09:00:00Z"})
        assert past.status_code == 400
        assert "cannot close at 2025-01-15T09:00:00Z: it is 2025-01-15T10:00:00Z already" in past.json()["error"]
        for wrong in ("ten minutes", "+10", "+99999999d", "2025-01-15T10:00:00"):
            assert (await client.post("/admin/deadline", json={"deadline": wrong})).status_code == 400
        await enrol(made.ledger, 2)
        await start(made.ledger)
        late = await client.post("/admin/deadline", json={})
        assert (late.status_code, late.json()["error_code"]) == (409, "E008")


async def test_a_deadline_where_there_is_none_is_counted_from_now():
    made = await manager()
    assert await OperatorControls(made.ledger, made.clock).move_deadline("+1h") == "2025-01-15T11:00:00Z"


@asynccontextmanager
async def routes() -> AsyncGenerator[tuple[Manager, httpx2.AsyncClient]]:
    """A league that runs, and its routes."""
    made = await manager()
    await enrol(made.ledger, 3)
    await start(made.ledger)
    app = Starlette(routes=admin_routes(made.agent, OperatorControls(made.ledger)))
    transport = httpx2.ASGITransport(app=app)
    async with httpx2.AsyncClient(transport=transport, base_url="http://localhost") as client:
        yield made, client


@pytest.mark.parametrize(
    "path",
    [
        "pause_league",
        "resume_league",
        "stop_league",
        "matches/R1M1/replay",
        "players/P01/remove",
        "players/P01/sit-out",
        "players/P01/rejoin",
    ],
)
@pytest.mark.parametrize(("token", "status"), [(None, 401), ("a guess", 401), (token_of("P01"), 403)])
async def test_the_desk_is_the_operators(path: str, token: str | None, status: int):
    async with routes() as (made, client):
        headers = {} if token is None else {"authorization": f"Bearer {token}"}
        answer = await client.post(f"/admin/{path}", headers=headers)
        assert answer.status_code == status
        assert made.league.state is LeagueState.RUNNING
        assert made.league.removed == made.league.sitting_out == {}


async def test_the_routes_do_what_they_are_called():
    async with routes() as (made, client):
        client.headers["authorization"] = f"Bearer {OPERATOR}"
        assert (await client.post("/admin/pause_league")).json() == {"status": "done"}
        assert made.league.state is LeagueState.STOPPED
        again = await client.post("/admin/pause_league")
        assert (again.status_code, again.json()["error_code"]) == (409, "E008")
        assert (await client.post("/admin/resume_league")).status_code == 200
        assert made.league.state is LeagueState.RUNNING
        assert (await client.post("/admin/matches/R9M9/replay")).status_code == 404
        assert (await client.post("/admin/matches/R1M1/replay")).status_code == 409
        closed = await client.post("/admin/close_league")
        assert (closed.status_code, closed.json()["error"]) == (
            409,
            "the league ends by itself after round 3; only one without a last round is closed",
        )
        assert (await client.post("/admin/stop_league")).status_code == 200
        assert made.league.stop_reason == "stopped by the operator"
        assert (await client.get("/admin/stop_league")).status_code == 405


async def test_a_player_is_removed_by_its_route_with_a_reason_or_without():
    async with routes() as (made, client):
        client.headers["authorization"] = f"Bearer {OPERATOR}"
        answer = await client.post("/admin/players/P01/remove", json={"reason": " it crashed "})
        assert (answer.status_code, answer.json()) == (200, {"status": "done", "player_id": "P01"})
        assert (await client.post("/admin/players/P01/remove")).status_code == 200
        assert made.league.removed == {"P01": "P01 was removed by the operator: it crashed"}
        assert (await client.post("/admin/players/P03/remove")).status_code == 200
        assert made.league.removed["P03"] == "P03 was removed by the operator"
        last = await client.post("/admin/players/P02/remove")
        assert (last.status_code, last.json()["error_code"]) == (409, "E008")
        unknown = await client.post("/admin/players/P09/remove")
        assert (unknown.status_code, unknown.json()["error_code"]) == (404, "E005")


async def test_a_player_sits_out_by_its_route_until_the_operator_lets_it_play_again():
    async with routes() as (made, client):
        client.headers["authorization"] = f"Bearer {OPERATOR}"
        early = await client.post("/admin/players/P01/rejoin")
        assert (early.status_code, early.json()["error"]) == (409, "P01 does not sit out")
        answer = await client.post("/admin/players/P01/sit-out", json={"reason": " its machine is down "})
        assert (answer.status_code, answer.json()) == (200, {"status": "done", "player_id": "P01"})
        state = made.league.sitting_out["P01"]
        assert (str(state.reason), state.detail) == ("operator", "its machine is down")
        again = await client.post("/admin/players/P01/sit-out")
        assert (again.status_code, again.json()["already"]) == (200, "P01 sits out already")
        assert made.league.sitting_out["P01"].detail == "its machine is down"
        assert (await client.post("/admin/players/P01/rejoin", json={"reason": "repaired"})).status_code == 200
        assert made.league.sitting_out == {}
        by_name = await client.post(f"/admin/players/{made.league.player('P01').display_name.lower()}/sit-out")
        assert by_name.json()["player_id"] == "P01"
        unknown = await client.post("/admin/players/P09/sit-out")
        assert "by id or name" in unknown.json()["error"]
        assert (unknown.status_code, unknown.json()["error_code"]) == (404, "E005")
        assert (await client.post("/admin/players/P09/rejoin")).status_code == 404


@pytest.mark.parametrize(
    "body",
    ["cheating", "[]", '{"grund": "cheating"}', '{"reason": 7}', '{"reason": null}', f'{{"reason": "{"x" * 201}"}}'],
)
async def test_a_reason_that_is_none_removes_nobody(body: str):
    async with routes() as (made, client):
        client.headers["authorization"] = f"Bearer {OPERATOR}"
        answer = await client.post("/admin/players/P01/remove", content=body)
        assert (answer.status_code, answer.json()["error_code"]) == (400, "E002")
        assert made.league.removed == {}


async def test_a_manager_that_another_one_has_overtaken_says_so():
    async with routes() as (made, client):
        client.headers["authorization"] = f"Bearer {OPERATOR}"
        ledger = made.ledger
        events = decide(made.league, StopLeague("by another manager"))
        await ledger._store.append(ledger.league_id, events, expected=ledger._sequence, at="2025-01-15T10:00:00.000Z")
        answer = await client.post("/admin/pause_league")
        assert (answer.status_code, answer.json()["error_code"]) == (409, "E008")
        assert "another league manager" in answer.json()["error"]
