"""The short way for calls: the same replies as the SDK's, and only for what is plain."""

import json
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Any

import anyio
import httpx2
import pytest
from starlette.responses import JSONResponse, PlainTextResponse

from league_sdk.errors import INVALID_PARAMS
from league_sdk.mcp_short import ShortWay
from league_sdk.ports import CallContext, CallRefused, Json, ToolDescriptor
from league_sdk.transports.http import serve_http

pytestmark = pytest.mark.anyio

REVISION = "2026-07-28"
META = {
    "io.modelcontextprotocol/protocolVersion": REVISION,
    "io.modelcontextprotocol/clientInfo": {"name": "somebody", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}
HEADERS = {
    "content-type": "application/json",
    "accept": "application/json, text/event-stream",
    "mcp-protocol-version": REVISION,
    "mcp-method": "tools/call",
    "mcp-name": "echo",
}
ASKED = {"params": {"_meta": META}}
TO_THE_SDK = {"traceparent": "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"}


def asking(method: str) -> dict[str, str]:
    return {name: value for name, value in HEADERS.items() if name != "mcp-name"} | {"mcp-method": method}


class Echo:
    """Says what it was told."""

    name = "Echo"
    version = "1.2"
    instructions = "Echoes."
    library = None

    def __init__(self) -> None:
        self.contexts: list[CallContext] = []

    def tools(self) -> list[ToolDescriptor]:
        return [ToolDescriptor("echo", "Echo", "Echoes.", {"type": "object"}, {"type": "object"})]

    async def call(self, tool: str, arguments: Mapping[str, Json], context: CallContext) -> dict[str, Json]:
        self.contexts.append(context)
        if "refuse" in arguments:
            raise CallRefused(arguments["refuse"], "no", arguments.get("data"))
        return dict(arguments)


def request(**changes: Any) -> dict[str, Any]:
    params = {"name": "echo", "arguments": {"a": 1}, "_meta": META} | changes.pop("params", {})
    return {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params} | changes


@pytest.fixture(autouse=True)
async def soon(anyio_backend: str):
    with anyio.fail_after(20):
        yield


@pytest.fixture
async def served() -> AsyncGenerator[tuple[str, httpx2.AsyncClient, Echo]]:
    host = Echo()
    async with serve_http(host) as listener, httpx2.AsyncClient(trust_env=False) as client:
        yield listener.endpoint, client, host


@pytest.mark.parametrize(
    "arguments",
    [
        {"a": None, "b": [1, None, 2.5, True], "c": {"d": None, "e": {}}},
        {"text": 'żółw \U0001f422 \\ " \n \u2028'},
        {"refuse": INVALID_PARAMS, "data": {"error_code": "E003", "context": {"field": None}}},
        {"refuse": 3001},
        {"refuse": -32603, "data": {}},
    ],
)
@pytest.mark.parametrize("number", [7, "seven", -1, ""])
async def test_a_reply_is_the_one_that_the_sdk_would_give(served, arguments, number):
    endpoint, client, host = served
    body = json.dumps(request(id=number, params={"arguments": arguments})).encode()
    short, sdk = [
        await client.post(endpoint, content=body, headers=HEADERS | more | {"authorization": "Bearer t"})
        for more in ({}, TO_THE_SDK)
    ]
    assert (short.status_code, short.headers["content-type"]) == (sdk.status_code, sdk.headers["content-type"])
    assert _with_read_text(short.json()) == _with_read_text(sdk.json())
    assert host.contexts[0] == host.contexts[1] == CallContext(bearer_token="t", address="127.0.0.1", dialect="mcp")


def _with_read_text(reply: dict[str, Any]) -> dict[str, Any]:
    for part in reply.get("result", {}).get("content", ()):
        part["text"] = json.loads(part["text"])
    return reply


@pytest.mark.parametrize("method", ["tools/list", "server/discover"])
async def test_what_is_the_same_for_all_is_said_as_the_sdk_says_it(served, method):
    endpoint, client, _ = served
    headers = asking(method)

    async def ask(number: int | str, **more: str) -> httpx2.Response:
        asked = {"jsonrpc": "2.0", "id": number, "method": method, "params": {"_meta": META}}
        return await client.post(endpoint, json=asked, headers=headers | more)

    first, second = await ask(1), await ask("two")
    sdk = await ask("two", **TO_THE_SDK)
    assert (second.status_code, second.headers["content-type"]) == (sdk.status_code, sdk.headers["content-type"])
    assert second.json() == sdk.json() == first.json() | {"id": "two"}


async def test_it_is_asked_of_the_sdk_once_and_a_refusal_is_not_kept():
    said: list[dict[str, Any]] = [{"error": {"code": -32603, "message": "not yet"}}, {"result": {"tools": []}}]

    async def other(scope: Any, receive: Any, send: Any) -> None:
        number = json.loads((await receive())["body"])["id"]
        await JSONResponse({"jsonrpc": "2.0", "id": number, **said.pop(0)})(scope, receive, send)

    app = ShortWay(other, Echo(), max_body=10_000)
    headers = asking("tools/list")
    async with httpx2.AsyncClient(transport=httpx2.ASGITransport(app), base_url="http://here") as client:
        asked = [request(id=number, method="tools/list") | ASKED for number in (1, 2, 3)]
        replies = [(await client.post("/mcp", json=body, headers=headers)).json() for body in asked]
    assert [reply["id"] for reply in replies] == [1, 2, 3]
    assert [reply.get("result") for reply in replies] == [None, {"tools": []}, {"tools": []}]


async def test_an_answer_that_is_no_json_is_passed_on_each_time():
    headers = asking("tools/list")
    async with before_another_app() as client:
        for _ in range(2):
            reply = await client.post("/mcp", json=request(method="tools/list") | ASKED, headers=headers)
            assert reply.content.startswith(b"elsewhere:")


@pytest.mark.parametrize("more", [{"cursor": "2"}, {"name": "echo"}])
async def test_a_page_of_the_list_is_for_the_sdk(more):
    headers = asking("tools/list")
    async with before_another_app() as client:
        body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": META, **more}}
        reply = await client.post("/mcp", json=body, headers=headers)
        assert reply.content.startswith(b"elsewhere:")


@asynccontextmanager
async def before_another_app() -> AsyncGenerator[httpx2.AsyncClient]:
    async def other(scope: Any, receive: Any, send: Any) -> None:
        body = b""
        while True:
            message = await receive()
            body += message["body"]
            if not message.get("more_body"):
                break
        await PlainTextResponse(b"elsewhere:" + body)(scope, receive, send)

    app = ShortWay(other, Echo(), max_body=10_000)
    async with httpx2.AsyncClient(transport=httpx2.ASGITransport(app), base_url="http://here") as client:
        yield client


async def test_a_plain_call_is_answered_at_once():
    async with before_another_app() as client:
        reply = await client.post("/mcp", json=request(), headers=HEADERS)
        assert reply.json()["result"]["structuredContent"] == {"a": 1}


@pytest.mark.parametrize(
    "headers",
    [
        {"mcp-method": "tools/list"},
        {"mcp-name": "other"},
        {"mcp-protocol-version": "2025-11-25"},
        {"mcp-session-id": "x"},
        {"mcp-param-region": "north"},
        {"content-type": "text/plain"},
        {"content-encoding": "gzip"},
        {"accept": "text/event-stream"},
        {"content-length": "many"},
        TO_THE_SDK,
    ],
    ids=lambda headers: next(iter(headers)),
)
async def test_headers_that_are_not_those_of_a_plain_call_are_for_the_sdk(headers):
    async with before_another_app() as client:
        body = json.dumps(request()).encode()
        reply = await client.post("/mcp", content=body, headers=HEADERS | headers)
        assert reply.content == b"elsewhere:" + body


async def test_a_header_that_is_there_twice_is_for_the_sdk():
    async with before_another_app() as client:
        twice = [*HEADERS.items(), ("mcp-name", "echo")]
        assert (await client.post("/mcp", json=request(), headers=twice)).text.startswith("elsewhere:")


WRONG: dict[str, Callable[[], Any]] = {
    "a batch": lambda: [request()],
    "another version of JSON-RPC": lambda: request(jsonrpc="1.0"),
    "another method": lambda: request(method="tools/list"),
    "no id": lambda: {key: value for key, value in request().items() if key != "id"},
    "an id that is none": lambda: request(id=None),
    "an id that is true": lambda: request(id=True),
    "an id that is a fraction": lambda: request(id=1.5),
    "a key more": lambda: request(more=1),
    "params that are a list": lambda: request(params={}) | {"params": []},
    "a parameter more": lambda: request(params={"more": 1}),
    "another tool than in the header": lambda: request(params={"name": "other"}),
    "arguments that are a list": lambda: request(params={"arguments": []}),
    "no meta": lambda: request(params={"_meta": None}),
    "another revision": lambda: request(params={"_meta": META | {"io.modelcontextprotocol/protocolVersion": "x"}}),
    "a capability": lambda: request(
        params={"_meta": META | {"io.modelcontextprotocol/clientCapabilities": {"sampling": {}}}}
    ),
    "a progress token": lambda: request(params={"_meta": META | {"progressToken": 1}}),
    "a client without a version": lambda: request(
        params={"_meta": META | {"io.modelcontextprotocol/clientInfo": {"name": "x"}}}
    ),
}


@pytest.mark.parametrize("made", WRONG.values(), ids=WRONG.keys())
async def test_a_body_that_is_not_that_of_a_plain_call_is_for_the_sdk(made):
    async with before_another_app() as client:
        body = json.dumps(made()).encode()
        assert (await client.post("/mcp", content=body, headers=HEADERS)).content == b"elsewhere:" + body


@pytest.mark.parametrize(
    "body",
    [
        b"{",
        json.dumps(request(params={"arguments": {"n": float("nan")}})).encode(),
        json.dumps(request(params={"arguments": {"half": "\ud800"}})).encode(),
        json.dumps(request(params={"arguments": {"long": "x" * 10_000}})).encode(),
    ],
    ids=["no JSON", "no number", "half a character", "too long"],
)
async def test_what_cannot_be_read_is_for_the_sdk(body):
    async with before_another_app() as client:
        assert (await client.post("/mcp", content=body, headers=HEADERS)).content == b"elsewhere:" + body


async def test_other_methods_of_http_are_for_the_sdk():
    async with before_another_app() as client:
        assert (await client.get("/mcp", headers=HEADERS)).text == "elsewhere:"
