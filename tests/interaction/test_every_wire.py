"""The same conversation over every transport, in both eras of MCP and in bare JSON-RPC."""

import anyio
import pytest

from clients.session_manager import SessionManager
from league_sdk.clock import SystemClock
from league_sdk.errors import PeerUnreachable
from league_sdk.testing import EchoHost, check_transport
from tests.requirements.marker import requirement

pytestmark = pytest.mark.anyio


@requirement("001-PERF-06", "003-ARCH-03", "003-PORT-06", "003-TEST-E-08", "004-MCP-02", "project-QUAL-03")
async def test_it_keeps_the_contract_of_a_transport(wire):
    with anyio.fail_after(30):
        await check_transport(wire.serve, wire.connector, nowhere=wire.nowhere)


async def test_a_connection_says_what_it_speaks_and_lists_the_tools_it_can(wire):
    with anyio.fail_after(20):
        async with wire.serve() as endpoint, wire.connector.connect(endpoint) as connection:
            assert connection.dialect == wire.dialect
            listed = await connection.list_tools()
    if wire.dialect == "jsonrpc":
        assert listed == []
    else:
        assert listed == EchoHost().tools()
        echo = listed[0]
        assert echo.output_schema is not None
        assert echo.output_schema["required"] == ["text", "bearer", "address", "dialect"]


async def test_calls_fail_cleanly_when_the_server_dies_in_mid_call_and_work_again_once_it_is_back(wire):
    if wire.nowhere is not None:
        pytest.skip("the server is a child of the connection; its death is tested beside the transport")
    stop = anyio.Event()
    failed = anyio.Event()

    async def serve_for_a_while(*, task_status):
        async with wire.serve() as endpoint:
            task_status.started(endpoint)
            await stop.wait()

    async def call(sessions, endpoint):
        with pytest.raises(PeerUnreachable):
            async with sessions.lease(endpoint) as connection:
                await connection.call("wait", {"text": "for ever"}, timeout=10)
        failed.set()

    with anyio.fail_after(20):
        async with SessionManager([wire.connector], SystemClock()) as sessions, anyio.create_task_group() as tasks:
            endpoint = await tasks.start(serve_for_a_while)
            tasks.start_soon(call, sessions, endpoint)
            async with sessions.lease(endpoint) as connection:
                await connection.call("echo", {"text": "the other call is under way"}, timeout=10)
            stop.set()
            await failed.wait()
            async with wire.serve() as endpoint, sessions.lease(endpoint) as connection:
                assert (await connection.call("echo", {"text": "back"}, timeout=10))["text"] == "back"
