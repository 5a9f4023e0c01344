"""The short way for calls: what goes out is what the SDK's client sends, and what comes back is taken the same way."""

import json
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from typing import Any

import anyio
import httpx2
import mcp_types as types
import pytest
from mcp.client.streamable_http import streamable_http_client

from league_sdk.mcp_bridge import McpConnection, open_connection
from league_sdk.net.exchange import Exchange
from league_sdk.ports import CallRefused, MalformedReply
from league_sdk.transports.http import HttpPool

pytestmark = pytest.mark.anyio

REVISION = "2026-07-28"
URL = "http://127.0.0.1:1/mcp"
RESULT = {"content": [{"type": "text", "text": "{}"}], "structuredContent": {"a": 1}, "resultType": "complete"}


@pytest.fixture(autouse=True)
async def soon(anyio_backend: str):
    with anyio.fail_after(20):
        yield


class Recorder(httpx2.AsyncBaseTransport):
    """Answers every request as told, and keeps it."""

    def __init__(self, answer: Callable[[dict[str, Any]], httpx2.Response]) -> None:
        self.requests: list[httpx2.Request] = []
        self.tools: list[Any] = [
            {"name": "plain", "inputSchema": {"type": "object"}},
            {"name": "mirrored", "inputSchema": MIRRORED},
        ]
        self._answer = answer

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        body = json.loads(await request.aread())
        self.requests.append(request)
        if body["method"] == "tools/list":
            tools = self.tools
            result = {"tools": tools, "resultType": "complete", "ttlMs": 0, "cacheScope": "private"}
            return httpx2.Response(200, json={"jsonrpc": "2.0", "id": body["id"], "result": result})
        return self._answer(body)


MIRRORED = {"type": "object", "properties": {"region": {"type": "string", "x-mcp-header": "Region"}}}


def result_of(body: dict[str, Any], result: Any = RESULT) -> httpx2.Response:
    return httpx2.Response(200, json={"jsonrpc": "2.0", "id": body["id"], "result": result})


@asynccontextmanager
async def connected(answer: Callable[[dict[str, Any]], httpx2.Response], *, short: bool = True) -> AsyncGenerator[Any]:
    recorder = Recorder(answer)
    async with HttpPool(recorder) as http:
        exchange = http.exchange_with(URL) if short else None
        async with open_connection(
            streamable_http_client(URL, http_client=http), mode=REVISION, exchange=exchange
        ) as connection:
            yield connection, recorder


async def test_the_bytes_on_the_wire_say_the_same_as_those_of_the_sdk():
    seen: list[tuple[dict[str, str], Any]] = []
    for short in (False, True):
        async with connected(result_of, short=short) as (connection, recorder):
            assert await connection.call("plain", {"text": "żółw", "n": [1, None, 2.5]}, timeout=5) == {"a": 1}
        (request,) = recorder.requests
        body = json.loads(request.content)
        del body["id"]
        passing = ("content-length", "user-agent", "connection")
        seen.append(({key: value for key, value in request.headers.items() if key not in passing}, body))
    assert seen[0] == seen[1]
    assert seen[1][0]["mcp-name"] == "plain"


async def test_a_tool_that_wants_arguments_in_headers_is_called_through_the_sdk():
    async with connected(result_of) as (connection, recorder):
        await connection.list_tools()
        await connection.call("mirrored", {"region": "north"}, timeout=5)
    assert recorder.requests[-1].headers["mcp-param-region"] == "north"


@pytest.mark.parametrize(
    "tool",
    [
        {"name": "a", "inputSchema": {"type": "object"}},
        {
            "name": "a",
            "inputSchema": {"type": "object"},
            "title": "A",
            "description": "Does a.",
            "outputSchema": {"type": "object"},
        },
        {"name": "a", "inputSchema": {"type": "object"}, "annotations": {"title": "T", "readOnlyHint": True}},
        {"name": "a", "inputSchema": {"type": "object"}, "annotations": {"idempotentHint": True}},
        {
            "name": "a",
            "inputSchema": {"type": "object"},
            "annotations": {"destructiveHint": True, "openWorldHint": False},
        },
    ],
)
async def test_a_list_of_tools_is_the_one_that_the_sdk_reads(tool):
    lists: list[Any] = []
    for short in (True, False):
        async with connected(result_of, short=short) as (connection, recorder):
            recorder.tools = [tool]
            lists.append(await connection.list_tools())
            assert len(recorder.requests) == 1
    assert lists[0] == lists[1]


