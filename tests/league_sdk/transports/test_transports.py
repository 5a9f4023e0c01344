"""The transports put together as every agent of a league has them."""

import anyio
import pytest
from starlette.responses import JSONResponse
from starlette.routing import Route

from clients.session_manager import SessionManager
from league_sdk import transports
from league_sdk.clock import SystemClock
from league_sdk.testing import EchoHost
from tests.requirements.marker import requirement

pytestmark = pytest.mark.anyio


@pytest.fixture
async def sessions(anyio_backend):
    with anyio.fail_after(20):
        async with transports.connectors() as connectors, SessionManager(connectors, SystemClock()) as manager:
            yield manager


async def test_an_agent_of_ours_is_called_in_mcp(sessions):
    async with transports.serve(EchoHost(), grace=0) as listener, sessions.lease(listener.endpoint) as connection:
        assert connection.dialect == "mcp/2026-07-28"
        assert (await connection.call("echo", {"text": "x"}, timeout=5))["dialect"] == "mcp"


@requirement("003-RES-05", "004-OBJ-08", "project-PROTO-10")
@pytest.mark.parametrize("careless", [False, True])
async def test_an_agent_that_speaks_bare_json_rpc_is_understood_all_the_same(sessions, careless):
    """The careless one answers what it does not know under an id of its own liking."""

    async def agent(request):
        asked = await request.json()
        if asked["method"] == "choose":
            return JSONResponse({"jsonrpc": "2.0", "id": asked["id"], "result": {"move": "x"}})
        error = {"code": -32601, "message": "Method not found"}
        return JSONResponse({"jsonrpc": "2.0", "id": None if careless else asked["id"], "error": error})

    async with transports.serve(EchoHost(), extra_routes=[Route("/agent", agent, methods=["POST"])], grace=0) as made:
        endpoint = made.endpoint.replace("/mcp", "/agent")
        for _ in range(2):
            async with sessions.lease(endpoint) as connection:
                assert connection.dialect == "jsonrpc"
                assert await connection.call("choose", {}, timeout=5) == {"move": "x"}
                await connection.ping(timeout=5)
            await sessions.close(endpoint)
