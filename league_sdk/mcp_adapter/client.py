"""The calling half of the MCP adapter: an SDK client as a `Connection`."""

import json
from collections.abc import AsyncGenerator, Iterable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any, cast

import anyio
import mcp_types as types
from mcp.client import Client, ClientSession
from mcp.client.stdio import StdioServerParameters
from mcp.shared.exceptions import MCPError
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import ValidationError

from league_sdk.bounds import shorten
from league_sdk.errors import INTERNAL, SPECS, InvalidEndpoint, PeerUnreachable, ResponseTimeout
from league_sdk.json_value import Json
from league_sdk.mcp_adapter.server import quiet_loggers
from league_sdk.mcp_adapter.tool_lists import TOOL_LISTS, TOOLS_DIGEST
from league_sdk.net.replies import is_name_not_found, is_ours, is_redirect, out_of_files
from league_sdk.ports import CallRefused, MalformedReply, NotThisDialect, OutOfFiles, ToolDescriptor
from league_sdk.release import DISTRIBUTION, release

_LIST_PAGES = 100
LONGEST_TEXT = 10_000
"""Characters kept of a text that is no JSON: a framework's refusal says a few lines of each argument."""
_CLOSED_HERE = ("Connection closed", "SSE stream ")
"""Beginnings of the SDK's own errors that share a number (-32000) with errors of servers."""


class RedirectRefused(MalformedReply):
    """The answer is a redirect that is not followed."""


class McpConnection:
    """A `Connection` over an entered MCP client.

    Once it has `failed`, its successor should negotiate anew.
    """

    def __init__(self, client: Client) -> None:
        self._client = client
        self.dialect = f"mcp/{client.protocol_version}"
        self.failed = False
        self._digest = ""

    @property
    def server_name(self) -> str:
        """The server's name for itself; empty if it gave none, or was not asked."""
        info = self._client.server_info
        return "" if info is None else info.name

    @property
    def _session(self) -> ClientSession:
        """The SDK's session; PeerUnreachable once another call has lost it."""
        try:
            return self._client.session
        except RuntimeError as error:
            raise PeerUnreachable("the connection was closed", dropped=True) from error

    async def confirm_revision(self) -> bool:
        """Ask the peer if it speaks the revision that this connection has adopted.

        Raises PeerUnreachable, or InvalidEndpoint for a redirect that is not followed.
        """
        version = self._client.protocol_version
        try:
            found = types.DiscoverResult.model_validate(await self._session.send_discover(version))
        except MCPError as error:
            translated = self._translate(error)
            # Without `dropped` it is an answer, such as that of a server which misses a session.
            if isinstance(translated, PeerUnreachable) and "dropped" in translated.context:
                raise translated from error
            if isinstance(translated, RedirectRefused):
                raise InvalidEndpoint(str(translated), field="contact_endpoint") from error
            return False
        except ValidationError:
            return False
        digest = (found.meta or {}).get(TOOLS_DIGEST)
        self._digest = digest if isinstance(digest, str) else ""
        return version in found.supported_versions

    async def list_tools(self) -> list[ToolDescriptor]:
        """Every page of the peer's tool list; see `Connection.list_tools`."""
        if not self._digest:
            return await self._ask_for_tools()
        async with TOOL_LISTS.seen(self._digest) as tools:
            return await self._ask_for_tools() if tools is None else list(tools)

    async def _ask_for_tools(self) -> list[ToolDescriptor]:
        tools: list[ToolDescriptor] = []
        cursor: str | None = None
        for _ in range(_LIST_PAGES):
            page, cursor = await self._page(cursor)
            tools.extend(page)
            if cursor is None:
                return tools
        raise MalformedReply(f"the tool list has more after {_LIST_PAGES} pages")

    async def _page(self, cursor: str | None) -> tuple[Sequence[ToolDescriptor], str | None]:
        """One page, and the cursor of the next one."""
        request = types.ListToolsRequest(params=types.PaginatedRequestParams(cursor=cursor))
        try:
            page = await self._session.send_request(request, types.ListToolsResult)
            tools, mirrored = TOOL_LISTS.shared(page.tools)
            if mirrored:  # the session must know of arguments that are sent as headers, and keeps no other tools
                page = await self._client.list_tools(cursor=cursor)
                tools, _ = TOOL_LISTS.shared(page.tools)
        except MCPError as error:
            raise self._translate(error) from error
        except ValidationError as error:
            text = "the tool list does not have the form that MCP gives it"
            raise MalformedReply(text, shorten(str(error))) from error
        return tools, page.next_cursor

    async def call(self, tool: str, arguments: Mapping[str, Json], *, timeout: float) -> Json:
        """Call one tool once; see `Connection.call`.

        The SDK's own check against the peer's published schema is left out: the reply is checked against the league's
        models, whatever a peer publishes, and an error in a peer's schema is not an error in its reply.
        """
        try:
            with anyio.fail_after(timeout):
                params = types.CallToolRequestParams(name=tool, arguments=dict(arguments))
                request = types.CallToolRequest(params=params)
                result = await self._session.send_request(request, types.CallToolResult)
        except TimeoutError as error:
            raise ResponseTimeout(f"no answer to {tool} within {timeout:g} s") from error
        except MCPError as error:
            raise self._translate(error) from error
        except ValidationError as error:
            raise MalformedReply("the reply is not a tool result", shorten(str(error))) from error
        return reply_in(result)

    async def ping(self, *, timeout: float) -> None:
        """Check that the peer still answers, if only with an error.

        It sends `ping`, or `server/discover` in revisions without it.
        """
        session = self._session
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
    """The port's exception for an SDK error; our own failures are not the peer's."""
    said = cast("object", error.data)
    data = cast("dict[str, Json]", said) if isinstance(said, dict) else None
    if data is not None and "error_code" in data:
        return CallRefused(error.code, error.message, data)
    if error.code == types.CONNECTION_CLOSED and ("dropped" in (data or {}) or error.message.startswith(_CLOSED_HERE)):
        return _unreachable(error.message, data or {})
    if error.code == types.CONNECTION_CLOSED and "session" in error.message.lower():
        return PeerUnreachable("the peer has forgotten the session")
    if error.code == types.REQUEST_TIMEOUT:
        return ResponseTimeout(error.message)
    if error.code == types.PARSE_ERROR and is_redirect(data or {}):
        return RedirectRefused(error.message)
    if error.code == types.PARSE_ERROR:
        return MalformedReply(error.message)
    if error.code == types.INVALID_REQUEST and error.message == "Session terminated":
        return PeerUnreachable("the peer has forgotten the session")
    if error.code == types.UNSUPPORTED_PROTOCOL_VERSION:
        return PeerUnreachable("the peer no longer speaks the protocol revision that was agreed on")
    return CallRefused(error.code, error.message, data)


