import asyncio
import errno
import signal

import anyio
import httpx2
import pytest
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from league_sdk.errors import PeerUnreachable
from league_sdk.net.replies import FailuresAsReplies
from league_sdk.net.serving import AddressUnusable
from league_sdk.ports import MalformedReply, NotThisDialect
from league_sdk.testing import EchoHost
from league_sdk.transports.http import (
    HttpConnector,
    client_over,
    open_http,
    serve_http,
)
from tests.requirements.marker import requirement

pytestmark = pytest.mark.anyio


@pytest.fixture
async def client(anyio_backend):
    async with open_http() as http:
        yield http


@pytest.fixture
def browser(client):
    return client_over(client)


@pytest.fixture
async def listener(anyio_backend):
    async with serve_http(EchoHost(), grace=0) as made:
        yield made


@pytest.fixture(autouse=True)
async def soon(anyio_backend):
    with anyio.fail_after(20):
        yield


# --- listening


async def test_the_system_chooses_a_port_and_the_endpoint_says_which(listener):
    assert listener.port > 0
    assert listener.endpoint == f"http://127.0.0.1:{listener.port}/mcp"


@requirement("000-LM-START-04", "000-LM-FAIL-03")
async def test_a_port_in_use_is_a_clear_error_that_names_it(listener):
    with pytest.raises(AddressUnusable) as caught:
        async with serve_http(EchoHost(), port=listener.port):
            pytest.fail("two servers on one port")
    assert caught.value.errno == errno.EADDRINUSE
    assert (caught.value.host, caught.value.port) == ("127.0.0.1", listener.port)
    expected = f"port {listener.port} on 127.0.0.1 is in use; stop the program that has it, or choose another port"
    assert str(caught.value) == expected


async def test_an_address_that_is_not_ours_is_a_clear_error():
    with pytest.raises(AddressUnusable, match=r"cannot listen on port 0 of 192\.0\.2\.1"):
        async with serve_http(EchoHost(), bind_host="192.0.2.1"):
            pytest.fail("that address is for documentation only")


async def test_the_port_is_free_again_at_once():
    async with serve_http(EchoHost(), grace=0) as first:
        pass
    async with serve_http(EchoHost(), port=first.port, grace=0) as second:
        assert second.port == first.port


@pytest.mark.parametrize(
    ("bind_host", "public_host", "start"),
    [
        ("0.0.0.0", None, "http://localhost:"),
        ("0.0.0.0", "league.example", "http://league.example:"),
        ("::1", None, "http://[::1]:"),
    ],
)
async def test_the_endpoint_is_one_that_others_can_call(bind_host, public_host, start):
    try:
        async with serve_http(EchoHost(), bind_host=bind_host, public_host=public_host, grace=0) as made:
            assert made.endpoint == f"{start}{made.port}/mcp"
    except AddressUnusable as error:
        if ":" not in bind_host:
            raise
        pytest.skip(f"no IPv6 here: {error}")


async def test_signals_are_left_to_the_program():
    before = signal.getsignal(signal.SIGTERM), signal.getsignal(signal.SIGINT)
    async with serve_http(EchoHost(), grace=0):
        assert (signal.getsignal(signal.SIGTERM), signal.getsignal(signal.SIGINT)) == before


async def test_other_routes_are_served_beside_it(browser):
    async def hello(request):
        return PlainTextResponse("hello")

    async with serve_http(EchoHost(), extra_routes=[Route("/admin/hello", hello)], grace=0) as made:
        answer = await browser.get(made.endpoint.replace("/mcp", "/admin/hello"))
        assert answer.text == "hello"
        assert (await browser.get(made.endpoint.replace("/mcp", "/nothing"))).status_code == 404


async def test_what_is_wrapped_around_it_sees_the_requests(client):
    seen = []

    def wrap(app, _host):
        async def wrapped(scope, receive, send):
            seen.append(scope["method"])
            await app(scope, receive, send)

        return wrapped

    connector = HttpConnector(client)
    async with serve_http(EchoHost(), wrap=wrap, grace=0) as made, connector.connect(made.endpoint) as connection:
        await connection.call("echo", {"text": "x"}, timeout=5)
    assert seen == ["POST", "POST"]


async def test_what_is_raised_while_it_serves_comes_out_as_it_is():
    with pytest.raises(KeyError, match="mine"):
        async with serve_http(EchoHost(), grace=0):
            raise KeyError("mine")


