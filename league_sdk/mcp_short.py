"""The short way for calls, its serving half: a call of a tool that is complete in itself is answered without the SDK.

The SDK's server takes a request of 2026-07-28 through models, contexts, a runner and its middleware. A `tools/call` of
the plainest form, which is what leagues consist of, needs none of it. Whatever is not of exactly that form goes on to
the SDK untouched: other methods and revisions, other keys, headers that do not fit, traces, views, any mistake.
The reply says the same as the SDK's. What a server speaks and which tools it has is the same for everybody, so the
SDK's reply to the first who asks plainly is given to all others; ADR 0060 tells more.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple, cast

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
_SAME_FOR_ALL = ("server/discover", "tools/list")
_REQUEST = frozenset({"jsonrpc", "id", "method", "params"})
_PARAMS = frozenset({"name", "arguments", "_meta"})
_META = frozenset({types.PROTOCOL_VERSION_META_KEY, types.CLIENT_INFO_META_KEY, types.CLIENT_CAPABILITIES_META_KEY})
_CLIENT = frozenset({"name", "version"})
_ONCE = (b"content-type", b"accept", b"content-length")
_ROUTING = tuple(name.encode() for name in (MCP_PROTOCOL_VERSION_HEADER, MCP_METHOD_HEADER, MCP_NAME_HEADER))
_ELSEWHERE = (b"mcp-param-", b"mcp-session-id", b"content-encoding", b"transfer-encoding", b"traceparent")
_LARGEST_ID = 2**53


class _Named(NamedTuple):
    """What the headers of a request say that it is.

    Attributes:
        method: The method.
        tool: The tool; empty where the method has none.
        revision: The revision.
    """

    method: str
    tool: str
    revision: str


class _Plain(NamedTuple):
    """A request that has exactly what it needs.

    Attributes:
        number: Its id.
        tool: Which tool it calls; None when it asks what is the same for all.
        arguments: Those of the call.
    """

    number: int | str
    tool: str | None
    arguments: dict[str, Json]


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
        self._said: dict[_Named, bytes] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        named = _named(scope, self._max_body)
        if named is None or tracing.is_on():
            await self._app(scope, receive, send)
            return
        body, messages = await _body(receive)
        request = None if body is None else _plain_request(body, *named)
        if request is None or (request.tool is not None and request.tool not in self._tools):
            await self._app(scope, _replayed(messages, receive), send)
        elif request.tool is not None:
            await _send(send, *await self._answer(request.tool, request.arguments, request.number, Request(scope)))
        elif named in self._said:
            await _send(send, 200, _head(request.number) + b',"result":' + self._said[named] + b"}")
        else:
            await self._overhear(named, scope, _replayed(messages, receive), send)

    async def _overhear(self, named: _Named, scope: Scope, receive: Receive, send: Send) -> None:
        """Have the SDK answer, and remember what it says."""
        body = bytearray()

        async def pass_on(message: Message) -> None:
            body.extend(message.get("body", b""))
            await send(message)

        await self._app(scope, receive, pass_on)
        try:
            reply = from_json(body)
        except ValueError:
            return
        if isinstance(reply, dict) and "result" in reply:
            self._said[named] = to_json(reply["result"])

    async def _answer(
        self, tool: str, arguments: Mapping[str, Json], request_id: int | str, request: Request
    ) -> tuple[int, bytes]:
        head = _head(request_id)
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


def _named(scope: Scope, max_body: int) -> _Named | None:
    """What a request is by its headers; None when they are not those of a plain request."""
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
    if revision not in MODERN_PROTOCOL_VERSIONS or not (
        method == _TOOLS_CALL or (method in _SAME_FOR_ALL and not tool)
    ):
        return None
    length = found.get(b"content-length", b"")
    if not length.isdigit() or int(length) > max_body:
        return None
    if found.get(b"content-type") != _JSON or _JSON not in found.get(b"accept", b"").replace(b" ", b"").split(b","):
        return None
    return _Named(method, tool, revision)


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


def _plain_request(body: bytes, method: str, tool: str, revision: str) -> _Plain | None:
    """A request that is what its headers say; None when there is anything else about it."""
    try:
        request = from_json(body, allow_inf_nan=False)
    except ValueError:
        return None
    if not isinstance(request, dict):
        return None
    asked = cast("dict[str, Any]", request)
    params, number = asked.get("params"), _an_id(asked.get("id"))
    if asked.keys() != _REQUEST or asked["jsonrpc"] != "2.0" or asked["method"] != method:
        return None
    if not isinstance(params, dict) or number is None:
        return None
    given = cast("dict[str, Any]", params)
    if not _is_plain_meta(given.get("_meta"), revision):
        return None
    if method in _SAME_FOR_ALL:
        return _Plain(number, None, {}) if given.keys() == {"_meta"} else None
    arguments = given.get("arguments")
    if given.keys() != _PARAMS or given["name"] != tool or not isinstance(arguments, dict):
        return None
    return _Plain(number, tool, cast("dict[str, Json]", arguments))


def _head(number: int | str) -> bytes:
    return b'{"jsonrpc":"2.0","id":' + to_json(number)


async def _send(send: Send, status: int, content: bytes) -> None:
    headers = [(b"content-length", b"%d" % len(content)), (b"content-type", _JSON)]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": content})


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
