"""The short way for calls, its calling half: a peer that needs no handshake is asked without a client of the SDK's.

Since 2026-07-28 a request carries everything that it needs, and a session of the SDK's client has nothing to add but
its memory and its time. What is unusual about a peer (a list of tools in pages, a tool that wants arguments in HTTP
headers) is left to the SDK, with a client that is opened when it shows. ADR 0060 tells more.
"""

import itertools
from collections.abc import Awaitable, Callable, Mapping
from functools import cache
from typing import cast

import anyio
import mcp_types as types
from mcp.shared.exceptions import MCPError
from mcp.shared.inbound import (
    MCP_METHOD_HEADER,
    MCP_NAME_HEADER,
    MCP_PROTOCOL_VERSION_HEADER,
    encode_header_value,
)
from mcp_types.methods import validate_server_result
from mcp_types.version import LATEST_MODERN_VERSION, MODERN_PROTOCOL_VERSIONS
from pydantic import ValidationError
from pydantic_core import to_json

from league_sdk.bounds import shorten
from league_sdk.errors import PeerUnreachable, ResponseTimeout
from league_sdk.mcp_client import McpConnection, client_info, reply_in, translate
from league_sdk.mcp_forms import is_plain_result, plain_tools
from league_sdk.net.exchange import Exchange
from league_sdk.ports import Json, MalformedReply, ToolDescriptor

_DISCOVER = "server/discover"


class ShortConnection:
    """A `Connection` to a peer whose revision is known to have no handshake.

    Args:
        exchange: Reaches the peer.
        revision: What it speaks.
        with_client: Opens a client of the SDK's to the same peer, which lives as long as this connection.

    Attributes:
        dialect: `mcp/` and the protocol revision.
        failed: Whether the connection has broken; what comes after it should be negotiated anew.
    """

    def __init__(self, exchange: Exchange, revision: str, with_client: Callable[[], Awaitable[McpConnection]]) -> None:
        self.dialect = f"mcp/{revision}"
        self._posts = _Posts(exchange, revision)
        self._revision = revision
        self._with_client = with_client
        self._other: McpConnection | None = None
        self._failed = False

    @property
    def failed(self) -> bool:
        """Whether it has broken, one way or the other."""
        return self._failed or (self._other is not None and self._other.failed)

    async def list_tools(self) -> list[ToolDescriptor]:
        """The peer's tools; see `McpConnection.list_tools`."""
        if self._other is None:
            tools = _plain_list(self._result(await self._posts.send("tools/list")))
            if tools:
                return tools
            self._other = await self._with_client()
        return await self._other.list_tools()

    async def call(self, tool: str, arguments: Mapping[str, Json], *, timeout: float) -> Json:
        """Call one tool once; see `Connection.call`."""
        if self._other is not None:
            return await self._other.call(tool, arguments, timeout=timeout)
        params = b'"name":%s,"arguments":%s,' % (to_json(tool), to_json(arguments))
        try:
            with anyio.fail_after(timeout):
                reply = await self._posts.send("tools/call", params, {MCP_NAME_HEADER: encode_header_value(tool)})
        except TimeoutError as error:
            raise ResponseTimeout(f"no answer to {tool} within {timeout:g} s") from error
        result = self._result(reply)
        if is_plain_result(result):
            return cast("dict[str, Json]", result)["structuredContent"]
        try:
            validate_server_result("tools/call", self._revision, result)
            return reply_in(types.CallToolResult.model_validate(result, by_name=False))
        except ValidationError as error:
            raise MalformedReply("the reply is not a tool result", shorten(str(error))) from error

    async def ping(self, *, timeout: float) -> None:
        """Make sure that the peer still answers. An error is an answer too."""
        try:
            with anyio.fail_after(timeout):
                error = _error_in(await self._posts.send(_DISCOVER))
        except TimeoutError as late:
            raise ResponseTimeout(f"no answer to a ping within {timeout:g} s") from late
        if isinstance(error, PeerUnreachable | ResponseTimeout):
            self._failed = self._failed or isinstance(error, PeerUnreachable)
            raise error

    def _result(self, reply: Mapping[str, Json]) -> Json:
        error = _error_in(reply)
        if error is not None:
            self._failed = self._failed or isinstance(error, PeerUnreachable)
            raise error
        return reply["result"]


async def revision_without_handshake(exchange: Exchange) -> str | None:
    """The revision to speak with a peer that needs no handshake; None when it is for the SDK to find out.

    Raises:
        PeerUnreachable: Nobody is there.
    """
    reply = await _Posts(exchange, LATEST_MODERN_VERSION).send(_DISCOVER)
    error = _error_in(reply)
    if isinstance(error, PeerUnreachable) and "dropped" in error.context:
        raise error
    if error is not None:  # also one about a revision or a session: a peer with a handshake may answer so
        return None
    try:
        spoken = types.DiscoverResult.model_validate(reply["result"]).supported_versions
    except ValidationError:
        return None
    return max((revision for revision in MODERN_PROTOCOL_VERSIONS if revision in spoken), default=None)


class _Posts:
    """Requests of one revision, with what the SDK's client would send along."""

    def __init__(self, exchange: Exchange, revision: str) -> None:
        self._exchange = exchange
        self._revision = revision
        self._ids = itertools.count(1)

    async def send(self, method: str, params: bytes = b"", headers: Mapping[str, str] | None = None) -> dict[str, Json]:
        """Send a request, and return its reply: an object with `result` or `error`."""
        number = next(self._ids)
        body = b'{"jsonrpc":"2.0","id":%d,"method":%s,"params":{%s"_meta":%s}}'
        known = {MCP_PROTOCOL_VERSION_HEADER: self._revision, MCP_METHOD_HEADER: method, **(headers or {})}
        return await self._exchange(known, body % (number, to_json(method), params, _meta(self._revision)), number)


@cache
def _meta(revision: str) -> bytes:
    return to_json(
        {
            types.PROTOCOL_VERSION_META_KEY: revision,
            types.CLIENT_INFO_META_KEY: client_info().model_dump(by_alias=True, mode="json", exclude_none=True),
            types.CLIENT_CAPABILITIES_META_KEY: {},
        }
    )


def _plain_list(result: Json) -> list[ToolDescriptor]:
    """The tools in a result; none when there is anything unusual about it."""
    said = cast("dict[str, Json]", result) if isinstance(result, dict) else {}
    tools = said.get("tools")
    if said.get("nextCursor") is not None or not isinstance(tools, list):
        return []
    return list(plain_tools(to_json(tools)))


def _error_in(reply: Mapping[str, Json]) -> Exception | None:
    if "error" not in reply:
        return None
    try:
        error = types.ErrorData.model_validate(reply["error"])
    except ValidationError as malformed:
        return MalformedReply("the error does not have the form that MCP gives it", shorten(str(malformed)))
    return translate(MCPError(error.code, error.message, error.data))