# --- whom it serves


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"host": "evil.example"}, 421),
        ({"host": "127.0.0.1.evil.example:80"}, 421),
        ({"host": "localhost:22000.evil.example"}, 421),
        ({"host": "localhost:"}, 421),
        ({"host": "localhost"}, 200),
        ({"host": "[::1]"}, 200),
        ({"origin": "http://localhost"}, 200),
        ({"host": "localhost:80@evil.example"}, 421),
        ({"origin": "http://localhost:22000.evil.example"}, 403),
        ({"origin": "http://localhost:22000/"}, 403),
        ({"origin": "http://localhost:80@evil.example"}, 403),
        ({"origin": "http://localhost:80 http://evil.example"}, 403),
        ({"origin": "null"}, 403),
        ({"origin": "http://[::1]:3000"}, 200),
        ({"origin": "http://evil.example"}, 403),
        ({"origin": "http://localhost:3000"}, 200),
        ({"origin": "https://127.0.0.1:3000"}, 200),
        ({}, 200),
    ],
)
@pytest.mark.parametrize("path", ["/mcp", "/admin/hello"])
async def test_a_web_page_of_somebody_else_gets_nothing_from_any_route(headers, status, path):
    async def hello(request):
        return PlainTextResponse("hello")

    routes = [Route("/admin/hello", hello, methods=["POST"])]
    async with serve_http(EchoHost(), extra_routes=routes, grace=0) as made, httpx2.AsyncClient() as browser:
        endpoint = made.endpoint.replace("/mcp", path)
        body = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
        answer = await browser.post(endpoint, json=body, headers={"accept": "application/json", **headers})
    assert answer.status_code == status


@pytest.mark.parametrize("told", ["league.example:443", "league.example:80"])
async def test_a_host_of_the_schemes_own_port_is_named_without_it(browser, told: str):
    body = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    async with serve_http(EchoHost(), bind_host="0.0.0.0", allowed_hosts=[told], grace=0) as made:
        for host, status in (("league.example", 200), (told, 200), ("league.example:8000", 421), ("example", 421)):
            assert (await browser.post(made.endpoint, json=body, headers={"host": host})).status_code == status


async def test_on_other_addresses_it_takes_the_hosts_that_it_was_told_of(browser):
    async with serve_http(EchoHost(), bind_host="0.0.0.0", allowed_hosts=["league.example"], grace=0) as made:
        body = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
        assert (await browser.post(made.endpoint, json=body)).status_code == 421
        answer = await browser.post(made.endpoint, json=body, headers={"host": "league.example"})
        assert answer.status_code == 200


async def test_a_request_beyond_all_measure_is_refused(browser, listener):
    answer = await browser.post(listener.endpoint, content=b" " * (4 * 1024 * 1024 + 1))
    assert answer.status_code == 413


# --- the end


async def test_a_call_under_way_may_finish_when_the_server_stops(client):
    answers = []

    async def call(endpoint):
        async with HttpConnector(client).connect(endpoint) as connection:
            answers.append(await connection.call("wait", {"text": "a"}, timeout=10))

    host = EchoHost()
    async with anyio.create_task_group() as tasks, serve_http(host, grace=10) as made:
        tasks.start_soon(call, made.endpoint)
        while "a" not in host._released:
            await anyio.wait_all_tasks_blocked()
        asyncio.get_running_loop().call_later(0.05, host._released["a"].set)
    assert answers == [{"text": "a"}]


async def test_a_call_that_does_not_finish_is_unreachable_when_the_server_stops(client):
    async def call(endpoint):
        with pytest.raises(PeerUnreachable, match="HTTP 503"):
            async with HttpConnector(client).connect(endpoint) as connection:
                await connection.call("wait", {"text": "a"}, timeout=10)

    host = EchoHost()
    async with anyio.create_task_group() as tasks, serve_http(host, grace=0) as made:
        tasks.start_soon(call, made.endpoint)
        while "a" not in host._released:
            await anyio.wait_all_tasks_blocked()


async def test_a_cancelled_server_lets_go_of_its_port():
    ports = []

    async def serve(*, task_status):
        async with serve_http(EchoHost(), grace=0) as made:
            ports.append(made.port)
            task_status.started()
            await anyio.sleep_forever()

    async with anyio.create_task_group() as tasks:
        await tasks.start(serve)
        tasks.cancel_scope.cancel()
    async with serve_http(EchoHost(), port=ports[0], grace=0):
        pass


# --- calling


def test_it_takes_urls(anyio_backend):
    connector = HttpConnector(open_http())
    assert connector.accepts("http://localhost:8101/mcp")
    assert connector.accepts("https://league.example/mcp")
    assert not connector.accepts("stdio:league player")


