"""Answers to improper requests: the table in SECURITY.md, over real sockets."""

import json
import logging
from collections.abc import AsyncGenerator
from itertools import product
from typing import Any

import anyio
import httpx2
import pytest

from league_sdk.transports import serve
from servers.league_manager.admin import admin_routes
from tests.security.guarded_manager import refusal
from tests.servers.fakes import OPERATOR, Manager, manager, player_request, query

pytestmark = pytest.mark.anyio

JSON = {"content-type": "application/json", "accept": "application/json, text/event-stream"}
REVISIONS = {"bare": {}, "2025-06-18": {"mcp-protocol-version": "2025-06-18"}, "unknown": {"mcp-protocol-version": "1"}}
BARE: dict[str, Any] = {"jsonrpc": "2.0", "id": 1, "method": "league_query", "params": query("GET_STATUS")}


@pytest.fixture(scope="module")
def anyio_backend() -> str:
    """One event loop for all: nothing here changes the league."""
    return "asyncio"


@pytest.fixture(scope="module")
async def made(anyio_backend: str) -> Manager:
    return await manager()


@pytest.fixture(scope="module")
async def endpoint(made: Manager) -> AsyncGenerator[str]:
    async with serve(made.agent, grace=0, extra_routes=admin_routes(made.agent), max_body=100_000) as listener:
        yield listener.endpoint


@pytest.fixture(scope="module")
async def client(anyio_backend: str) -> AsyncGenerator[httpx2.AsyncClient]:
    async with httpx2.AsyncClient(timeout=20) as opened:
        yield opened


@pytest.fixture(autouse=True)
def nothing_is_logged(caplog: pytest.LogCaptureFixture):
    """No stranger makes us write an error with its traceback."""
    yield
    assert [record for record in caplog.records if record.levelno >= logging.ERROR] == []


def check(answer: httpx2.Response, status: int, number: int | None, case: Any = None) -> None:
    assert answer.status_code == status, (case, answer.text)
    assert "Traceback" not in answer.text, case
    assert ".py" not in answer.text, case
    if number is not None:
        assert answer.json()["error"]["code"] == number, case
        assert answer.json()["jsonrpc"] == "2.0", case


BROKEN = {
    "nothing": b"",
    "half an object": b'{"jsonrpc": "2.0", ',
    "no JSON at all": b"hello",
    "bytes that are no text": b"\xff\xfe\x00",
    "NaN": b'{"jsonrpc": "2.0", "id": NaN, "method": "league_query"}',
    "a number without end": b'{"jsonrpc": "2.0", "id": ' + b"9" * 5000 + b"}",
    "a number beyond all bounds": b'{"jsonrpc": "2.0", "id": 1e999, "method": "league_query"}',
    "brackets without end": b"[" * 50_000,
    "half of a surrogate pair": b'{"jsonrpc": "2.0", "id": "\\ud800", "method": "league_query"}',
    "a name with half of one": b'{"jsonrpc": "2.0", "id": 1, "method": "\\udc00"}',
}


async def test_what_is_no_json_is_a_parse_error(endpoint: str, client: httpx2.AsyncClient):
    for what, body in BROKEN.items():
        check(await client.post(endpoint, content=body, headers=JSON), 400, -32700, what)


async def test_broken_json_is_never_a_fault_of_ours(endpoint: str, client: httpx2.AsyncClient):
    for revision, (what, body) in product(REVISIONS, BROKEN.items()):
        answer = await client.post(endpoint, content=body, headers=JSON | REVISIONS[revision])
        assert answer.status_code in (202, 400), (revision, what)


async def test_a_batch_is_an_invalid_request(endpoint: str, client: httpx2.AsyncClient, subtests: pytest.Subtests):
    for body in ([BARE, BARE], [], [[]]):
        with subtests.test(body=body):
            check(await client.post(endpoint, json=body), 400, -32600, body)
            for revision in ("2025-06-18", "unknown"):
                answer = await client.post(endpoint, json=body, headers=JSON | REVISIONS[revision])
                found = (answer.status_code, answer.json()["error"]["code"])
                assert found in ((400, -32600), (400, -32602)), (revision, body)


async def test_what_is_no_request_is_an_invalid_request(endpoint: str, client: httpx2.AsyncClient):
    for body in (
        1,
        "league_query",
        {},
        {"method": "league_query"},
        BARE | {"jsonrpc": "1.0"},
        BARE | {"method": 7},
        BARE | {"id": {}},
        BARE | {"id": True},
        BARE | {"id": [1]},
    ):
        check(await client.post(endpoint, json=body), 400, -32600, body)


async def test_a_method_that_there_is_not(endpoint: str, client: httpx2.AsyncClient):
    for method in ("steal_the_league", "", "__class__", "x" * 10_000, "\N{SNOWMAN}"):
        answer = await client.post(endpoint, json=BARE | {"method": method})
        check(answer, 200, -32601)
        assert len(answer.text) < 1000


async def test_a_tool_that_there_is_not(endpoint: str, client: httpx2.AsyncClient):
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "x" * 10_000, "arguments": {}}}
    answer = await client.post(endpoint, json=call, headers=JSON)
    check(answer, 200, -32602)
    assert len(answer.text) < 1000


async def test_params_by_position_or_of_another_kind(endpoint: str, client: httpx2.AsyncClient):
    for params in ([], [1], "x", 7, None):
        check(await client.post(endpoint, json=BARE | {"params": params}), 200, -32602, params)


