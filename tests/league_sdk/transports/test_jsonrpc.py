import json
from typing import Any

import anyio
import httpx2
import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.responses import PlainTextResponse

from league_sdk.domain.model import Role
from league_sdk.errors import PeerUnreachable, ResponseTimeout
from league_sdk.ports import CallRefused, MalformedReply, ToolDescriptor
from league_sdk.protocol.catalog import calls_for
from league_sdk.protocol.derived_fields import Unwrapped
from league_sdk.testing import EchoHost
from league_sdk.transports.jsonrpc import AcceptJsonRpc, JsonRpcConnector
from tests.league_sdk.protocol.samples import CODEC, PARITY
from tests.requirements.marker import requirement

pytestmark = pytest.mark.anyio

URL = "http://peer.example/mcp"


# --- the serving half


async def behind(scope, receive, send):
    """The MCP application: says what it got."""
    body = b""
    more = True
    while more:
        message = await receive()
        body += message.get("body", b"")
        more = message.get("more_body", False)
    text = f"{scope['method']} {body.decode()}"
    await PlainTextResponse(text)(scope, receive, send)


async def post(body, *, app=None, headers=None, method="POST"):
    app = app or AcceptJsonRpc(behind, EchoHost())
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    async with httpx2.AsyncClient(transport=httpx2.ASGITransport(app=app)) as client:
        with anyio.fail_after(30):
            return await client.request(method, URL, content=content, headers=headers)


def request(method: object = "echo", params: object = None, **changes):
    params = {"text": "hi"} if params is None else params
    return {"jsonrpc": "2.0", "id": 1, "method": method, "params": params, **changes}


class Registering(EchoHost):
    """Takes registrations, under two names."""

    def tools(self):
        schema = {"type": "object", "properties": {"message_type": {"const": "LEAGUE_REGISTER_REQUEST"}}}
        return [*super().tools(), *(ToolDescriptor(name, name, "", schema) for name in ("register_player", "sign_up"))]

    async def call(self, tool, arguments, context):
        return {"called": tool}


@requirement("project-WIRE-05")
@pytest.mark.parametrize("method", ["LEAGUE_REGISTER_REQUEST", "mcp_message"])
async def test_the_type_of_a_message_is_understood_as_its_method(method: str):
    message = {"message_type": "LEAGUE_REGISTER_REQUEST"}
    answer = await post(request(method, message), app=AcceptJsonRpc(behind, Registering()))
    assert answer.json()["result"] == {"called": "register_player"}


class Listed(EchoHost):
    """Has the tools of a role, in a game that spells its moves in its own way, and tells which was called."""

    def __init__(self, role: Role) -> None:
        self.calls = calls_for(role, [PARITY])

    def tools(self):
        schema = CODEC.input_schema
        return [ToolDescriptor(call.tool, call.title, "", schema(call.request, spec=call.spec)) for call in self.calls]

    async def call(self, tool, arguments, context):
        return {"called": tool}


@requirement("project-WIRE-05")
@pytest.mark.parametrize("role", Role)
async def test_each_message_type_of_the_table_is_a_method_where_its_tool_is(role: Role):
    host = Listed(role)
    app = AcceptJsonRpc(behind, host)
    known: dict[str, str] = {}
    for call, tool in zip(host.calls, host.tools(), strict=True):
        kind = tool.input_schema["properties"]["message_type"]
        for name in kind.get("enum") or [kind["const"]]:
            known.setdefault(name, call.tool)  # the steps of a match share one
    assert known.keys() >= {"CHOOSE_PARITY_CALL", "GAME_INVITATION"} or role is not Role.PLAYER
    for name, tool in known.items():
        answer = await post(request(name, {}), app=app)
        assert answer.json().get("result") == {"called": tool}, name


@requirement("project-WIRE-05")
async def test_a_method_that_is_no_tool_is_told_the_right_one():
    app = AcceptJsonRpc(behind, Registering())
    answer = await post(request("register", {"message_type": "LEAGUE_REGISTER_REQUEST"}), app=app)
    assert answer.json()["error"] == {
        "code": -32601,
        "message": "Method not found: register; a LEAGUE_REGISTER_REQUEST goes to the method register_player",
    }
    answer = await post(request("mcp_message", {"message_type": "POEM"}), app=app)
    assert answer.json()["error"]["message"] == "Method not found: mcp_message"


