"""Peers that answer by a script, byte for byte, and what the connector makes of them."""

import json
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from typing import Any

import anyio
import httpx2
import mcp_types as types
import pytest

from league_sdk.errors import PeerUnreachable, ResponseTimeout
from league_sdk.mcp_adapter.client import McpConnection
from league_sdk.ports import CallRefused, MalformedReply
from league_sdk.transports.http import HttpConnector

pytestmark = pytest.mark.anyio

REVISION = "2026-07-28"
URL = "http://127.0.0.1:1/mcp"
Answer = Callable[[dict[str, Any]], httpx2.Response]
RESULT = {"content": [{"type": "text", "text": "{}"}], "structuredContent": {"a": 1}, "resultType": "complete"}


@pytest.fixture(autouse=True)
async def soon(anyio_backend: str):
    with anyio.fail_after(20):
        yield


class Recorder(httpx2.AsyncBaseTransport):
    """Answers every request as told, and keeps it."""

    def __init__(self, answer: Answer, lists: Answer | None = None) -> None:
        self.requests: list[httpx2.Request] = []
        self.tools: list[Any] = [
            {"name": "plain", "inputSchema": {"type": "object"}},
            {"name": "mirrored", "inputSchema": MIRRORED},
        ]
        self._answer = answer
        self._lists = lists

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        body = json.loads(await request.aread())
        self.requests.append(request)
        if body["method"] == "tools/list":
            if self._lists is not None:
                return self._lists(body)
            tools = self.tools
            result = {"tools": tools, "resultType": "complete", "ttlMs": 0, "cacheScope": "private"}
            return httpx2.Response(200, json={"jsonrpc": "2.0", "id": body["id"], "result": result})
        return self._answer(body)


MIRRORED = {"type": "object", "properties": {"region": {"type": "string", "x-mcp-header": "Region"}}}


def result_of(body: dict[str, Any], result: Any = RESULT) -> httpx2.Response:
    return httpx2.Response(200, json={"jsonrpc": "2.0", "id": body["id"], "result": result})


@asynccontextmanager
async def connected(answer: Answer, *, lists: Answer | None = None) -> AsyncGenerator[Any]:
    recorder = Recorder(answer, lists)
    async with HttpConnector(recorder, mode=REVISION).connect(URL) as connection:
        yield connection, recorder


async def test_a_tool_that_wants_arguments_in_headers_gets_them():
    async with connected(result_of) as (connection, recorder):
        await connection.list_tools()
        await connection.call("mirrored", {"region": "north"}, timeout=5)
    assert recorder.requests[-1].headers["mcp-param-region"] == "north"


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
async def test_what_is_no_result_is_told_by_what_it_means(answer, error, said):
    async with connected(answer) as (connection, _):
        with pytest.raises(error) as raised:
            await connection.call("plain", {}, timeout=5)
    assert said in str(raised.value)


# --- finding out what a peer speaks


DISCOVERED = {
    "supportedVersions": [REVISION],
    "capabilities": {"tools": {}},
    "resultType": "complete",
    "ttlMs": 0,
    "cacheScope": "private",
}
INITIALIZED = {
    "protocolVersion": "2025-11-25",
    "capabilities": {"tools": {}},
    "serverInfo": {"name": "old", "version": "1"},
}


def refused(body: dict[str, Any], code: int, message: str) -> httpx2.Response:
    return httpx2.Response(
        400, json={"jsonrpc": "2.0", "id": body.get("id"), "error": {"code": code, "message": message}}
    )


async def test_a_peer_of_the_present_revision_is_asked_once():
    recorder = Recorder(lambda body: result_of(body, DISCOVERED))
    async with HttpConnector(recorder).connect(URL) as connection:
        assert connection.dialect == f"mcp/{REVISION}"
    assert len(recorder.requests) == 1


