"""4,500 of something that one player asks of a manager or a seats process, with its own token."""

import json
import sys
from collections.abc import Callable, Mapping
from typing import Any, Final

import anyio

from tests.security.hosted import RawClient, request
from tests.servers.fakes import envelope, player_request

FLOOD = 4500
AT_ONCE = 200
"""Connections that are being made at the same time: the villain is one machine."""
_INITIALIZE: Final = {
    "protocolVersion": "2025-06-18",
    "capabilities": {},
    "clientInfo": {"name": "mal", "version": "1"},
}
_LISTEN: Final = {
    "notifications": {"resourceSubscriptions": ["league://small/standings"]},
    "_meta": {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "mal", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    },
}


def _post(path: str, body: Mapping[str, Any], **headers: str) -> Callable[[str, int], bytes]:
    def write(token: str, number: int) -> bytes:
        text = json.dumps(body).replace("#", str(number)).replace("$token", token).encode()
        return _head("POST", path, token, **headers, **{"content-length": str(len(text))}) + text

    return write


def _head(method: str, path: str, token: str, **more: str) -> bytes:
    headers = {
        "host": "localhost:80",
        "authorization": f"Bearer {token}",
        "content-type": "application/json",
        "accept": "application/json, text/event-stream",
        **{name.replace("_", "-"): value for name, value in more.items()},
    }
    lines = [f"{method} {path} HTTP/1.1", *(f"{name}: {text}" for name, text in headers.items()), "", ""]
    return "\r\n".join(lines).encode()


_QUERY = envelope("LEAGUE_QUERY", "player:P03", "$token", league_id="small", query_type="GET_STATUS")
_NEWCOMER = {**player_request("Mal #", dialect="mcp"), "league_id": "small"}
OF_SEATS: Final = ("waits", "answers")
"""Those that only the seats process knows."""
FLOODS: Final[Mapping[str, Callable[[str, int], bytes]]] = {
    "sessions": _post("/mcp/session", request("initialize", _INITIALIZE)),
    "streams of the page": lambda token, _: _head("GET", "/events", token),
    "streams of 2026": _post(
        "/mcp",
        request("subscriptions/listen", _LISTEN),
        mcp_protocol_version="2026-07-28",
        mcp_method="subscriptions/listen",
    ),
    "slow bodies": lambda token, _: _head("POST", "/mcp", token, content_length="1000") + b'{"jsonrpc"',
    "slow bodies after a good request": lambda token, _: (
        _head("GET", "/healthz", token) + _head("POST", "/mcp", token, content_length="1000") + b'{"jsonrpc"'
    ),
    "queries": _post("/mcp", request("league_query", _QUERY)),
    "waits": _post("/mcp", request("wait_for_message", {"seconds": 30, "listener": "mal"})),
    "answers": _post("/mcp", request("answer", {"number": 1, "reply": {}})),
    "registrations": _post("/mcp", request("register_player", _NEWCOMER)),
}


async def flood(endpoint: str, what: str, token: str, number: int = FLOOD) -> list[RawClient]:
    """Ask so often, each time on a connection that stays open."""
    crowd: list[RawClient] = []
    turns = anyio.Semaphore(AT_ONCE)

    async def ask(which: int) -> None:
        async with turns:
            try:
                client = await RawClient.connect(endpoint)
            except OSError:
                return
            crowd.append(client)
            await client.send(FLOODS[what](token, which))

    async with anyio.create_task_group() as tasks:
        for which in range(number):
            tasks.start_soon(ask, which)
    return crowd


if __name__ == "__main__":
    anyio.run(flood, sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4]))