@pytest.mark.parametrize(
    ("result", "payload"),
    [
        (RESULT, {"a": 1}),
        ({"content": [{"type": "text", "text": '{"b": 2}'}], "resultType": "complete"}, {"b": 2}),
    ],
)
async def test_results_are_taken_as_structure_or_as_text(result, payload):
    async with connected(lambda body: result_of(body, result)) as (connection, _):
        assert await connection.call("plain", {}, timeout=5) == payload


@pytest.mark.parametrize("short", [True, False], ids=["the short way", "through the SDK"])
@pytest.mark.parametrize(
    ("answer", "error", "said"),
    [
        (lambda body: result_of(body, {"content": "text"}), MalformedReply, "not a tool result"),
        (lambda body: result_of(body, [1]), MalformedReply, ""),
        (
            lambda body: httpx2.Response(
                400, json={"jsonrpc": "2.0", "id": body["id"], "error": {"code": -32602, "message": "no"}}
            ),
            CallRefused,
            "no",
        ),
        (lambda _: httpx2.Response(404, text="nothing here"), CallRefused, "Not Found"),
        (lambda _: httpx2.Response(500, text="oh"), CallRefused, ""),
        (lambda _: httpx2.Response(202), CallRefused, "202"),
        (lambda _: httpx2.Response(200, text="{", headers={"content-type": "application/json"}), MalformedReply, ""),
        (
            lambda body: result_of(body, {**RESULT, "structuredContent": "it failed", "isError": True}),
            CallRefused,
            "it failed",
        ),
    ],
)
async def test_what_is_no_result_means_the_same_on_either_way(answer, error, said, short):
    async with connected(answer, short=short) as (connection, _):
        with pytest.raises(error) as raised:
            await connection.call("plain", {}, timeout=5)
    assert said in str(raised.value)


async def test_a_reply_may_come_as_an_event_after_other_events():
    def streamed(body: dict[str, Any]) -> httpx2.Response:
        note = {"jsonrpc": "2.0", "method": "notifications/message", "params": {"level": "info", "data": "x"}}
        events = (note, {"jsonrpc": "2.0", "id": body["id"], "result": RESULT})
        text = ": ping\r\n\r\n" + "".join(f"event: message\r\ndata: {json.dumps(event)}\r\n\r\n" for event in events)
        return httpx2.Response(200, text=text, headers={"content-type": "text/event-stream"})

    async with connected(streamed) as (connection, _):
        assert await connection.call("plain", {}, timeout=5) == {"a": 1}


async def test_a_stream_that_ends_without_a_reply_is_told():
    def silent(_: dict[str, Any]) -> httpx2.Response:
        return httpx2.Response(200, text=": ping\n\n", headers={"content-type": "text/event-stream"})

    async with connected(silent) as (connection, _):
        with pytest.raises(MalformedReply, match="ended without a reply"):
            await connection.call("plain", {}, timeout=5)


async def test_a_reply_to_another_request_is_refused():
    async with connected(lambda body: result_of({"id": 4711})) as (connection, _):
        with pytest.raises(MalformedReply, match="another id"):
            await connection.call("plain", {}, timeout=5)


async def test_a_revision_with_a_handshake_is_left_to_the_sdk():
    class Handshaken:
        protocol_version = "2025-11-25"

    connection = McpConnection(
        Handshaken(),  # pyright: ignore[reportArgumentType]
        Exchange(Recorder(result_of), URL, {}),
    )
    assert connection._exchange is None
    assert types.PROTOCOL_VERSION_META_KEY.encode() in connection._meta
