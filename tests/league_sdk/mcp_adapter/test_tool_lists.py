"""Tool lists that are asked for once, whoever offers them."""

from contextlib import AsyncExitStack

import anyio
import mcp_types as types
import pytest

from league_sdk.mcp_adapter.tool_lists import ToolLists, digest_of

pytestmark = pytest.mark.anyio

TOOLS = [types.Tool(name="a", input_schema={"type": "object"}), types.Tool(name="b", input_schema={})]
MIRRORED = [types.Tool(name="m", input_schema={"properties": {"region": {"x-mcp-header": "Region"}}})]


@pytest.fixture(autouse=True)
async def soon(anyio_backend: str):
    with anyio.fail_after(20):
        yield


async def test_equal_lists_are_one():
    lists = ToolLists()
    tools, mirrored = lists.shared(TOOLS)
    assert ([tool.name for tool in tools], mirrored) == (["a", "b"], False)
    assert lists.shared([tool.model_copy() for tool in TOOLS])[0] is tools


async def test_a_list_that_was_seen_is_found_by_its_digest():
    lists = ToolLists()
    async with lists.seen(digest_of(TOOLS)) as unknown:
        assert unknown is None
        tools, _ = lists.shared(TOOLS)
    async with lists.seen(digest_of(TOOLS)) as known:
        assert known is tools


async def test_a_list_with_arguments_that_are_headers_is_asked_for_since_the_session_must_know_it():
    lists = ToolLists()
    lists.shared(MIRRORED)
    async with lists.seen(digest_of(MIRRORED)) as tools:
        assert tools is None


async def test_a_digest_is_that_of_what_came_and_not_what_a_peer_says():
    lists = ToolLists()
    async with lists.seen(digest_of(TOOLS)):
        lists.shared(TOOLS[:1])
    async with lists.seen(digest_of(TOOLS)) as tools:
        assert tools is None


async def test_of_several_who_want_the_same_list_one_asks():
    lists = ToolLists()
    asked: list[str] = []

    async def want(name: str) -> None:
        async with lists.seen(digest_of(TOOLS)) as tools:
            if tools is None:
                asked.append(name)
                await anyio.lowlevel.checkpoint()
                lists.shared(TOOLS)

    async with anyio.create_task_group() as tasks:
        for name in ("one", "two", "three"):
            tasks.start_soon(want, name)
    assert asked == ["one"]


async def test_who_does_not_answer_holds_up_others_for_a_moment_only():
    lists = ToolLists()
    async with AsyncExitStack() as slow:
        assert await slow.enter_async_context(lists.seen(digest_of(TOOLS))) is None
        with anyio.fail_after(5):
            async with lists.seen(digest_of(TOOLS)) as tools:
                assert tools is None


async def test_only_the_last_lists_are_kept():
    lists = ToolLists()
    lists.shared(TOOLS)
    for number in range(20):
        lists.shared([types.Tool(name=f"t{number}", input_schema={})])
    async with lists.seen(digest_of(TOOLS)) as tools:
        assert tools is None