async def test_the_revision_is_pinned_after_a_clean_close_and_asked_for_after_a_failure(client):
    connector = HttpConnector(client)
    async with serve_http(EchoHost(), grace=0) as made:
        async with connector.connect(made.endpoint):
            pass
        assert connector._revisions == {made.endpoint: "2026-07-28"}
        async with connector.connect(made.endpoint) as connection:
            assert connection.dialect == "mcp/2026-07-28"
    with pytest.raises(PeerUnreachable):
        async with connector.connect(made.endpoint) as connection:
            await connection.call("echo", {"text": ""}, timeout=5)
    assert connector._revisions == {}
    with pytest.raises(PeerUnreachable, match="ConnectError"):
        async with connector.connect(made.endpoint):
            pytest.fail("there was somebody")


async def test_a_fixed_revision_is_not_replaced_by_what_was_spoken(client, listener):
    connector = HttpConnector(client, mode="legacy")
    for _ in range(2):
        async with connector.connect(listener.endpoint) as connection:
            assert connection.dialect == "mcp/2025-11-25"


async def test_a_connection_outlives_a_restart_of_its_server(client):
    async with serve_http(EchoHost(), grace=0) as first:
        pass
    ready, restart, restarted = anyio.Event(), anyio.Event(), anyio.Event()

    async def serve_twice():
        async with serve_http(EchoHost(), port=first.port, grace=0):
            ready.set()
            await restart.wait()
        async with serve_http(EchoHost(), port=first.port, grace=0):
            restarted.set()
            await anyio.sleep_forever()

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(serve_twice)
        await ready.wait()
        async with HttpConnector(client).connect(first.endpoint) as connection:
            await connection.call("echo", {"text": "before"}, timeout=5)
            restart.set()
            await restarted.wait()
            assert (await connection.call("echo", {"text": "after"}, timeout=5))["text"] == "after"
        tasks.cancel_scope.cancel()


def method_not_found(request):
    return JSONResponse({"jsonrpc": "2.0", "id": 1, "error": {"code": -32601, "message": "Method not found"}})


STRANGERS = {
    "a bare JSON-RPC server": method_not_found,
    "a server that answers everything alike": lambda request: JSONResponse({"jsonrpc": "2.0", "id": 0, "result": {}}),
    "a web page": lambda request: HTMLResponse("<h1>It works!</h1>"),
    "JSON of another kind": lambda request: JSONResponse({"detail": "hello"}),
    "broken JSON": lambda request: Response("{", media_type="application/json"),
    "a page that is not there": lambda request: PlainTextResponse("Not Found", status_code=404),
    "a server with a fault": lambda request: PlainTextResponse("oops", status_code=500),
    "nothing at all": lambda request: Response(status_code=202),
}


@pytest.mark.parametrize("answer", STRANGERS.values(), ids=list(STRANGERS))
async def test_whoever_answers_but_not_in_mcp_speaks_another_dialect(client, answer):
    async with serve_http(EchoHost(), extra_routes=[Route("/other", answer, methods=["POST"])], grace=0) as made:
        with pytest.raises(NotThisDialect):
            async with HttpConnector(client).connect(made.endpoint.replace("/mcp", "/other")):
                pytest.fail("that was no MCP server")


@pytest.mark.parametrize("status", [502, 503, 504])
async def test_a_proxy_without_a_server_behind_it_is_nobody(client, status):
    async def answer(request):
        return PlainTextResponse("Bad Gateway", status_code=status)

    async with serve_http(EchoHost(), extra_routes=[Route("/other", answer, methods=["POST"])], grace=0) as made:
        with pytest.raises(PeerUnreachable, match=f"HTTP {status}"):
            async with HttpConnector(client).connect(made.endpoint.replace("/mcp", "/other")):
                pytest.fail("nobody was there")


