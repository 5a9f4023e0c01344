"""Failures for lack of file descriptors are told from failures of the peer."""

import os
import resource
from collections.abc import Callable, Generator
from contextlib import contextmanager

import anyio
import httpx2
import pytest

from league_sdk.errors import PeerUnreachable
from league_sdk.net.replies import is_ours
from league_sdk.ports import OutOfFiles
from league_sdk.transports.http import HttpConnector, client_over, open_http
from league_sdk.transports.jsonrpc import JsonRpcConnector
from tests.ports import free_base

pytestmark = pytest.mark.anyio


@contextmanager
def no_file_left() -> Generator[None]:
    """No new file, socket or pipe can be opened."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    next_one = os.dup(0)
    os.close(next_one)
    resource.setrlimit(resource.RLIMIT_NOFILE, (next_one, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


@pytest.mark.parametrize("connector", [HttpConnector, lambda http: JsonRpcConnector(client_over(http))])
async def test_a_process_without_a_free_file_says_so_and_blames_nobody(
    connector: Callable[[httpx2.AsyncBaseTransport], HttpConnector | JsonRpcConnector],
):
    endpoint = f"http://127.0.0.1:{free_base()}/mcp"

    async def call(http: httpx2.AsyncBaseTransport) -> None:
        with anyio.fail_after(30):
            async with connector(http).connect(endpoint) as connection:
                await connection.call("ask", {}, timeout=5)

    async with open_http() as http:
        with pytest.raises(PeerUnreachable) as nobody:
            await call(http)  # and everything is loaded that a call needs
        assert type(nobody.value) is PeerUnreachable
        with no_file_left(), pytest.raises(OutOfFiles):
            await call(http)


@pytest.mark.parametrize("said", [True, "yes", "", None])
def test_no_peer_can_say_that_we_are_out_of_files(said: object):
    assert not is_ours({"dropped": False, "ours": said})
