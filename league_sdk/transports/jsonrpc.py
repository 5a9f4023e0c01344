"""Bare JSON-RPC 2.0 over HTTP POST, for agents that do not speak MCP.

`{"jsonrpc": "2.0", "method": <tool>, "params": {…message…}, "id": 1}` gets `{"jsonrpc": "2.0", "result": {…reply…},
"id": 1}`, or an error object with the numbers that MCP calls get too. `AcceptJsonRpc` stands before an MCP application
on the same path and passes MCP requests on untouched.
"""

import itertools
import json
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from typing import Any, Final, TypeGuard, cast

import anyio
import httpx2
from mcp_types import INTERNAL_ERROR, INVALID_PARAMS, INVALID_REQUEST, METHOD_NOT_FOUND, PARSE_ERROR
from mcp_types.methods import SPEC_CLIENT_METHODS, SPEC_CLIENT_NOTIFICATION_METHODS
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from league_sdk import tracing
from league_sdk.bounds import shorten
from league_sdk.errors import PeerUnreachable, ResponseTimeout
from league_sdk.json_value import Json, read_strictly, why_not_json
from league_sdk.mcp_adapter.server import call_context
from league_sdk.net.endpoints import is_endpoint, read_endpoint
from league_sdk.net.redirects import redirect_refused
from league_sdk.net.replies import MAX_BODY, name_not_found, out_of_files, was_dropped
from league_sdk.ports import (
    CallContext,
    CallRefused,
    Connection,
    MalformedReply,
    OutOfFiles,
    ToolDescriptor,
    ToolHost,
)
from league_sdk.protocol.derived_fields import Unwrapped

_MCP_METHODS: Final = frozenset(SPEC_CLIENT_METHODS) | frozenset(SPEC_CLIENT_NOTIFICATION_METHODS)
_MCP_HEADERS: Final = (b"mcp-protocol-version", b"mcp-session-id")
MCP_MESSAGE: Final = "mcp_message"  # the method that agents of requirement 003 use for every message
_UNREACHABLE_STATUS: Final = (502, 503, 504)

OnRefused = Callable[[str, str], None]
"""Takes a caller's address, empty if unknown, and the reason why its body is no request."""


class AcceptJsonRpc:
    """An ASGI application that answers calls of the host's tools, before `app`.

    A body of more than `max_body` bytes is answered with HTTP 413.
    """

    def __init__(
        self, app: ASGIApp, host: ToolHost, *, max_body: int = MAX_BODY, on_refused: OnRefused | None = None
    ) -> None:
        self._app = app
        self._on_refused = on_refused
        self._host = host
        tools = host.tools()
        self._tools = frozenset(tool.name for tool in tools)
        # The first name of a tool is its own, and its aliases follow.
        self._tool_of = {kind: tool.name for tool in reversed(tools) for kind in _message_types_of(tool)}
        self._max_body = max_body

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] != "POST" or _is_mcp(scope):
            await self._app(scope, receive, send)
            return
        response: Response | None
        try:
            body = await _read_body(receive, self._max_body)
            request = strict_json(body)
            if _belongs_to_mcp(request):
                await self._app(scope, _replayed(body, receive), send)
                return
            if refused := _wrong_content_type(scope):
                response = self._refused(scope, refused, 415)
            elif refused := _invalid_request(request):
                response = self._refused(scope, f"Invalid Request: {refused}", 400)
            else:
                response = await self._answer(request, Request(scope))
        except _HungUp:
            return
        except _TooLong:
            response = self._refused(scope, f"more than {self._max_body} bytes", 413)
        except ValueError as error:
            response = self._refused(
                scope, f"Parse error: the body is not JSON: {why_not_json(error)}", 400, PARSE_ERROR
            )
        await response(scope, receive, send)

    def _refused(self, scope: Scope, reason: str, status: int, number: int = INVALID_REQUEST) -> Response:
        """The answer to a body that is no JSON-RPC request."""
        if self._on_refused is not None:
            client = scope.get("client")
            self._on_refused(client[0] if client else "", reason)
        return _error(None, number, reason, status=status)

    async def _answer(self, request: dict[str, Json], http: Request) -> Response:
        has_id, request_id = "id" in request, request.get("id")
        params: Json = request.get("params", {})
        method = self._meant(request["method"], params)
        if method not in self._tools:
            text = f"Method not found: {shorten(method)}{self._right_method(params)}"
            with suppress(CallRefused):  # the host has no such tool either, and counts the caller's refused call
                await self._host.call(method, {}, call_context(http, "jsonrpc"))
            response: Response = _error(request_id, METHOD_NOT_FOUND, text)
        elif not isinstance(params, dict):
            response = _error(request_id, INVALID_PARAMS, "params must be an object: the message itself")
        else:
            context = call_context(http, "jsonrpc")
            with tracing.served(method, http.headers):
                response = await self._call(method, cast("dict[str, Json]", params), request_id, context)
        return response if has_id else Response(status_code=202)

    def _meant(self, method: str, params: Json) -> str:
        """The tool for a method, which may also be a message type, or `mcp_message`."""
        if method in self._tools:
            return method
        return self._tool_of.get(_message_type(params) if method == MCP_MESSAGE else method, method)

    def _right_method(self, params: Json) -> str:
        tool = self._tool_of.get(_message_type(params))
        return f"; a {_message_type(params)} goes to the method {tool}" if tool else ""

    async def _call(self, tool: str, arguments: dict[str, Json], request_id: Json, context: CallContext) -> Response:
        try:
            reply = await self._host.call(tool, arguments, context)
        except CallRefused as refused:
            return _error(request_id, refused.number, refused.message, refused.data)
        return JSONResponse({"jsonrpc": "2.0", "result": reply, "id": request_id})


