"""Callers behind reverse proxies go by their own addresses; where strangers may come, this machine is trusted less."""

from collections.abc import AsyncGenerator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import anyio
import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError

from league_sdk.domain.model import Role
from league_sdk.mcp_adapter.resources import MOST_STREAMS
from league_sdk.net.connections import ConnectionLimits
from league_sdk.net.proxies import TrustedProxies
from league_sdk.settings import ConfigLoader, SecurityConfig
from league_sdk.testing import EchoHost
from league_sdk.transports import serve
from league_sdk.transports.http import SESSIONS_PATH
from servers.agent.agent_spec import AgentSpec
from servers.agent.bootstrap import agent_context
from servers.agent.strangers import REGISTRATIONS_OF_STRANGERS, registrations_per_address, strangers_may_come
from servers.ui.web.stream import MOST_STREAMS as MOST_BROWSERS
from tests.security.hosted import RawClient, request
from tests.security.leagues import SmallLeague
from tests.servers.fakes import OPERATOR, player_request

pytestmark = pytest.mark.anyio

LOCAL = TrustedProxies(["127.0.0.1"])
VILLAIN, FRIEND = {"x-forwarded-for": "192.0.2.66"}, {"x-forwarded-for": "203.0.113.7"}
THE_OPERATOR = {**VILLAIN, "authorization": f"Bearer {OPERATOR}"}


@pytest.fixture(autouse=True)
async def soon(anyio_backend: str):
    with anyio.fail_after(60):
        yield


async def address_seen(endpoint: str, headers: Mapping[str, str]) -> Any:
    async with httpx2.AsyncClient() as client:
        answer = await client.post(endpoint, json=request("echo", {"text": "hi"}), headers=headers)
    return answer.json()["result"]["address"] if answer.status_code == 200 else answer.status_code


async def test_a_caller_behind_a_trusted_proxy_goes_by_its_own_address_in_both_dialects():
    async with serve(EchoHost(), grace=0, proxies=LOCAL) as listener:
        assert await address_seen(listener.endpoint, VILLAIN) == "192.0.2.66"
        assert await address_seen(listener.endpoint, {}) == "127.0.0.1"
        async with httpx2.AsyncClient(headers=FRIEND) as http:
            call = request("tools/call", {"name": "echo", "arguments": {"text": "hi"}})
            accept = {"accept": "application/json, text/event-stream"}
            answer = (await http.post(listener.endpoint, json=call, headers=accept)).json()
            assert answer["result"]["structuredContent"]["address"] == "203.0.113.7"


async def test_the_header_of_anybody_else_is_not_believed():
    async with serve(EchoHost(), grace=0) as plain, serve(EchoHost(), proxies=TrustedProxies(["10.0.0.1"])) as other:
        for endpoint in (plain.endpoint, other.endpoint):
            assert await address_seen(endpoint, VILLAIN) == "127.0.0.1"


async def test_a_page_of_this_machine_is_none_of_whoever_comes_through_a_proxy():
    page, own = {"origin": "http://localhost:3000"}, {"origin": "https://league.example"}
    async with serve(EchoHost(), grace=0, proxies=LOCAL, allowed_hosts=["league.example"]) as listener:
        assert await address_seen(listener.endpoint, page) == "127.0.0.1"
        assert await address_seen(listener.endpoint, {**page, **VILLAIN}) == 403
        assert await address_seen(listener.endpoint, {**own, **VILLAIN}) == "192.0.2.66"


async def test_connections_of_a_proxy_are_those_of_many_and_count_for_nobody():
    limits = ConnectionLimits(total=40, per_address=4, per_identity=4, patience=30)
    async with serve(EchoHost(), grace=0, limits=limits, proxies=LOCAL) as listener:
        crowd = [await RawClient.connect(listener.endpoint) for _ in range(20)]
        for client in crowd:
            await client.call("wait", {"text": "x"})
        assert await address_seen(listener.endpoint, FRIEND) == "203.0.113.7"
        for client in crowd:
            client.close()


