"""A slow network costs time and nothing else, as long as an answer comes within its limit."""

import asyncio

import anyio
import anyio.lowlevel
import pytest

from league_sdk.errors import ResponseTimeout
from league_sdk.ports import CallContext
from league_sdk.testing import EchoHost
from league_sdk.transports import connectors, serve
from tests.requirements.marker import requirement

pytestmark = pytest.mark.anyio

LIMIT = 600.0
NEARLY_ALL = 0.9
"""Of the limit; what is left is a minute, however busy the machine is."""
CALLS = 10


class Slow(EchoHost):
    """Answers when the test says so; `calls` is the number of calls so far."""

    def __init__(self) -> None:
        super().__init__()
        self.go_on = anyio.Event()
        self.calls = 0

    async def call(self, tool: str, arguments, context: CallContext):
        self.calls += 1
        await self.go_on.wait()
        return await super().call(tool, arguments, context)


@requirement("003-TEST-E-10", "004-TEST-17")
@pytest.mark.parametrize("dialect", ["mcp", "jsonrpc"])
async def test_who_takes_nearly_all_its_time_is_not_cut_off(dialect: str, monkeypatch: pytest.MonkeyPatch):
    answers, slow = [], Slow()
    loop = asyncio.get_running_loop()
    async with serve(slow, grace=0) as listener, connectors() as (mcp, jsonrpc):
        chosen = mcp if dialect == "mcp" else jsonrpc
        async with chosen.connect(listener.endpoint) as connection, anyio.create_task_group() as tasks:

            async def ask(number: int) -> None:
                answers.append((await connection.call("echo", {"text": str(number)}, timeout=LIMIT))["text"])

            for number in range(CALLS):
                tasks.start_soon(ask, number)
            while slow.calls < CALLS:
                await anyio.lowlevel.checkpoint()
            now = loop.time
            monkeypatch.setattr(loop, "time", lambda: now() + NEARLY_ALL * LIMIT)
            slow.go_on.set()
    assert sorted(answers) == [str(number) for number in range(CALLS)]


@requirement("003-TEST-E-10")
@pytest.mark.parametrize("dialect", ["mcp", "jsonrpc"])
async def test_who_takes_more_than_all_its_time_is_and_the_next_call_is_heard(dialect: str):
    slow = Slow()
    async with serve(slow, grace=0) as listener, connectors() as (mcp, jsonrpc):
        chosen = mcp if dialect == "mcp" else jsonrpc
        async with chosen.connect(listener.endpoint) as connection:
            with pytest.raises(ResponseTimeout):
                await connection.call("echo", {"text": "late"}, timeout=0.1)
            slow.go_on.set()
            assert (await connection.call("echo", {"text": "in time"}, timeout=LIMIT))["text"] == "in time"