class JsonRpcConnector:
    """The calling half. There is no handshake, so connecting always succeeds."""

    name = "jsonrpc"

    def __init__(self, http_client: httpx2.AsyncClient, *, max_body: int = MAX_BODY, lenient: bool = True) -> None:
        self._http = http_client
        self._max_body = max_body
        self._lenient = lenient

    def accepts(self, endpoint: str) -> bool:
        return is_endpoint(endpoint)

    @asynccontextmanager
    async def connect(self, endpoint: str) -> AsyncGenerator[Connection]:
        """A connection to `endpoint`; an absent peer shows only at the first call."""
        url = read_endpoint(endpoint).url
        yield JsonRpcConnection(self._http, url, max_body=self._max_body, lenient=self._lenient)


class JsonRpcConnection:
    """A `Connection` that posts one request per call.

    A `lenient` one takes an answer without a JSON-RPC envelope, or with parts of it.
    """

    dialect = "jsonrpc"

    def __init__(
        self, http_client: httpx2.AsyncClient, endpoint: str, *, max_body: int = MAX_BODY, lenient: bool = True
    ) -> None:
        self._http = http_client
        self._endpoint = endpoint
        self._max_body = max_body
        self._lenient = lenient
        self._ids = itertools.count(1)

    async def list_tools(self) -> list[ToolDescriptor]:
        """Empty: the dialect cannot list tools."""
        return []

    async def call(self, tool: str, arguments: Mapping[str, Json], *, timeout: float) -> Json:
        request_id = next(self._ids)
        status, body = await self._post(tool, dict(arguments), request_id, timeout)
        try:
            reply = strict_json(body)
        except ValueError as error:
            if status >= 500:
                raise CallRefused(INTERNAL_ERROR, f"HTTP {status} and no JSON") from error
            text = shorten(body.decode(errors="replace"))
            raise MalformedReply(f"the reply is not JSON: {why_not_json(error)}", text) from error
        if not isinstance(reply, dict):
            raise MalformedReply("the reply is not a JSON-RPC object", shorten(str(reply)))
        response = cast("dict[str, Json]", reply)
        if response.get("error") is not None:
            raise plain_refusal(response) or _refusal(response["error"])
        return self._result(response, request_id, status)

    def _result(self, response: dict[str, Json], request_id: int, status: int) -> Json:
        # A connection waits for one response at a time, so one without an id cannot be another's.
        missing = missing_envelope(response) if self._lenient and status < 400 else ()
        if "result" in missing:
            return Unwrapped(response, missing)
        # Some agents write the id as text.
        if response.get("id") not in (request_id, str(request_id)) and "id" not in missing:
            raise MalformedReply(f"the reply has the id {response.get('id')!r}, not {request_id}")
        if "result" not in response:
            raise MalformedReply("the reply has neither result nor error", shorten(str(response)))
        result = response["result"]
        return Unwrapped(result, missing) if missing and _is_object(result) else result

    async def ping(self, *, timeout: float) -> None:
        """Post a request of a method called `ping`; any answer will do, even an error."""
        with suppress(MalformedReply):
            await self._post("ping", {}, next(self._ids), timeout)

    async def _post(self, method: str, params: dict[str, Json], request_id: int, timeout: float) -> tuple[int, bytes]:
        request = {"jsonrpc": "2.0", "method": method, "params": params, "id": request_id}
        try:
            with anyio.fail_after(timeout):
                async with self._http.stream(
                    "POST", self._endpoint, json=request, headers=tracing.headers(), timeout=None
                ) as response:
                    body = await self._read(response)
        except TimeoutError as error:
            raise ResponseTimeout(f"no answer to {method} within {timeout:g} s") from error
        except httpx2.TransportError as error:
            text = f"{self._endpoint}: {type(error).__name__}: {error}"
            kind = OutOfFiles if out_of_files(error) else PeerUnreachable
            missing = {"name_not_found": True} if name_not_found(error) else {}
            raise kind(text, dropped=was_dropped(error), **missing) from error
        if response.status_code in _UNREACHABLE_STATUS:
            raise PeerUnreachable(f"{self._endpoint} answered HTTP {response.status_code}", dropped=True)
        if refused := redirect_refused(response):
            raise MalformedReply(refused)
        return response.status_code, body

    async def _read(self, response: httpx2.Response) -> bytes:
        if response.headers.get("content-encoding", "identity").strip().lower() != "identity":
            raise MalformedReply("the reply is compressed, which was not asked for")
        body = bytearray()
        async for chunk in response.aiter_bytes():
            body.extend(chunk)
            if len(body) > self._max_body:
                raise MalformedReply(f"the reply is longer than {self._max_body} bytes")
        return bytes(body)


