"""A player on a bare socket: well-behaved, but for what an entry of the table makes it do.

It reads one HTTP request a connection and answers in bytes of its own, so that it can break any rule there is.
"""

import asyncio
import json
import socket
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Final

import httpx2

from league_sdk.clock import SystemClock, to_wire_time

PHASES: Final[Mapping[str, str]] = {
    "handle_game_invitation": "join",
    "choose_parity": "move",
    "choose_move": "move",
    "notify_match_result": "notice",
    "notify_game_error": "notice",
    "notify_round": "notice",
    "notify_round_completed": "notice",
    "update_standings": "notice",
    "notify_league_completed": "notice",
    "start_match": "start",
}
_REPLIES: Final[Mapping[str, str]] = {
    "handle_game_invitation": "GAME_JOIN_ACK",
    "choose_parity": "CHOOSE_PARITY_RESPONSE",
    "choose_move": "MOVE_RESPONSE",
    "notify_match_result": "GAME_OVER_ACK",
    "notify_game_error": "GAME_ERROR_ACK",
    "notify_round": "ROUND_ANNOUNCEMENT_ACK",
    "notify_round_completed": "ROUND_COMPLETED_ACK",
    "update_standings": "STANDINGS_UPDATE_ACK",
    "notify_league_completed": "LEAGUE_COMPLETED_ACK",
    "start_match": "START_MATCH_RESPONSE",
}


def now() -> str:
    """A timestamp as the protocol wants it."""
    return to_wire_time(SystemClock().now())


@dataclass
class Call:
    """One request, and what is needed to answer it, well or badly.

    Attributes:
        rogue: Who is called.
        method: The tool.
        params: The message.
        request_id: The JSON-RPC id.
        number: How often this player has been called in this phase, from 1.
        gone: Waits until the caller has hung up.
        send: Writes bytes at once, before the answer.
    """

    rogue: "Rogue"
    method: str
    params: dict[str, Any]
    request_id: Any
    number: int
    gone: Callable[[], Awaitable[None]]
    send: Callable[[bytes], Awaitable[None]]

    def good(self, **changes: Any) -> dict[str, Any]:
        """The message that a good player would answer, with some fields changed; None leaves one out."""
        reply: dict[str, Any] = {
            "protocol": "league.v2",
            "message_type": _REPLIES.get(self.method, "ACK"),
            "sender": self.rogue.sender,
            "timestamp": now(),
            "conversation_id": self.params.get("conversation_id"),
        }
        reply |= {name: self.params[name] for name in ("match_id", "round_id", "league_id") if name in self.params}
        reply |= self.rogue.identity
        if self.method == "handle_game_invitation":
            reply |= {"accept": True, "arrival_timestamp": now()}
        if self.method == "choose_parity":
            reply |= {"parity_choice": "even"}
        if self.method == "choose_move":
            reply |= {"move": self.params["context"]["legal_moves"][0]}
        if self.method == "start_match":
            session = f"{self.params['match_id']}#{self.params['attempt']}"
            reply |= {"status": "ACCEPTED", "game_session_id": session, "state": "WAITING_FOR_PLAYERS"}
        return {name: value for name, value in {**reply, **changes}.items() if value is not None}

    def result(self, reply: Any, **envelope: Any) -> bytes:
        """A JSON-RPC response over HTTP."""
        return http(json.dumps({"jsonrpc": "2.0", "id": self.request_id, "result": reply, **envelope}).encode())

    def error(self, number: int, message: str, data: Any = None) -> bytes:
        """A JSON-RPC error over HTTP."""
        error = {"code": number, "message": message} | ({} if data is None else {"data": data})
        return http(json.dumps({"jsonrpc": "2.0", "id": self.request_id, "error": error}).encode())


Effect = Callable[[Call], Awaitable[bytes]]
"""Turns a call into the bytes of the answer; the connection is closed after them."""


async def behave(call: Call) -> bytes:
    """Answer as a good player does."""
    return call.result(call.good())


def http(body: bytes, status: str = "200 OK", *headers: str, length: int | None = None) -> bytes:
    """An HTTP response after which the connection is closed."""
    lines = [f"HTTP/1.1 {status}", "content-type: application/json", "connection: close", *headers]
    lines.append(f"content-length: {len(body) if length is None else length}")
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


