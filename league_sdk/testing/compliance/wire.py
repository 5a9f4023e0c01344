"""Hand-written calls in each revision of MCP and in bare JSON-RPC, byte by byte.

They stand beside the transports that agents use, so that a check sees an agent's real answers: a client that repairs
its input would hide faults.
"""

import itertools
import json
import time
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias, cast

import anyio
import httpx2

from league_sdk.bounds import shorten
from league_sdk.json_value import Json
from league_sdk.net.redirects import OneRedirect, redirect_refused
from league_sdk.net.replies import MAX_BODY
from league_sdk.net.tls import client_context
from league_sdk.release import release
from league_sdk.testing.compliance.responses import (
    CallAnswer,
    HttpExchange,
    Object,
    as_object,
    is_object,
    read_response,
    read_tool_result,
)
from league_sdk.transports.jsonrpc import strict_json

HANDSHAKE_REVISIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
MODERN_REVISIONS = ("2026-07-28",)
BARE = "jsonrpc"
DIALECTS = (BARE, *(f"mcp/{revision}" for revision in (*HANDSHAKE_REVISIONS, *MODERN_REVISIONS)))
"""All dialects."""

RequestId: TypeAlias = int | str | None
METHOD_NOT_FOUND = -32601
STRUCTURED_SINCE = "2025-06-18"
"""The first revision whose results have `structuredContent`."""

_NO_SUCH_METHOD = (METHOD_NOT_FOUND, -32600, -32700, -32000)
_META = "io.modelcontextprotocol/"
_ACCEPT = {"accept": "application/json, text/event-stream"}
_INFO = {"name": "league check", "version": release()}
_MOST_PAGES = 50


class NotSpoken(Exception):
    """The agent does not speak this dialect; the text has the evidence."""

    def __init__(self, answer: CallAnswer, asked: str) -> None:
        super().__init__(f"{asked} gets: {_said(answer)}")
        self.answer = answer
        self.silent = answer.late
        failed = answer.dropped or answer.crashed
        self.heard = not answer.broken or failed
        self.unsettled = answer.late or failed


class Wire:
    """One dialect, spoken to one agent.

    The base class speaks none, for checks of messages that an agent sends of its own accord.
    """

    dialect = ""

    async def open(self) -> None:
        """Probe if the agent speaks it; raises NotSpoken, or AgentGone."""

    async def tools(self) -> Sequence[Object] | None:
        """The agent's tools, or None if the dialect cannot list them."""

    async def call(self, tool: str, arguments: Json, *, timeout: float, request_id: RequestId = None) -> CallAnswer:
        raise NotImplementedError


def open_client() -> httpx2.AsyncClient:
    """The HTTP client of one check."""
    return httpx2.AsyncClient(
        transport=OneRedirect(httpx2.AsyncHTTPTransport(verify=client_context(None), trust_env=False)),
        trust_env=False,
        follow_redirects=False,
        timeout=httpx2.Timeout(None, connect=5.0),
        headers={"accept-encoding": "identity"},
    )


class Http:
    """Posts JSON to one URL; `patience` is the limit for other than league messages."""

    def __init__(self, client: httpx2.AsyncClient, url: str, patience: float = 10.0) -> None:
        self._client = client
        self._url = url
        self.patience = patience
        self._ids = itertools.count(1)

    def fresh_id(self) -> int:
        return next(self._ids)

    async def post(
        self, body: Json, timeout: float, headers: Mapping[str, str] | None = None, expect: Json = None
    ) -> HttpExchange:
        """Post JSON or bytes, and read the response (to the id `expect`, in a stream)."""
        started = time.monotonic()
        content = body if isinstance(body, bytes) else json.dumps(body, ensure_ascii=False).encode()
        said = {"content-type": "application/json", **(headers or {})}
        try:
            with anyio.fail_after(timeout):
                request = self._client.build_request("POST", self._url, content=content, headers=said)
                response = await self._client.send(request, stream=True)
                try:
                    read, broken = await _read(response, expect)
                finally:
                    with anyio.CancelScope(shield=True):
                        await response.aclose()
        except TimeoutError:
            return HttpExchange(
                broken=f"nothing came within {timeout:g} s", late=True, seconds=time.monotonic() - started
            )
        except httpx2.TransportError as error:
            gone = isinstance(error, httpx2.ConnectError | httpx2.ConnectTimeout)
            what = "nobody listens there" if gone else "the connection broke"
            text = f"{what}: {type(error).__name__}{f': {error}' if str(error) else ''}"
            return HttpExchange(broken=text, gone=gone, seconds=time.monotonic() - started)
        headers_read = dict(response.headers)
        return HttpExchange(response.status_code, headers_read, read, broken, seconds=time.monotonic() - started)


class BareWire(Wire):
    """JSON-RPC without MCP: the tool is the method, the message its params."""

    dialect = BARE

    def __init__(self, http: Http, probe: Sequence[str]) -> None:
        self.http = http
        self._probe = probe

    async def open(self) -> None:
        """Call a tool that it must have, without arguments; MCP agents don't know it."""
        first: CallAnswer | None = None
        for name in self._probe:
            answer = await self.call(name, {}, timeout=self.http.patience)
            if not answer.broken and (answer.error is None or answer.error.number not in _NO_SUCH_METHOD):
                return
            first = first or answer
            if answer.broken:
                break
        assert first is not None
        raise NotSpoken(first, f"a call of {self._probe[0]} without MCP")

    async def call(self, tool: str, arguments: Json, *, timeout: float, request_id: RequestId = None) -> CallAnswer:
        number = self.http.fresh_id() if request_id is None else request_id
        request = {"jsonrpc": "2.0", "id": number, "method": tool, "params": arguments}
        return read_response(request, await self.http.post(request, timeout, expect=number), number)


