"""The short way for calls, its serving half: a call of a tool that is complete in itself is answered without the SDK.

The SDK's server takes a request of 2026-07-28 through models, contexts, a runner and its middleware. A `tools/call` of
the plainest form, which is what leagues consist of, needs none of it. Whatever is not of exactly that form goes on to
the SDK untouched: other methods and revisions, other keys, headers that do not fit, traces, views, any mistake.
The reply says the same as the SDK's; ADR 0060 tells more.
"""

from collections.abc import Mapping
from typing import Any, cast

import mcp_types as types
from mcp.shared.inbound import (
    ERROR_CODE_HTTP_STATUS,
    MCP_METHOD_HEADER,
    MCP_NAME_HEADER,
    MCP_PROTOCOL_VERSION_HEADER,
)
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from pydantic_core import from_json, to_json
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from league_sdk import tracing
from league_sdk.mcp_bridge import call_context
from league_sdk.ports import CallRefused, Json, ToolHost

_JSON = b"application/json"
_TOOLS_CALL = "tools/call"
_REQUEST = frozenset({"jsonrpc", "id", "method", "params"})
_PARAMS = frozenset({"name", "arguments", "_meta"})
_META = frozenset({types.PROTOCOL_VERSION_META_KEY, types.CLIENT_INFO_META_KEY, types.CLIENT_CAPABILITIES_META_KEY})
_CLIENT = frozenset({"name", "version"})
_ONCE = (b"content-type", b"accept", b"content-length")
_ROUTING = tuple(name.encode() for name in (MCP_PROTOCOL_VERSION_HEADER, MCP_METHOD_HEADER, MCP_NAME_HEADER))
_ELSEWHERE = (b"mcp-param-", b"mcp-session-id", b"content-encoding", b"transfer-encoding", b"traceparent")
_LARGEST_ID = 2**53


class ShortWay:
    """An ASGI application that answers plain calls of a host's tools, and hands everything else to `app`.

    Args:
        app: The MCP application behind it.
        host: The agent.
        max_body: Largest request that is read here, in bytes.
    """

    def __init__(self, app: ASGIApp, host: ToolHost, *, max_body: int) -> None:
        self._app = app
        self._host = host
        self._max_body = max_body
        self._tools = frozenset(tool.name for tool in host.tools())
        server = {types.SERVER_INFO_META_KEY: {"name": host.name, "version": host.version}}
        self._tail = b',"_meta":' + to_json(server) + b"}}"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        named = _named(scope, self._max_body)
        if named is None or tracing.is_on():
            await self._app(scope, receive, send)
            return
        tool, revision = named
        body, messages = await _body(receive)
        call = _plain_call(body, tool, revision) if body is not None and tool in self._tools else None
        if call is None:
            await self._app(scope, _replayed(messages, receive), send)
            return
        request_id, arguments = call
        status, content = await self._answer(tool, arguments, request_id, Request(scope))
        headers = [(b"content-length", b"%d" % len(content)), (b"content-type", _JSON)]
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": content})

    async def _answer(
        self, tool: str, arguments: Mapping[str, Json], request_id: int | str, request: Request
    ) -> tuple[int, bytes]:
        head = b'{"jsonrpc":"2.0","id":' + to_json(request_id)
        try:
            reply = await self._host.call(tool, arguments, call_context(request, "mcp"))
        except CallRefused as refused:
            error: dict[str, Json] = {"code": refused.number, "message": refused.message}
            if refused.data is not None:
                error["data"] = dict(refused.data)
            return ERROR_CODE_HTTP_STATUS.get(refused.number, 200), head + b',"error":' + to_json(error) + b"}"
        said = to_json(reply)
        text = to_json(said.decode())
        result = b',"result":{"content":[{"text":' + text + b',"type":"text"}],"isError":false,"resultType":"complete"'
        return 200, head + result + b',"structuredContent":' + said + self._tail


def _named(scope: Scope, max_body: int) -> tuple[str, str] | None:
    """The tool that a request's headers name, and its revision; None when they are not those of a plain call."""
    if scope["type"] != "http" or scope["method"] != "POST":
        return None
    found: dict[bytes, bytes] = {}
    for name, value in scope["headers"]:
        if name in _ONCE or name in _ROUTING:
            if name in found:
                return None
            found[name] = value
        elif name.startswith(_ELSEWHERE):
            return None
    revision, method, tool = (found.get(name, b"").decode("latin-1") for name in _ROUTING)
    if revision not in MODERN_PROTOCOL_VERSIONS or method != _TOOLS_CALL:
        return None
    length = found.get(b"content-length", b"")
    if not length.isdigit() or int(length) > max_body:
        return None
    if found.get(b"content-type") != _JSON or _JSON not in found.get(b"accept", b"").replace(b" ", b"").split(b","):
        return None
    return tool, revision


async def _body(receive: Receive) -> tuple[bytes | None, list[Message]]:
    """The body of a request, None when its client hung up; and what was received, so that it can be read again."""
    messages: list[Message] = []
    while True:
        message = await receive()
        messages.append(message)
        if message["type"] != "http.request":
            return None, messages
        if not message.get("more_body", False):
            return b"".join(one.get("body", b"") for one in messages), messages


def _plain_call(body: bytes, tool: str, revision: str) -> tuple[int | str, dict[str, Json]] | None:
    """Id and arguments of a call that has exactly what it needs; None when there is anything else about it."""
    try:
        request = from_json(body, allow_inf_nan=False)
    except ValueError:
        return None
    if not isinstance(request, dict):
        return None
    asked = cast("dict[str, Any]", request)
    params, number = asked.get("params"), _an_id(asked.get("id"))
    if asked.keys() != _REQUEST or asked["jsonrpc"] != "2.0" or asked["method"] != _TOOLS_CALL:
        return None
    if not isinstance(params, dict) or number is None:
        return None
    given = cast("dict[str, Any]", params)
    arguments = given.get("arguments")
    if given.keys() != _PARAMS or given["name"] != tool or not isinstance(arguments, dict):
        return None
    if not _is_plain_meta(given["_meta"], revision):
        return None
    return number, cast("dict[str, Json]", arguments)


def _an_id(value: object) -> int | str | None:
    if isinstance(value, int) and not isinstance(value, bool):
        return value if abs(value) < _LARGEST_ID else None
    return value if isinstance(value, str) else None


def _is_plain_meta(meta: object, revision: str) -> bool:
    if not isinstance(meta, dict):
        return False
    said = cast("dict[str, Any]", meta)
    client = said.get(types.CLIENT_INFO_META_KEY)
    return (
        said.keys() == _META
        and said[types.PROTOCOL_VERSION_META_KEY] == revision
        and said[types.CLIENT_CAPABILITIES_META_KEY] == {}
        and isinstance(client, dict)
        and cast("dict[str, Any]", client).keys() == _CLIENT
        and all(isinstance(text, str) for text in cast("dict[str, Any]", client).values())
    )


def _replayed(messages: list[Message], receive: Receive) -> Receive:
    pending = list(reversed(messages))

    async def replay() -> Message:
        return pending.pop() if pending else await receive()

    return replay
