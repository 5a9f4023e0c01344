"""A library on an MCP server: resources, templates, completion, prompts, changes.

Clients of 2026-07-28 listen on a stream of their own. Clients of the revisions before it subscribe within a session,
so a server without sessions does not offer them that.
"""

import asyncio
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from typing import Any, TypeAlias
from weakref import WeakKeyDictionary

import mcp_types as types
from mcp.server.connection import Connection
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import NotificationOptions, Server
from mcp.server.models import InitializationOptions
from mcp.server.session import ServerSession
from mcp.server.subscriptions import ListenHandler
from mcp.shared.exceptions import MCPError
from mcp.shared.subscriptions import ResourcesListChanged, ResourceUpdated, ServerEvent
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from league_sdk.bounds import shorten
from league_sdk.errors import INVALID_PARAMS, LeagueError
from league_sdk.net.pool import Pool
from league_sdk.resource_provider import APP, Listener, NotOffered, Resource, ResourceProvider, View, Visitor

Context: TypeAlias = ServerRequestContext[dict[str, Any]]
VisitorOf: TypeAlias = Callable[[object], Visitor]
Watch: TypeAlias = Callable[[Listener], Callable[[], None]]

RESOURCE_NOT_FOUND = -32002  # the error of the revisions before 2026-07-28 for an unknown resource
MOST_STREAMS = 64
"""Limit of clients that listen to one agent: their connections are never closed to make room."""
OF_ONE = 4
"""Streams, or sessions, of one agent by its token."""
MOST_SUBSCRIPTIONS = 100  # limit of one session's subscriptions
MOST_COMPLETIONS = 100
APPS = "io.modelcontextprotocol/ui"  # the extension MCP Apps


class LeagueServer(Server[dict[str, Any]]):
    """The SDK's server, with its clients' subscriptions."""

    sessions: bool = False  # if so, clients of the handshake era can subscribe
    listen: ListenHandler | None = None  # serves the streams of 2026-07-28

    def create_initialization_options(
        self,
        notification_options: NotificationOptions | None = None,
        experimental_capabilities: dict[str, dict[str, Any]] | None = None,
        extensions: dict[str, dict[str, Any]] | None = None,
    ) -> InitializationOptions:
        """With sessions, the SDK's options announce changes of the resource list."""
        changes = notification_options or NotificationOptions(resources_changed=self.sessions)
        return super().create_initialization_options(changes, experimental_capabilities, extensions)

    def end_streams(self) -> None:
        if self.listen is not None:
            self.listen.close()


def offer(server: LeagueServer, resources: ResourceProvider, visitor_of: VisitorOf, *, sessions: bool) -> None:
    """Let a server show a library, to clients with `sessions` or without."""
    _Shown(resources, visitor_of).put_on(server)
    server.listen = ListenHandler(Changes(resources.watch), max_subscriptions=MOST_STREAMS)
    listening = _Listening(server.listen, resources, visitor_of)
    server.add_request_handler("subscriptions/listen", types.SubscriptionsListenRequestParams, listening)
    if resources.views():
        server.extensions[APPS] = {"mimeTypes": [APP]}
    server.sessions = sessions
    if sessions:
        Sessions(resources.watch).put_on(server)


def view_tool(view: View) -> types.Tool:
    return types.Tool(
        name=view.name,
        title=view.title,
        description=view.description,
        input_schema=dict(view.input_schema),
        annotations=types.ToolAnnotations(
            title=view.title, read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False
        ),
        _meta={"ui": {"resourceUri": view.app}},
    )


async def show(
    resources: ResourceProvider, name: str, arguments: Mapping[str, Any], visitor: Visitor
) -> types.CallToolResult:
    """Show a view, as a tool's result."""
    with refused_as_mcp_error():
        shown = await resources.show(name, arguments, visitor)
    return types.CallToolResult(content=[types.TextContent(text=shown.text)], structured_content=dict(shown.data))


