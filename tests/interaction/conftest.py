"""Every way in which two agents can talk, one after the other, for one suite."""

import shlex
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from league_sdk import transports
from league_sdk.ports import Connector
from league_sdk.testing.transports import EchoHost
from league_sdk.transports.http import HttpConnector, client_over, open_http
from league_sdk.transports.jsonrpc import JsonRpcConnector
from league_sdk.transports.memory import MemoryNetwork
from league_sdk.transports.stdio import StdioConnector
from tests.forked_program import forked_command

MODERN = "2026-07-28"
PROGRAM = Path(__file__).with_name("stdio_program.py")


@dataclass(frozen=True)
class Wire:
    """Both halves of one transport, in one era.

    Attributes:
        dialect: What connections should say they speak.
        serve: Serves an EchoHost and gives its endpoint.
        connector: The calling half.
        nowhere: An endpoint where nobody is; None when the served one becomes that.
    """

    dialect: str
    serve: Callable[[], AbstractAsyncContextManager[str]]
    connector: Connector
    nowhere: str | None = None


@asynccontextmanager
async def memory(mode: str, dialect: str) -> AsyncGenerator[Wire]:
    network = MemoryNetwork(mode=mode)

    @asynccontextmanager
    async def serve() -> AsyncGenerator[str]:
        async with network.serve(EchoHost(), "echo") as listener:
            yield listener.endpoint

    yield Wire(dialect, serve, network)


@asynccontextmanager
async def stdio(mode: str, dialect: str) -> AsyncGenerator[Wire]:
    @asynccontextmanager
    async def serve() -> AsyncGenerator[str]:
        yield f"stdio:{shlex.join(forked_command(str(PROGRAM)))}"

    yield Wire(dialect, serve, StdioConnector(mode=mode), "stdio:/no/such/program")


@asynccontextmanager
async def serve_http() -> AsyncGenerator[str]:
    async with transports.serve(EchoHost(), grace=0) as listener:
        yield listener.endpoint


@asynccontextmanager
async def http(mode: str, dialect: str) -> AsyncGenerator[Wire]:
    async with open_http() as pool:
        yield Wire(dialect, serve_http, HttpConnector(pool, mode=mode))


@asynccontextmanager
async def jsonrpc() -> AsyncGenerator[Wire]:
    async with open_http() as pool:
        yield Wire("jsonrpc", serve_http, JsonRpcConnector(client_over(pool)))


WIRES: dict[str, Callable[[], AbstractAsyncContextManager[Wire]]] = {
    "memory, asked": lambda: memory("auto", f"mcp/{MODERN}"),
    "memory, pinned": lambda: memory(MODERN, f"mcp/{MODERN}"),
    "memory, handshake": lambda: memory("legacy", "mcp/2025-11-25"),
    "stdio, asked": lambda: stdio("auto", f"mcp/{MODERN}"),
    "stdio, handshake": lambda: stdio("legacy", "mcp/2025-11-25"),
    "http, asked": lambda: http("auto", f"mcp/{MODERN}"),
    "http, pinned": lambda: http(MODERN, f"mcp/{MODERN}"),
    "http, handshake": lambda: http("legacy", "mcp/2025-11-25"),
    "http, bare JSON-RPC": jsonrpc,
}


@pytest.fixture(params=list(WIRES))
async def wire(request, anyio_backend) -> AsyncIterator[Wire]:
    async with WIRES[request.param]() as made:
        yield made
