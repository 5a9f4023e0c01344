"""The one place where the league's tools meet the MCP SDK: a ToolHost as a server, a client as a Connection.

The low-level `Server` is used because the league publishes its exact schemas and answers a refused call with a
JSON-RPC error that carries a whole LEAGUE_ERROR message, which the decorated server would wrap into a result.
"""

import itertools
import json
import logging
from collections.abc import AsyncGenerator, Iterable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any, Protocol, cast

import anyio
import mcp_types as types
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters
from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError
from mcp.shared.inbound import (
    MCP_METHOD_HEADER,
    MCP_NAME_HEADER,
    MCP_PROTOCOL_VERSION_HEADER,
    encode_header_value,
)
from mcp_types.methods import validate_server_result
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import ValidationError
from pydantic_core import to_json
from starlette.requests import Request

from league_sdk import tracing
from league_sdk.bounds import shorten
from league_sdk.errors import INTERNAL, INVALID_PARAMS, SPECS, PeerUnreachable, ResponseTimeout
from league_sdk.library import Visitor
from league_sdk.mcp_forms import PARAM_HEADER, from_tool, is_plain_result, plain_tools, to_tool
from league_sdk.mcp_library import LeagueServer, offer, show, view_tool
from league_sdk.net.replies import is_ours, out_of_files
from league_sdk.ports import (
    CallContext,
    CallRefused,
    Json,
    MalformedReply,
    NotThisDialect,
    OutOfFiles,
    ToolDescriptor,
    ToolHost,
)

_LIST_PAGES = 100
_CLOSED_HERE = ("Connection closed", "SSE stream ")
"""How the SDK's own errors begin that it numbers as servers number any error of theirs (-32000)."""
_CHATTY = ("mcp", "client", "httpx2", "httpcore2", "uvicorn")
_SAID_BY_EXCEPTION = ("mcp.client.streamable_http", "mcp.server.streamable_http", "mcp.server.transport_security")
_SAID_TO_THE_CLIENT = ("uvicorn.error", "mcp.server")
"""What strangers could fill a terminal with: their own mistakes, which they are told of."""


def quiet_loggers() -> None:
    """Keep the wire's libraries from writing a line per request; levels that somebody has set stay.

    What a library both logs with a traceback and raises, or tells its caller, is not logged: a server that ends in the
    middle of requests would fill a terminal with them.
    """
    levels = ((_CHATTY, logging.WARNING), (_SAID_TO_THE_CLIENT, logging.ERROR), (_SAID_BY_EXCEPTION, logging.CRITICAL))
    for names, level in levels:
        for name in names:
            logger = logging.getLogger(name)
            if logger.level == logging.NOTSET:
                logger.setLevel(level)


