"""The blocks that the requirement documents print, and their agents as running programs."""

import asyncio
import contextlib
import json
import socket
import sys
from collections.abc import AsyncGenerator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import uvicorn

BLOCKS = Path(__file__).with_name("blocks.jsonl")


@dataclass(frozen=True)
class Block:
    """A printed block and its place."""

    document: str
    line: int
    heading: str
    language: str
    text: str

    @property
    def place(self) -> str:
        return f"{self.document}:{self.line}"


@cache
def blocks() -> tuple[Block, ...]:
    return tuple(Block(**json.loads(line)) for line in BLOCKS.read_text(encoding="utf-8").splitlines())


def block(document: str, heading: str) -> Block:
    """The one block of a document under a heading."""
    (found,) = [one for one in blocks() if one.document == document and one.heading == heading]
    return found


def program(name: str, *parts: str) -> Any:
    """A module made of printed code."""
    module = ModuleType(name)
    # pydantic looks up a model's annotations in the module of its class.
    sys.modules[name] = module
    for part in parts:
        exec(compile(part, name, "exec"), module.__dict__)
    return module


class PrintedPlayer:
    """003's player as printed, with its own server, registration and client.

    `enveloped` puts its handlers into the server that 003 prints beside it, which answers with JSON-RPC's envelope.
    """

    def __init__(self, name: str, *, enveloped: bool = False) -> None:
        self.name = name
        self.program = program(f"printed_{name}", *(_enveloped() if enveloped else (_player(),)))
        self.client = program(
            f"printed_{name}_client",
            *(
                block("003", heading).text
                for heading in ("Agent Credentials Dataclass", "Player Registration Function", "Authenticated Client")
            ),
        )
        self.credentials: Any = None
        self._sock = socket.create_server(("127.0.0.1", 0))

    @property
    def endpoint(self) -> str:
        return f"http://127.0.0.1:{self._sock.getsockname()[1]}/mcp"

    @contextlib.asynccontextmanager
    async def serving(self) -> AsyncGenerator[None]:
        config = uvicorn.Config(self.program.app, lifespan="off", log_config=None, access_log=False, ws="none")
        server = uvicorn.Server(config)
        server.capture_signals = contextlib.nullcontext  # pyright: ignore[reportAttributeAccessIssue]
        task = asyncio.create_task(server.serve(sockets=[self._sock]))
        try:
            yield
        finally:
            server.should_exit = True
            await task
            sys.modules.pop(f"printed_{self.name}", None)
            sys.modules.pop(f"printed_{self.name}_client", None)

    async def register(self, manager: str) -> None:
        info = {
            "name": self.name,
            "display_name": self.name,
            "version": "1.0.0",
            "game_types": ["even_odd"],
            "contact_endpoint": self.endpoint,
        }
        self.credentials = await asyncio.to_thread(self.client.register_player, manager, info)

    async def ask(self, manager: str, message_type: str, params: Mapping[str, Any]) -> Any:
        """Send a message by the `AuthenticatedClient` as printed."""
        client = self.client.AuthenticatedClient(self.credentials)
        return await asyncio.to_thread(client.send_message, manager, message_type, dict(params))


def _player() -> str:
    return block("003", "Player Agent Implementation").text


def _enveloped() -> tuple[str, str]:
    """003's basic server, with its placeholder for a tool filled in by the handlers of its player."""
    server = block("003", "Basic MCP Server").text.partition("if __name__")[0]
    filled = server.replace('request.method == "tool_name"', "request.method in TOOLS").replace(
        "handle_tool(request.params)", "TOOLS[request.method](request.params)"
    )
    handlers = _player().partition("def handle_invitation")[2]
    table = (
        "TOOLS = {'handle_game_invitation': handle_invitation, 'choose_parity': handle_choose_parity, "
        "'notify_match_result': handle_result}"
    )
    imports = "import random\nfrom datetime import datetime, timezone\n"
    return filled, f"{imports}\ndef handle_invitation{handlers}\n{table}\n"
