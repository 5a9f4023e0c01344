"""Malformed and boundary input for every tool of every agent, through the real dispatcher and through HTTP.

Whatever comes in, what goes out is a valid reply or a documented error, and a call that was refused changes nothing.
`LEAGUE_SOAK` in the environment makes it last longer.
"""

import json
import logging
import os
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, contextmanager
from typing import Any

import anyio
import httpx2
import pytest
from anyio.from_thread import BlockingPortal, start_blocking_portal
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from league_sdk.domain.commands import AssignMatch, StartRound
from league_sdk.errors import SPECS
from league_sdk.ports import CallContext, CallRefused
from league_sdk.transports import serve
from servers.agent.server import AgentServer
from tests.league_sdk.protocol.samples import json_for
from tests.servers.fakes import LEAGUE, OPERATOR, Manager, enrol, manager, start, token_of
from tests.servers.player.player_harness import PEER_TOKEN as PLAYERS
from tests.servers.player.player_harness import player
from tests.servers.referee.referee_harness import PEER_TOKEN as REFEREES
from tests.servers.referee.referee_harness import referee_harness

CASES, BATCHES = (50, 6) if "LEAGUE_SOAK" in os.environ else (8, 1)
fuzzing = settings(
    max_examples=CASES,
    deadline=None,
    database=None,
    derandomize="LEAGUE_SOAK" not in os.environ,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.large_base_example],
)