def _unreachable(text: str, data: Mapping[str, Json]) -> PeerUnreachable:
    if is_ours(data):
        return OutOfFiles(text, dropped=False)
    if is_name_not_found(data):
        return PeerUnreachable(text, dropped=False, name_not_found=True)
    return PeerUnreachable(text, dropped=data.get("dropped") is not False)


@asynccontextmanager
async def open_connection(
    server: Any,
    *,
    mode: str = "auto",
    unreachable: tuple[type[Exception], ...] = (OSError,),
) -> AsyncGenerator[McpConnection]:
    """Connect an MCP client and keep it until the context ends.

    The SDK cancels the task inside the context when a transport breaks, so a long-lived connection needs a task of its
    own; this context then ends with PeerUnreachable.

    Args:
        server: An argument of `mcp.Client`: a transport, stdio parameters or a server object.
        mode: `auto`, `legacy` (the handshake revisions) or a revision to adopt without asking.
        unreachable: Exceptions of the transport that mean that there is no server.

    Raises:
        PeerUnreachable: There is no server, or the connection broke.
        InvalidEndpoint: The server's redirect is not followed.
        NotThisDialect: The server does not speak MCP.
    """
    quiet_loggers()
    client = Client(cast("StdioServerParameters", server), mode=mode, cache=None, client_info=client_info())
    raised: Exception | None = None
    opened = False
    try:
        async with AsyncExitStack() as stack:
            await stack.enter_async_context(client)
            opened = True
            try:
                yield McpConnection(client)
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


def client_info() -> types.Implementation:
    return types.Implementation(name=DISTRIBUTION, version=release())


def _verdict(error: Exception, unreachable: tuple[type[Exception], ...], *, opened: bool) -> Exception | None:
    """The port's exception for a failed handshake or a broken transport; else None."""
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
        if isinstance(said, RedirectRefused):
            return InvalidEndpoint(str(said), field="contact_endpoint")
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


def reply_in(result: types.CallToolResult) -> Json:
    """The reply in a tool result; CallRefused for an error, MalformedReply if empty."""
    if result.is_error:
        raise _refusal_in(result)
    return _payload(result)


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
        raise MalformedReply("content[0] is not JSON", shorten(first.text, LONGEST_TEXT)) from error


def _refusal_in(result: types.CallToolResult) -> CallRefused:
    """The refusal in a result flagged as an error; with its code if that is ours."""
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
