"""A player written with Starlette alone, by hand: JSON-RPC without MCP, and with a little of MCP beside it.

It keeps the whole protocol, but for what a behaviour makes of its answers.
"""

import json
import re
import threading
from collections.abc import Awaitable, Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

UTC_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|\+00:00)")
SENDER = re.compile(r"league_manager|(league_manager|referee|player):.+")
TEXT, NUMBER, OBJECT, LIST = (str,), (int,), (dict,), (list,)

# The tool: its message, its reply, and the fields that it demands.
TOOLS: dict[str, tuple[str, str, dict[str, tuple[type, ...]]]] = {
    "notify_round": ("ROUND_ANNOUNCEMENT", "ROUND_ANNOUNCEMENT_ACK", {"round_id": NUMBER, "matches": LIST}),
    "update_standings": ("LEAGUE_STANDINGS_UPDATE", "STANDINGS_UPDATE_ACK", {"round_id": NUMBER, "standings": LIST}),
    "notify_round_completed": ("ROUND_COMPLETED", "ROUND_COMPLETED_ACK", {"round_id": NUMBER}),
    "notify_league_completed": ("LEAGUE_COMPLETED", "LEAGUE_COMPLETED_ACK", {"final_standings": LIST}),
    "handle_game_invitation": (
        "GAME_INVITATION",
        "GAME_JOIN_ACK",
        {"league_id": TEXT, "round_id": NUMBER, "match_id": TEXT, "game_type": TEXT, "opponent_id": TEXT},
    ),
    "choose_parity": (
        "CHOOSE_PARITY_CALL",
        "CHOOSE_PARITY_RESPONSE",
        {"match_id": TEXT, "player_id": TEXT, "game_type": TEXT, "context": OBJECT, "deadline": TEXT},
    ),
    "notify_match_result": ("GAME_OVER", "GAME_OVER_ACK", {"match_id": TEXT, "game_result": OBJECT}),
    "notify_game_error": ("GAME_ERROR", "GAME_ERROR_ACK", {"match_id": TEXT, "error_code": TEXT}),
}
NAMES = {
    "E002": "INVALID_FIELD",
    "E003": "MISSING_REQUIRED_FIELD",
    "E008": "INVALID_STATE",
    "E018": "PROTOCOL_VERSION_MISMATCH",
    "E021": "INVALID_TIMESTAMP",
}
NUMBERS = {"E008": 4005, "E018": 18}


class Refused(Exception):
    """A message that breaks the protocol."""

    def __init__(self, code: str, field: str) -> None:
        super().__init__(f"{NAMES[code]}: {field}")
        self.code = code
        self.field = field


def now() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3] + "Z"


@dataclass
class Call:
    """A request, and the answer that the protocol asks for."""

    player: "Handmade"
    method: str
    params: Any
    request_id: Any
    good: dict[str, Any]
    number: int

    def reply(self, **changes: Any) -> dict[str, Any]:
        """The good reply with some fields changed; None leaves one out. A good refusal stays one."""
        if "result" not in self.good:
            return self.good
        reply = {name: value for name, value in {**self.good["result"], **changes}.items() if value is not None}
        return {**self.good, "result": reply}


Behaviour = Callable[[Call], Awaitable[Any]]
"""Turns the good answer into what the player sends: another one as JSON, or a whole HTTP response."""


async def behaves(call: Call) -> Any:
    return call.good