@requirement("002-ENV-01", "002-ENV-02", "003-PORT-03", "003-PORT-04", "003-PORT-05")
@pytest.mark.parametrize("number", [1, 0, -7, 1.5, "a", "", None])
async def test_a_call_gets_its_reply_under_its_own_id(number):
    answer = await post(request(id=number))
    assert answer.status_code == 200
    assert answer.json()["jsonrpc"] == "2.0"
    assert answer.json()["id"] == number
    assert answer.json()["result"]["text"] == "hi"
    assert answer.json()["result"]["dialect"] == "jsonrpc"


@requirement("000-LM-FAIL-01", "001-RPC-02", "002-ENV-02", "002-LERR-01", "002-NOTE-05", "003-PORT-07")
async def test_a_refusal_is_an_error_object_with_number_and_data():
    answer = await post(request("refuse"))
    assert answer.status_code == 200
    error = {"code": 4004, "message": "INVALID_MOVE", "data": {"error_code": "E004", "context": {"value": "hi"}}}
    assert answer.json() == {"jsonrpc": "2.0", "id": 1, "error": error}


@requirement("000-CL-NOTE-01")
async def test_a_notification_is_carried_out_and_gets_no_body():
    host = EchoHost()
    body = request("release")
    del body["id"]
    answer = await post(body, app=AcceptJsonRpc(behind, host))
    assert (answer.status_code, answer.content) == (202, b"")
    assert host._released["hi"].is_set()
    body["method"] = "refuse"
    assert (await post(body)).status_code == 202


async def test_a_call_without_params_is_a_call_with_none():
    body = request()
    del body["params"]
    assert (await post(body)).json()["error"]["data"]["error_code"] == "E003"


async def test_params_by_position_are_refused():
    error = (await post(request(params=["hi"]))).json()["error"]
    assert error["code"] == -32602
    assert "data" not in error


async def test_a_method_that_is_neither_a_tool_nor_mcps_is_not_found():
    answer = await post(request("sing"))
    assert (answer.status_code, answer.json()["error"]["code"]) == (200, -32601)
    assert answer.json()["id"] == 1


NO_JSON = [b"", b"{", b"\xff\xfe", b'{"id": NaN}', b"[" * 100_000, b'{"id": ' + b"9" * 5000 + b"}"]


@requirement("002-NOTE-07", "003-PORT-04", "003-PORT-07", "003-TEST-E-04")
@pytest.mark.parametrize("body", NO_JSON)
async def test_what_is_no_json_is_a_parse_error(body):
    answer = await post(body)
    assert (answer.status_code, answer.json()["error"]["code"], answer.json()["id"]) == (400, -32700, None)


@requirement("002-NOTE-07", "003-PORT-04", "003-PORT-07", "003-TEST-E-04")
@pytest.mark.parametrize(
    "body",
    [
        [request()],
        [],
        7,
        None,
        "echo",
        {},
        request(jsonrpc="1.0"),
        request(method=7),
        request(id=True),
        request(id={"a": 1}),
        request(id=[1]),
    ],
)
async def test_what_is_no_request_is_an_invalid_request(body):
    answer = await post(body)
    assert (answer.status_code, answer.json()["error"]["code"], answer.json()["id"]) == (400, -32600, None)


async def test_a_request_that_is_too_large_is_refused_before_it_is_read_to_the_end():
    answer = await post(b" " * 101, app=AcceptJsonRpc(behind, EchoHost(), max_body=100))
    assert (answer.status_code, answer.json()["error"]["code"]) == (413, -32600)
    assert (await post(b"{}" + b" " * 98, app=AcceptJsonRpc(behind, EchoHost(), max_body=100))).status_code == 400


@pytest.mark.parametrize(
    "body",
    [
        request("initialize"),
        request("ping"),
        request("tools/call", {"name": "echo"}),
        request("notifications/initialized"),
        request("some/extension"),
        {"jsonrpc": "2.0", "id": 1, "result": {}},
        {"jsonrpc": "2.0", "id": 1, "error": {}},
    ],
)
async def test_what_is_mcp_is_handed_on_untouched(body):
    content = json.dumps(body, indent=3).encode()
    assert (await post(content)).content == b"POST " + content