def _server_name(answer: CallAnswer) -> str:
    name: Json = as_object(as_object(answer.reply).get("serverInfo")).get("name")
    return name if isinstance(name, str) else ""


class McpWire(Wire):
    """MCP over streamable HTTP, pinned to one revision."""

    def __init__(self, http: Http, revision: str) -> None:
        self._http = http
        self.revision = revision
        self.dialect = f"mcp/{revision}"
        self._modern = revision in MODERN_REVISIONS
        self._headers: dict[str, str] = {}
        self.server_name = ""
        """The name that the agent gives itself; set by `open`, and empty if it gives none."""

    async def open(self) -> None:
        """Discover, or shake hands."""
        if self._modern:
            answer = await self._request("server/discover", {}, self._http.patience)
            versions: Json = as_object(answer.reply).get("supportedVersions")
            if not isinstance(versions, list) or self.revision not in versions:
                raise NotSpoken(answer, "server/discover")
            self.server_name = _server_name(answer)
            return
        hello = {"protocolVersion": self.revision, "capabilities": {}, "clientInfo": _INFO}
        request = {"jsonrpc": "2.0", "id": self._http.fresh_id(), "method": "initialize", "params": hello}
        exchange = await self._http.post(request, self._http.patience, _ACCEPT, request["id"])
        answer = read_response(request, exchange, request["id"], mcp=True)
        if not is_object(answer.reply) or answer.reply.get("protocolVersion") != self.revision:
            raise NotSpoken(answer, "initialize")
        self.server_name = _server_name(answer)
        self._headers = {"mcp-protocol-version": self.revision}
        if session := exchange.headers.get("mcp-session-id"):
            self._headers["mcp-session-id"] = session
        initialized = {"jsonrpc": "2.0", "method": "notifications/initialized"}
        await self._http.post(initialized, self._http.patience, {**_ACCEPT, **self._headers})

    async def tools(self) -> Sequence[Object] | None:
        """Every page of its tool list; None if it has no list."""
        found: list[Object] = []
        cursor: Object = {}
        for _ in range(_MOST_PAGES):
            answer = await self._request("tools/list", cursor, self._http.patience)
            page = as_object(answer.reply)
            if not isinstance(page.get("tools"), list):
                return None
            found += [tool for tool in cast("list[Any]", page["tools"]) if is_object(tool)]
            if not page.get("nextCursor"):
                break
            cursor = {"cursor": page["nextCursor"]}
        return found

    async def call(self, tool: str, arguments: Json, *, timeout: float, request_id: RequestId = None) -> CallAnswer:
        params = {"name": tool, "arguments": arguments}
        answer = await self._request("tools/call", params, timeout, request_id, tool)
        return answer if answer.reply is None else read_tool_result(answer)

    async def _request(
        self, method: str, params: Object, timeout: float, request_id: RequestId = None, name: str | None = None
    ) -> CallAnswer:
        headers = {**_ACCEPT, **self._headers}
        if self._modern:
            about = {"protocolVersion": self.revision, "clientInfo": _INFO, "clientCapabilities": {}}
            params = {**params, "_meta": {_META + key: value for key, value in about.items()}}
            headers |= {"mcp-protocol-version": self.revision, "mcp-method": method}
            if name is not None:
                headers["mcp-name"] = name
        number = self._http.fresh_id() if request_id is None else request_id
        request = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
        return read_response(request, await self._http.post(request, timeout, headers, number), number, mcp=True)


async def _read(response: httpx2.Response, expect: Json) -> tuple[Json, str]:
    """The body as JSON or text, and its fault."""
    if refused := redirect_refused(response):
        return None, refused
    if response.headers.get("content-encoding", "identity").strip().lower() != "identity":
        return None, "the response is compressed, which was not asked for"
    bare = "text/event-stream" not in response.request.headers.get("accept", "")
    if response.headers.get("content-type", "").partition(";")[0].strip().lower() == "text/event-stream":
        if bare:
            return None, "the response is an event stream, which was not asked for"
        return await _read_events(response, expect)
    body = bytearray()
    async for chunk in response.aiter_bytes():
        body.extend(chunk)
        if len(body) > MAX_BODY:
            return None, f"the response is longer than {MAX_BODY} bytes"
    if not body:
        return None, "" if response.status_code in (202, 204) else f"HTTP {response.status_code} with an empty body"
    try:
        return strict_json(bytes(body)) if bare else json.loads(bytes(body)), ""
    except (ValueError, RecursionError):
        return shorten(
            bytes(body).decode(errors="replace"), 300
        ), f"HTTP {response.status_code}, and the body is no JSON"


async def _read_events(response: httpx2.Response, expect: Json) -> tuple[Json, str]:
    """The message in an event stream that answers the request `expect`."""
    data: list[str] = []
    size = 0
    async for line in response.aiter_lines():
        size += len(line)
        if size > MAX_BODY:
            return None, f"the event stream is longer than {MAX_BODY} bytes"
        if line.startswith("data:"):
            data.append(line[5:].removeprefix(" "))
        elif not line and data:
            try:
                message: Json = json.loads("\n".join(data))
            except ValueError:
                return shorten("\n".join(data), 300), "an event of the stream is no JSON"
            data.clear()
            if is_object(message) and "method" not in message:
                return message, ""
    return None, f"the event stream ended without an answer to request {expect!r}"


def _said(answer: CallAnswer) -> str:
    if answer.broken:
        return answer.broken
    return answer.error.text if answer.error else shorten(json.dumps(answer.reply), 200)
