"""A slow network costs time and nothing else, as long as an answer comes within its limit."""

import anyio
import pytest

from league_sdk.errors import ResponseTimeout
from league_sdk.ports import CallContext
from league_sdk.testing import EchoHost
from league_sdk.transports import connectors, serve
from tests.requirements.marker import requirement

pytestmark = pytest.mark.anyio

LIMIT = 1.0
NEARLY_ALL = 0.7
"""Of the limit; what is left is for machines that are busy with other tests."""


class Slow(EchoHost):
    """Answers after so many seconds."""

    def __init__(self, seconds: float) -> None:
        super().__init__()
        self._seconds = seconds

    async def call(self, tool: str, arguments, context: CallContext):
        await anyio.sleep(self._seconds)
        return await super().call(tool, arguments, context)


@requirement("003-TEST-E-10", "004-TEST-17")
@pytest.mark.parametrize("dialect", ["mcp", "jsonrpc"])
async def test_who_takes_nearly_all_its_time_is_not_cut_off(dialect: str):
    answers = []
    with anyio.fail_after(20):
        async with serve(Slow(NEARLY_ALL * LIMIT), grace=0) as listener, connectors() as (mcp, jsonrpc):
            chosen = mcp if dialect == "mcp" else jsonrpc
            async with chosen.connect(listener.endpoint) as connection, anyio.create_task_group() as tasks:

                async def ask(number: int) -> None:
                    answers.append((await connection.call("echo", {"text": str(number)}, timeout=LIMIT))["text"])

                for number in range(10):
                    tasks.start_soon(ask, number)
    assert sorted(answers) == [str(number) for number in range(10)]


@requirement("003-TEST-E-10")
@pytest.mark.parametrize("dialect", ["mcp", "jsonrpc"])
async def test_who_takes_more_than_all_its_time_is_and_the_next_call_is_heard(dialect: str):
    with anyio.fail_after(20):
        async with serve(Slow(0.4), grace=0) as listener, connectors() as (mcp, jsonrpc):
            chosen = mcp if dialect == "mcp" else jsonrpc
            async with chosen.connect(listener.endpoint) as connection:
                with pytest.raises(ResponseTimeout):
                    await connection.call("echo", {"text": "late"}, timeout=0.1)
                assert (await connection.call("echo", {"text": "in time"}, timeout=10))["text"] == "in time"
