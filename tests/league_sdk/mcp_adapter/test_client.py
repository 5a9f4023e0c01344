"""Peers that answer in every way they should not, over the SDK's in-process transport."""

from typing import Any

import anyio
import mcp_types as types
import pytest
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError

from league_sdk.errors import PeerUnreachable, ResponseTimeout
from league_sdk.mcp_adapter.client import open_connection, translate
from league_sdk.ports import CallRefused, MalformedReply, NotThisDialect
from tests.requirements.marker import requirement

pytestmark = pytest.mark.anyio


def text(content: str) -> types.TextContent:
    return types.TextContent(text=content)


def stranger(result=None, *, error=None, pages=None) -> Server:
    """A peer with one tool, whose every call ends in `result` or `error`."""

    async def list_tools(ctx, params):
        if pages is not None:
            return pages(params.cursor if params else None)
        tool = types.Tool(name="choose", input_schema={"type": "object"}, output_schema={"type": "object"})
        return types.ListToolsResult(tools=[tool])

    async def call_tool(ctx, params) -> Any:
        if error is not None:
            raise error
        return result

    return Server("stranger", on_list_tools=list_tools, on_call_tool=call_tool)


async def call(server, **options):
    with anyio.fail_after(30):
        async with open_connection(server, mode="legacy", **options) as connection:
            return await connection.call("choose", {}, timeout=2)


async def test_a_call_over_a_connection_that_another_call_has_lost_is_unreachable():
    async with open_connection(stranger(), mode="legacy") as connection:
        pass
    with pytest.raises(PeerUnreachable, match="the connection was closed") as caught:
        await connection.call("choose", {}, timeout=2)
    assert caught.value.context["dropped"]
    with pytest.raises(PeerUnreachable):
        await connection.list_tools()
    with pytest.raises(PeerUnreachable):
        await connection.ping(timeout=2)


@requirement("004-MCP-02")
async def test_structured_content_is_the_reply():
    result = types.CallToolResult(content=[text("something else")], structured_content={"move": "x"})
    assert await call(stranger(result)) == {"move": "x"}


async def test_without_structured_content_the_text_is_the_reply_whatever_schema_the_peer_publishes():
    assert await call(stranger(types.CallToolResult(content=[text('{"move": "x"}')]))) == {"move": "x"}


@pytest.mark.parametrize(
    ("content", "why"),
    [
        ([], "neither structuredContent nor content"),
        ([text("I choose x")], "not JSON"),
        ([text("[" * 100_000)], "not JSON"),
        ([types.ImageContent(data="", mime_type="image/png")], r"content\[0\] is image"),
    ],
)
async def test_a_result_without_a_reply_is_malformed(content, why):
    with pytest.raises(MalformedReply, match=why):
        await call(stranger(types.CallToolResult(content=content)))


async def test_a_result_that_is_no_tool_result_is_malformed(monkeypatch):
    with anyio.fail_after(30):
        async with open_connection(stranger(types.CallToolResult(content=[])), mode="legacy") as connection:

            async def nonsense(*args, **options):
                types.CallToolResult.model_validate({"content": "x" * 1000})

            monkeypatch.setattr(connection._client.session, "send_request", nonsense)
            with pytest.raises(MalformedReply, match="not a tool result") as caught:
                await connection.call("choose", {}, timeout=2)
    assert len(caught.value.received) <= 501


@pytest.mark.parametrize(
    ("content", "number", "message", "data"),
    [
        (text("Error executing tool choose"), -32603, "Error executing tool choose", None),
        (text('{"oh": "no"}'), -32603, '{"oh": "no"}', None),
        (text('{"error_code": "E777"}'), -32603, '{"error_code": "E777"}', None),
        (text("[1]"), -32603, "[1]", None),
        (text('{"error_code": "E004"}'), 4004, "INVALID_MOVE", {"error_code": "E004"}),
        (
            text('{"error_code": "E004", "error_description": "no"}'),
            4004,
            "no",
            {"error_code": "E004", "error_description": "no"},
        ),
    ],
)
async def test_a_result_flagged_as_an_error_is_a_refusal(content, number, message, data):
    with pytest.raises(CallRefused) as caught:
        await call(stranger(types.CallToolResult(content=[content], is_error=True)))
    assert (caught.value.number, caught.value.message, caught.value.data) == (number, message, data)


async def test_an_empty_error_result_is_a_refusal_too():
    with pytest.raises(CallRefused, match="neither structuredContent nor content"):
        await call(stranger(types.CallToolResult(content=[], is_error=True)))


@pytest.mark.parametrize(
    ("code", "said", "data", "expected"),
    [
        (-32000, "Connection closed", None, PeerUnreachable),
        (-32000, "SSE stream ended without a response", None, PeerUnreachable),
        (-32000, "http://x: ConnectError", {"dropped": False}, PeerUnreachable),
        (-32000, "Bad Request: No valid session ID provided", None, PeerUnreachable),
        (-32000, "server error", {"error_code": "E099"}, CallRefused),
        (-32000, "division by zero", None, CallRefused),
        (-32000, "division by zero", {"line": 7}, CallRefused),
        (-32001, "timed out", None, ResponseTimeout),
        (-32700, "Failed to parse", None, MalformedReply),
        (-32600, "Session terminated", None, PeerUnreachable),
        (-32600, "bad request", None, CallRefused),
        (-32022, "unsupported", {"supported": []}, PeerUnreachable),
        (-32602, "bad arguments", {"field": "x"}, CallRefused),
        (4001, "token", "not an object", CallRefused),
    ],
)
def test_what_happened_on_this_side_is_told_from_what_the_peer_said(code, said, data, expected):
    error = translate(MCPError(code, said, data))
    assert type(error) is expected
    if isinstance(error, CallRefused):
        assert (error.number, error.message) == (code, said)
        assert error.data == (data if isinstance(data, dict) else None)


