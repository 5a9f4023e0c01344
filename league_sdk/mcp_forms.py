"""Tools and results in the forms of MCP: as the SDK has them, and as they stand in the JSON of a plain reply."""

from functools import lru_cache
from typing import cast

import mcp_types as types
from pydantic_core import from_json, to_json

from league_sdk.ports import Json, ToolDescriptor

PARAM_HEADER = "x-mcp-header"
"""Marks an argument that a call bears as an HTTP header, too."""


def to_tool(tool: ToolDescriptor) -> types.Tool:
    """A tool as the SDK has it."""
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
    """A tool of the SDK's as we have it."""
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


@lru_cache(maxsize=16)
def plain_tools(listing: bytes) -> tuple[ToolDescriptor, ...]:
    """The tools of a list in JSON; none when one of them is unusual.

    The players of a league mostly offer the same: a list is kept once, however many peers have it.
    """
    found = [plain_tool(tool) for tool in from_json(listing)]
    plain = tuple(tool for tool in found if tool is not None)
    return plain if len(plain) == len(found) else ()


def plain_tool(tool: Json) -> ToolDescriptor | None:
    """A tool out of a list, None when it is not of the form that MCP gives it, or is more than a call of it shows."""
    if not isinstance(tool, dict):
        return None
    said = cast("dict[str, Json]", tool)
    name, schema = said.get("name"), said.get("inputSchema")
    hints: Json = said.get("annotations") or {}
    if not isinstance(name, str) or not _is_schema(schema) or not isinstance(hints, dict):
        return None
    told = cast("dict[str, Json]", hints)
    title, description, output = said.get("title"), said.get("description"), said.get("outputSchema")
    texts = all(text is None or isinstance(text, str) for text in (title, description, told.get("title")))
    if not texts or not isinstance(output, dict | None) or PARAM_HEADER.encode() in to_json(schema):
        return None
    return ToolDescriptor(
        name=name,
        title=title or told.get("title") or name,
        description=description or "",
        input_schema=cast("dict[str, Json]", schema),
        output_schema=cast("dict[str, Json] | None", output),
        read_only=told.get("readOnlyHint") is True,
        idempotent=told.get("idempotentHint") is True,
        destructive=told.get("destructiveHint") is True,
        open_world=told.get("openWorldHint") is True,
    )


def _is_schema(schema: Json) -> bool:
    return isinstance(schema, dict) and cast("dict[str, Json]", schema).get("type") == "object"


def is_plain_result(result: Json) -> bool:
    """Whether a result is of the form in which agents of ours answer, and so needs no closer look."""
    if not isinstance(result, dict):
        return False
    said = cast("dict[str, Json]", result)
    content = said.get("content")
    return (
        isinstance(said.get("structuredContent"), dict)
        and isinstance(content, list)
        and said.get("isError", False) is False
        and said.get("resultType") == "complete"
    )