@requirement("003-TEST-E-07")
async def test_a_server_that_hangs_up_in_mid_reply_is_unreachable_and_other_calls_go_on(client):
    async def hang_up(reader, writer):
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{")
        writer.close()
        await writer.wait_closed()

    server = await asyncio.start_server(hang_up, "127.0.0.1", 0)
    async with server:
        port = server.sockets[0].getsockname()[1]
        with pytest.raises(PeerUnreachable, match="RemoteProtocolError"):
            async with HttpConnector(client, mode="2026-07-28").connect(f"http://127.0.0.1:{port}/mcp") as connection:
                await connection.call("echo", {}, timeout=5)


async def test_proxies_from_the_environment_are_not_used(monkeypatch, listener):
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:9")
    async with open_http() as http, HttpConnector(http).connect(listener.endpoint) as connection:
        assert (await connection.call("echo", {"text": "direct"}, timeout=5))["text"] == "direct"


def streamed(status, *, headers=None, **content):
    ready = httpx2.Response(status, headers=headers, **content)
    return httpx2.Response(status, headers=ready.headers, stream=httpx2.ByteStream(ready.content))


async def exchange(answer, *, max_body=1000, method="POST", accept="application/json, text/event-stream"):
    async def handle(request):
        if isinstance(answer, Exception):
            raise answer
        return answer

    transport = FailuresAsReplies(httpx2.MockTransport(handle), max_body=max_body)
    async with httpx2.AsyncClient(transport=transport) as http_client:
        body = {"jsonrpc": "2.0", "id": 1, "method": "ping"} if method == "POST" else None
        return await http_client.request(method, "http://peer.example/mcp", headers={"accept": accept}, json=body)


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (httpx2.ConnectError("refused"), "http://peer.example/mcp: ConnectError: refused"),
        (httpx2.ReadError(""), "http://peer.example/mcp: ReadError"),
    ],
)
async def test_a_failed_exchange_is_an_error_reply(error, said):
    answer = await exchange(error)
    assert answer.status_code == 503
    data = {"dropped": isinstance(error, httpx2.ReadError)}
    assert answer.json() == {"jsonrpc": "2.0", "id": None, "error": {"code": -32000, "message": said, "data": data}}


async def test_a_reply_beyond_all_measure_is_an_error_reply():
    answer = await exchange(streamed(200, json={"x": "y" * 1000}))
    assert answer.status_code == 400
    assert answer.json()["error"] == {"code": -32700, "message": "the reply is longer than 1000 bytes"}


@pytest.mark.parametrize(
    ("status", "reply"),
    [
        (200, {"jsonrpc": "2.0", "id": 1, "result": {}}),
        (200, {"jsonrpc": "2.0", "id": "1", "result": {}}),
        (200, ["no object"]),
        (400, {"jsonrpc": "2.0", "id": None, "error": {"code": -32600, "message": "bad"}}),
    ],
)
async def test_an_ordinary_reply_passes_unchanged(status, reply):
    answer = await exchange(streamed(status, json=reply, headers={"mcp-session-id": "abc"}))
    assert (answer.status_code, answer.json(), answer.headers["mcp-session-id"]) == (status, reply, "abc")


async def test_an_event_stream_and_whatever_is_no_post_passes_unchanged():
    stream = {"content-type": "text/event-stream"}
    assert (await exchange(streamed(200, text="data: 1", headers=stream))).text == "data: 1"
    assert (await exchange(streamed(200, text="<html>"), method="GET")).text == "<html>"


async def test_what_is_not_mcps_passes_unchanged():
    answer = await exchange(streamed(200, text="hello"), accept="application/json")
    assert answer.text == "hello"
    with pytest.raises(httpx2.ConnectError):
        await exchange(httpx2.ConnectError("refused"), accept="*/*")


async def test_a_reply_of_another_kind_is_malformed_for_the_caller(client):
    async def answer(request):
        body = await request.json()
        if body["method"] == "tools/call":
            return HTMLResponse("<h1>Sorry</h1>")
        discovered = {"supportedVersions": ["2026-07-28"], "capabilities": {}, "resultType": "complete"}
        result = {**discovered, "ttlMs": 0, "cacheScope": "public"}
        return JSONResponse({"jsonrpc": "2.0", "id": body["id"], "result": result})

    async with serve_http(EchoHost(), extra_routes=[Route("/other", answer, methods=["POST"])], grace=0) as made:
        endpoint = made.endpoint.replace("/mcp", "/other")
        with pytest.raises(MalformedReply, match="text/html, not application/json"):
            async with HttpConnector(client).connect(endpoint) as connection:
                await connection.call("echo", {}, timeout=5)


async def test_a_reply_to_another_request_is_malformed_for_the_caller(client):
    async def answer(request):
        return JSONResponse({"jsonrpc": "2.0", "id": 7777, "result": {"content": []}})

    async with serve_http(EchoHost(), extra_routes=[Route("/other", answer, methods=["POST"])], grace=0) as made:
        endpoint = made.endpoint.replace("/mcp", "/other")
        with pytest.raises(MalformedReply, match="another id"):
            async with HttpConnector(client, mode="2026-07-28").connect(endpoint) as connection:
                await connection.call("echo", {}, timeout=5)