async def test_the_tool_list_is_read_page_by_page():
    def pages(cursor):
        number = int(cursor or 0)
        tool = types.Tool(
            name=f"tool{number}",
            input_schema={"type": "object"},
            annotations=types.ToolAnnotations(title="A title") if number else None,
        )
        return types.ListToolsResult(tools=[tool], next_cursor=str(number + 1) if number < 2 else None)

    with anyio.fail_after(30):
        async with open_connection(stranger(pages=pages), mode="legacy") as connection:
            tools = await connection.list_tools()
    assert [tool.name for tool in tools] == ["tool0", "tool1", "tool2"]
    assert [tool.title for tool in tools] == ["tool0", "A title", "A title"]
    assert (tools[0].description, tools[0].read_only, tools[0].output_schema) == ("", False, None)


async def test_a_tool_list_without_an_end_is_malformed():
    def pages(cursor):
        return types.ListToolsResult(tools=[], next_cursor="again")

    with anyio.fail_after(30), pytest.raises(MalformedReply, match="has more after 100 pages"):
        async with open_connection(stranger(pages=pages), mode="legacy") as connection:
            await connection.list_tools()


async def test_a_peer_that_has_no_tools_refuses_to_list_them():
    with anyio.fail_after(30), pytest.raises(CallRefused) as caught:
        async with open_connection(Server("bare"), mode="legacy") as connection:
            await connection.list_tools()
    assert caught.value.number == -32601


async def test_a_tool_list_of_another_form_is_malformed(monkeypatch):
    with anyio.fail_after(30):
        async with open_connection(stranger(), mode="legacy") as connection:

            async def nonsense(request, result_type):
                result_type.model_validate({"tools": 7})

            monkeypatch.setattr(connection._client.session, "send_request", nonsense)
            with pytest.raises(MalformedReply, match="tool list does not have the form"):
                await connection.list_tools()


@pytest.mark.parametrize("mode", ["legacy", "2026-07-28"])
async def test_a_ping_that_is_refused_is_answered_and_one_that_is_not_answered_is_a_timeout(mode):
    async def refuse(ctx, params):
        raise MCPError(-32603, "do not ping me")

    async def hang(ctx, params):
        await anyio.sleep_forever()

    method = "ping" if mode == "legacy" else "server/discover"
    with anyio.fail_after(30):
        server = stranger()
        server.add_request_handler(method, types.RequestParams, refuse)
        async with open_connection(server, mode=mode) as connection:
            await connection.ping(timeout=2)
        server.add_request_handler(method, types.RequestParams, hang)
        async with open_connection(server, mode=mode) as connection:
            with pytest.raises(ResponseTimeout, match=r"ping within 0\.02 s"):
                await connection.ping(timeout=0.02)


async def test_a_ping_over_a_dead_connection_is_unreachable(monkeypatch):
    with anyio.fail_after(30):
        async with open_connection(stranger(), mode="legacy") as connection:

            async def closed():
                raise MCPError(types.CONNECTION_CLOSED, "Connection closed")

            monkeypatch.setattr(connection._client.session, "send_ping", closed)
            assert not connection.failed
            with pytest.raises(PeerUnreachable):
                await connection.ping(timeout=2)
            assert connection.failed


class Transport:
    """A transport that raises when it is entered."""

    def __init__(self, error):
        self.error = error

    async def __aenter__(self):
        raise self.error

    async def __aexit__(self, *exc_info):
        raise NotImplementedError


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (ConnectionRefusedError("no"), PeerUnreachable),
        (ExceptionGroup("x", [ExceptionGroup("y", [ConnectionRefusedError("no")])]), PeerUnreachable),
        (MCPError(types.CONNECTION_CLOSED, "Connection closed"), PeerUnreachable),
        (MCPError(types.CONNECTION_CLOSED, "not for you"), NotThisDialect),
        (MCPError(types.REQUEST_TIMEOUT, "slow"), PeerUnreachable),
        (MCPError(-32601, "Method not found"), NotThisDialect),
        (ExceptionGroup("x", [MCPError(-32601, "Method not found")]), NotThisDialect),
        (RuntimeError("Unsupported protocol version from the server: 1"), NotThisDialect),
        (ZeroDivisionError("a bug"), ZeroDivisionError),
    ],
)
async def test_a_handshake_that_fails_says_whether_nobody_is_there_or_somebody_else(error, expected):
    with anyio.fail_after(30), pytest.raises(expected) as caught:
        async with open_connection(Transport(error)):
            pytest.fail("it was not to open")
    assert type(caught.value) is expected


async def test_what_is_raised_while_a_connection_is_held_comes_out_as_it_is():
    with anyio.fail_after(30), pytest.raises(RuntimeError, match="mine"):
        async with open_connection(stranger(), mode="legacy"):
            raise RuntimeError("mine")
