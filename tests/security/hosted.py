"""The seats process of a league in this event loop, owners of seats, and callers of them, over real sockets."""

import asyncio
import contextlib
import json
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import anyio
import httpx2

from league_sdk import tokens
from league_sdk.domain.model import Role
from servers.agent.agent_spec import AgentSpec
from servers.launcher.agents import run_agent
from tests.servers.fakes import OPERATOR

LEAGUE = "hosted"
KEY = tokens.seat_key(OPERATOR, LEAGUE)


@dataclass(frozen=True, slots=True)
class SeatsProcess:
    """One that listens."""

    endpoint: str
    notes: list[str]

    @property
    def origin(self) -> str:
        return self.endpoint.removesuffix("/mcp")

    async def usage(self, http: httpx2.AsyncClient) -> Any:
        """Notes to its operator about overuse."""
        answer = await http.get(f"{self.origin}/seats/usage", headers={"authorization": f"Bearer {OPERATOR}"})
        return answer.json()

    async def ask(self, http: httpx2.AsyncClient, seat: str, tool: str = "notify_round") -> dict[str, Any]:
        """Call a seat's player as a referee does."""
        url = f"{self.origin}/seat/{tokens.seat_address(KEY, seat)}/mcp"
        return (await http.post(url, json=request(tool, {}))).json()


@asynccontextmanager
async def seats_process(folder: Path, settings: Mapping[str, Any]) -> AsyncGenerator[SeatsProcess]:
    """Run one until the context ends."""
    spec = AgentSpec(
        Role.SEATS,
        "Seats",
        folder,
        overrides=settings,
        league_id=LEAGUE,
        operator_token=OPERATOR,
        game_types=("even_odd",),
    )
    listening, found, notes = anyio.Event(), list[str](), list[str]()

    def report(said: Mapping[str, Any]) -> None:
        if said["kind"] == "listening":
            found.append(said["endpoint"])
            listening.set()
        else:
            notes.append(said["text"])

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(run_agent, spec, report)
        await listening.wait()
        yield SeatsProcess(found[0], notes)
        tasks.cancel_scope.cancel()


def request(method: str, params: Mapping[str, Any]) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}


async def answer_all(process: SeatsProcess, http: httpx2.AsyncClient, seat: str) -> None:
    """An honest owner: waits, and answers every message, until cancelled."""
    token, after = tokens.seat_token(KEY, seat), 0
    while True:
        asked = {"seat_token": token, "after": after, "seconds": 20, "listener": seat}
        waited = (await http.post(process.endpoint, json=request("wait_for_message", asked))).json()
        for message in waited["result"]["messages"]:
            after = message["number"]
            brought = {"seat_token": token, "number": after, "reply": {"status": "ACKNOWLEDGED"}}
            await http.post(process.endpoint, json=request("answer", brought))


class RawClient:
    """One connection that sends what it is told to."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader, self._writer = reader, writer

    @classmethod
    async def connect(cls, endpoint: str) -> "RawClient":
        host, _, port = endpoint.removeprefix("http://").partition("/")[0].partition(":")
        return cls(*await asyncio.open_connection(host, int(port)))

    async def send(self, data: bytes) -> None:
        with contextlib.suppress(OSError):
            self._writer.write(data)
            await self._writer.drain()

    async def call(self, tool: str, arguments: Mapping[str, Any], bearer: str = "") -> None:
        """Send a whole call, and do not wait for its answer."""
        body = json.dumps(request(tool, arguments)).encode()
        shown = f"authorization: Bearer {bearer}\r\n" if bearer else ""
        head = f"POST /mcp HTTP/1.1\r\nhost: localhost:80\r\n{shown}content-length: {len(body)}\r\n\r\n"
        await self.send(head.encode() + body)

    async def answered(self) -> None:
        """Wait for the beginning of an answer, or the end of the connection."""
        with contextlib.suppress(OSError):
            await self.reader.read(1)

    def close(self) -> None:
        self._writer.transport.abort()
