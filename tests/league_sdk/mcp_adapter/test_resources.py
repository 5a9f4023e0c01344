"""A library on the wire: who is told of changes, in which era, over which path, and to what end."""

from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from typing import Any

import anyio
import anyio.lowlevel
import mcp_types as types
import pytest
from mcp.client import Client
from mcp.shared.exceptions import MCPError
from starlette.responses import PlainTextResponse
from starlette.routing import Route

from league_sdk.mcp_adapter import resources
from league_sdk.mcp_adapter.server import build_server
from league_sdk.resource_provider import TEXT, Resource
from league_sdk.testing import EchoHost
from league_sdk.transports.http import SESSIONS_PATH, HttpListener, serve_http
from servers.agent.resource_registry import News, Page, ResourceRegistry

pytestmark = pytest.mark.anyio
URI = "test://shelf/text"


class ShelfHost(EchoHost):
    """An EchoHost with something to look at."""

    def __init__(self) -> None:
        super().__init__()
        self.news = News()
        pages = [Page(Resource("text", "text", "Text", "A text.", TEXT), lambda: "a text")]
        self.resources: ResourceRegistry = ResourceRegistry(root=lambda: "test://shelf", pages=pages, news=self.news)


@asynccontextmanager
async def served() -> AsyncGenerator[tuple[ShelfHost, HttpListener]]:
    made = ShelfHost()
    with anyio.fail_after(20):
        async with serve_http(made, grace=5) as listener:
            yield made, listener


class Ear:
    """Hears what a server says of its own accord."""

    def __init__(self) -> None:
        self._send, self._receive = anyio.create_memory_object_stream[str](10)

    async def __call__(self, message: Any) -> None:
        method = getattr(message, "method", "")
        if method.startswith("notifications/resources"):
            await self._send.send(getattr(message.params, "uri", None) or method)

    async def next(self) -> str:
        return await self._receive.receive()

    def close(self) -> None:
        self._send.close()
        self._receive.close()


@pytest.fixture
async def ear(anyio_backend):
    made = Ear()
    yield made
    made.close()


async def subscribe(client: Client, uri: str) -> None:
    request = types.SubscribeRequest(params=types.SubscribeRequestParams(uri=uri))
    await client.session.send_request(request, types.EmptyResult)


async def test_over_http_a_client_of_2026_listens_and_the_end_of_the_server_ends_its_stream_at_once():
    async with served() as (made, listener), Client(listener.endpoint, mode="auto") as client:
        assert client.protocol_version == "2026-07-28"
        assert client.server_capabilities.resources is not None
        assert client.server_capabilities.resources.subscribe
        async with client.listen(resource_subscriptions=[URI], resources_list_changed=True) as subscription:
            events = aiter(subscription)
            made.news.tell("test://shelf/other", URI)
            assert getattr(await anext(events), "uri", "") == URI
            made.news.tell(None)
            assert type(await anext(events)).__name__ == "ResourcesListChanged"
            listener.server.end_streams()
            with pytest.raises(StopAsyncIteration):
                await anext(events)


async def test_at_the_path_without_sessions_a_client_of_the_handshake_era_is_not_promised_anything():
    async with served() as (_, listener), Client(listener.endpoint, mode="legacy") as client:
        assert client.server_capabilities.resources is not None
        assert not client.server_capabilities.resources.subscribe
        with pytest.raises(MCPError) as caught:
            await subscribe(client, URI)
        assert caught.value.error.code == -32601
        assert (await client.read_resource(URI)).contents


async def test_at_the_path_with_sessions_it_subscribes_and_hears(ear: Ear):
    async with served() as (made, listener):
        endpoint = listener.endpoint.removesuffix("/mcp") + SESSIONS_PATH
        async with Client(endpoint, mode="legacy", message_handler=ear) as client:
            assert client.server_capabilities.resources is not None
            assert client.server_capabilities.resources.subscribe
            assert client.server_capabilities.resources.list_changed
            await subscribe(client, URI)
            await told(made, ear, lambda: made.news.tell(URI), URI)
            await told(made, ear, lambda: made.news.tell(None), "notifications/resources/list_changed")


async def told(made: ShelfHost, ear: Ear, say: Callable[[], None], expected: str) -> None:
    """Until the client's own stream is open, what is said is lost: so say it until it is heard."""
    while True:
        say()
        with anyio.move_on_after(0.2):
            assert await ear.next() == expected
            return


async def test_a_host_without_a_library_has_no_path_with_sessions_and_nothing_to_list():
    with anyio.fail_after(20):
        async with serve_http(EchoHost(), grace=0) as listener:
            async with Client(listener.endpoint, mode="legacy") as client:
                assert client.server_capabilities.resources is None
            with pytest.raises(Exception):  # noqa: B017 - whatever the SDK makes of a 404
                async with Client(listener.endpoint.removesuffix("/mcp") + SESSIONS_PATH, mode="legacy"):
                    pass


async def test_a_page_for_every_other_address_leaves_the_path_with_sessions_alone():
    other = Route("/{path:path}", PlainTextResponse("no such page", 404))
    with anyio.fail_after(20):
        async with (
            serve_http(ShelfHost(), grace=0, extra_routes=[other]) as made,
            Client(made.endpoint.removesuffix("/mcp") + SESSIONS_PATH, mode="legacy") as client,
        ):
            assert [each.name for each in (await client.list_resources()).resources] == ["text"]


async def test_only_so_many_listen_at_once(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(resources, "MOST_STREAMS", 2)
    async with (
        served() as (_, listener),
        Client(listener.endpoint, mode="2026-07-28") as client,
        client.listen(resource_subscriptions=[URI]),
    ):
        with pytest.raises(MCPError):
            async with client.listen(resource_subscriptions=[URI]):
                pass


async def test_a_session_subscribes_to_so_much_and_no_more(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(resources, "MOST_SUBSCRIPTIONS", 2)
    with anyio.fail_after(30):
        async with Client(build_server(ShelfHost()), mode="legacy") as client:
            for name in ("a", "b", "a"):
                await subscribe(client, f"test://{name}")
            with pytest.raises(MCPError):
                await subscribe(client, "test://c")


async def test_when_a_session_ends_nobody_is_told_for_it_any_more():
    made = ShelfHost()
    with anyio.fail_after(30):
        async with Client(build_server(made), mode="legacy") as client:
            await subscribe(client, URI)
            assert made.news.heard
        while made.news.heard:
            await anyio.lowlevel.checkpoint()