@pytest.mark.parametrize(
    "discovered",
    [
        (-32601, "Method not found"),
        (-32000, "Bad Request: No valid session ID provided"),
        (-32600, "Session terminated"),
        (types.UNSUPPORTED_PROTOCOL_VERSION, "Unsupported protocol version"),
        {**DISCOVERED, "supportedVersions": ["2025-11-25"]},
        {**DISCOVERED, "supportedVersions": "all"},
    ],
    ids=[
        "does not know the question",
        "misses a session",
        "has ended a session",
        "does not speak the revision",
        "speaks revisions with a handshake only",
        "answers something else",
    ],
)
async def test_a_peer_that_needs_a_handshake_is_left_to_the_sdk(discovered):
    def old(body: dict[str, Any]) -> httpx2.Response:
        if body["method"] == "initialize":
            return result_of(body, INITIALIZED)
        if "id" not in body:
            return httpx2.Response(202)
        return refused(body, *discovered) if isinstance(discovered, tuple) else result_of(body, discovered)

    async with HttpConnector(Recorder(old)).connect(URL) as connection:
        assert isinstance(connection, McpConnection)
        assert connection.dialect == "mcp/2025-11-25"


async def test_where_nobody_is_there_one_look_is_enough():
    recorder = Recorder(lambda body: refused(body, types.CONNECTION_CLOSED, "Connection closed"))
    with pytest.raises(PeerUnreachable):
        async with HttpConnector(recorder).connect(URL):
            pytest.fail("there was somebody")
    assert len(recorder.requests) == 1


async def test_a_failed_call_leaves_no_revision_behind_even_when_the_context_ends_well():
    def discovered_and_gone(body: dict[str, Any]) -> httpx2.Response:
        if body["method"] == "server/discover":
            return result_of(body, DISCOVERED)
        return refused(body, types.CONNECTION_CLOSED, "Connection closed")

    connector = HttpConnector(Recorder(discovered_and_gone))
    async with connector.connect(URL):
        pass
    assert connector._revisions == {URL: REVISION}
    async with connector.connect(URL) as connection:
        with pytest.raises(PeerUnreachable):
            await connection.call("plain", {}, timeout=5)
    assert connector._revisions == {}


# --- what is unusual


async def test_a_list_in_pages_is_read_to_its_end():
    def pages(body: dict[str, Any]) -> httpx2.Response:
        second = body["params"].get("cursor") == "2"
        tool = {"name": "b" if second else "a", "inputSchema": {"type": "object"}}
        rest = {} if second else {"nextCursor": "2"}
        return result_of(body, {"tools": [tool], "resultType": "complete", "ttlMs": 0, "cacheScope": "private", **rest})

    async with connected(pages, lists=pages) as (connection, _):
        assert [tool.name for tool in await connection.list_tools()] == ["a", "b"]
        assert [tool.name for tool in await connection.list_tools()] == ["a", "b"]


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        ({"code": -32601, "message": "no such thing"}, CallRefused),
        ({"code": types.CONNECTION_CLOSED, "message": "Connection closed"}, PeerUnreachable),
        ({"code": "what", "message": 1}, MalformedReply),
    ],
)
async def test_a_peer_that_does_not_list_its_tools_is_asked_once(error, expected):
    def refuses(body: dict[str, Any]) -> httpx2.Response:
        return httpx2.Response(200, json={"jsonrpc": "2.0", "id": body["id"], "error": error})

    async with connected(result_of, lists=refuses) as (connection, recorder):
        with pytest.raises(expected):
            await connection.list_tools()
        assert connection.failed is (expected is PeerUnreachable)
        assert len(recorder.requests) == 1


# --- the heartbeat


@pytest.mark.parametrize("code", [None, -32601])
async def test_any_answer_to_a_ping_will_do(code):
    def answer(body: dict[str, Any]) -> httpx2.Response:
        return result_of(body, DISCOVERED) if code is None else refused(body, code, "no")

    async with connected(answer) as (connection, recorder):
        await connection.ping(timeout=5)
        assert json.loads(recorder.requests[0].content)["method"] == "server/discover"
        assert not connection.failed


async def test_a_ping_over_a_dead_connection_is_unreachable():
    async with connected(lambda body: refused(body, types.CONNECTION_CLOSED, "Connection closed")) as (connection, _):
        with pytest.raises(PeerUnreachable):
            await connection.ping(timeout=5)
        assert connection.failed


async def test_what_is_not_answered_in_time_is_late():
    class Silent(httpx2.AsyncBaseTransport):
        async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
            await anyio.sleep_forever()
            raise AssertionError

    async with HttpConnector(Silent(), mode=REVISION).connect(URL) as connection:
        with pytest.raises(ResponseTimeout, match="no answer to a ping"):
            await connection.ping(timeout=0.01)
        with pytest.raises(ResponseTimeout, match="no answer to plain"):
            await connection.call("plain", {}, timeout=0.01)
