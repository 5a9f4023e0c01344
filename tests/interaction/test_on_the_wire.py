"""The bytes of each revision of MCP and of bare JSON-RPC, at one URL."""

import json

import anyio
import httpx2
import pytest

from league_sdk import transports
from league_sdk.testing import EchoHost
from tests.requirements.marker import requirement

pytestmark = pytest.mark.anyio

HANDSHAKE_REVISIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
ACCEPT = {"accept": "application/json, text/event-stream"}


@pytest.fixture
async def post(anyio_backend):
    async with transports.serve(EchoHost(), grace=0) as listener, httpx2.AsyncClient(trust_env=False) as client:

        async def send(body, **headers):
            named = {name.replace("_", "-"): value for name, value in headers.items()}
            with anyio.fail_after(30):
                return await client.post(listener.endpoint, json=body, headers=named)

        yield send


def request(method, params, number: int | str = 1):
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": params}


def modern(method, params):
    meta = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "stranger", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    headers = {"mcp_protocol_version": "2026-07-28", "mcp_method": method, **ACCEPT}
    if "name" in params:
        headers["mcp_name"] = params["name"]
    return request(method, {**params, "_meta": meta}), headers


def call(tool, arguments):
    return {"name": tool, "arguments": arguments}


def assert_reply_is_there_twice(answer):
    result = answer.json()["result"]
    assert result["structuredContent"]["text"] == "hé"
    assert result["content"][0]["type"] == "text"
    assert json.loads(result["content"][0]["text"]) == result["structuredContent"]


def assert_league_error(answer):
    error = answer.json()["error"]
    assert (error["code"], error["message"]) == (4004, "INVALID_MOVE")
    assert error["data"] == {"error_code": "E004", "context": {"value": "x"}}


@requirement(
    "000-LM-START-02", "003-PORT-03", "004-ARCH-06", "004-MCP-01", "004-FLOW-01", "004-TEST-09", "project-PROTO-09"
)
@pytest.mark.parametrize("revision", HANDSHAKE_REVISIONS)
async def test_a_host_of_any_handshake_revision_can_initialize_list_and_call(post, revision):
    hello = {"protocolVersion": revision, "capabilities": {}, "clientInfo": {"name": "stranger", "version": "1"}}
    answer = await post(request("initialize", hello), **ACCEPT)
    assert answer.json()["result"]["protocolVersion"] == revision
    assert answer.json()["result"]["serverInfo"]["name"] == "echo"
    assert "mcp-session-id" not in answer.headers

    spoken = {**ACCEPT, "mcp_protocol_version": revision}
    answer = await post({"jsonrpc": "2.0", "method": "notifications/initialized"}, **spoken)
    assert answer.status_code == 202
    answer = await post(request("tools/list", {}), **spoken)
    assert [tool["name"] for tool in answer.json()["result"]["tools"]] == ["echo", "refuse", "wait", "release"]
    answer = await post(request("tools/call", call("echo", {"text": "hé"})), **spoken)
    assert json.loads(answer.json()["result"]["content"][0]["text"])["text"] == "hé"
    if revision >= "2025-06-18":
        assert_reply_is_there_twice(answer)
    assert_league_error(await post(request("tools/call", call("refuse", {"text": "x"})), **spoken))
    answer = await post(request("ping", {}), **spoken)
    assert answer.json()["result"] == {}


@requirement(
    "000-LM-START-02", "003-PORT-03", "004-ARCH-06", "004-MCP-01", "004-FLOW-01", "004-TEST-09", "project-PROTO-09"
)
async def test_a_host_of_the_newest_revision_can_discover_list_and_call(post):
    body, headers = modern("server/discover", {})
    assert "2026-07-28" in (await post(body, **headers)).json()["result"]["supportedVersions"]
    body, headers = modern("tools/list", {})
    tools = (await post(body, **headers)).json()["result"]["tools"]
    assert tools[0]["inputSchema"]["required"] == ["text"]
    assert tools[0]["outputSchema"]["required"] == ["text", "bearer", "address", "dialect"]
    assert tools[0]["annotations"]["readOnlyHint"] is True
    body, headers = modern("tools/call", call("echo", {"text": "hé"}))
    assert_reply_is_there_twice(await post(body, **headers))
    body, headers = modern("tools/call", call("refuse", {"text": "x"}))
    assert_league_error(await post(body, **headers))
    body, headers = modern("tools/call", call("no_such_tool", {}))
    assert (await post(body, **headers)).json()["error"]["code"] == -32602


@requirement("project-PROTO-09")
async def test_white_space_around_a_header_is_no_part_of_it():
    body, headers = modern("tools/call", call("echo", {"text": "hé"}))
    named = {name.replace("_", "-"): value for name, value in headers.items()} | {"mcp-name": "  echo  "}
    content = json.dumps(body).encode()
    lines = [f"{name}: {value}" for name, value in {**named, "content-length": len(content)}.items()]
    head = "\r\n".join(["POST /mcp HTTP/1.1", "host: localhost", "content-type: application/json", *lines])
    async with transports.serve(EchoHost(), grace=0) as listener:
        port = httpx2.URL(listener.endpoint).port
        with anyio.fail_after(30):
            async with await anyio.connect_tcp("127.0.0.1", port or 0) as stream:
                await stream.send(head.encode() + b"\r\nconnection: close\r\n\r\n" + content)
                answered = b"".join([chunk async for chunk in stream])
    assert answered.startswith(b"HTTP/1.1 200 ")
    assert json.loads(answered.partition(b"\r\n\r\n")[2])["result"]["structuredContent"]["text"] == "hé"


@requirement("000-LM-START-02", "001-RPC-01", "002-ENV-01", "003-RES-05", "004-OBJ-08", "project-PROTO-10")
async def test_a_program_without_mcp_can_call_the_tool_as_a_method(post):
    answer = await post(request("echo", {"text": "hé"}, number="a string"))
    assert answer.json() == {
        "jsonrpc": "2.0",
        "id": "a string",
        "result": {"text": "hé", "bearer": None, "address": "127.0.0.1", "dialect": "jsonrpc"},
    }
    assert_league_error(await post(request("refuse", {"text": "x"})))


@requirement("004-DEP-04", "project-PROTO-06")
async def test_a_bearer_token_reaches_the_host_in_every_dialect(post):
    bearer = {"authorization": "Bearer s3cret"}
    answer = await post(request("echo", {"text": ""}), **bearer)
    assert answer.json()["result"]["bearer"] == "s3cret"
    spoken = {**ACCEPT, "mcp_protocol_version": "2025-06-18"}
    answer = await post(request("tools/call", call("echo", {"text": ""})), **spoken, **bearer)
    assert answer.json()["result"]["structuredContent"]["bearer"] == "s3cret"
    body, headers = modern("tools/call", call("echo", {"text": ""}))
    answer = await post(body, **headers, **bearer)
    assert answer.json()["result"]["structuredContent"] == {
        "text": "",
        "bearer": "s3cret",
        "address": "127.0.0.1",
        "dialect": "mcp",
    }


async def test_another_kind_of_authorization_is_no_bearer_token(post):
    answer = await post(request("echo", {"text": ""}), authorization="Basic czNjcmV0")
    assert answer.json()["result"]["bearer"] is None
