"""A host name without an address is told from a host at which nobody listens."""

import asyncio
import socket
from collections.abc import Callable
from typing import Any

import anyio
import httpx2
import pytest

from league_sdk.errors import PeerUnreachable
from league_sdk.net.replies import is_name_not_found
from league_sdk.transports.http import HttpConnector, client_over, open_http
from league_sdk.transports.jsonrpc import JsonRpcConnector
from tests.ports import free_base

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize("connector", [HttpConnector, lambda http: JsonRpcConnector(client_over(http))])
async def test_a_name_without_an_address_is_told_from_a_silent_address(
    monkeypatch: pytest.MonkeyPatch,
    connector: Callable[[httpx2.AsyncBaseTransport], HttpConnector | JsonRpcConnector],
):
    async def unknown(host: object, *args: object, **more: object) -> Any:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    async def failure(endpoint: str) -> PeerUnreachable:
        with anyio.fail_after(30):
            async with open_http() as http:
                with pytest.raises(PeerUnreachable) as failed:
                    async with connector(http).connect(endpoint) as connection:
                        await connection.call("ask", {}, timeout=5)
        return failed.value

    silent = await failure(f"http://127.0.0.1:{free_base()}/mcp")
    monkeypatch.setattr(asyncio.get_running_loop(), "getaddrinfo", unknown)
    nameless = await failure("http://moe.example:8101/mcp")
    assert "name_not_found" not in silent.context
    assert nameless.context["name_not_found"] is True


@pytest.mark.parametrize("said", [True, "yes", "", None])
def test_no_peer_can_say_that_its_name_is_unknown(said: object):
    assert not is_name_not_found({"dropped": False, "name": said})
