"""The checker's reading of bytes: event streams, sessions, pages, refusals, and worse."""

import json
from collections.abc import AsyncGenerator, AsyncIterator, Generator
from contextlib import asynccontextmanager
from typing import Any

import anyio
import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from league_sdk.testing.compliance.responses import AgentGone, CallAnswer, said_twice
from league_sdk.testing.compliance.wire import BareWire, Http, McpWire, NotSpoken, open_client
from tests.league_sdk.testing.compliance.handmade import in_a_thread

pytestmark = pytest.mark.anyio

GZIP, HUGE = "gzip", 5 * 1024 * 1024
PATIENCE = 240.0
"""Seconds that no answer takes, on a busy machine either."""


def event(value: Any) -> str:
    return f"event: message\ndata: {value if isinstance(value, str) else json.dumps(value)}\n\n"


def stream(*events: str, wait: bool = False, headers: dict[str, str] | None = None) -> Response:
    async def body() -> AsyncIterator[str]:
        for text in events:
            yield text
        if wait:
            await anyio.sleep(30)

    return StreamingResponse(body(), media_type="text/event-stream", headers=headers)


async def host(request: Request) -> Response:
    """An MCP server with sessions, that answers in event streams."""
    body = await request.json()
    number, method, params = body.get("id"), body["method"], body.get("params", {})

    def result(value: Any) -> dict[str, Any]:
        return {"jsonrpc": "2.0", "id": number, "result": value}

    if method == "initialize":
        hello = {"protocolVersion": params["protocolVersion"], "capabilities": {}, "serverInfo": {"name": "x"}}
        return stream(": a comment\n\n", event(result(hello)), headers={"mcp-session-id": "s1"})
    if request.headers.get("mcp-session-id") != "s1":
        return Response("no session", 400)
    if method == "notifications/initialized":
        return Response(status_code=202)
    if method == "tools/list":
        page = {"tools": [{"name": params.get("cursor", "first")}]}
        return stream(event(result(page if "cursor" in params else {**page, "nextCursor": "second"})))
    progress = {"jsonrpc": "2.0", "method": "notifications/progress", "params": {}}
    told = {"message_type": "X"}
    error = json.dumps({"error_code": "E003"})
    answers: dict[str, Any] = {
        "good": lambda: stream(
            event(progress),
            event(result({"content": [{"type": "text", "text": json.dumps(told)}], "structuredContent": told})),
            wait=True,
        ),
        "flagged": lambda: JSONResponse(result({"isError": True, "content": [{"type": "text", "text": error}]})),
        "flagged in words": lambda: JSONResponse(result({"isError": True, "content": []})),
        "no json": lambda: stream(event("certainly!")),
        "ends": lambda: stream(event(progress)),
        "silent": lambda: stream(event(progress), wait=True),
        "too long": lambda: stream("data: " + "x" * HUGE + "\n\n"),
        "compressed": lambda: Response(b"x", media_type="application/json", headers={"content-encoding": GZIP}),
        "huge": lambda: Response("x" * HUGE, media_type="application/json"),
        "two results": lambda: JSONResponse({**result({}), "error": {"code": 1, "message": "x"}}),
        "nothing": lambda: JSONResponse({"jsonrpc": "2.0", "id": number}),
        "no number": lambda: JSONResponse({"jsonrpc": "2.0", "id": number, "error": {"message": "x"}}),
        "no message": lambda: JSONResponse({"jsonrpc": "2.0", "id": number, "error": {"code": 1}}),
        "other error": lambda: JSONResponse({"jsonrpc": "2.0", "id": 77, "error": {"code": 1, "message": "x"}}),
        "accepted": lambda: Response(status_code=202),
    }
    return answers[params["name"]]()


@pytest.fixture(scope="module")
def url() -> Generator[str]:
    with in_a_thread(Starlette(routes=[Route("/mcp", host, methods=["POST"])])) as base:
        yield f"{base}/mcp"


@asynccontextmanager
async def opened(url: str) -> AsyncGenerator[McpWire]:
    async with open_client() as client:
        wire = McpWire(Http(client, url, PATIENCE), "2025-06-18")
        await wire.open()
        yield wire


async def call(url: str, tool: str, timeout: float = PATIENCE) -> CallAnswer:
    async with opened(url) as wire:
        return await wire.call(tool, {}, timeout=timeout)


async def test_a_session_is_kept_and_every_page_of_tools_is_read(url: str):
    async with opened(url) as wire:
        assert await wire.tools() == [{"name": "first"}, {"name": "second"}]


async def test_the_answer_in_an_event_stream_is_found_among_other_events(url: str):
    answer = await call(url, "good")
    assert (answer.reply, answer.broken, answer.error) == ({"message_type": "X"}, "", None)
    assert said_twice(answer) == ""


async def test_a_result_that_is_flagged_as_an_error_is_a_refusal(url: str):
    answer = await call(url, "flagged")
    assert answer.error is not None
    assert (answer.error.number, answer.error.code) == (None, "E003")
    answer = await call(url, "flagged in words")
    assert answer.error is not None
    assert answer.error.code is None


@pytest.mark.parametrize(
    ("tool", "said"),
    [
        ("no json", "an event of the stream is no JSON"),
        ("ends", "the event stream ended without an answer"),
        ("too long", "the event stream is longer than"),
        ("compressed", "the response is compressed"),
        ("huge", "the response is longer than"),
        ("two results", "a result and an error as well"),
        ("nothing", "neither a result nor an error"),
        ("no number", "no object with a whole number as its code"),
        ("no message", "the error has no message"),
        ("other error", "the error bears the id 77"),
        ("accepted", "HTTP 202, and no JSON-RPC object"),
    ],
)
async def test_what_is_no_answer_is_called_by_its_name(url: str, tool: str, said: str):
    answer = await call(url, tool)
    assert said in answer.broken
    assert (answer.reply, answer.error, answer.late) == (None, None, False)


async def test_a_stream_without_end_is_late(url: str):
    answer = await call(url, "silent", timeout=1.0)
    assert answer.late
    assert "nothing came within 1 s" in answer.broken


async def test_another_revision_and_another_dialect_are_not_spoken(url: str):
    async with open_client() as client:
        http = Http(client, url, 5.0)
        with pytest.raises(NotSpoken, match="server/discover gets: HTTP 400"):
            await McpWire(http, "2026-07-28").open()
        with pytest.raises(NotSpoken, match="a call of notify_round without MCP gets"):
            await BareWire(http, ("notify_round",)).open()


async def test_nobody_is_not_the_same_as_somebody_who_is_broken():
    async with open_client() as client:
        with pytest.raises(AgentGone, match="nobody listens there"):
            await BareWire(Http(client, "http://127.0.0.1:9/mcp", 1.0), ("notify_round",)).open()
