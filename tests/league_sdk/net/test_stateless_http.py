"""The transport of our own under the SDK's client: what goes out, and what each kind of answer becomes."""

import json
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import anyio
import httpx2
import pytest
from mcp.client import Client
from mcp.shared.exceptions import MCPError
from mcp_types import CONNECTION_CLOSED, PARSE_ERROR, CallToolRequest, CallToolRequestParams, CallToolResult

from league_sdk.net.stateless_http import StatelessHttp

pytestmark = pytest.mark.anyio

REVISION = "2026-07-28"
URL = "http://peer.example:8101/mcp"
RESULT = {"content": [{"type": "text", "text": "{}"}], "resultType": "complete"}
NOTE = {"jsonrpc": "2.0", "method": "notifications/message", "params": {"level": "info", "data": "at work"}}
REFUSED = {"jsonrpc": "2.0", "error": {"code": 7, "message": "no"}}
Answer = Callable[[dict[str, Any]], httpx2.Response | Awaitable[httpx2.Response]]


@pytest.fixture(autouse=True)
async def soon(anyio_backend: str):
    with anyio.fail_after(20):
        yield


class Peer(httpx2.AsyncBaseTransport):
    """Answers every request as told, and keeps it."""

    def __init__(self, answer: Answer) -> None:
        self.requests: list[httpx2.Request] = []
        self._answer = answer

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        self.requests.append(request)
        answer = self._answer(json.loads(await request.aread()))
        return answer if isinstance(answer, httpx2.Response) else await answer


def result_of(body: dict[str, Any]) -> httpx2.Response:
    return httpx2.Response(200, json={"jsonrpc": "2.0", "id": body["id"], "result": RESULT})


def events(*messages: object) -> httpx2.Response:
    text = "".join(f"event: message\ndata: {json.dumps(message)}\n\n" for message in messages)
    return httpx2.Response(200, headers={"content-type": "text/event-stream"}, text=text)


async def call(client: Client, text: str) -> Any:
    params = CallToolRequestParams(name="echo", arguments={"text": text})
    return await client.session.send_request(CallToolRequest(params=params), CallToolResult)


async def called(peer: Peer, **options: Any) -> Any:
    async with Client(StatelessHttp(URL, peer), mode=REVISION, cache=None, **options) as client:
        return await call(client, "x")


async def test_a_request_is_one_post_with_the_headers_of_its_revision():
    peer = Peer(result_of)
    await called(peer)
    (request,) = peer.requests
    assert (request.method, str(request.url)) == ("POST", URL)
    sent = {name: request.headers[name] for name in ("host", "accept", "content-type", "accept-encoding")}
    assert sent == {
        "host": "peer.example:8101",
        "accept": "application/json, text/event-stream",
        "content-type": "application/json",
        "accept-encoding": "identity",
    }
    assert request.headers["mcp-protocol-version"] == REVISION
    assert (request.headers["mcp-method"], request.headers["mcp-name"]) == ("tools/call", "echo")
    assert int(request.headers["content-length"]) == len(request.content)
    assert json.loads(request.content)["params"]["arguments"] == {"text": "x"}


async def test_a_reply_may_come_at_the_end_of_a_stream_of_notifications():
    heard: list[Any] = []

    async def hear(params: Any) -> None:
        heard.append(params.data)

    def answer(body: dict[str, Any]) -> httpx2.Response:
        # Whatever id it bears, it came on this request's stream.
        return events(NOTE, {"jsonrpc": "2.0", "id": 999, "result": RESULT})

    result = await called(Peer(answer), logging_callback=hear)
    assert result.content[0].text == "{}"
    assert heard == ["at work"]


async def broken() -> AsyncIterator[bytes]:
    yield b": soon\n\n"
    raise httpx2.ReadError("the connection was closed")


@pytest.mark.parametrize(
    ("answer", "code", "said"),
    [
        (lambda _: events(NOTE), CONNECTION_CLOSED, "SSE stream ended without a response"),
        (
            lambda _: httpx2.Response(200, headers={"content-type": "text/event-stream"}, content=broken()),
            CONNECTION_CLOSED,
            "SSE stream broke",
        ),
        (lambda _: events("no message"), PARSE_ERROR, "an event of the stream is not a JSON-RPC message"),
        (
            lambda body: httpx2.Response(200, json={**NOTE, "id": body["id"]}),
            PARSE_ERROR,
            "the response is not a JSON-RPC response",
        ),
        (lambda _: httpx2.Response(400, json={**REFUSED, "id": None}), 7, "no"),
        (lambda body: httpx2.Response(200, json={**REFUSED, "id": body["id"]}), 7, "no"),
    ],
)
async def test_what_is_no_result_is_an_error_of_this_request(answer: Answer, code: int, said: str):
    async with Client(StatelessHttp(URL, Peer(answer)), mode=REVISION, cache=None) as client:
        with pytest.raises(MCPError, match=said) as raised:
            await call(client, "x")
    assert raised.value.code == code


async def test_a_call_that_is_given_up_is_cancelled_by_giving_up_its_post():
    given_up = anyio.Event()

    async def never(_: dict[str, Any]) -> httpx2.Response:
        try:
            await anyio.sleep_forever()
        finally:
            given_up.set()
        raise AssertionError

    peer = Peer(never)
    async with Client(StatelessHttp(URL, peer), mode=REVISION, cache=None) as client:
        with anyio.move_on_after(0.01):
            await call(client, "x")
        assert given_up.is_set()
    assert len(peer.requests) == 1


async def test_many_calls_are_under_way_at_once_and_each_gets_its_own_reply():
    first_is_asked, second_is_answered = anyio.Event(), anyio.Event()

    async def answer(body: dict[str, Any]) -> httpx2.Response:
        text = body["params"]["arguments"]["text"]
        if text == "first":
            first_is_asked.set()
            await second_is_answered.wait()
        result = {**RESULT, "content": [{"type": "text", "text": text}]}
        return httpx2.Response(200, json={"jsonrpc": "2.0", "id": body["id"], "result": result})

    async with Client(StatelessHttp(URL, Peer(answer)), mode=REVISION, cache=None) as client:

        async def first() -> None:
            assert (await call(client, "first")).content[0].text == "first"

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(first)
            await first_is_asked.wait()
            assert (await call(client, "second")).content[0].text == "second"
            second_is_answered.set()
