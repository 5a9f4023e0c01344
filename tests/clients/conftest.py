"""A connector and connections without any wire, which do what a test tells them."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest

from league_sdk.ports import Connection, ToolDescriptor

Answer = Callable[[str, Mapping[str, Any]], Awaitable[Any]]


@dataclass(eq=False)
class FakeConnection:
    """Answers by a function; fails its pings when `broken` is set."""

    answer: Answer
    tools: list[ToolDescriptor] = field(default_factory=list)
    dialect: str = "fake"
    broken: Exception | None = None
    calls: list[tuple[str, Mapping[str, Any], float]] = field(default_factory=list)
    pings: int = 0
    listings: int = 0

    async def list_tools(self) -> list[ToolDescriptor]:
        self.listings += 1
        return self.tools

    async def call(self, tool: str, arguments: Mapping[str, Any], *, timeout: float) -> Any:
        self.calls.append((tool, arguments, timeout))
        return await self.answer(tool, arguments)

    async def ping(self, *, timeout: float) -> None:
        self.pings += 1
        if self.broken is not None:
            raise self.broken


async def echo(tool: str, arguments: Mapping[str, Any]) -> Any:
    return dict(arguments)


@dataclass(eq=False)
class FakeConnector:
    """Opens FakeConnections, or raises what it was told to; before it does, it awaits `gate`."""

    name: str = "fake"
    scheme: str = "fake:"
    answer: Answer = echo
    tools: list[ToolDescriptor] = field(default_factory=list)
    refuse: Exception | None = None
    gate: Callable[[], Awaitable[Any]] | None = None
    opened: list[FakeConnection] = field(default_factory=list)
    closed: list[FakeConnection] = field(default_factory=list)
    owner: asyncio.Task[Any] | None = None

    def accepts(self, endpoint: str) -> bool:
        return endpoint.startswith(self.scheme)

    @asynccontextmanager
    async def connect(self, endpoint: str) -> AsyncGenerator[Connection]:
        if self.gate is not None:
            await self.gate()
        if self.refuse is not None:
            raise self.refuse
        connection = FakeConnection(self.answer, list(self.tools))
        self.owner = asyncio.current_task()
        self.opened.append(connection)
        try:
            yield connection
        finally:
            self.closed.append(connection)


@pytest.fixture
def connector() -> FakeConnector:
    return FakeConnector()