@contextmanager
def refused_as_mcp_error(missing: int = INVALID_PARAMS, **data: Any) -> Generator[None]:
    """Turn a library's refusal into an MCPError, numbered `missing` if unknown."""
    try:
        yield
    except NotOffered as error:
        raise MCPError(missing, str(error), data or None) from error
    except LeagueError as error:
        told = {"error_code": error.code, "error_description": error.spec.name, "context": error.context}
        raise MCPError(INVALID_PARAMS if error.spec.number == 0 else error.spec.number, error.message, told) from error


class _Listening:
    """Serves streams of 2026-07-28 within their pool."""

    def __init__(self, handler: ListenHandler, resources: ResourceProvider, visitor_of: VisitorOf) -> None:
        self._handler = handler
        self._resources = resources
        self._visitor_of = visitor_of
        self._pool = Pool("event streams", MOST_STREAMS, per_identity=OF_ONE)

    async def __call__(
        self, ctx: Context, params: types.SubscriptionsListenRequestParams
    ) -> types.SubscriptionsListenResult:
        holder = self._resources.holder(self._visitor_of(ctx.request))
        with refused_as_mcp_error():
            self._pool.take(holder)
        try:
            return await self._handler(ctx, params)
        finally:
            self._pool.leave(holder)


class _Shown:
    """The read-only request handlers."""

    def __init__(self, resources: ResourceProvider, visitor_of: VisitorOf) -> None:
        self._resources = resources
        self._visitor_of = visitor_of

    def put_on(self, server: LeagueServer) -> None:
        server.add_request_handler("resources/list", types.PaginatedRequestParams, self._list)
        server.add_request_handler("resources/templates/list", types.PaginatedRequestParams, self._list_templates)
        server.add_request_handler("resources/read", types.ReadResourceRequestParams, self._read)
        server.add_request_handler("prompts/list", types.PaginatedRequestParams, self._list_prompts)
        server.add_request_handler("prompts/get", types.GetPromptRequestParams, self._get_prompt)
        server.add_request_handler("completion/complete", types.CompleteRequestParams, self._complete)

    async def _list(self, ctx: Context, params: types.PaginatedRequestParams) -> types.ListResourcesResult:
        del ctx, params
        return types.ListResourcesResult(resources=[_resource(known) for known in self._resources.resources()])

    async def _list_templates(
        self, ctx: Context, params: types.PaginatedRequestParams
    ) -> types.ListResourceTemplatesResult:
        del ctx, params
        templates = [_template(known) for known in self._resources.templates()]
        return types.ListResourceTemplatesResult(resource_templates=templates)

    async def _read(self, ctx: Context, params: types.ReadResourceRequestParams) -> types.ReadResourceResult:
        missing = INVALID_PARAMS if ctx.protocol_version in MODERN_PROTOCOL_VERSIONS else RESOURCE_NOT_FOUND
        uri = params.uri
        with refused_as_mcp_error(missing, uri=shorten(uri, 500)):
            text, kind = await self._resources.read(uri, self._visitor_of(ctx.request))
        return types.ReadResourceResult(contents=[types.TextResourceContents(uri=uri, mime_type=kind, text=text)])

    async def _list_prompts(self, ctx: Context, params: types.PaginatedRequestParams) -> types.ListPromptsResult:
        del ctx, params
        prompts = [
            types.Prompt(
                name=prompt.name,
                title=prompt.title,
                description=prompt.description,
                arguments=[
                    types.PromptArgument(name=argument.name, description=argument.description, required=True)
                    for argument in prompt.arguments
                ],
            )
            for prompt in self._resources.prompts()
        ]
        return types.ListPromptsResult(prompts=prompts)

    async def _get_prompt(self, ctx: Context, params: types.GetPromptRequestParams) -> types.GetPromptResult:
        with refused_as_mcp_error():
            text = await self._resources.prompt(params.name, params.arguments or {}, self._visitor_of(ctx.request))
        message = types.PromptMessage(role="user", content=types.TextContent(text=text))
        return types.GetPromptResult(messages=[message])

    async def _complete(self, ctx: Context, params: types.CompleteRequestParams) -> types.CompleteResult:
        about = params.ref.name if isinstance(params.ref, types.PromptReference) else params.ref.uri
        argument, visitor = params.argument, self._visitor_of(ctx.request)
        with refused_as_mcp_error():
            values = self._resources.complete(about, argument.name, argument.value, visitor)
        completion = types.Completion(
            values=list(values[:MOST_COMPLETIONS]), total=len(values), has_more=len(values) > MOST_COMPLETIONS
        )
        return types.CompleteResult(completion=completion)


