"""Tools in the form that the SDK has them."""

import mcp_types as types

from league_sdk.ports import ToolDescriptor


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
