"""MCP inside one process, without sockets: for tests, or agents in one loop.

The messages are the same as over any other transport; endpoints have the form `memory:<name>`.
"""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import anyio
from anyio.abc import TaskGroup
from mcp.shared.memory import create_client_server_memory_streams

from league_sdk.errors import PeerUnreachable
from league_sdk.mcp_adapter.client import open_connection
from league_sdk.mcp_adapter.server import LeagueServer, build_server
from league_sdk.ports import Connection, ToolHost

_SCHEME = "memory:"


@dataclass(frozen=True, slots=True)
class MemoryListener:
    """A server on a `MemoryNetwork`."""

    endpoint: str
    server: LeagueServer


class MemoryNetwork:
    """An isolated network in memory; also its own connector.

    `mode` is `auto`, `legacy` or a revision.
    """

    name = "memory"

    def __init__(self, *, mode: str = "auto") -> None:
        self._mode = mode
        self._listening: dict[str, tuple[LeagueServer, TaskGroup]] = {}

    @asynccontextmanager
    async def serve(self, host: ToolHost, name: str) -> AsyncGenerator[MemoryListener]:
        """Serve `host` under a free name until the context ends; that closes connections."""
        endpoint = _SCHEME + name
        if endpoint in self._listening:
            raise ValueError(f"{endpoint} is in use; choose another name")
        server = build_server(host)
        raised: Exception | None = None
        async with anyio.create_task_group() as tasks:
            self._listening[endpoint] = (server, tasks)
            try:
                yield MemoryListener(endpoint, server)
            except Exception as error:
                # Kept out of the task group, which would hand it back wrapped in a group.
                raised = error
            finally:
                del self._listening[endpoint]
                tasks.cancel_scope.cancel()
        if raised is not None:
            raise raised

    def accepts(self, endpoint: str) -> bool:
        return endpoint.startswith(_SCHEME)

    @asynccontextmanager
    async def connect(self, endpoint: str) -> AsyncGenerator[Connection]:
        listening = self._listening.get(endpoint)
        if listening is None:
            raise PeerUnreachable(f"nobody listens at {endpoint}")
        async with open_connection(_dial(*listening), mode=self._mode) as connection:
            yield connection


@asynccontextmanager
async def _dial(server: LeagueServer, tasks: TaskGroup) -> AsyncGenerator[Any]:
    async with create_client_server_memory_streams() as (client, (server_read, server_write)):
        done = anyio.Event()

        async def answer() -> None:
            try:
                await server.run(server_read, server_write, server.create_initialization_options())
            finally:
                # The caller waits on their other ends.
                server_read.close()
                server_write.close()
                done.set()

        tasks.start_soon(answer, name=f"{server.name} in memory")
        try:
            yield client
        finally:
            client[1].close()
            with anyio.CancelScope(shield=True):
                await done.wait()