class Changes:
    """A library's changes, as the SDK's subscription bus of 2026-07-28."""

    def __init__(self, watch: Watch) -> None:
        self._watch = watch

    async def publish(self, event: ServerEvent) -> None:
        """Changes come from the library alone."""
        raise NotImplementedError(f"{event}: only the library announces changes")

    def subscribe(self, listener: Callable[[ServerEvent], None]) -> Callable[[], None]:
        return self._watch(lambda uri: listener(ResourcesListChanged() if uri is None else ResourceUpdated(uri)))


class Sessions:
    """The subscription handlers for clients of the handshake era."""

    def __init__(self, watch: Watch) -> None:
        self._watch = watch
        self._listeners: WeakKeyDictionary[Connection, _SessionListener] = WeakKeyDictionary()

    def put_on(self, server: Server[Any]) -> None:
        server.add_request_handler("resources/subscribe", types.SubscribeRequestParams, self._subscribe)
        server.add_request_handler("resources/unsubscribe", types.UnsubscribeRequestParams, self._unsubscribe)
        server.add_notification_handler("notifications/initialized", types.NotificationParams, self._initialized)

    async def _initialized(self, ctx: Context, params: types.NotificationParams) -> None:
        del params
        self._listener(ctx)

    async def _subscribe(self, ctx: Context, params: types.SubscribeRequestParams) -> types.EmptyResult:
        uris = self._listener(ctx).uris
        if len(uris) >= MOST_SUBSCRIPTIONS and params.uri not in uris:
            raise MCPError(INVALID_PARAMS, f"more than {MOST_SUBSCRIPTIONS} subscriptions in one session")
        uris.add(params.uri)
        return types.EmptyResult()

    async def _unsubscribe(self, ctx: Context, params: types.UnsubscribeRequestParams) -> types.EmptyResult:
        self._listener(ctx).uris.discard(params.uri)
        return types.EmptyResult()

    def _listener(self, ctx: Context) -> "_SessionListener":
        # The SDK hands out a session object a request; only the connection behind it lasts, and tells of its end.
        connection = ctx.session._connection  # pyright: ignore[reportPrivateUsage]
        listener = self._listeners.get(connection)
        if listener is None:
            listener = self._listeners[connection] = _SessionListener(ctx.session)
            connection.exit_stack.callback(self._watch(listener.hear))
            connection.exit_stack.callback(listener.close)
        return listener


class _SessionListener:
    """Tells one session of changes to its resources, in a task of its own.

    The code that makes a change does not wait. Several changes of a resource that are still untold are told as one.
    """

    def __init__(self, session: ServerSession) -> None:
        self.uris: set[str] = set()
        self._session = session
        self._due: dict[str | None, None] = {}
        self._wake = asyncio.Event()
        self._task = asyncio.get_running_loop().create_task(self._tell(), name="resource subscriptions")

    def hear(self, uri: str | None) -> None:
        if uri is None or uri in self.uris:
            self._due[uri] = None
            self._wake.set()

    def close(self) -> None:
        self._task.cancel()

    async def _tell(self) -> None:
        while True:
            await self._wake.wait()
            self._wake.clear()
            due, self._due = self._due, {}
            for uri in due:
                if uri is None:
                    await self._session.send_resource_list_changed()
                else:
                    await self._session.send_resource_updated(uri)


def _resource(known: Resource) -> types.Resource:
    return types.Resource(
        uri=known.uri,
        name=known.name,
        title=known.title,
        description=known.description,
        mime_type=known.mime_type,
        annotations=types.Annotations(audience=["user"] if known.mime_type == APP else ["user", "assistant"]),
    )


def _template(known: Resource) -> types.ResourceTemplate:
    return types.ResourceTemplate(
        uri_template=known.uri,
        name=known.name,
        title=known.title,
        description=known.description,
        mime_type=known.mime_type,
        annotations=types.Annotations(audience=["user", "assistant"]),
    )
