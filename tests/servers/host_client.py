"""A host for tests of libraries: reads through the MCP adapter, and marks agents' text."""

import json
from collections.abc import AsyncGenerator, Iterator
from contextlib import asynccontextmanager
from typing import Any

import mcp_types as types
from mcp.client import Client

from league_sdk.mcp_adapter.server import build_server
from servers.agent.server import AgentServer
from servers.agent.untrusted import CLOSE, KEY, OPEN


@asynccontextmanager
async def host(agent: AgentServer, mode: str = "auto") -> AsyncGenerator[Client]:
    """A host in the process of the agent."""
    async with Client(build_server(agent), mode=mode, cache=None) as client:
        yield client


async def read(client: Client, uri: str) -> Any:
    """A resource's content: JSON as data, anything else as text."""
    (contents,) = (await client.read_resource(uri)).contents
    text: str = getattr(contents, "text", "")
    return json.loads(text) if contents.mime_type == "application/json" else text


async def ask(client: Client, prompt: str, **arguments: str) -> str:
    """The text of a prompt."""
    (message,) = (await client.get_prompt(prompt, arguments)).messages
    text: str = getattr(message.content, "text", "")
    return text


def data_of(text: str) -> Any:
    """The data in the text of a prompt; there has to be one block, and it has to be the only place for data."""
    task, opening, rest = text.partition(f"\n{OPEN}\n")
    body, closing, end = rest.partition(f"\n{CLOSE}\n")
    assert opening
    assert closing
    for part in (task.replace(f"{OPEN} and {CLOSE}", ""), body, end):
        assert OPEN not in part
        assert CLOSE not in part
    return json.loads(body)


def unmarked(data: Any) -> Iterator[str]:
    """Every text in data, its keys included, that is not marked as said by agents."""
    if isinstance(data, dict):
        for key, value in data.items():
            yield key
            if key != KEY:
                yield from unmarked(value)
    elif isinstance(data, list):
        for value in data:
            yield from unmarked(value)
    elif isinstance(data, str):
        yield data


def outside(text: str) -> str:
    """A text without what stands in it between marks."""
    kept = text.replace(f"{OPEN} and {CLOSE}", "")  # where the marks are explained
    parts = kept.split(OPEN)
    for part in parts[1:]:
        assert part.count(CLOSE) == 1
    return "".join([parts[0], *(part.partition(CLOSE)[2] for part in parts[1:])])


async def subscribe(client: Client, uri: str) -> None:
    """As hosts of the handshake era do it; the SDK's own method warns that it is gone from 2026-07-28."""
    request = types.SubscribeRequest(params=types.SubscribeRequestParams(uri=uri))
    await client.session.send_request(request, types.EmptyResult)


async def unsubscribe(client: Client, uri: str) -> None:
    """The opposite of `subscribe`."""
    request = types.UnsubscribeRequest(params=types.UnsubscribeRequestParams(uri=uri))
    await client.session.send_request(request, types.EmptyResult)
