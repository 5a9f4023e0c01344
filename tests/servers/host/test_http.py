"""A seat for hosts over streamable HTTP: whole leagues, in both eras."""

import socket
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import anyio
import httpx2
import mcp_types as types
import pytest
from mcp.client import Client

from league_sdk.domain.model import Role
from league_sdk.transports import AddressUnusable
from servers.agent.agent_spec import AgentSpec
from servers.host.membership import Membership, NotPossible
from servers.host.options import Ask
from servers.host.serving import serve_on_http
from tests.servers.host.seat_league import Bell, SeatLeague, call, seat_league, watching

pytestmark = pytest.mark.anyio

HISTORY = "league://seat/history"


def spec_of(made: SeatLeague, **changes: Any) -> AgentSpec:
    """The player behind the seat."""
    plain = replace(made.spec, role=Role.PLAYER, name="Host", workspace=made.folder, manager_url=made.manager)
    return replace(plain, league_id="", patience=0.3, **changes)


@asynccontextmanager
async def seat(spec: AgentSpec, ask: Ask) -> AsyncGenerator[str]:
    """The URL of the seat."""
    found: list[str] = []
    listening = anyio.Event()

    def say(url: str) -> None:
        found.append(url)
        listening.set()

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(serve_on_http, spec, ask, 0, say)
        await listening.wait()
        yield found[0]
        tasks.cancel_scope.cancel()


async def test_a_league_is_played_by_a_host_that_is_asked(tmp_path: Path):
    """Of the handshake era, in which a question needs a stream; over stdio there is a test for each way to ask."""

    async def fill_in(context: Any, params: Any) -> types.ElicitResult:
        choices = params.requested_schema["properties"]["move"]["enum"]
        return types.ElicitResult(action="accept", content={"move": choices[0]})

    bell = Bell()
    async with (
        seat_league(tmp_path, {"Ada": "always-odd"}) as made,
        seat(spec_of(made), Ask.ELICITATION) as url,
        Client(url, mode="legacy", elicitation_callback=fill_in, message_handler=bell.hear) as client,
        watching(client, bell, HISTORY),
    ):
        assert (await call(client, "join_league"))["player_id"] == "P01"
        played: list[str] = []
        while not (answer := await call(client, "wait_for_my_turn", seconds=30))["league_over"]:
            assert answer["say"].startswith("Your move in"), answer
            played.append(answer["say"].split()[3])
        history = (await call(client, "my_history"))["matches"]
        assert [match["my_moves"] for match in history] == [["even"]]
        (match_id,) = played
        assert made.result(match_id)["status"] == "WIN"
        await bell.rings(HISTORY)


async def test_a_seat_listens_on_this_machine_and_to_pages_of_its_own_alone(tmp_path: Path):
    spec = AgentSpec(Role.PLAYER, "Host", tmp_path)
    with anyio.fail_after(30):
        async with seat(spec, Ask.OFF) as url, httpx2.AsyncClient(trust_env=False) as client:
            assert url.startswith("http://127.0.0.1:")
            ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
            accept = {"accept": "application/json, text/event-stream"}
            for header in ({"host": "evil.example"}, {"origin": "http://evil.example"}):
                answer = await client.post(url, json=ping, headers={**accept, **header})
                assert answer.status_code in (403, 421)


async def test_a_port_in_use_is_told(tmp_path: Path):
    with socket.socket() as taken, anyio.fail_after(30):
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises((AddressUnusable, ExceptionGroup)) as raised:
            await serve_on_http(AgentSpec(Role.PLAYER, "Host", tmp_path), Ask.OFF, port, lambda _: None)
    assert isinstance(raised.value, AddressUnusable) or raised.group_contains(AddressUnusable)


async def test_who_gets_no_seat_is_told_why_and_may_try_elsewhere(tmp_path: Path):
    async with seat_league(tmp_path, {}, expected=2) as made, anyio.create_task_group() as tasks:
        membership = Membership(spec_of(made), tasks)
        nobody = "http://127.0.0.1:9/mcp"
        with pytest.raises(NotPossible, match=f"no league manager answered at {nobody}"):
            await membership.join(nobody)
        assert not membership.seated
        with pytest.raises(NotPossible, match="no league that is under way"):
            await membership.ask("GET_STATUS")
        credentials = await membership.join(name=" Zoe ")
        assert membership.seated
        assert (await membership.ask("GET_STATUS")).status is not None
        with pytest.raises(NotPossible, match=f"you sit in league summer as {credentials.agent_id}"):
            await membership.join(name="Yan")
        tasks.cancel_scope.cancel()


async def test_a_seat_outlasts_a_restart_of_its_host(tmp_path: Path):
    """The first one goes before the league has begun; the second one has the same seat, and plays."""
    async with seat_league(tmp_path, {}, expected=2) as made:
        seats: list[Any] = []
        async with anyio.create_task_group() as tasks:
            seats.append(await Membership(spec_of(made), tasks).join())
            tasks.cancel_scope.cancel()
        async with anyio.create_task_group() as tasks:
            membership = Membership(spec_of(made), tasks)
            assert [await membership.join()] == seats
            made.add("Ada", "always-odd")
            while (turns := membership.turns) is None or turns.current() is None:
                await membership.change.wait()
            turns.choose("even")
            while membership.player is None or not membership.player.over:
                await membership.change.wait()
            assert made.result("R1M1")["status"] == "WIN"
            tasks.cancel_scope.cancel()


async def test_a_seat_whose_player_breaks_down_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    async def broken(*_: Any, **__: Any) -> int:
        raise ZeroDivisionError

    monkeypatch.setattr("servers.host.membership.run_player", broken)
    with anyio.fail_after(30):
        async with anyio.create_task_group() as tasks:
            membership = Membership(AgentSpec(Role.PLAYER, "Host", tmp_path), tasks)
            with pytest.raises(NotPossible, match="no league manager is known"):
                await membership.join()
            with pytest.raises(NotPossible, match="the player crashed"):
                await membership.join("http://localhost:8000/mcp")