@pytest.mark.parametrize(
    ("body", "why"),
    [
        (b"I would like to play", "Parse error"),
        (b'{"message_type": "LEAGUE_REGISTER_REQUEST"}', 'Invalid Request: jsonrpc must be "2.0"'),
        (b"[]", "Invalid Request: a single request object"),
        (b"x" * 200, "more than 100 bytes"),
    ],
)
async def test_a_body_that_is_no_request_is_told_of_with_its_sender(body, why):
    told = []
    app = AcceptJsonRpc(behind, EchoHost(), max_body=100, on_refused=lambda *said: told.append(said))
    assert (await post(body, app=app)).status_code in (400, 413)
    ((address, reason),) = told
    assert address == "127.0.0.1"
    assert reason.startswith(why)


@pytest.mark.parametrize("header", ["mcp-protocol-version", "mcp-session-id"])
async def test_a_request_with_mcps_headers_is_handed_on_whatever_it_holds(header):
    assert (await post(b"{", headers={header: "x"})).text == "POST {"


@pytest.mark.parametrize("method", ["GET", "DELETE", "PUT"])
async def test_other_methods_are_handed_on(method):
    assert (await post(b"", method=method)).text == f"{method} "


async def test_mcps_own_ping_is_never_a_tool():
    class Host(EchoHost):
        def tools(self):
            return [*super().tools(), ToolDescriptor("ping", "Ping", "", {})]

    assert (await post(request("ping"), app=AcceptJsonRpc(behind, Host()))).text.startswith("POST")


@pytest.mark.parametrize("kind", ["lifespan", "websocket"])
async def test_what_is_not_http_is_handed_on(kind):
    seen = []

    async def app(scope, receive, send):
        seen.append(scope["type"])

    async def nothing(*args):
        raise NotImplementedError

    await AcceptJsonRpc(app, EchoHost())({"type": kind}, nothing, nothing)
    assert seen == [kind]


async def test_what_a_caller_asked_who_left_in_the_middle_of_asking_is_not_carried_out():
    body = {"jsonrpc": "2.0", "method": "release", "params": {"text": "hi"}}
    part = {"type": "http.request", "body": json.dumps(body).encode(), "more_body": True}
    messages = [part, {"type": "http.disconnect"}]
    sent = []
    host = EchoHost()

    async def receive():
        return messages.pop(0)

    async def send(message):
        sent.append(message)

    scope = {"type": "http", "method": "POST", "path": "/mcp", "headers": []}
    await AcceptJsonRpc(behind, host)(scope, receive, send)
    assert (sent, dict(host._released)) == ([], {})


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)
REQUESTS = st.fixed_dictionaries(
    {},
    optional={
        "jsonrpc": st.just("2.0") | JSON,
        "id": JSON,
        "method": st.sampled_from(["echo", "refuse", "ping", "nope"]) | JSON,
        "params": st.fixed_dictionaries({"text": st.text()}) | JSON,
    },
)


@given(st.binary(max_size=60) | JSON | REQUESTS)
def test_whatever_comes_in_is_answered(body):
    async def send():
        answer = await post(body)
        assert answer.status_code in (200, 202, 400)
        if answer.status_code == 400:
            assert answer.json()["error"]["code"] in (-32700, -32600)

    anyio.run(send)


# --- the calling half


async def call(answer: Any, *, max_body=1000, timeout=5.0, ping=False, lenient=True):
    """One call of a peer that answers so."""

    async def handle(asked):
        if isinstance(answer, Exception):
            raise answer
        return answer if isinstance(answer, httpx2.Response) else await answer(asked)

    async with httpx2.AsyncClient(transport=httpx2.MockTransport(handle)) as client:
        connector = JsonRpcConnector(client, max_body=max_body, lenient=lenient)
        async with connector.connect(URL) as connection:
            assert connection.dialect == "jsonrpc"
            assert await connection.list_tools() == []
            if ping:
                return await connection.ping(timeout=timeout)
            return await connection.call("choose", {"text": "hi"}, timeout=timeout)


def reply(status=200, **members):
    return httpx2.Response(status, json={"jsonrpc": "2.0", "id": 1, **members})


@requirement("000-CL-INIT-01", "000-CL-SEND-01")
async def test_a_call_is_posted_and_its_result_is_the_reply():
    asked = []

    async def answer(incoming):
        asked.append((str(incoming.url), json.loads(incoming.content)))
        return reply(result={"move": "x"})

    assert await call(answer) == {"move": "x"}
    assert asked == [(URL, {"jsonrpc": "2.0", "method": "choose", "params": {"text": "hi"}, "id": 1})]


