"""One identity or address that takes all it can get, and honest ones beside it that lose nothing."""

from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import httpx2
import pytest

from league_sdk import tokens
from league_sdk.errors import RateLimited
from league_sdk.net.connections import ConnectionLimits
from league_sdk.ports import CallContext, CallRefused
from league_sdk.testing import EchoHost
from league_sdk.transports import serve
from tests.security.floods import FLOOD, flood
from tests.security.hosted import KEY, RawClient, SeatsProcess, answer_all, request, seats_process

pytestmark = pytest.mark.anyio


@pytest.fixture(autouse=True)
async def soon(anyio_backend: str):
    with anyio.fail_after(300):
        yield


class Doorkeeper(EchoHost):
    """Takes the bearer token for the name of who calls; that of a referee has room kept for it."""

    def __init__(self) -> None:
        super().__init__()
        self.calls = anyio.Semaphore(0)

    async def call(self, tool: str, arguments: Any, context: CallContext) -> dict[str, Any]:
        self.calls.release()
        name = context.bearer_token or ""
        try:
            context.attribute(name, kept=name.startswith("referee"))
        except RateLimited as limited:
            raise CallRefused(23, limited.message) from limited
        return await super().call(tool, arguments, context)


@asynccontextmanager
async def held(host: Doorkeeper, endpoint: str, numbers: Mapping[str, int]) -> AsyncGenerator[None]:
    """So many connections with a call under way, by bearer token."""
    crowd: list[RawClient] = []
    for bearer, number in numbers.items():
        for _ in range(number):
            crowd.append(await RawClient.connect(endpoint))
            await crowd[-1].call("wait", {"text": "x"}, bearer)
            await host.calls.acquire()
    yield
    for client in crowd:
        client.close()


async def echoed(endpoint: str, bearer: str = "") -> tuple[int, bool]:
    """The HTTP status of a call on a new connection, 0 if it was hung up on; and whether it was answered."""
    headers = {"authorization": f"Bearer {bearer}"} if bearer else {}
    async with httpx2.AsyncClient(timeout=30) as client:
        try:
            answer = await client.post(endpoint, json=request("echo", {"text": "hi"}), headers=headers)
        except httpx2.TransportError:
            return 0, False
        return answer.status_code, "result" in answer.json()


async def test_calls_of_one_player_take_no_connection_from_its_neighbours_on_the_same_address():
    host, limits = Doorkeeper(), ConnectionLimits(total=40, per_address=20, per_identity=4, patience=30)
    async with serve(host, grace=0, limits=limits) as listener, held(host, listener.endpoint, {"player:P01": 60}):
        for bearer in ("", "player:P02", "referee:REF01"):
            assert await echoed(listener.endpoint, bearer) == (200, True)
        assert await echoed(listener.endpoint, "player:P01") == (200, False)


async def test_an_address_has_half_of_all_connections_and_agents_there_still_get_in():
    host, limits = Doorkeeper(), ConnectionLimits(total=40, per_address=1000, patience=30)
    async with serve(host, grace=0, limits=limits) as listener, held(host, listener.endpoint, {"": 20}):
        for _ in range(8):
            assert await echoed(listener.endpoint) == (200, False)
        for bearer in ("player:P01", "referee:REF01", "operator"):
            assert await echoed(listener.endpoint, bearer) == (200, True)


async def test_calls_of_many_players_leave_room_for_referees_and_the_operator():
    host, limits = Doorkeeper(), ConnectionLimits(total=40, per_identity=16, patience=30)
    players = {"player:P01": 16, "player:P02": 16, "player:P03": 3}
    async with serve(host, grace=0, limits=limits) as listener, held(host, listener.endpoint, players):
        for _ in range(8):
            assert await echoed(listener.endpoint, "player:P03") == (200, False)
            assert await echoed(listener.endpoint, "referee:REF01") == (200, True)


async def four_thousand_waits(process: SeatsProcess, number: int) -> list[RawClient]:
    """The hosted player that opens so many waits with its own token, and holds them."""
    waiting = {"seat_token": tokens.seat_token(KEY, "mal"), "seconds": 30, "listener": "mal"}
    crowd: list[RawClient] = []
    for _ in range(number):
        client = await RawClient.connect(process.endpoint)
        await client.call("wait_for_message", waiting)
        crowd.append(client)
    return crowd


async def play_beside(process: SeatsProcess, number: int) -> tuple[list[dict[str, Any]], Any]:
    """Calls of an honest seat while the villain holds its waits, with new connections, and the counts."""
    answers, crowd = list[dict[str, Any]](), list[RawClient]()
    async with httpx2.AsyncClient(timeout=30) as owner, httpx2.AsyncClient(timeout=30) as referee:
        async with anyio.create_task_group() as tasks:
            crowd += await four_thousand_waits(process, number)
            tasks.start_soon(answer_all, process, owner, "ada")
            for _ in range(10):
                answers.append(await process.ask(referee, "ada"))
            tasks.cancel_scope.cancel()
        async with httpx2.AsyncClient(timeout=30) as operator:
            counted = await process.usage(operator)
    for client in crowd:
        client.close()
    return answers, counted


async def crowd_before_seats(process: SeatsProcess, what: str) -> list[dict[str, Any]]:
    """Calls of an honest seat while one player floods the seats process."""
    answers: list[dict[str, Any]] = []
    async with httpx2.AsyncClient(timeout=30) as owner, anyio.create_task_group() as tasks:
        tasks.start_soon(answer_all, process, owner, "ada")
        crowd = await flood(process.endpoint, what, tokens.seat_token(KEY, "mal"), FLOOD)
        for _ in range(10):
            async with httpx2.AsyncClient(timeout=30) as referee:
                answers.append(await process.ask(referee, "ada"))
        for client in crowd:
            client.close()
        tasks.cancel_scope.cancel()
    return answers


@pytest.mark.slow
@pytest.mark.parametrize("what", ["slow bodies", "slow bodies after a good request", "answers"])
async def test_one_player_that_floods_the_seats_process_costs_the_others_nothing(what: str, tmp_path: Path):
    async with seats_process(tmp_path, {}) as process:
        answers = await crowd_before_seats(process, what)
    assert [answer for answer in answers if answer.get("result") != {"status": "ACKNOWLEDGED"}] == []


async def judge_waits(folder: Path, settings: dict[str, Any], number: int) -> None:
    async with seats_process(folder, settings) as process:
        answers, counted = await play_beside(process, number)
        assert len(answers) == 10
        assert [answer for answer in answers if answer.get("result") != {"status": "ACKNOWLEDGED"}] == []
        assert counted["overused"] == ["mal"]
        assert set(counted["seats"]) == {"mal"}
        assert counted["seats"]["mal"]["waits_ended"] + counted["seats"]["mal"]["calls_refused"] >= number - 20
        assert "seat mal asks more than it may" in process.notes[0]


async def test_a_hosted_player_that_opens_hundreds_of_waits_costs_the_others_nothing(tmp_path: Path):
    await judge_waits(tmp_path, {"limits.max_connections": 200, "limits.request_burst": 300}, 400)


@pytest.mark.slow
async def test_nor_does_one_with_4500_where_the_limits_are_as_they_come(tmp_path: Path):
    await judge_waits(tmp_path, {}, 4500)