SAFE = AgentSpec(Role.LEAGUE_MANAGER, "Manager", Path())
OPEN: dict[str, tuple[AgentSpec, SecurityConfig]] = {
    "guests": (replace(SAFE, strangers=True), SecurityConfig()),
    "seats": (replace(SAFE, seats_url="http://localhost:8100/mcp"), SecurityConfig()),
    "a process of seats": (replace(SAFE, role=Role.SEATS), SecurityConfig()),
    "a class": (replace(SAFE, roster="class.json"), SecurityConfig()),
    "invited agents": (replace(SAFE, invited=(("Ada", "http://192.0.2.9/mcp"),)), SecurityConfig()),
    "an address beyond this machine": (replace(SAFE, bind_host="0.0.0.0"), SecurityConfig()),
    "a host name beyond this machine": (replace(SAFE, public_host="league.example"), SecurityConfig()),
    "trusted proxies": (SAFE, SecurityConfig(trusted_proxies=("127.0.0.1",))),
}


@pytest.mark.parametrize("why", OPEN)
async def test_where_strangers_may_come_this_machine_is_trusted_with_nothing(why: str, tmp_path: Path):
    spec, settings = OPEN[why]
    assert strangers_may_come(spec, settings)
    assert registrations_per_address(spec, settings) == REGISTRATIONS_OF_STRANGERS
    assert registrations_per_address(spec, SecurityConfig(registrations_per_address=3)) == 3
    overrides = {"security.trusted_proxies": list(settings.trusted_proxies)}
    async with agent_context(replace(spec, workspace=tmp_path, overrides=overrides)) as tools:
        assert not tools.operations._trusts_own_machine


async def test_where_nobody_else_can_come_it_is(tmp_path: Path):
    assert not strangers_may_come(SAFE, SecurityConfig())
    assert registrations_per_address(SAFE, SecurityConfig()) is None
    async with agent_context(replace(SAFE, workspace=tmp_path)) as tools:
        assert tools.operations._trusts_own_machine


@asynccontextmanager
async def managed(folder: Path, **settings: Any) -> AsyncGenerator[str]:
    """The origin of a manager behind a proxy of this machine; registration is open until the operator says so."""
    proxies = {"security.trusted_proxies": ["127.0.0.1"], "security.allowed_endpoints": ["localhost"]}
    league = SmallLeague(folder, {**proxies, **settings})
    async with anyio.create_task_group() as tasks:
        endpoint = await league.open(tasks, by_hand=True)
        yield endpoint.removesuffix("/mcp")
        tasks.cancel_scope.cancel()


async def test_metrics_are_for_the_callers_address_and_not_for_the_proxys(tmp_path: Path):
    readers = {"security.metrics_readers": ["203.0.113.0/24"]}
    async with managed(tmp_path, **readers) as origin, httpx2.AsyncClient() as http:
        callers = (VILLAIN, {}, FRIEND, THE_OPERATOR)
        found = [await http.get(f"{origin}/metrics", headers=headers) for headers in callers]
    assert [answer.status_code for answer in found] == [403, 403, 200, 200]
    assert "this machine" not in found[0].json()["error"]


async def test_an_address_that_fills_a_league_with_strangers_is_refused_and_others_are_not(tmp_path: Path):
    three = {"security.registrations_per_address": 3}
    async with managed(tmp_path, **three) as origin, httpx2.AsyncClient(timeout=30) as http:

        async def register(name: str, headers: Mapping[str, str]) -> dict[str, Any]:
            call = request("register_player", player_request(name, dialect="mcp") | {"league_id": "small"})
            return (await http.post(f"{origin}/mcp", json=call, headers=headers)).json()["result"]

        answers: list[dict[str, Any]] = []

        async def many(number: int) -> None:
            answers.append(await register(f"Villain {number}", VILLAIN))

        async with anyio.create_task_group() as tasks:
            for number in range(40):
                tasks.start_soon(many, number)
        accepted = [answer for answer in answers if answer["status"] == "ACCEPTED"]
        refused = [answer for answer in answers if answer["status"] == "REJECTED"]
        assert (len(accepted), len(refused)) == (3, 37)
        assert {answer["error_code"] for answer in refused} == {"E015"}
        assert "security.registrations_per_address" in refused[0]["reason"]
        assert (await register("Friend", FRIEND))["status"] == "ACCEPTED"


