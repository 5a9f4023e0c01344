"""A seat as a desktop host has it: `league host` as a process, driven over its standard input and output."""

import json
import tempfile
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import mcp_types as types
import pytest
from mcp.client import Client
from mcp.client.subscriptions import ResourceUpdated

from tests.servers.host.table import LEAGUE, Table, call, host_on_stdio, refusal, subscribe, table

pytestmark = [pytest.mark.anyio, pytest.mark.end_to_end]

TURN = "league://seat/turn"
OTHERS = {"Ada": "always-even", "Bea": "always-odd", "Cid": "random"}


async def the_turn(client: Client) -> dict[str, Any]:
    """The next turn."""
    while not (turn := await call(client, "wait_for_my_turn", seconds=30))["your_turn"]:
        assert not turn["league_over"], turn
    return turn


async def the_end(client: Client) -> dict[str, Any]:
    """The end of the league."""
    while not (answer := await call(client, "wait_for_my_turn", seconds=30))["league_over"]:
        assert not answer["your_turn"], answer
    return answer


@pytest.mark.parametrize(("mode", "revision"), [("legacy", "2025-11-25"), ("auto", "2026-07-28")])
async def test_a_host_plays_a_league_in_time_too_late_and_not_at_all(tmp_path: Path, mode: str, revision: str):
    with tempfile.TemporaryFile("w+") as log:
        async with (
            table(tmp_path, OTHERS, move_sec=2) as made,
            watched(made, mode, "--fallback", "always-odd", log=log) as (client, bell),
        ):
            assert client.protocol_version == revision
            seat = await call(client, "join_league")
            assert (seat["player_id"], seat["league_id"]) == ("P01", LEAGUE)

            turn = await the_turn(client)
            assert turn["legal_moves"] == ["even", "odd"]
            said = await refusal(client, "choose_move", move="purple")
            assert f"not a legal move in {turn['match_id']}. Legal moves: even, odd." in said
            await call(client, "choose_move", move="even")

            late = (await the_turn(client))["match_id"]
            await bell.rings_until(lambda: gone(client, late))
            told = f"In {late} nobody had chosen shortly before the deadline; the strategy 'always-odd' played odd."
            assert told in await refusal(client, "choose_move", move="even", match_id=late)

            never = await the_turn(client)
            assert told in never["say"]
            await bell.rings_until(lambda: gone(client, never["match_id"]))
            over = await the_end(client)
            assert f"{never['match_id']}: nobody had chosen" in " ".join(over["news"])
            history = (await call(client, "my_history"))["matches"]
            assert [match["my_moves"] for match in history] == [["even"], ["odd"], ["odd"]]
            for match_id in (turn["match_id"], late, never["match_id"]):
                assert made.result(match_id)["status"] in ("WIN", "DRAW")
        log.seek(0)
        assert "Traceback" not in log.read()


async def test_a_seat_outlasts_a_restart_of_its_host(tmp_path: Path):
    """The first host goes before the league has begun; the second one has the same seat, and asks its person."""

    async def fill_in(_: Any, params: Any) -> types.ElicitResult:
        choices = params.requested_schema["properties"]["move"]["enum"]
        return types.ElicitResult(action="accept", content={"move": choices[0]})

    async with table(tmp_path, {}, expected=2) as made:
        async with host_on_stdio(made, "legacy") as client:
            seat = await call(client, "join_league")
            assert seat["player_id"] == "P01"
            assert "one seat at a time" in await refusal(client, "join_league", display_name="Zoe")
        async with host_on_stdio(made, "auto", "--ask", "elicitation", elicitation_callback=fill_in) as client:
            assert await call(client, "join_league") == seat
            made.add("Ada", "always-odd")
            answer = await call(client, "wait_for_my_turn", seconds=30)
            assert answer["say"].startswith("Your move in R1M1 is made.")
            await the_end(client)
        assert made.result("R1M1")["status"] == "WIN"


async def gone(client: Client, match_id: str) -> bool:
    """Whether it is no longer the host's turn in a match."""
    (content,) = (await client.read_resource(TURN)).contents
    assert isinstance(content, types.TextResourceContents)
    return json.loads(content.text).get("match_id") != match_id


class Bell:
    """Rings when the host is told that something it watches has changed."""

    def __init__(self) -> None:
        self._ring, self._rung = anyio.create_memory_object_stream[str](100)

    async def hear(self, message: Any) -> None:
        """What a session of the handshake era is told."""
        if isinstance(message, types.ResourceUpdatedNotification):
            self.ring(str(message.params.uri))

    def ring(self, uri: str) -> None:
        """This has changed."""
        assert uri == TURN
        self._ring.send_nowait(uri)

    async def rings_until(self, true: Callable[[], Awaitable[bool]]) -> None:
        """Wait for the ring after which something is true."""
        while not await true():
            await self._rung.receive()


@asynccontextmanager
async def watched(made: Table, mode: str, *options: str, log: Any) -> AsyncGenerator[tuple[Client, Bell]]:
    """A host that watches its turn, as the clients of its era do."""
    bell = Bell()
    async with host_on_stdio(made, mode, *options, log=log, message_handler=bell.hear) as client:
        if mode == "legacy":
            await subscribe(client, TURN)
            yield client, bell
            return
        async with client.listen(resource_subscriptions=[TURN]) as changes, anyio.create_task_group() as tasks:

            async def listen() -> None:
                async for change in changes:
                    assert isinstance(change, ResourceUpdated)
                    bell.ring(change.uri)

            tasks.start_soon(listen)
            yield client, bell
            tasks.cancel_scope.cancel()