def build_server(host: ToolHost, *, sessions: bool = True) -> LeagueServer:
    """An MCP server that lists and calls the tools of `host`, and shows its library.

    A reply goes out twice: as `structuredContent` and as JSON text in `content[0]`. A refusal becomes a JSON-RPC
    error with the host's number, message and data; an unknown tool is -32602.

    Args:
        host: The agent.
        sessions: Whether it is served where clients have sessions, so that those of the handshake era can subscribe.
    """
    quiet_loggers()
    library = host.library
    descriptors = {tool.name: tool for tool in host.tools()}
    views = {} if library is None else {view.name: view for view in library.views()}
    listing = types.ListToolsResult(
        tools=[*(to_tool(tool) for tool in descriptors.values()), *(view_tool(view) for view in views.values())]
    )

    async def list_tools(
        ctx: ServerRequestContext[dict[str, Any]], params: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        del ctx, params
        return listing

    async def call_tool(
        ctx: ServerRequestContext[dict[str, Any]], params: types.CallToolRequestParams
    ) -> types.CallToolResult:
        if library is not None and params.name in views:
            return show(library, params.name, params.arguments or {}, visitor(ctx.request))
        if params.name not in descriptors:
            raise MCPError(INVALID_PARAMS, f"Unknown tool: {shorten(params.name, 100)}")
        try:
            reply = await host.call(params.name, params.arguments or {}, call_context(ctx.request, "mcp"))
        except CallRefused as refused:
            data = dict(refused.data) if refused.data is not None else None
            raise MCPError(refused.number, refused.message, data) from refused
        text = json.dumps(reply, ensure_ascii=False, separators=(",", ":"))
        return types.CallToolResult(content=[types.TextContent(text=text)], structured_content=reply)

    def input_schema(name: str) -> Mapping[str, Any] | None:
        tool = descriptors.get(name) or views.get(name)
        return None if tool is None else tool.input_schema

    server = LeagueServer(
        host.name,
        version=host.version,
        instructions=host.instructions,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        # Without this the SDK goes through the whole tool list at every call.
        get_tool_input_schema=input_schema,
    )
    if library is not None:
        offer(server, library, visitor, sessions=sessions)
    return server


def visitor(request: object) -> Visitor:
    """Who looks, from an HTTP request; whoever holds the pipes when there is none."""
    context = call_context(request, "mcp")
    return Visitor(context.bearer_token, context.address, starter=not isinstance(request, Request))


def call_context(request: object, dialect: str) -> CallContext:
    """What an HTTP request says about its caller; nothing when the transport has no requests.

    Args:
        request: The starlette request, or None.
        dialect: `mcp` or `jsonrpc`.
    """
    if not isinstance(request, Request):
        return CallContext(dialect=dialect)
    scheme, _, credentials = request.headers.get("authorization", "").partition(" ")
    token = credentials.strip() if scheme.lower() == "bearer" else ""
    address = request.client.host if request.client is not None else ""
    return CallContext(bearer_token=token or None, address=address, dialect=dialect)


class Exchange(Protocol):
    """Sends one request of a revision without handshake past the MCP client, and returns the reply to it."""

    async def __call__(self, headers: Mapping[str, str], body: bytes, request_id: int) -> dict[str, Json]:
        """The reply: an object with `result` or `error`.

        Args:
            headers: What the request bears as HTTP headers.
            body: The request as JSON.
            request_id: The id in it.
        """
        ...


class McpConnection:
    """A `Connection` over an entered MCP client.

    Calls take the short way where there is one and the revision has no handshake. Then a request carries everything
    that it needs, and the SDK's client, which keeps a session for it, has nothing to add. ADR 0060 says more.

    Args:
        client: The client.
        exchange: The short way.

    Attributes:
        dialect: `mcp/` and the protocol revision.
        failed: Whether the connection has broken; what comes after it should be negotiated anew.
    """

    def __init__(self, client: Client, exchange: Exchange | None = None) -> None:
        self._client = client
        self.dialect = f"mcp/{client.protocol_version}"
        self.failed = False
        self._exchange = exchange if client.protocol_version in MODERN_PROTOCOL_VERSIONS else None
        self._ids = itertools.count(1)
        self._meta = to_json(
            {
                types.PROTOCOL_VERSION_META_KEY: client.protocol_version,
                types.CLIENT_INFO_META_KEY: _client_info().model_dump(by_alias=True, mode="json", exclude_none=True),
                types.CLIENT_CAPABILITIES_META_KEY: {},
            }
        )
        self._with_headers: set[str] = set()

    async def list_tools(self) -> list[ToolDescriptor]:
        """Every page of the peer's tool list.

        Raises:
            PeerUnreachable: The connection broke.
            CallRefused: The peer does not list its tools.
            MalformedReply: What came is not a tool list, or has no end.
        """
        if self._exchange is not None and not tracing.is_on() and (found := await self._plain_list(self._exchange)):
            return found
        tools: list[ToolDescriptor] = []
        cursor: str | None = None
        for _ in range(_LIST_PAGES):
            try:
                page = await self._client.list_tools(cursor=cursor)
            except MCPError as error:
                raise self._translate(error) from error
            except ValidationError as error:
                raise MalformedReply(
                    "the tool list does not have the form that MCP gives it", shorten(str(error))
                ) from error
            tools.extend(from_tool(tool) for tool in page.tools)
            # What a tool wants to have in HTTP headers as well is for the SDK to put there.
            self._with_headers.update(tool.name for tool in page.tools if PARAM_HEADER in json.dumps(tool.input_schema))
            cursor = page.next_cursor
            if cursor is None:
                return tools
        raise MalformedReply(f"the tool list goes on after {_LIST_PAGES} pages")

    async def call(self, tool: str, arguments: Mapping[str, Json], *, timeout: float) -> Json:
        """Call one tool once; see `Connection.call`.

        The SDK's own check against the peer's published schema is left out: the reply is checked against the
        league's models, whatever a peer publishes, and an error in a peer's schema is not an error in its reply.
        """
        try:
            with anyio.fail_after(timeout):
                # Traces travel by the SDK's own means.
                if self._exchange is not None and tool not in self._with_headers and not tracing.is_on():
                    result = await self._ask(self._exchange, tool, arguments)
                else:
                    params = types.CallToolRequestParams(name=tool, arguments=dict(arguments))
                    request = types.CallToolRequest(params=params)
                    result = await self._client.session.send_request(request, types.CallToolResult)
        except TimeoutError as error:
            raise ResponseTimeout(f"no answer to {tool} within {timeout:g} s") from error
        except MCPError as error:
            raise self._translate(error) from error
        except ValidationError as error:
            raise MalformedReply("the reply is not a tool result", shorten(str(error))) from error
        if result.is_error:
            raise _refusal_in(result)
        return _payload(result)

    async def _ask(self, exchange: Exchange, tool: str, arguments: Mapping[str, Json]) -> types.CallToolResult:
        """Call a tool the short way.

        Raises:
            MCPError: The peer, or the connection, answered with that error.
            ValidationError: What came is no result of a tool.
        """
        params = b'"name":%s,"arguments":%s' % (to_json(tool), to_json(arguments))
        reply = await self._post(exchange, "tools/call", params + b",", {MCP_NAME_HEADER: encode_header_value(tool)})
        if "error" in reply:
            error = types.ErrorData.model_validate(reply["error"])
            raise MCPError(error.code, error.message, error.data)
        result = reply["result"]
        if is_plain_result(result):
            return types.CallToolResult.model_construct(structured_content=result["structuredContent"], content=[])
        validate_server_result("tools/call", self._client.protocol_version, result)
        return types.CallToolResult.model_validate(result, by_name=False)

    async def _plain_list(self, exchange: Exchange) -> list[ToolDescriptor]:
        """The peer's tools, asked for the short way; none when there is anything unusual about its answer."""
        reply = await self._post(exchange, "tools/list", b"", {})
        result = cast("dict[str, Json]", reply["result"]) if isinstance(reply.get("result"), dict) else {}
        tools = result.get("tools")
        if result.get("nextCursor") is not None or not isinstance(tools, list):
            return []
        return list(plain_tools(to_json(tools)))

    async def _post(
        self, exchange: Exchange, method: str, params: bytes, headers: Mapping[str, str]
    ) -> dict[str, Json]:
        """Send a request of a revision without handshake, with what the SDK's client would send along."""
        number = next(self._ids)
        body = b'{"jsonrpc":"2.0","id":%d,"method":%s,"params":{%s"_meta":%s}}'
        known = {MCP_PROTOCOL_VERSION_HEADER: self._client.protocol_version, MCP_METHOD_HEADER: method}
        return await exchange({**known, **headers}, body % (number, to_json(method), params, self._meta), number)

    async def ping(self, *, timeout: float) -> None:
        """Make sure that the peer still answers: `ping`, or `server/discover` where that is gone.

        An error is an answer too.
        """
        session = self._client.session
        version = self._client.protocol_version
        try:
            with anyio.fail_after(timeout):
                if version in MODERN_PROTOCOL_VERSIONS:
                    await session.send_discover(version)
                else:
                    await session.send_ping()
        except TimeoutError as error:
            raise ResponseTimeout(f"no answer to a ping within {timeout:g} s") from error
        except MCPError as error:
            translated = self._translate(error)
            if isinstance(translated, PeerUnreachable | ResponseTimeout):
                raise translated from error

    def _translate(self, error: MCPError) -> Exception:
        translated = translate(error)
        self.failed = self.failed or isinstance(translated, PeerUnreachable)
        return translated


def translate(error: MCPError) -> Exception:
    """The port's exception for an error of the SDK: what happened on this side is told from what the peer said."""
    said = cast("object", error.data)
    data = cast("dict[str, Json]", said) if isinstance(said, dict) else None
    if data is not None and "error_code" in data:
        return CallRefused(error.code, error.message, data)
    if error.code == types.CONNECTION_CLOSED and ("dropped" in (data or {}) or error.message.startswith(_CLOSED_HERE)):
        if data is not None and is_ours(data):
            return OutOfFiles(error.message, dropped=False)
        return PeerUnreachable(error.message, dropped=data is None or data.get("dropped") is not False)
    if error.code == types.CONNECTION_CLOSED and "session" in error.message.lower():
        return PeerUnreachable("the peer has forgotten the session")
    if error.code == types.REQUEST_TIMEOUT:
        return ResponseTimeout(error.message)
    if error.code == types.PARSE_ERROR:
        return MalformedReply(error.message)
    if error.code == types.INVALID_REQUEST and error.message == "Session terminated":
        return PeerUnreachable("the peer has forgotten the session")
    if error.code == types.UNSUPPORTED_PROTOCOL_VERSION:
        return PeerUnreachable("the peer no longer speaks the protocol revision that was agreed on")
    return CallRefused(error.code, error.message, data)


@asynccontextmanager
async def open_connection(
    server: Any,
    *,
    mode: str = "auto",
    unreachable: tuple[type[Exception], ...] = (OSError,),
    exchange: Exchange | None = None,
) -> AsyncGenerator[McpConnection]:
    """Connect an MCP client and keep it until the context ends.

    The SDK cancels the task inside the context when a transport breaks, so whoever holds one open for long does it
    in a task of its own; this context then ends with PeerUnreachable.

    Args:
        server: What `mcp.Client` takes: a transport, stdio parameters or a server object.
        mode: `auto`, `legacy` (the handshake revisions) or a revision to adopt without asking.
        unreachable: Exceptions of the transport that mean that nobody is there.
        exchange: The short way to the same peer, for calls of its tools.

    Raises:
        PeerUnreachable: Nobody is there, or the connection broke.
        NotThisDialect: Somebody is, but does not speak MCP.
    """
    quiet_loggers()
    client = Client(cast("StdioServerParameters", server), mode=mode, cache=None, client_info=_client_info())
    raised: Exception | None = None
    opened = False
    try:
        async with AsyncExitStack() as stack:
            await stack.enter_async_context(client)
            opened = True
            try:
                yield McpConnection(client, exchange)
            except Exception as error:
                # Kept out of the SDK's task groups, which would hand it back wrapped in a group.
                raised = error
    except Exception as error:
        verdict = _verdict(error, unreachable, opened=opened)
        if verdict is None:
            raise
        raise verdict from error
    if raised is not None:
        raise raised


def _client_info() -> types.Implementation:
    return types.Implementation(name="mcp-agent-league", version="2.1.0")


def _verdict(error: Exception, unreachable: tuple[type[Exception], ...], *, opened: bool) -> Exception | None:
    """What a failed handshake or a broken transport means; None when it is neither."""
    leaves = tuple(_leaves(error))
    for leaf in leaves:
        if out_of_files(leaf):
            return OutOfFiles(str(leaf), dropped=False)
        if isinstance(leaf, unreachable):
            return PeerUnreachable(f"the connection broke: {leaf}", dropped=opened)
    for leaf in () if opened else leaves:
        said = translate(leaf) if isinstance(leaf, MCPError) else None
        if isinstance(said, PeerUnreachable):
            return said
        if isinstance(said, ResponseTimeout):
            return PeerUnreachable(said.message, **said.context)
        if isinstance(leaf, MCPError | ValidationError | RuntimeError):
            return NotThisDialect(f"it does not answer as an MCP server: {shorten(str(leaf))}")
    return None


def _leaves(error: BaseException) -> Iterable[BaseException]:
    if not isinstance(error, BaseExceptionGroup):
        yield error
        return
    for inner in cast("BaseExceptionGroup[BaseException]", error).exceptions:
        yield from _leaves(inner)


def _payload(result: types.CallToolResult) -> Json:
    if result.structured_content is not None:
        return result.structured_content
    if not result.content:
        raise MalformedReply("the reply has neither structuredContent nor content")
    first = result.content[0]
    if not isinstance(first, types.TextContent):
        raise MalformedReply(f"content[0] is {first.type}, not the reply as JSON text")
    try:
        return json.loads(first.text)
    except (ValueError, RecursionError) as error:
        raise MalformedReply("content[0] is not JSON", shorten(first.text)) from error


def _refusal_in(result: types.CallToolResult) -> CallRefused:
    """A result flagged as an error, as the refusal that it stands for; with its code, if it names one of ours."""
    try:
        payload = _payload(result)
    except MalformedReply as malformed:
        return CallRefused(INTERNAL, str(malformed.received or malformed.description))
    if isinstance(payload, dict):
        data = cast("dict[str, Json]", payload)
        code = data.get("error_code")
        if isinstance(code, str) and code in SPECS:
            description = data.get("error_description") or SPECS[code].name
            return CallRefused(SPECS[code].number, str(description), data)
    return CallRefused(INTERNAL, shorten(json.dumps(payload)))
