import anyio
import pytest

from league_sdk.errors import PeerUnreachable
from league_sdk.testing import EchoHost
from league_sdk.transports.memory import MemoryNetwork

pytestmark = pytest.mark.anyio


@pytest.fixture(autouse=True)
async def soon(anyio_backend):
    with anyio.fail_after(30):
        yield


async def test_a_name_can_be_taken_only_once_at_a_time():
    network = MemoryNetwork()
    async with network.serve(EchoHost(), "echo") as listener:
        assert listener.endpoint == "memory:echo"
        with pytest.raises(ValueError, match="memory:echo is in use"):
            async with network.serve(EchoHost(), "echo"):
                pytest.fail("two of the same name")
    async with network.serve(EchoHost(), "echo"):
        pass


async def test_two_networks_know_nothing_of_each_other():
    async with MemoryNetwork().serve(EchoHost(), "echo") as listener:
        with pytest.raises(PeerUnreachable, match="nobody listens at memory:echo"):
            async with MemoryNetwork().connect(listener.endpoint):
                pytest.fail("that was another network")


async def test_many_connections_share_a_host():
    network = MemoryNetwork()
    async with network.serve(EchoHost(), "echo") as listener, anyio.create_task_group() as tasks:

        async def wait():
            async with network.connect(listener.endpoint) as connection:
                await connection.call("wait", {"text": "go"}, timeout=5)

        for _ in range(3):
            tasks.start_soon(wait)
        async with network.connect(listener.endpoint) as connection:
            await connection.call("release", {"text": "go"}, timeout=5)


async def test_a_caller_has_no_address_and_no_bearer_token():
    network = MemoryNetwork()
    async with network.serve(EchoHost(), "echo") as listener, network.connect(listener.endpoint) as connection:
        reply = await connection.call("echo", {"text": ""}, timeout=5)
    assert reply == {"text": "", "bearer": None, "address": "", "dialect": "mcp"}


async def test_what_is_raised_while_it_serves_comes_out_as_it_is():
    with pytest.raises(KeyError, match="mine"):
        async with MemoryNetwork().serve(EchoHost(), "echo"):
            raise KeyError("mine")