def _message_type(params: Json) -> str:
    kind = cast("dict[str, Json]", params).get("message_type") if isinstance(params, dict) else None
    return kind if isinstance(kind, str) else ""


def _message_types_of(tool: ToolDescriptor) -> tuple[str, ...]:
    """The message types that a tool takes, by its schema."""
    properties: dict[str, Any] = tool.input_schema.get("properties") or {}
    schema: dict[str, Any] = properties.get("message_type") or {}
    kinds: list[Any] = schema.get("enum") or [schema.get("const")]
    return tuple(kind for kind in kinds if isinstance(kind, str))


def _is_mcp(scope: Scope) -> bool:
    return any(name in _MCP_HEADERS for name, _ in scope["headers"])


def _belongs_to_mcp(request: Json) -> bool:
    if not _is_object(request):
        return False
    method = request.get("method")
    if method is None:
        return "result" in request or "error" in request
    return isinstance(method, str) and (method in _MCP_METHODS or "/" in method)


def _is_object(value: Json) -> TypeGuard[dict[str, Json]]:
    return isinstance(value, dict)


def _invalid_request(request: Json) -> str | None:
    if not _is_object(request):
        return "a single request object is expected, batches are not taken"
    if request.get("jsonrpc") != "2.0":
        return 'jsonrpc must be "2.0"'
    if not isinstance(request.get("method"), str):
        return "method must be a string"
    request_id = request.get("id")
    if isinstance(request_id, bool) or not isinstance(request_id, str | int | float | None):
        return "id must be a string or a number"
    return None


def missing_envelope(response: Mapping[str, Json]) -> tuple[str, ...]:
    """Missing parts of JSON-RPC's envelope; `result` only if all are missing."""
    missing = tuple(name for name in ("jsonrpc", "id") if response.get(name) is None)
    return (*missing, "result") if len(missing) == 2 and "result" not in response else missing


def plain_refusal(response: Mapping[str, Json]) -> CallRefused | None:
    """The refusal of an agent without an envelope: `{"error": "Unknown method"}`."""
    error = response.get("error")
    if not isinstance(error, str) or response.keys() & {"jsonrpc", "id"}:
        return None
    return CallRefused(METHOD_NOT_FOUND if "unknown method" in error.lower() else INTERNAL_ERROR, shorten(error))


def _refusal(error: Json) -> CallRefused | MalformedReply:
    if not _is_object(error):
        return MalformedReply("the error is not an object", shorten(str(error)))
    code, message, data = error.get("code"), error.get("message"), error.get("data")
    if isinstance(code, bool) or not isinstance(code, int):
        return MalformedReply("the error has no code", shorten(str(error)))
    return CallRefused(code, str(message or "no message"), data if _is_object(data) else None)


def strict_json(body: bytes) -> Json:
    """Parse strict JSON, which can be written as JSON again; else ValueError."""
    try:
        value = read_strictly(body, finite=True)
    except RecursionError as error:
        raise ValueError("nested too deeply") from error
    if b"\\u" in body:
        try:
            json.dumps(value, ensure_ascii=False).encode()
        except UnicodeEncodeError as error:
            raise ValueError("half of a surrogate pair is no character") from error
    return value


def _error(
    request_id: Json, number: int, message: str, data: Mapping[str, Json] | None = None, *, status: int = 200
) -> JSONResponse:
    error: dict[str, Json] = {"code": number, "message": message}
    if data is not None:
        error["data"] = dict(data)
    return JSONResponse({"jsonrpc": "2.0", "error": error, "id": request_id}, status_code=status)


class _HungUp(Exception):
    """The client disconnected before its request was complete."""


class _TooLong(Exception):
    """The request exceeds the limit of bytes."""


async def _read_body(receive: Receive, limit: int) -> bytes:
    """Read the whole body of a request."""
    body = bytearray()
    while True:
        message = await receive()
        if message["type"] != "http.request":
            raise _HungUp
        body.extend(message.get("body", b""))
        if len(body) > limit:
            raise _TooLong
        if not message.get("more_body", False):
            return bytes(body)


def _wrong_content_type(scope: Scope) -> str | None:
    """The reason to refuse a content type other than JSON.

    A web page cannot send JSON to another origin without permission (CORS). Simple agents leave the header out, and web
    pages never do.
    """
    said = Headers(scope=scope).get("content-type", "").partition(";")[0].strip().lower()
    if said in ("", "application/json") or (said.startswith("application/") and said.endswith("+json")):
        return None
    return f"content-type {shorten(said)}: send application/json"


def _replayed(body: bytes, receive: Receive) -> Receive:
    pending: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def replay() -> Message:
        return pending.pop() if pending else await receive()

    return replay