@dataclass
class Handmade:
    """One player."""

    behaviour: Behaviour = behaves
    mcp: bool = False
    player_id: str = "P01"
    invited: dict[str, str] = field(default_factory=dict[str, str])
    moves: dict[str, str] = field(default_factory=dict[str, str])
    calls: dict[str, int] = field(default_factory=dict[str, int])

    async def serve(self, request: Request) -> Response:
        try:
            body = json.loads(await request.body())
        except ValueError:
            return JSONResponse(error(None, -32700, "Parse error"), 400)
        if not isinstance(body, dict) or body.get("jsonrpc") != "2.0" or not isinstance(body.get("method"), str):
            return JSONResponse(error(None, -32600, "Invalid Request"), 400)
        if self.mcp and (answer := self._mcp(body)) is not None:
            return answer
        method, params = body["method"], body.get("params", {})
        if self.mcp:
            if method != "tools/call":
                return JSONResponse(error(body.get("id"), -32601, "Method not found"))
            method, params = params["name"], params["arguments"]
        good = self._answer(method, params, body.get("id"))
        self.calls[method] = self.calls.get(method, 0) + 1
        answered = await self.behaviour(Call(self, method, params, body.get("id"), good, self.calls[method]))
        if isinstance(answered, Response):
            return answered
        if self.mcp and "result" in answered and "content" not in answered["result"]:
            reply = answered["result"]
            content = [{"type": "text", "text": json.dumps(reply)}]
            answered = {**answered, "result": {"content": content, "structuredContent": reply}}
        return JSONResponse(answered)

    def _answer(self, method: str, params: Any, request_id: Any) -> dict[str, Any]:
        if method not in TOOLS:
            return error(request_id, -32601, "Method not found")
        if not isinstance(params, dict):
            return error(request_id, -32602, "params must be an object")
        try:
            self._check(method, params)
            return {"jsonrpc": "2.0", "id": request_id, "result": self._reply(method, params)}
        except Refused as refused:
            return self._refusal(refused, params, request_id)

    def _refusal(self, refused: Refused, params: Mapping[str, Any], request_id: Any) -> dict[str, Any]:
        data = {
            "protocol": "league.v2",
            "message_type": "LEAGUE_ERROR",
            "sender": f"player:{self.player_id}",
            "timestamp": now(),
            "conversation_id": params.get("conversation_id", "none"),
            "error_code": refused.code,
            "error_description": NAMES[refused.code],
            "context": {"field": refused.field},
        }
        return error(request_id, NUMBERS.get(refused.code, -32602), str(refused), data)

    def _check(self, method: str, message: Mapping[str, Any]) -> None:
        kind, _, fields = TOOLS[method]
        for name in ("protocol", "message_type", "sender", "timestamp", "conversation_id", *fields):
            if name not in message:
                raise Refused("E003", name)
        if message["protocol"] != "league.v2":
            raise Refused("E018", "protocol")
        if message["message_type"] != kind:
            raise Refused("E002", "message_type")
        if not SENDER.fullmatch(str(message["sender"])):
            raise Refused("E002", "sender")
        for name in {"timestamp", "deadline"} & set(message):
            if not UTC_TIME.fullmatch(str(message[name])):
                raise Refused("E021", name)
        for name, kinds in fields.items():
            if not isinstance(message[name], kinds) or isinstance(message[name], bool):
                raise Refused("E002", name)

    def _reply(self, method: str, message: Mapping[str, Any]) -> dict[str, Any]:
        reply: dict[str, Any] = {
            "protocol": "league.v2",
            "message_type": TOOLS[method][1],
            "sender": f"player:{self.player_id}",
            "timestamp": now(),
            "conversation_id": message["conversation_id"],
        }
        if method == "handle_game_invitation":
            match_id = message["match_id"]
            accept = message["game_type"] == "even_odd"
            if accept:
                self.invited[match_id] = message.get("player_id") or self.player_id
            return reply | self._of_match(match_id) | {"arrival_timestamp": now(), "accept": accept}
        if method == "choose_parity":
            if message["match_id"] not in self.invited:
                raise Refused("E008", "match_id")
            move = self.moves.setdefault(message["match_id"], "even")
            return reply | self._of_match(message["match_id"]) | {"parity_choice": move}
        reply["status"] = "ACKNOWLEDGED"
        if "match_id" in message:
            return reply | self._of_match(message["match_id"])
        return reply | ({"round_id": message["round_id"]} if "round_id" in message else {})

    def _of_match(self, match_id: str) -> dict[str, Any]:
        return {"match_id": match_id, "player_id": self.invited.get(match_id, self.player_id)}

    def _mcp(self, body: Mapping[str, Any]) -> Response | None:
        """Methods of MCP other than tool calls; one revision is spoken."""
        if body["method"] == "notifications/initialized":
            return Response(status_code=202)
        results: dict[str, Any] = {
            "initialize": {
                "protocolVersion": "2025-06-18",
                "capabilities": {"tools": {}},
                "serverInfo": {"name": "handmade", "version": "1"},
            },
            "tools/list": {"tools": [{"name": name, "inputSchema": {"type": "object"}} for name in self.tools()]},
        }
        if body["method"] not in results:
            return None
        return JSONResponse({"jsonrpc": "2.0", "id": body.get("id"), "result": results[body["method"]]})

    def tools(self) -> list[str]:
        return [name for name in TOOLS if name not in getattr(self.behaviour, "hidden", ())]


def error(request_id: Any, code: int, message: str, data: Any = None) -> dict[str, Any]:
    told = {"code": code, "message": message} | ({} if data is None else {"data": data})
    return {"jsonrpc": "2.0", "id": request_id, "error": told}


@contextmanager
def served(players: Mapping[str, Callable[[], Handmade]]) -> Generator[Callable[[str], str]]:
    """Serve players in a thread of their own, each under its name; gives the URL of a name. Each URL is a fresh one."""
    made: dict[str, Handmade] = {}

    async def serve(request: Request) -> Response:
        name = request.path_params["name"]
        if name not in made:
            made[name] = players[name]()
        return await made[name].serve(request)

    with in_a_thread(Starlette(routes=[Route("/{name}/mcp", serve, methods=["POST"])])) as base:
        yield lambda name: f"{base}/{name}/mcp"


@contextmanager
def in_a_thread(app: Starlette) -> Generator[str]:
    """Serve an application in a thread of its own; gives the beginning of its URLs."""
    config = uvicorn.Config(app, host="127.0.0.1", port=0, log_level="critical", lifespan="off", ws="none")
    server = uvicorn.Server(config)
    started = threading.Event()
    startup = server.startup

    async def notice(*args: Any, **options: Any) -> None:
        await startup(*args, **options)
        started.set()

    server.startup = notice
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    try:
        assert started.wait(10)
        yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join(10)