TOKENS = (OPERATOR, OPERATOR, token_of("P01"), token_of("REF01"), PLAYERS, REFEREES, "guessed", "", "\ud800", None, 7)
SENDERS = ("player:P01", "referee:REF01", "league_manager", "player:", "nobody", "\u202eplayer:P01", 7, None)
FAMILIAR = (
    "R1M1",
    "R2M1",
    "P01",
    "P02",
    "REF01",
    LEAGUE,
    "even_odd",
    "even",
    "league.v2",
    "../../etc/passwd",
    "R1M1#1",
)
JUNK = st.one_of(
    st.none(),
    st.booleans(),
    st.sampled_from(FAMILIAR),
    st.sampled_from([0, -1, 1, 2**31, 2**53, 2**63, -(2**64), 10**400, 1.5, float("nan"), float("inf"), -0.0, 1e308]),
    st.sampled_from(["", " ", "\x00", "\x1b[31m", "\u202e", "\ud800", "x" * 70_000, "<script>", "%s%n", "{{7*7}}"]),
    st.text(st.characters(exclude_categories=[]), max_size=20),
    st.lists(st.integers(), max_size=3),
    st.dictionaries(st.text(max_size=5), st.integers(), max_size=3),
    st.just([[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]),
)


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Every place in a message."""
    inner: list[tuple[Any, Any]] = []
    if isinstance(value, dict):
        inner = list(value.items())
    elif isinstance(value, list):
        inner = list(enumerate(value))
    return [found for key, item in inner for found in ((*path, key), *places(item, (*path, key)))]


def changed(value: Any, path: tuple[Any, ...], new: Any, *, leave_out: bool) -> Any:
    """A copy with one place changed or left out."""
    copy = dict(value) if isinstance(value, dict) else list(value)
    first, *rest = path
    if rest:
        copy[first] = changed(value[first], tuple(rest), new, leave_out=leave_out)
    elif leave_out:
        del copy[first]
    else:
        copy[first] = new
    return copy


# Made once: hypothesis looks at each new strategy anew, which costs more than to draw from it.
a_tenth = st.integers(0, 9).map(lambda number: number == 0)
nonsense = st.dictionaries(st.text(max_size=10), JUNK, max_size=5)
familiar, tokens, senders = st.sampled_from(FAMILIAR), st.sampled_from(TOKENS), st.sampled_from(SENDERS)
up_to_two = st.integers(0, 2)


@st.composite
def calls(draw: st.DrawFn, valid: st.SearchStrategy[dict[str, Any]]) -> dict[str, Any]:
    """Arguments of a call: as the schema has it, or nearly, or nothing like it."""
    if draw(a_tenth):
        return draw(nonsense)
    message: dict[str, Any] = {**draw(valid), "auth_token": draw(tokens), "sender": draw(senders)}
    for name in ("match_id", "league_id", "player_id", "game_type"):
        if name in message and draw(st.booleans()):
            message[name] = draw(familiar)
    for _ in range(draw(up_to_two)):
        where = draw(st.sampled_from(places(message) or [("x",)]))
        message = changed(message, where, draw(JUNK), leave_out=draw(st.booleans()) and where != ("x",))
    return message


# --- the agents


@asynccontextmanager
async def waiting_manager() -> AsyncGenerator[tuple[AgentServer, Manager | None]]:
    made = await manager()
    await enrol(made.ledger, 1)
    yield made.agent, made


@asynccontextmanager
async def running_manager() -> AsyncGenerator[tuple[AgentServer, Manager | None]]:
    made = await manager()
    await enrol(made.ledger, 4)
    await start(made.ledger)
    await made.ledger.execute(StartRound(1))
    await made.ledger.execute(AssignMatch("R1M1", "REF01"))
    yield made.agent, made


@asynccontextmanager
async def some_player() -> AsyncGenerator[tuple[AgentServer, Manager | None]]:
    yield player().agent, None


@asynccontextmanager
async def stranded_player() -> AsyncGenerator[tuple[AgentServer, Manager | None]]:
    yield player(credentials=None).agent, None


@asynccontextmanager
async def some_referee() -> AsyncGenerator[tuple[AgentServer, Manager | None]]:
    async with referee_harness() as made:
        yield made.agent, None
        made.tasks.cancel_scope.cancel()


AGENTS = {
    "waiting_manager": waiting_manager,
    "running_manager": running_manager,
    "player": some_player,
    "stranded_player": stranded_player,
    "referee": some_referee,
}


@contextmanager
def on_stage(name: str) -> Generator[tuple[BlockingPortal, AgentServer, Manager | None]]:
    with start_blocking_portal("asyncio") as portal, portal.wrap_async_context_manager(AGENTS[name]()) as (agent, made):
        yield portal, agent, made


def tools_of(name: str) -> list[str]:
    with on_stage(name) as (_, agent, _):
        # An alias leads to the same entry of the table.
        return list(dict.fromkeys(tool.call.tool for tool in agent._tools.values()))


ALL = [(name, tool) for name in AGENTS for tool in tools_of(name)]


def check_refusal(refused: CallRefused, tool: str) -> None:
    """A documented error, as it is documented."""
    data = dict(refused.data or {})
    assert data["message_type"] == "LEAGUE_ERROR", refused.message
    code = data["error_code"]
    assert code != "E099", f"{tool}: {refused.__cause__!r}"
    spec = SPECS[code]
    assert refused.number in (spec.number, *spec.numbers.values())
    text = json.dumps(data, allow_nan=False, ensure_ascii=False) + refused.message
    assert len(text.encode()) < 20_000
    assert "Traceback" not in text
    assert OPERATOR not in text


@pytest.mark.parametrize(("name", "tool"), ALL, ids=[f"{name}-{tool}" for name, tool in ALL])
def test_fuzzing_a_tool_gets_replies_and_documented_errors_only(name: str, tool: str):
    for _ in range(BATCHES):
        fuzz_tool(name, tool)


def fuzz_tool(name: str, tool: str) -> None:
    """One batch of calls, to an agent of its own."""
    with on_stage(name) as (portal, agent, made):
        described = next(one for one in agent.tools() if one.name == tool)
        replies = Draft202012Validator(dict(described.output_schema or {}))

        async def call(arguments: dict[str, Any]) -> dict[str, Any]:
            with anyio.fail_after(30):
                return await agent.call(tool, arguments, CallContext(address="192.0.2.1"))

        @fuzzing
        @given(arguments=calls(json_for(dict(described.input_schema))))
        def fuzz(arguments: dict[str, Any]) -> None:
            before = made.league if made else None
            try:
                reply = portal.call(call, arguments)
            except CallRefused as refused:
                check_refusal(refused, tool)
                assert made is None or made.league is before
            else:
                replies.validate(reply)
                json.dumps(reply, allow_nan=False, ensure_ascii=False).encode()

        fuzz()


# --- the wire


@asynccontextmanager
async def served() -> AsyncGenerator[tuple[str, httpx2.AsyncClient, Manager]]:
    async with running_manager() as (agent, made), serve(agent, grace=0) as listener:
        assert made is not None
        async with httpx2.AsyncClient(timeout=20) as client:
            yield listener.endpoint, client, made


ids = st.one_of(st.integers(), st.text(max_size=5), st.none(), JUNK)
methods = st.one_of(st.sampled_from(["league_query", "tools/call", "tools/list", "initialize", "ping", "x"]), JUNK)
bodies = st.one_of(
    st.binary(max_size=50),
    st.builds(
        lambda kind, number, method, params: {"jsonrpc": kind, "id": number, "method": method, "params": params},
        st.sampled_from(["2.0", "1.0", None]),
        ids,
        methods,
        st.one_of(
            JUNK,
            st.dictionaries(st.sampled_from(["name", "arguments", "_meta", "cursor", "sender"]), JUNK, max_size=4),
            st.builds(lambda arguments: {"name": "league_query", "arguments": arguments}, JUNK),
        ),
    ).map(lambda value: json.dumps(value).encode()),
    JUNK.map(lambda value: json.dumps([value]).encode()),
)
headers = st.fixed_dictionaries(
    {"accept": st.sampled_from(["application/json, text/event-stream", "*/*", "text/html", "x"])},
    optional={
        "content-type": st.sampled_from(["application/json", "text/plain", "application/json; charset=x", ";", "x"]),
        "mcp-protocol-version": st.sampled_from(["2025-06-18", "2026-07-28", "2024-11-05", "9999", "x"]),
        "mcp-session-id": st.sampled_from(["x", "0"]),
        "mcp-method": st.sampled_from(["tools/call", "x"]),
        "authorization": st.sampled_from(["Bearer x", f"Bearer {OPERATOR}", "x", "Bearer"]),
        "content-encoding": st.sampled_from(["gzip", "identity"]),
        "transfer-encoding": st.sampled_from(["chunked"]),
    },
)


def test_fuzzing_the_wire_never_gets_a_fault_of_ours(caplog: pytest.LogCaptureFixture):
    with (
        start_blocking_portal("asyncio") as portal,
        portal.wrap_async_context_manager(served()) as (endpoint, client, made),
    ):

        async def post(method: str, body: bytes, head: dict[str, str]) -> httpx2.Response:
            with anyio.fail_after(20):
                return await client.request(method, endpoint, content=body, headers=head)

        @settings(fuzzing, max_examples=10 * CASES * BATCHES)
        @given(method=st.sampled_from(["POST"] * 9 + ["GET", "PUT", "DELETE"]), body=bodies, head=headers)
        def fuzz(method: str, body: bytes, head: dict[str, str]) -> None:
            if "transfer-encoding" in head:
                body = b"%x\r\n%b\r\n0\r\n\r\n" % (len(body), body) if body else b"0\r\n\r\n"
            before = made.league
            answer = portal.call(post, method, body, head)
            assert answer.status_code < 500, answer.text
            assert "Traceback" not in answer.text
            assert 'File "' not in answer.text
            assert made.league is before

        fuzz()
    assert [record.getMessage() for record in caplog.records if record.levelno >= logging.ERROR] == []