@requirement("000-CL-SEND-02")
@pytest.mark.parametrize("status", [200, 400, 500])
async def test_an_error_object_is_a_refusal_whatever_the_http_status(status):
    error = {"code": 4004, "message": "no", "data": {"error_code": "E004"}}
    with pytest.raises(CallRefused) as caught:
        await call(reply(status, error=error))
    assert (caught.value.number, caught.value.message, caught.value.data) == (4004, "no", {"error_code": "E004"})


async def test_an_error_object_may_be_bare_and_its_id_null():
    with pytest.raises(CallRefused) as caught:
        await call(reply(error={"code": -32601, "data": "what?"}, id=None))
    assert (caught.value.number, caught.value.message, caught.value.data) == (-32601, "no message", None)


@pytest.mark.parametrize(
    ("body", "missing"),
    [
        ({"move": "x"}, ("jsonrpc", "id", "result")),
        ({"result": {"move": "x"}}, ("jsonrpc", "id")),
        ({"result": {"move": "x"}, "id": 1}, ("jsonrpc",)),
        ({"jsonrpc": "2.0", "result": {"move": "x"}, "id": None}, ("id",)),
    ],
)
async def test_an_answer_may_lack_the_envelope_of_json_rpc(body, missing):
    found = await call(httpx2.Response(200, json=body))
    assert isinstance(found, Unwrapped)
    assert (found, found.missing) == ({"move": "x"}, missing)
    with pytest.raises(MalformedReply):
        await call(httpx2.Response(200, json={**body, "jsonrpc": "2.0", "id": 7}), lenient=False)


@pytest.mark.parametrize(("text", "number"), [("Unknown method", -32601), ("no idea", -32603)])
async def test_an_error_without_an_envelope_is_a_refusal(text, number):
    with pytest.raises(CallRefused) as caught:
        await call(httpx2.Response(200, json={"error": text}))
    assert (caught.value.number, caught.value.message) == (number, text)


@requirement("000-CL-SEND-02")
@pytest.mark.parametrize(
    ("answer", "why"),
    [
        (httpx2.Response(200, text="<h1>hello</h1>"), "not JSON"),
        (httpx2.Response(404, text="Not Found"), "not JSON"),
        (httpx2.Response(200, json=[1]), "not a JSON-RPC object"),
        (httpx2.Response(404, json={"detail": "Not Found"}), "the id None, not 1"),
        (reply(), "neither result nor error"),
        (reply(result={}, id=2), "the id 2, not 1"),
        (reply(error="no"), "error is not an object"),
        (reply(error={"message": "no"}), "error has no code"),
        (reply(error={"code": True}), "error has no code"),
        (reply(result="x" * 1000), "longer than 1000 bytes"),
    ],
)
async def test_what_is_no_reply_is_malformed(answer, why):
    with pytest.raises(MalformedReply, match=why):
        await call(answer)


async def test_json_of_another_content_type_is_a_reply_all_the_same():
    text = '{"jsonrpc": "2.0", "id": 1, "result": {}}'
    assert await call(httpx2.Response(200, text=text)) == {}


NOBODY = [httpx2.ConnectError("refused"), httpx2.ReadError(""), httpx2.Response(503, text="x")]


@requirement("000-CL-SEND-02")
@pytest.mark.parametrize("answer", NOBODY)
@pytest.mark.parametrize("ping", [False, True])
async def test_nobody_is_unreachable(answer, ping):
    with pytest.raises(PeerUnreachable, match=r"peer\.example"):
        await call(answer, ping=ping)


@requirement("000-CL-SEND-02", "000-CL-SEND-03")
@pytest.mark.parametrize("ping", [False, True])
async def test_no_answer_in_time_is_a_timeout(ping):
    async def answer(incoming):
        await anyio.sleep_forever()

    with pytest.raises(ResponseTimeout, match=r"within 0\.01 s"):
        await call(answer, timeout=0.01, ping=ping)


@pytest.mark.parametrize("answer", [reply(result={}), reply(error={"code": -32601}), httpx2.Response(405)])
async def test_any_answer_to_a_ping_will_do(answer):
    await call(answer, ping=True)


def test_it_takes_urls():
    connector = JsonRpcConnector(httpx2.AsyncClient())
    assert connector.accepts("http://localhost:8101/mcp")
    assert connector.accepts("https://league.example/mcp")
    assert not connector.accepts("memory:p01")
