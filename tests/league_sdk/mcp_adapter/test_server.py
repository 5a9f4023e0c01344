"""An agent as an MCP server, and its view of callers."""

import logging

import pytest
from starlette.requests import Request

from league_sdk import tracing
from league_sdk.bounds import shorten
from league_sdk.mcp_adapter.server import build_server, call_context, quiet_loggers
from league_sdk.ports import CallContext
from league_sdk.testing import EchoHost

pytestmark = pytest.mark.anyio


def test_a_caller_without_an_http_request_is_unknown():
    assert call_context(None, "mcp") == CallContext(dialect="mcp")


@pytest.mark.parametrize(
    ("header", "token"),
    [("Bearer abc", "abc"), ("bearer  abc ", "abc"), ("Bearer", None), ("Basic abc", None), (None, None)],
)
def test_a_bearer_token_is_read_from_its_header(header, token):
    headers = [(b"authorization", header.encode())] if header is not None else []
    request = Request({"type": "http", "headers": headers, "client": None})
    assert call_context(request, "jsonrpc") == CallContext(token, "", "jsonrpc")


def test_the_token_of_a_caller_does_not_show():
    assert "s3cret" not in repr(CallContext("s3cret"))


def test_libraries_are_quietened_unless_somebody_wants_to_hear_them(monkeypatch):
    monkeypatch.setattr(logging.getLogger("mcp"), "level", logging.NOTSET)
    monkeypatch.setattr(logging.getLogger("uvicorn"), "level", logging.DEBUG)
    quiet_loggers()
    assert logging.getLogger("mcp").level == logging.WARNING
    assert logging.getLogger("uvicorn").level == logging.DEBUG


def test_long_texts_are_cut_for_the_log():
    assert shorten("x" * 501) == "x" * 500 + "…"
    assert shorten("x" * 500) == "x" * 500


async def test_the_server_introduces_its_host_and_knows_its_tools():
    server = build_server(EchoHost())
    assert (server.name, server.version, server.instructions) == ("echo", "1.0.0", "Says what it is told.")
    assert server.get_tool_input_schema is not None
    assert server.get_tool_input_schema("no_such_tool") is None


@pytest.mark.parametrize("on", [False, True])
async def test_the_sdk_makes_spans_only_while_traces_are_on(on, monkeypatch):
    monkeypatch.setattr(tracing, "is_on", lambda: on)
    assert bool(build_server(EchoHost()).middleware) is on