@dataclass
class Rogue:
    """An agent that serves itself.

    Attributes:
        name: Its display name.
        effects: What it does in which phase; it is good in all others.
        mcp: Whether it speaks MCP, and not bare JSON-RPC.
        agent_id: Set by registration.
        registration: The manager's answer.
        game: The game that it plays.
    """

    name: str
    effects: Mapping[str, Effect] = field(default_factory=dict[str, Effect])
    mcp: bool = False
    role: str = "player"
    game: str = "even_odd"
    agent_id: str = ""
    registration: dict[str, Any] = field(default_factory=dict[str, Any])
    calls: Counter[str] = field(default_factory=Counter[str])
    port: int = 0
    over: asyncio.Event = field(default_factory=asyncio.Event)
    _listener: socket.socket | None = None
    _accepting: asyncio.Task[None] | None = None
    _conversations: set[asyncio.Task[None]] = field(default_factory=set[asyncio.Task[None]])

    @property
    def sender(self) -> str:
        """Its sender."""
        return f"{self.role}:{self.agent_id or self.name}"

    @property
    def identity(self) -> dict[str, str]:
        """The field that says who it is."""
        return {f"{self.role}_id": self.agent_id}

    @property
    def endpoint(self) -> str:
        """Its URL."""
        return f"http://127.0.0.1:{self.port}/mcp"

    async def listen(self) -> None:
        """Open the port; the same one again after `vanish`."""
        self._listener = socket.create_server(("127.0.0.1", self.port), backlog=100)
        self._listener.setblocking(False)
        self.port = self._listener.getsockname()[1]
        self._accepting = asyncio.create_task(self._accept(self._listener))

    def vanish(self) -> None:
        """Close the port: whoever calls from now on finds nobody."""
        if self._listener is not None and self._accepting is not None:
            self._accepting.cancel()
            self._listener.close()  # whoever still waits to be accepted is hung up on
            self._listener = self._accepting = None

    async def register(
        self, manager: str, http_client: httpx2.AsyncClient, secret: str | None = None
    ) -> dict[str, Any]:
        """Ask for a seat, as a referee with a secret."""
        meta: dict[str, Any] = {
            "display_name": self.name,
            "version": "1.0.0",
            "protocol_version": "2.1.0",
            "game_types": [self.game],
            "contact_endpoint": self.endpoint,
        }
        kind = "LEAGUE" if self.role == "player" else "REFEREE"
        if self.role == "referee":
            meta["max_concurrent_matches"] = 4
        message: dict[str, Any] = {f"{self.role}_meta": meta}
        if secret is not None:
            message["referee_secret"] = secret
        tool = f"register_{self.role}"
        self.registration = await self.tell(manager, http_client, tool, f"{kind}_REGISTER_REQUEST", **message)
        self.agent_id = self.registration.get(f"{self.role}_id") or ""
        return self.registration

    async def tell(
        self, manager: str, http_client: httpx2.AsyncClient, tool: str, kind: str, **fields: Any
    ) -> dict[str, Any]:
        """Call the manager; the result, or the JSON-RPC error."""
        message = {"protocol": "league.v2", "message_type": kind, "sender": self.sender, "timestamp": now()}
        message |= {"conversation_id": f"conv-{self.name.lower()}", **fields}
        if token := self.registration.get("auth_token"):
            message.setdefault("auth_token", token)
        body = {"jsonrpc": "2.0", "method": tool, "params": message, "id": 1}
        response = (await http_client.post(manager, json=body)).json()
        return response.get("result") or response["error"]

    async def _accept(self, listener: socket.socket) -> None:
        # Not asyncio's own server: on Python 3.11 it forgets a connection that it accepted while it was closed.
        while True:
            accepted, _ = await asyncio.get_running_loop().sock_accept(listener)
            conversation = asyncio.create_task(self._welcome(accepted))
            self._conversations.add(conversation)
            conversation.add_done_callback(self._conversations.discard)

    async def _welcome(self, accepted: socket.socket) -> None:
        await self._serve(*await asyncio.open_connection(sock=accepted, limit=1 << 20))

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        async def gone() -> None:
            with suppress(ConnectionError):
                await reader.read()

        async def send(data: bytes) -> None:
            writer.write(data)
            await writer.drain()

        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
            length = int(head.partition("content-length:")[2].partition("\r\n")[0] or 0)
            body = await reader.readexactly(length)
            writer.write(await self._answer(request, gone, send) if (request := _request(body)) else _NO_REQUEST)
            await writer.drain()
        except (ConnectionError, asyncio.IncompleteReadError):
            pass  # the caller has hung up, which is its right
        finally:
            writer.close()

    async def _answer(self, request: dict[str, Any], gone: Any, send: Any) -> bytes:
        method, params = request["method"], request.get("params") or {}
        if self.mcp and method == "tools/call":
            method, params = params["name"], params["arguments"]
        elif self.mcp and (answer := _MCP.get(method)) is not None:
            return answer(request)
        if not isinstance(params, dict):
            return http(json.dumps(_refusal(request.get("id"), -32602, "params must be an object")).encode())
        phase = PHASES.get(method)
        self.calls[phase or "other"] += 1
        call = Call(self, method, params, request.get("id"), self.calls[phase or "other"], gone, send)
        if phase is None:
            effect = self.effects.get("other")
            return await effect(call) if effect else call.error(-32601, f"Method not found: {method}")
        if method == "notify_league_completed":
            self.over.set()
        if self.mcp and phase not in self.effects:
            return call.result(mcp_result(call.good()))
        return await self.effects.get(phase, behave)(call)


def _refusal(request_id: Any, number: int, message: str) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": request_id, "error": {"code": number, "message": message}}


_NO_REQUEST: Final = http(json.dumps(_refusal(None, -32600, "Invalid Request")).encode())


def _request(body: bytes) -> dict[str, Any] | None:
    try:
        request = json.loads(body)
    except ValueError:
        return None
    return request if isinstance(request, dict) and isinstance(request.get("method"), str) else None


def mcp_result(reply: Any) -> dict[str, Any]:
    """A reply as the result of an MCP tool."""
    return {"content": [{"type": "text", "text": json.dumps(reply)}], "structuredContent": reply, "isError": False}


def _respond(request: dict[str, Any], result: dict[str, Any]) -> bytes:
    return http(json.dumps({"jsonrpc": "2.0", "id": request.get("id"), "result": result}).encode())


def _initialize(request: dict[str, Any]) -> bytes:
    version = {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}}
    return _respond(request, {**version, "serverInfo": {"name": "rogue", "version": "1"}})


def _list_tools(request: dict[str, Any]) -> bytes:
    return _respond(request, {"tools": [{"name": name, "inputSchema": {"type": "object"}} for name in PHASES]})


_MCP: Final[Mapping[str, Callable[[dict[str, Any]], bytes]]] = {
    "initialize": _initialize,
    "notifications/initialized": lambda _: http(b"", "202 Accepted"),
    "tools/list": _list_tools,
    "ping": lambda request: _respond(request, {}),
}
