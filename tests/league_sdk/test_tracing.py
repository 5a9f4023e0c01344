"""Spans of our own, and the trace over the bare JSON-RPC dialect."""

import httpx2
import pytest

from league_sdk import tracing, transports
from league_sdk.testing.transports import EchoHost
from league_sdk.transports.jsonrpc import JsonRpcConnector
from tests.servers.watched_league import attributes, context, traced

pytestmark = pytest.mark.xdist_group("watched")


def test_while_it_is_off_nothing_is_made():
    assert tracing.span("match", match_id="R1M1") is tracing.span("another")
    assert tracing.served("choose_move", {}) is tracing.span("another")
    with tracing.span("match", match_id="R1M1"):
        tracing.annotate(peer="P01")
        assert tracing.trace_id() is None
        assert tracing.headers() == {}


def test_a_span_tells_its_attributes_and_leaves_out_what_is_not_known():
    with traced() as spans, tracing.span("match", match_id="R1M1", attempt=2, peer=None):
        tracing.annotate(agent="league_manager")
        trace_id = tracing.trace_id()
    (span,) = spans.get_finished_spans()
    assert f"{context(span).trace_id:032x}" == trace_id
    assert attributes(span) == {"league.match_id": "R1M1", "league.attempt": 2, "league.agent": "league_manager"}


def test_outside_of_every_span_there_is_no_trace():
    with traced():
        assert tracing.trace_id() is None


@pytest.mark.anyio
@pytest.mark.parametrize("on", [True, False])
async def test_a_trace_goes_on_over_bare_json_rpc(on: bool):
    async with transports.serve(EchoHost(), grace=0) as listener, httpx2.AsyncClient(trust_env=False) as pool:
        with traced() as spans:
            tracing.switch(on)
            with tracing.span("match"):
                async with JsonRpcConnector(pool).connect(listener.endpoint) as connection:
                    await connection.call("echo", {"text": "hello"}, timeout=10)
    found = {span.name: span for span in spans.get_finished_spans()}
    assert set(found) == ({"match", "tools/call echo"} if on else set())
    if on:
        served, match = found["tools/call echo"], found["match"]
        assert context(served).trace_id == context(match).trace_id
        assert served.parent is not None
        assert served.parent.span_id == context(match).span_id
