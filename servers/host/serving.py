"""Serving hosts: standard input and output for desktop hosts, else HTTP."""

from collections.abc import Callable

import anyio

from league_sdk.mcp_adapter.server import quiet_loggers
from league_sdk.net.serving import serve_app
from league_sdk.transports.http import MCP_PATH
from servers.agent.agent_spec import AgentSpec
from servers.host.host_server import build_server
from servers.host.membership import Membership
from servers.host.options import Ask


async def serve_on_stdio(spec: AgentSpec, ask: Ask) -> None:
    """Serve a seat to the parent process, until its input ends."""
    quiet_loggers()
    async with anyio.create_task_group() as tasks:
        await build_server(Membership(spec, tasks), ask).run_stdio_async()
        tasks.cancel_scope.cancel()


async def serve_on_http(spec: AgentSpec, ask: Ask, port: int, say: Callable[[str], None]) -> None:
    """Serve a seat to hosts on this machine, for ever.

    Hosts of the handshake era get sessions, and event streams in place of plain answers: without these the seat could
    neither ask nor tell anything.
    """
    quiet_loggers()
    async with anyio.create_task_group() as tasks:
        server = build_server(Membership(spec, tasks), ask)
        app = server.streamable_http_app(streamable_http_path=MCP_PATH)
        async with server.session_manager.run(), serve_app(app, port=port) as actual:
            say(f"http://127.0.0.1:{actual}{MCP_PATH}")
            await anyio.sleep_forever()