async def test_what_a_web_page_may_send_without_asking_is_not_taken(
    endpoint: str,
    client: httpx2.AsyncClient,
    made: Manager,
    subtests: pytest.Subtests,
):
    body = json.dumps(BARE | {"method": "register_player", "params": player_request()}).encode()
    forms = ("application/x-www-form-urlencoded", "multipart/form-data")
    for kind in ("text/plain", *forms, "text/json", "application/xml"):
        with subtests.test(kind=kind):
            check(await client.post(endpoint, content=body, headers={"content-type": kind}), 415, -32600, kind)
            assert not made.league.players


async def test_json_is_taken_also_from_who_forgets_to_call_it_so(
    endpoint: str, client: httpx2.AsyncClient, subtests: pytest.Subtests
):
    body = json.dumps(BARE | {"method": "get_standings", "params": {"auth_token": OPERATOR}}).encode()
    for kind in ("application/json", "application/json; charset=utf-8", "APPLICATION/JSON", "", None):
        with subtests.test(kind=kind):
            headers = {} if kind is None else {"content-type": kind}
            answer = await client.post(endpoint, content=body, headers=headers)
            assert answer.json()["result"]["message_type"] == "STANDINGS_RESPONSE"


async def test_another_http_method_is_not_allowed(endpoint: str, client: httpx2.AsyncClient):
    methods = ("GET", "PUT", "DELETE", "PATCH", "OPTIONS", "HEAD", "TRACE", "PROPFIND")
    for revision, method in product(REVISIONS, methods):
        answer = await client.request(method, endpoint, headers=JSON | REVISIONS[revision])
        check(answer, 405, None if method == "HEAD" else -32600, (revision, method))
        assert answer.headers["allow"] == "POST", (revision, method)
    assert (await client.request("BREW", endpoint)).status_code == 400  # none that HTTP has


async def test_another_path_is_not_there(endpoint: str, client: httpx2.AsyncClient, subtests: pytest.Subtests):
    for path in ("/", "/mcp/x", "/admin", "/../etc/passwd", "/%2e%2e/x", "/admin/standings/../x"):
        with subtests.test(path=path):
            answer = await client.post(endpoint.replace("/mcp", path), json=BARE)
            assert answer.status_code == 404


async def test_the_operators_routes_ask_for_the_operators_token(
    endpoint: str, client: httpx2.AsyncClient, subtests: pytest.Subtests
):
    for method, path in (("POST", "/admin/start_league"), ("GET", "/admin/standings")):
        with subtests.test(method=method, path=path):
            url = endpoint.replace("/mcp", path)
            assert (await client.request(method, url)).status_code == 401
            for wrong in ("Bearer guessed", "Basic b3A6b3A=", "Bearer", "Token x"):
                answer = await client.request(method, url, headers={"authorization": wrong})
                assert answer.status_code == 401
                assert "Traceback" not in answer.text
            assert (await client.request("DELETE", url)).status_code == 405
    url = endpoint.replace("/mcp", "/admin/standings")
    assert (await client.get(url, headers={"authorization": f"Bearer {OPERATOR}"})).status_code == 200


@pytest.mark.parametrize("declared", [True, False])
async def test_a_request_that_is_too_large_is_not_read_to_its_end(
    endpoint: str, client: httpx2.AsyncClient, declared: bool
):
    async def pieces():
        for _ in range(200):
            yield b" " * 1000

    content = b" " * 200_000 if declared else pieces()
    for revision in REVISIONS.values():
        answer = await client.post(endpoint, content=content, headers=JSON | revision)
        assert answer.status_code == 413
        content = b" " * 200_000 if declared else pieces()


async def test_headers_without_end_are_refused(endpoint: str):
    host, _, port = endpoint.removeprefix("http://").removesuffix("/mcp").partition(":")
    async with await anyio.connect_tcp(host, int(port)) as stream:
        await stream.send(b"POST /mcp HTTP/1.1\r\nhost: localhost\r\n")
        answer = b""
        with anyio.fail_after(30):
            try:
                for _ in range(100):
                    await stream.send(b"x-more: " + b"y" * 1000 + b"\r\n")
                answer = await stream.receive()
            except (anyio.BrokenResourceError, anyio.EndOfStream):
                return
    assert answer.startswith(b"HTTP/1.1 400 ")


@pytest.mark.parametrize("junk", [b"\x16\x03\x01\x02\x00", b"GET\r\n\r\n", b"\r\n\r\nx\r\n", b"\x00" * 100])
async def test_what_is_no_http_is_hung_up_on(endpoint: str, junk: bytes):
    host, _, port = endpoint.removeprefix("http://").removesuffix("/mcp").partition(":")
    async with await anyio.connect_tcp(host, int(port)) as stream:
        await stream.send(junk + b"\r\n\r\n")
        with anyio.fail_after(30):
            answer = await stream.receive()
    assert answer.startswith(b"HTTP/1.1 400 ")


async def test_text_that_cannot_be_written_again_is_e002_where_the_wire_lets_it_through(made: Manager):
    for value in ("\ud800", float("nan"), float("inf"), 2**63, "x" * 65_537, {"\udfff": 1}, [[[[[[]]]]]] * 100_001):
        answer = await _refused(made, player_request() | {"extra": value})
        assert answer["error_code"] == "E002"
        assert len(json.dumps(answer)) < 1000
    deep: Any = []
    for _ in range(40):
        deep = [deep]
    assert (await _refused(made, player_request() | {"extra": deep}))["error_code"] == "E002"
    assert (await _refused(made, player_request() | {"conversation_id": "\ud800"}))["error_code"] == "E002"
    assert not made.league.players


async def _refused(made: Manager, message: dict[str, Any]) -> dict[str, Any]:
    return await refusal(made, "register_player", message)
