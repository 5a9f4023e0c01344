"""Write docs/reference/tools.md from the tool tables of the agents.

Run it from the root of the checkout: `python -m docs.generate_tools`.
"""

import asyncio
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, cast

from docs.tables import table
from game_rules.even_odd import EvenOdd
from league_sdk.protocol.codec import Codec
from league_sdk.protocol.envelope import Message
from servers.access import Access
from servers.agent import Tool
from servers.host.server import build_server
from servers.league_manager.tools import tool_table as manager_tools
from servers.player.tools import tool_table as player_tools
from servers.referee.tools import tool_table as referee_tools

TARGET = Path(__file__).resolve().parent / "reference" / "tools.md"
SPEC = EvenOdd.move_spec
CODEC = Codec([SPEC])
ENVELOPE = ("protocol", "message_type", "sender", "timestamp", "conversation_id", "auth_token")
MOST_WORDS = 8
Schema = Mapping[str, Any]

HEAD = """\
# Tools

Made by `docs/generate_tools.py` from the agents' tool tables; change those, not this page.

Every agent is an MCP server, and these are its tools. The arguments of a tool are a message of the league: each takes
the [envelope](../protocol_spec.md#every-message) (`protocol`, `message_type`, `sender`, `timestamp`,
`conversation_id`, `auth_token`) beside what is listed here, and answers with another message. The
[messages](../protocol_spec.md) have an example each. An agent tells the same with `tools/list`, as JSON Schema of
arguments and result.

A game may spell its moves in its own way. Shown is Even/Odd; a game that declares nothing has the tool `choose_move`
with the argument `move`.
"""

ACCESS = {
    Access.PUBLIC: "anybody",
    Access.AGENT: "a registered player or referee",
    Access.REFEREE: "a registered referee",
    Access.MANAGER: "the league manager, or the operator",
    Access.TICKET: "the referee of the match, with its ticket; or the operator",
    Access.ANSWER: "a player of the match, with its ticket or token",
    Access.OPERATOR: "the operator",
}


class _Anything:
    """Stands for a service of which only the names of the methods matter."""

    def __getattr__(self, name: str) -> Any:
        return name


def tables() -> dict[str, list[Tool]]:
    """The tools of the agents that speak the league's protocol, by agent."""
    service = cast(Any, _Anything())
    return {
        "League manager": manager_tools(service),
        "Referee": referee_tools(service, [SPEC]),
        "Player": player_tools(service, [SPEC]),
    }


def seat_tools() -> list[Any]:
    """The tools of a seat for an MCP host."""
    return asyncio.run(build_server(cast(Any, _Anything())).list_tools())


def render() -> str:
    """The page as Markdown."""
    parts = [HEAD]
    for agent, tools in tables().items():
        parts.append(f"## {agent}\n")
        parts += [_tool(tool) for tool in tools]
    parts.append(
        "## A seat for an MCP host\n\n"
        "`league host` serves these to a person, or a model, in an MCP host: [Sit a host down](../hosts.md).\n"
    )
    parts += [_seat_tool(tool) for tool in seat_tools()]
    return "\n".join(parts)


def _tool(tool: Tool) -> str:
    call = tool.call
    lines = [f"### `{call.tool}`\n", f"{call.description}\n"]
    if call.aliases:
        lines.append(f"- also called: {', '.join(f'`{alias}`' for alias in call.aliases)}")
    lines.append(f"- who may call it: {ACCESS[tool.access]}")
    lines.append(f"- message: {_message(call.request, tool)}, answered by {_message(call.reply, tool)}")
    hints = [
        word
        for word, holds in (
            ("changes nothing", call.read_only),
            ("may be repeated", call.idempotent),
            ("cannot be undone", call.destructive),
        )
        if holds
    ]
    if hints:
        lines.append(f"- {', '.join(hints)}")
    schema = CODEC.input_schema(call.request, spec=tool.spec)
    properties = {name: about for name, about in schema["properties"].items() if name not in ENVELOPE}
    return "\n".join(lines) + "\n\n" + _arguments(properties, schema.get("required", ()))


def _message(kind: type[Message], tool: Tool) -> str:
    about = CODEC.input_schema(kind, spec=tool.spec)["properties"]["message_type"]
    name = about["enum"][0] if "enum" in about else about["const"]
    return f"[`{name}`](../protocol_spec.md#{name.lower()})"


def _seat_tool(tool: Any) -> str:
    schema = tool.input_schema
    definitions = schema.get("$defs", {})
    properties = {
        name: definitions[about["$ref"].rpartition("/")[2]] | about if "$ref" in about else about
        for name, about in schema["properties"].items()
    }
    described = " ".join((tool.description or "").split())
    return f"### `{tool.name}`\n\n{described}\n\n{_arguments(properties, schema.get('required', ()))}"


def _arguments(properties: Schema, required: Any) -> str:
    rows = list(_rows(properties, set(required), ""))
    return table(("argument", "type", "what it is"), rows) if rows else "No arguments of its own.\n"


def _rows(properties: Schema, required: set[str], prefix: str) -> Iterator[tuple[str, str, str]]:
    for name, about in properties.items():
        needed = "**Required.** " if name in required else ""
        yield f"`{prefix}{name}`", _type(about), needed + about.get("description", "")
        inner = about["anyOf"][0] if "anyOf" in about else about
        mark = "[]" if "items" in inner else ""
        inner = inner.get("items", inner)
        yield from _rows(inner.get("properties", {}), set(inner.get("required", ())), f"{prefix}{name}{mark}.")


def _type(about: Schema) -> str:
    if "anyOf" in about:
        return " or ".join(_type(option) for option in about["anyOf"])
    if len(about.get("enum", ())) > MOST_WORDS:
        return f"one of {len(about['enum'])} words, such as `{about['enum'][0]}`"
    if "enum" in about:
        return " or ".join(f"`{value}`" for value in about["enum"])
    if "const" in about:
        return f"`{about['const']}`"
    if about.get("type") == "array":
        return f"array of {_type(about['items'])}"
    return "timestamp" if about.get("format") == "date-time" else str(about.get("type", "any JSON"))


if __name__ == "__main__":
    TARGET.write_text(render(), encoding="utf-8")
