"""The serving half of the MCP adapter: a `ToolHost` as an SDK server.

The low-level `Server` is used because the league publishes its exact schemas and answers a refused call with a
JSON-RPC error that carries a whole LEAGUE_ERROR message, which the decorated server would wrap into a result.
"""

import functools
import json
import logging
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import mcp_types as types
from mcp.server.context import HandlerResult, ServerRequestContext
from mcp.shared.exceptions import MCPError
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from pydantic_core import to_json
from starlette.requests import Request

from league_sdk import tracing
from league_sdk.bounds import shorten
from league_sdk.errors import INVALID_PARAMS
from league_sdk.mcp_adapter.resources import LeagueServer, offer, show, view_tool
from league_sdk.mcp_adapter.tool_lists import PARAM_HEADER, TOOLS_DIGEST, digest_of, to_tool
from league_sdk.net.pool import ATTRIBUTE, HUNG_UP, attribute_nothing, never_hangs_up
from league_sdk.ports import CallContext, CallRefused, ToolHost
from league_sdk.resource_provider import Visitor

_COMPLETE = {"isError": False, "resultType": "complete"}
_CHATTY = ("mcp", "client", "httpx2", "httpcore2", "uvicorn")
_SAID_BY_EXCEPTION = ("mcp.client.streamable_http", "mcp.server.streamable_http", "mcp.server.transport_security")
_SAID_TO_THE_CLIENT = ("uvicorn.error", "mcp.server")
"""Loggers that strangers could fill a terminal with, by mistakes that they are told of anyway."""


def quiet_loggers() -> None:
    """Keep the wire's libraries from logging every request; levels already set stay.

    Errors that a library both logs with a traceback and raises, or tells its caller, are not logged: a server that ends
    in the middle of requests would fill a terminal with them.
    """
    levels = ((_CHATTY, logging.WARNING), (_SAID_TO_THE_CLIENT, logging.ERROR), (_SAID_BY_EXCEPTION, logging.CRITICAL))
    for names, level in levels:
        for name in names:
            logger = logging.getLogger(name)
            if logger.level == logging.NOTSET:
                logger.setLevel(level)


def build_server(host: ToolHost, *, sessions: bool = True) -> LeagueServer:
    """Build an MCP server of a host's tools and library.

    A reply goes out twice: as `structuredContent` and as JSON text in `content[0]`. A refusal becomes a JSON-RPC error
    with the host's number, message and data; an unknown tool is -32602. With `sessions`, clients of the handshake era
    can subscribe to resources.
    """
    quiet_loggers()
    resources = host.resources
    descriptors = {tool.name: tool for tool in host.tools()}
    views = {} if resources is None else {view.name: view for view in resources.views()}
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
    ) -> HandlerResult:
        if resources is not None and params.name in views:
            return await show(resources, params.name, params.arguments or {}, visitor(ctx.request))
        if params.name not in descriptors:
            with suppress(CallRefused):  # the host has no such tool either, and notes who asked for it
                await host.call(params.name, {}, call_context(ctx.request, "mcp"))
            raise MCPError(INVALID_PARAMS, f"Unknown tool: {shorten(params.name, 100)}")
        try:
            reply = await host.call(params.name, params.arguments or {}, call_context(ctx.request, "mcp"))
        except CallRefused as refused:
            data = dict(refused.data) if refused.data is not None else None
            raise MCPError(refused.number, refused.message, data) from refused
        text = json.dumps(reply, ensure_ascii=False, separators=(",", ":"))
        # As JSON: the SDK would dump a model, and then validate what it has dumped.
        return {"content": [{"type": "text", "text": text}], "structuredContent": reply, **_COMPLETE}

    mirrored = {
        tool.name: tool.input_schema
        for tool in (*descriptors.values(), *views.values())
        if PARAM_HEADER in to_json(tool.input_schema)
    }
    server = LeagueServer(
        host.name,
        version=host.version,
        instructions=host.instructions,
        on_list_tools=list_tools,
        # Without this the SDK looks through the whole tool list at every call for arguments that are headers too.
        get_tool_input_schema=mirrored.get,
    )
    server.add_request_handler("tools/call", types.CallToolRequestParams, call_tool)
    if not tracing.is_on():
        del server.middleware[0]  # the SDK's own, a span for each message
    _announce(server, listing.tools)
    if resources is not None:
        offer(server, resources, visitor, sessions=sessions)
    return server


def _announce(server: LeagueServer, tools: Sequence[types.Tool]) -> None:
    """Let answers to `server/discover` bear the digest of the tool list."""
    digest = functools.cache(lambda: digest_of(tools))

    async def discover(
        ctx: ServerRequestContext[dict[str, Any]], params: types.RequestParams | None
    ) -> types.DiscoverResult:
        del params
        return types.DiscoverResult(
            supported_versions=list(MODERN_PROTOCOL_VERSIONS),
            capabilities=server.get_capabilities(protocol_version=ctx.protocol_version),
            instructions=server.instructions,
            _meta={TOOLS_DIGEST: digest()},
        )

    server.add_request_handler("server/discover", types.RequestParams, discover)


def visitor(request: object) -> Visitor:
    """The visitor behind an HTTP request; the agent's starter if there is none."""
    context = call_context(request, "mcp")
    return Visitor(context.bearer_token, context.address, starter=not isinstance(request, Request))


def call_context(request: object, dialect: str) -> CallContext:
    """The caller's token, address and path; empty without an HTTP request."""
    if not isinstance(request, Request):
        return CallContext(dialect=dialect)
    scheme, _, credentials = request.headers.get("authorization", "").partition(" ")
    token = credentials.strip() if scheme.lower() == "bearer" else ""
    address = request.client.host if request.client is not None else ""
    return CallContext(
        bearer_token=token or None,
        address=address,
        dialect=dialect,
        path=request.scope.get("path", ""),
        attribute=request.scope.get(ATTRIBUTE, attribute_nothing),
        hung_up=request.scope.get(HUNG_UP, never_hangs_up),
    )
