"""MCP sessions over HTTP, for hosts of the handshake revisions."""

from collections.abc import Mapping

from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp_types import INTERNAL_ERROR
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.types import Message, Receive, Scope, Send

from league_sdk.mcp_adapter.resources import OF_ONE
from league_sdk.mcp_adapter.server import visitor
from league_sdk.net.pool import Holder, Pool
from league_sdk.resource_provider import ResourceProvider

_SESSION_ID = "mcp-session-id"


class BoundedSessions:
    """Opens sessions within a pool: a place is its opener's until the session ends."""

    def __init__(self, manager: StreamableHTTPSessionManager, resources: ResourceProvider, most: int) -> None:
        self._manager = manager
        self._resources = resources
        self._pool = Pool("sessions", most, per_identity=OF_ONE)
        self._open: dict[str, Holder] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope)
        if request.headers.get(_SESSION_ID) is not None:
            await self._manager.handle_request(scope, receive, send)
            return
        self._forget_ended()
        holder = self._resources.holder(visitor(request))
        if reason := self._pool.refusal(holder):
            error = {"code": INTERNAL_ERROR, "message": f"Too many open sessions: {reason}"}
            await JSONResponse({"jsonrpc": "2.0", "id": None, "error": error}, 503)(scope, receive, send)
            return
        await self._opening(holder, scope, receive, send)

    async def _opening(self, holder: Holder, scope: Scope, receive: Receive, send: Send) -> None:
        opened = ""

        async def watched(message: Message) -> None:
            nonlocal opened
            if message["type"] == "http.response.start":
                headers = dict(message["headers"])
                opened = headers.get(_SESSION_ID.encode(), b"").decode()
            await send(message)

        self._pool.take(holder)
        try:
            await self._manager.handle_request(scope, receive, watched)
        finally:
            if opened in self._sessions:
                self._open[opened] = holder
            else:
                self._pool.leave(holder)

    def _forget_ended(self) -> None:
        for session in [session for session in self._open if session not in self._sessions]:
            self._pool.leave(self._open.pop(session))

    @property
    def _sessions(self) -> Mapping[str, object]:
        # The SDK tells nobody when a session ends.
        return self._manager._server_instances  # pyright: ignore[reportPrivateUsage]
