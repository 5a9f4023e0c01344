"""Conversion of tools to and from the SDK's type."""

from collections.abc import Sequence
from functools import lru_cache

import mcp_types as types
from pydantic import TypeAdapter
from pydantic_core import to_json

from league_sdk.ports import ToolDescriptor

PARAM_HEADER = b"x-mcp-header"  # marks an argument that a call also sends as an HTTP header

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


def shared_tools(listed: Sequence[types.Tool]) -> tuple[tuple[ToolDescriptor, ...], bool]:
    """Convert a tool list, sharing equal ones; True if some argument is a header too.

    Players of a league mostly have the same tools, and one player's schemas take five times the memory of its session.
    """
    return _tools_in(_LISTING.dump_json(list(listed), by_alias=True))


@lru_cache(maxsize=16)
def _tools_in(listing: bytes) -> tuple[tuple[ToolDescriptor, ...], bool]:
    tools = tuple(from_tool(tool) for tool in _LISTING.validate_json(listing, by_name=False))
    return tools, any(PARAM_HEADER in to_json(tool.input_schema) for tool in tools)