async def test_calls_of_strangers_are_counted_by_their_own_address(tmp_path: Path):
    few = {"limits.stranger_burst": 5, "limits.stranger_requests_per_sec": 0.001}
    async with managed(tmp_path, **few) as origin, httpx2.AsyncClient() as http:

        async def look(headers: Mapping[str, str]) -> int:
            return (await http.get(f"{origin}/standings", headers=headers)).status_code

        assert 429 in [await look(VILLAIN) for _ in range(8)]
        assert await look(FRIEND) != 429


async def streams(origin: str, path: str, headers: Mapping[str, str], number: int, stack: AsyncExitStack) -> list[int]:
    """The statuses of so many streams, which stay open."""
    http = await stack.enter_async_context(httpx2.AsyncClient(timeout=30, limits=httpx2.Limits(max_connections=None)))
    found = [await stack.enter_async_context(http.stream("GET", origin + path, headers=headers)) for _ in range(number)]
    return [answer.status_code for answer in found]


@pytest.mark.parametrize("path", ["/events", "/watch"])
async def test_one_address_does_not_get_all_streams_of_the_page(path: str, tmp_path: Path):
    async with managed(tmp_path) as origin, AsyncExitStack() as stack:
        half = MOST_BROWSERS // 2
        assert await streams(origin, path, VILLAIN, MOST_BROWSERS, stack) == [200] * half + [503] * half
        assert await streams(origin, path, FRIEND, 1, stack) == [200]
        others = [{"x-forwarded-for": f"198.51.100.{number}"} for number in range(MOST_BROWSERS)]
        assert 503 in [(await streams(origin, path, other, 1, stack))[0] for other in others]
        assert await streams(origin, path, THE_OPERATOR, 1, stack) == [200]


async def test_nor_all_sessions_of_hosts(tmp_path: Path):
    opening = request(
        "initialize",
        {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "host", "version": "1"}},
    )
    accept = {"accept": "application/json, text/event-stream"}
    path = SESSIONS_PATH
    async with managed(tmp_path) as origin, httpx2.AsyncClient(timeout=30) as http:

        async def opened(headers: Mapping[str, str]) -> httpx2.Response:
            return await http.post(origin + path, json=opening, headers={**accept, **headers})

        found = [await opened(VILLAIN) for _ in range(MOST_STREAMS)]
        assert [answer.status_code for answer in found] == [200] * 32 + [503] * 32
        assert "192.0.2.66 has 32 sessions already" in found[-1].json()["error"]["message"]
        assert (await opened(FRIEND)).status_code == 200
        assert (await opened(THE_OPERATOR)).status_code == 200
        ended = {**accept, **VILLAIN, "mcp-session-id": found[0].headers["mcp-session-id"]}
        await http.delete(origin + path, headers=ended)
        assert (await opened(VILLAIN)).status_code == 200


async def test_nor_all_streams_of_2026(tmp_path: Path):
    async with managed(tmp_path) as origin, AsyncExitStack() as stack:

        async def listen(headers: Mapping[str, str]) -> str:
            http = await stack.enter_async_context(httpx2.AsyncClient(timeout=30, headers=headers))
            client = await stack.enter_async_context(client_of(origin, http))
            try:
                await stack.enter_async_context(client.listen(resource_subscriptions=["league://small/standings"]))
            except MCPError as error:
                return str(error)
            return ""

        found = [await listen(VILLAIN) for _ in range(34)]
        assert found == [""] * 32 + ["address 192.0.2.66 has 32 event streams already"] * 2
        assert await listen(FRIEND) == ""
        assert await listen(THE_OPERATOR) == ""


def client_of(origin: str, http: httpx2.AsyncClient) -> Client:
    return Client(streamable_http_client(f"{origin}/mcp", http_client=http), mode="2026-07-28")


def test_the_settings_are_read():
    loader = ConfigLoader(overrides={"security.trusted_proxies": ["127.0.0.1", "10.1.0.0/16"]})
    assert loader.load_system().security.trusted_proxies == ("127.0.0.1", "10.1.0.0/16")
