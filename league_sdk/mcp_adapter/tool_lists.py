"""Conversion of tools to and from the SDK's type, and a cache of tool lists."""

import json
from collections import OrderedDict
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from functools import lru_cache
from hashlib import sha256
from typing import TypeAlias

import anyio
import mcp_types as types
from pydantic import TypeAdapter
from pydantic_core import from_json, to_json

from league_sdk.ports import ToolDescriptor
from league_sdk.release import DISTRIBUTION

PARAM_HEADER = b"x-mcp-header"  # marks an argument that a call also sends as an HTTP header

TOOLS_DIGEST = f"{DISTRIBUTION}/tools-sha256"
"""The field of a discovery's `_meta` with the digest of the server's tool list."""
_MOST_LISTS = 16
_PATIENCE_SEC = 0.5

Listing: TypeAlias = tuple[tuple[ToolDescriptor, ...], bool]
"""A tool list, and True if some argument is sent as a header too."""

_LISTING = TypeAdapter(list[types.Tool])


def to_tool(tool: ToolDescriptor) -> types.Tool:
    return types.Tool(
        name=tool.name,
        title=tool.title,
        description=tool.description,
        input_schema=dict(tool.input_schema),
        output_schema=dict(tool.output_schema) if tool.output_schema is not None else None,
        annotations=types.ToolAnnotations(
            title=tool.title,
            read_only_hint=tool.read_only,
            destructive_hint=tool.destructive,
            idempotent_hint=tool.idempotent,
            open_world_hint=tool.open_world,
        ),
    )


def from_tool(tool: types.Tool) -> ToolDescriptor:
    hints = tool.annotations or types.ToolAnnotations()
    return ToolDescriptor(
        name=tool.name,
        title=tool.title or hints.title or tool.name,
        description=tool.description or "",
        input_schema=tool.input_schema,
        output_schema=tool.output_schema,
        read_only=bool(hints.read_only_hint),
        idempotent=bool(hints.idempotent_hint),
        destructive=bool(hints.destructive_hint),
        open_world=bool(hints.open_world_hint),
    )


class ToolLists:
    """The tool lists that this process has seen, by digest.

    Players of a league mostly have the same tools. One player's schemas take five times the memory of its session, and
    sending, checking and reading its list takes as long as three calls. So equal lists are kept once, and a server's
    answer to `server/discover` bears the digest of its list (TOOLS_DIGEST): a known list is not requested again.

    A digest is computed here from the received list, so no peer can give a list another's digest.
    """

    def __init__(self) -> None:
        self._seen = OrderedDict[str, Listing]()
        self._awaited: dict[str, anyio.Event] = {}

    def shared(self, listed: Sequence[types.Tool]) -> Listing:
        """Convert a list; equal ones share one result."""
        digest = digest_of(listed)
        listing = self._seen.pop(digest, None)
        if listing is None:
            tools = tuple(from_tool(tool) for tool in listed)
            listing = tools, any(PARAM_HEADER in to_json(tool.input_schema) for tool in tools)
        self._seen[digest] = listing
        if len(self._seen) > _MOST_LISTS:
            self._seen.popitem(last=False)
        return listing

    @asynccontextmanager
    async def seen(self, digest: str) -> AsyncGenerator[tuple[ToolDescriptor, ...] | None]:
        """The list with a digest, or None, for the body to request it.

        Other callers with the same digest wait a little for that request.
        """
        if (asked := self._awaited.get(digest)) is not None:
            with anyio.move_on_after(_PATIENCE_SEC):  # a slow peer must not hold up others of its digest
                await asked.wait()
        tools, mirrored = self._seen.get(digest, ((), True))
        if not mirrored:
            yield tools
            return
        answered = self._awaited[digest] = anyio.Event()
        try:
            yield None
        finally:
            answered.set()
            if self._awaited.get(digest) is answered:
                del self._awaited[digest]


def digest_of(tools: Sequence[types.Tool]) -> str:
    return _digest(_LISTING.dump_json(list(tools), by_alias=True, exclude_none=True))


@lru_cache(maxsize=_MOST_LISTS)
def _digest(listing: bytes) -> str:
    # The SDK changes the order of a schema's members on their way.
    return sha256(json.dumps(from_json(listing), sort_keys=True).encode()).hexdigest()


TOOL_LISTS = ToolLists()
