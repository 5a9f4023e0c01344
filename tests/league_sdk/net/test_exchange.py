"""One request, one reply: however the reply comes."""

import json
from collections.abc import Callable
from typing import Any

import anyio
import httpx2
import pytest
from mcp_types import PARSE_ERROR

from league_sdk.net.exchange import Exchange

pytestmark = pytest.mark.anyio

URL = "http://127.0.0.1:1/mcp"
RESULT = {"tools": []}


@pytest.fixture(autouse=True)
async def soon(anyio_backend: str):
    with anyio.fail_after(20):
        yield


async def ask(answer: Callable[[dict[str, Any]], httpx2.Response]) -> dict[str, Any]:
    def answered(request: httpx2.Request) -> httpx2.Response:
        return answer(json.loads(request.content))

    body = b'{"jsonrpc":"2.0","id":7,"method":"tools/list"}'
    return await Exchange(httpx2.MockTransport(answered), URL, {})({}, body, 7)


async def test_a_reply_may_come_as_an_event_after_other_events():
    def streamed(body: dict[str, Any]) -> httpx2.Response:
        note = {"jsonrpc": "2.0", "method": "notifications/message", "params": {"level": "info", "data": "x"}}
        events = (note, {"jsonrpc": "2.0", "id": body["id"], "result": RESULT})
        text = ": ping\r\n\r\n" + "".join(f"event: message\r\ndata: {json.dumps(event)}\r\n\r\n" for event in events)
        return httpx2.Response(200, text=text, headers={"content-type": "text/event-stream"})

    assert (await ask(streamed))["result"] == RESULT


async def test_a_stream_that_ends_without_a_reply_is_told():
    def silent(_: dict[str, Any]) -> httpx2.Response:
        return httpx2.Response(200, text=": ping\n\n", headers={"content-type": "text/event-stream"})

    error = (await ask(silent))["error"]
    assert error["code"] == PARSE_ERROR
    assert "ended without a reply" in error["message"]


async def test_a_reply_to_another_request_is_refused():
    error = (await ask(lambda _: httpx2.Response(200, json={"jsonrpc": "2.0", "id": 4711, "result": {}})))["error"]
    assert error["code"] == PARSE_ERROR
    assert "another id" in error["message"]
