"""A player of Even/Odd on the SDK's low-level server, whose tools may refuse the arguments that they do not know."""

import json
from collections.abc import AsyncGenerator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

import httpx2
import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.streamable_http_manager import StreamableHTTPASGIApp, StreamableHTTPSessionManager
from pydantic import BaseModel, ConfigDict, ValidationError, create_model
from starlette.applications import Starlette
from starlette.routing import BaseRoute, Mount, Route

from league_sdk.net.serving import listening_socket, run_app

TOOLS: dict[str, tuple[str, dict[str, type]]] = {
    "handle_game_invitation": ("GAME_JOIN_ACK", {"match_id": str, "game_type": str}),
    "choose_parity": ("CHOOSE_PARITY_RESPONSE", {"match_id": str, "context": dict, "deadline": str}),
    "notify_match_result": ("GAME_OVER_ACK", {"match_id": str, "game_result": dict}),
    "notify_game_error": ("GAME_ERROR_ACK", {"match_id": str, "error_code": str}),
    "notify_round": ("ROUND_ANNOUNCEMENT_ACK", {"matches": list}),
    "update_standings": ("STANDINGS_UPDATE_ACK", {"standings": list}),
    "notify_round_completed": ("ROUND_COMPLETED_ACK", {"round_id": int}),
    "notify_league_completed": ("LEAGUE_COMPLETED_ACK", {"final_standings": list}),
}
"""Of each tool: its answer, and the arguments that it has beside the conversation's id."""


class McpPlayer:
    """The player.

    Args:
        name: Its display name.
        forbids: Refuse unknown arguments, as pydantic does with `extra="forbid"`.
        says_so: Publish `additionalProperties: false` in the schemas of the tools then.
        takes_token: Have the argument `auth_token` too.
    """

    def __init__(self, name: str, *, forbids: bool = False, says_so: bool = True, takes_token: bool = False) -> None:
        self.name = name
        self.player_id = ""
        config = ConfigDict(extra="forbid" if forbids else "ignore")
        self._models = {
            tool: _model(tool, fields, config, takes_token=takes_token) for tool, (_, fields) in TOOLS.items()
        }
        self._says_so = says_so
        server = Server(name, version="7.8.9", on_list_tools=self._list, on_call_tool=self._call)
        self._manager = StreamableHTTPSessionManager(server, json_response=True, stateless=True)

    def running(self) -> AbstractAsyncContextManager[None]:
        """Hold this while it is served."""
        return self._manager.run()

    def routes(self, path: str = "/mcp") -> list[BaseRoute]:
        """Routes that serve it at a path."""
        return [Route(path, StreamableHTTPASGIApp(self._manager))]

    def mounted(self) -> list[BaseRoute]:
        """Served as by FastMCP of mcp 1.9: `/mcp` redirects to `/mcp/`."""
        return [Mount("/mcp", StreamableHTTPASGIApp(self._manager))]

    async def register(self, manager: str, endpoint: str, client: httpx2.AsyncClient) -> dict[str, Any]:
        """Ask for a seat over bare JSON-RPC, and return the answer."""
        params: dict[str, Any] = {
            "protocol": "league.v2",
            "message_type": "LEAGUE_REGISTER_REQUEST",
            "sender": f"player:{self.name}",
            "timestamp": "2026-01-01T00:00:00Z",
            "conversation_id": "mcp-player",
            "player_meta": {
                "display_name": self.name,
                "version": "1.0.0",
                "game_types": ["even_odd"],
                "contact_endpoint": endpoint,
            },
        }
        body = {"jsonrpc": "2.0", "id": 1, "method": "register_player", "params": params}
        result: dict[str, Any] = (await client.post(manager, json=body)).json()["result"]
        self.player_id = result.get("player_id") or ""
        return result

    async def _list(
        self, ctx: ServerRequestContext[Any], params: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        del ctx, params
        return types.ListToolsResult(tools=[self._tool(name) for name in TOOLS])

    def _tool(self, name: str) -> types.Tool:
        schema = self._models[name].model_json_schema()
        if not self._says_so:
            schema.pop("additionalProperties", None)
        return types.Tool(name=name, input_schema=schema)

    async def _call(self, ctx: ServerRequestContext[Any], params: types.CallToolRequestParams) -> types.CallToolResult:
        del ctx
        try:
            asked = self._models[params.name].model_validate(params.arguments or {}).model_dump()
        except ValidationError as error:
            return types.CallToolResult(content=[types.TextContent(text=str(error))], is_error=True)
        kind = TOOLS[params.name][0]
        reply = {
            "protocol": "league.v2",
            "message_type": kind,
            "sender": f"player:{self.player_id}",
            "timestamp": "2026-01-01T00:00:00Z",
            "conversation_id": asked["conversation_id"],
            "status": "ACKNOWLEDGED",
            **({"match_id": asked["match_id"], "player_id": self.player_id} if "match_id" in asked else {}),
            **({"accept": True, "arrival_timestamp": "2026-01-01T00:00:00Z"} if kind == "GAME_JOIN_ACK" else {}),
            **({"parity_choice": "even"} if kind == "CHOOSE_PARITY_RESPONSE" else {}),
        }
        return types.CallToolResult(content=[types.TextContent(text=json.dumps(reply))])


@asynccontextmanager
async def listening(player: McpPlayer, routes: list[BaseRoute]) -> AsyncGenerator[str]:
    """Serve a player on loopback; its `/mcp`."""
    with listening_socket("127.0.0.1", 0) as sock:
        async with player.running(), run_app(Starlette(routes=routes), sock, bind_host="127.0.0.1"):
            yield f"http://127.0.0.1:{sock.getsockname()[1]}/mcp"


def _model(tool: str, fields: dict[str, type], config: ConfigDict, *, takes_token: bool) -> type[BaseModel]:
    definitions: dict[str, Any] = {name: (kind, ...) for name, kind in {"conversation_id": str, **fields}.items()}
    if takes_token:
        definitions["auth_token"] = (str | None, None)
    return create_model(tool, __config__=config, **definitions)
