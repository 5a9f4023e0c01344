"""A seat as a desktop host has it: `league host` as a process, driven over its standard input and output."""

import json
import sys
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import anyio
import mcp_types as types
import pytest
from mcp.client import Client
from mcp.shared.exceptions import MCPError

from servers.host.options import Ask
from tests.requirements.marker import requirement
from tests.servers.host.seat_league import (
    LEAGUE,
    Answers,
    Bell,
    call,
    host_on_stdio,
    refusal,
    seat_league,
    the_end,
    watching,
)

pytestmark = [pytest.mark.anyio, pytest.mark.end_to_end]

TURN = "league://seat/turn"
BOARD = "league://seat/board"
OTHERS = {"Ada": "always-even", "Bea": "always-odd", "Cid": "random"}


async def the_turn(client: Client, told: list[str | None] | None = None) -> dict[str, Any]:
    """The next turn, and what the host is told while it waits."""

    async def hear(progress: float, total: float | None, message: str | None) -> None:
        if told is not None:
            told.append(message)

    while True:
        result = await client.call_tool("wait_for_my_turn", {"seconds": 30}, progress_callback=hear)
        turn = result.structured_content
        assert turn is not None
        if turn["your_turn"]:
            return turn
        assert not turn["league_over"], turn


@requirement("project-LATER-03")
@pytest.mark.parametrize(
    ("mode", "revision", "ask"),
    [
        ("auto", "2026-07-28", Ask.SAMPLING),
        pytest.param("legacy", "2025-11-25", Ask.ELICITATION, marks=pytest.mark.slow),
    ],
)
async def test_a_host_plays_a_league_in_time_too_late_and_not_at_all(
    tmp_path: Path, mode: str, revision: str, ask: Ask
):
    bell, answers = Bell(), Answers("purple")
    with tempfile.TemporaryFile("w+") as log:
        async with (
            seat_league(tmp_path, OTHERS, move_sec=2) as made,
            host_on_stdio(
                made,
                mode,
                *("--fallback", "always-odd", "--ask", str(ask)),
                log=log,
                message_handler=bell.hear,
                **answers.of(ask),
            ) as client,
            watching(client, bell, TURN),
        ):
            assert client.protocol_version == revision
            seat = await call(client, "join_league")
            assert (seat["player_id"], seat["league_id"]) == ("P01", LEAGUE)

            told_meanwhile: list[str | None] = []
            turn = await the_turn(client, told_meanwhile)
            assert set(told_meanwhile) == {"Waiting for your turn"}
            assert turn["legal_moves"] == ["even", "odd"]
            illegal = f"is not a legal move in {turn['match_id']}. Legal moves: even, odd."
            assert f"'purple' {illegal}" in turn["say"]
            assert f"'violet' {illegal}" in await refusal(client, "choose_move", move="violet")
            await call(client, "choose_move", move="even")

            late = (await the_turn(client))["match_id"]
            await bell.rings_until(lambda: gone(client, late))
            told = f"In {late} no move was chosen shortly before the deadline; the strategy 'always-odd' played odd."
            assert told in await refusal(client, "choose_move", move="even", match_id=late)

            never = await the_turn(client)
            assert told in never["say"]
            await bell.rings_until(lambda: gone(client, never["match_id"]))
            over = await the_end(client)
            assert f"{never['match_id']}: no move was chosen" in " ".join(over["news"])
            history = (await call(client, "my_history"))["matches"]
            assert [match["my_moves"] for match in history] == [["even"], ["odd"], ["odd"]]
            for match_id in (turn["match_id"], late, never["match_id"]):
                assert made.result(match_id)["status"] in ("WIN", "DRAW")
            noted: list[Any] = []
            while len(noted) < 2:  # a thread of the seat's process writes the log
                await anyio.sleep(0.02)
                noted = [line["details"] for line in made.log("P01") if line.get("event_type") == "FALLBACK"]
            assert [line["match_id"] for line in noted] == [late, never["match_id"]]
            assert all("'odd' was played instead" in line["reason"] for line in noted)
        log.seek(0)
        assert "Traceback" not in log.read()
    matches = (turn["match_id"], late, never["match_id"])
    assert [said.split(",")[0] for said in answers.asked] == [f"Your move in {match_id}" for match_id in matches]


async def gone(client: Client, match_id: str) -> bool:
    """True if it is no longer the host's turn in a match."""
    (content,) = (await client.read_resource(TURN)).contents
    assert isinstance(content, types.TextResourceContents)
    return json.loads(content.text).get("match_id") != match_id


async def test_standard_output_holds_nothing_but_mcp_and_the_end_of_the_input_ends_it(tmp_path: Path):
    """Printed output of a program goes to standard error while it serves, as do stray lines."""
    hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "a test", "version": "1"}}
    said = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "whose_turn", "arguments": {}}},
    ]
    lines = ["no message at all", *map(json.dumps, said), ""]
    with anyio.fail_after(120), tempfile.TemporaryFile("w+") as log:
        words = [sys.executable, "-m", "servers", "host", "--data", str(tmp_path)]
        async with await anyio.open_process(words, stderr=log) as process:
            assert process.stdin is not None
            assert process.stdout is not None
            await process.stdin.send("\n".join(lines).encode())
            heard = b""
            while b'"id":2' not in heard or not heard.endswith(b"\n"):
                heard += await process.stdout.receive()
            await process.stdin.aclose()
            with suppress(anyio.EndOfStream):
                while True:
                    heard += await process.stdout.receive()
            assert await process.wait() == 0
        log.seek(0)
        assert "Traceback" not in log.read()
    answers = [json.loads(line) for line in heard.splitlines()]
    assert {answer["jsonrpc"] for answer in answers} == {"2.0"}
    assert {answer["id"] for answer in answers if answer.get("id")} == {1, 2}


@requirement("project-GAMES-08")
@pytest.mark.slow
async def test_a_host_plays_chess_with_a_drawn_board(tmp_path: Path):
    pytest.importorskip("pyspiel", reason="OpenSpiel has no wheel for this platform")
    with tempfile.TemporaryFile("w+") as log:
        async with (
            seat_league(tmp_path, {"Ada": "random"}, game="openspiel__chess") as made,
            host_on_stdio(made, "auto", "--game", "openspiel:chess", log=log) as client,
        ):
            with pytest.raises(MCPError, match="There is no board to draw"):
                await client.read_resource(BOARD)
            await call(client, "join_league")
            (move, *_) = (await the_turn(client))["legal_moves"]
            await call(client, "choose_move", move=move)
            turn = await the_turn(client)
            (content,) = (await client.read_resource(BOARD)).contents
            ranks = turn["board"]["untrusted"].splitlines()[:8]
            assert [rank[0] for rank in ranks] == list("87654321")
            assert sum(letter.isalpha() for rank in ranks for letter in rank) >= 31
            assert content.mime_type == "image/svg+xml"
            picture = ElementTree.fromstring(getattr(content, "text", ""))
            men = "".join(each.text or "" for each in picture.iterfind(".//{*}text"))
            assert sum(letter in "♚♛♜♝♞♟" for letter in men) == sum(
                letter.isalpha() for rank in ranks for letter in rank
            )
            assert turn["my_moves"] == [move]
