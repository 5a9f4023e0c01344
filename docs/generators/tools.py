"""Write docs/reference/tools.md from the tool tables of the agents."""

import asyncio
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, cast

from docs.generators.tables import table
from game_rules.even_odd import EvenOdd
from league_sdk.protocol.codec import Codec
from league_sdk.protocol.envelope import Message
from league_sdk.resource_provider import ResourceProvider, View
from servers.agent.access import Access
from servers.agent.inbound import Tool
from servers.host.host_server import build_server
from servers.league_manager.mcp_resources import league_resources
from servers.league_manager.tools import tool_table as manager_tools
from servers.player.mcp_resources import PlayerResources
from servers.player.tools import tool_table as player_tools
from servers.referee.mcp_resources import RefereeResources
from servers.referee.tools import tool_table as referee_tools

TARGET = Path(__file__).resolve().parents[1] / "reference" / "tools.md"
SPEC = EvenOdd.move_spec
CODEC = Codec([SPEC])
ENVELOPE = ("protocol", "message_type", "sender", "timestamp", "conversation_id", "auth_token")
MOST_WORDS = 8
Schema = Mapping[str, Any]

HEAD = """\
# Tools, resources and prompts

Made by `docs/generators/tools.py` from the agents' tool tables; change those, not this page.

Every agent is an MCP server, and these are its tools. The arguments of a tool are a message of the league: each takes
the [envelope](../protocol_spec.md#every-message) (`protocol`, `message_type`, `sender`, `timestamp`,
`conversation_id`, `auth_token`) beside what is listed here, and answers with another message. The
[messages](../protocol_spec.md) have an example each. An agent tells the same with `tools/list`, as JSON Schema of
arguments and result.

A game may spell its moves in its own way. Shown is Even/Odd; a game that declares nothing has the tool `choose_move`
with the argument `move`.

For MCP hosts, agents have [resources, prompts and tools that show something](../hosts.md#mcp-inspector) as well.
`LEAGUE` stands for the id of the league.
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
    """Stands for whatever an agent is made of, where only the names and descriptions of what it offers matter."""

    credentials = None
    league_id = "LEAGUE"

    def __getattr__(self, name: str) -> Any:
        return self

    def __call__(self, *_arguments: Any, **_more: Any) -> Any:
        return self


def tables() -> dict[str, list[Tool]]:
    """The tools of the agents that speak the league's protocol, by agent."""
    service = cast(Any, _Anything())
    return {
        "League manager": manager_tools(service),
        "Referee": referee_tools(service, [SPEC]),
        "Player": player_tools(service, [SPEC]),
    }


def libraries() -> dict[str, ResourceProvider]:
    """The agents' offers to MCP hosts beside those tools, by agent."""
    part = cast(Any, _Anything())
    return {
        "League manager": league_resources(part),
        "Referee": RefereeResources(part, part).registry,
        "Player": PlayerResources(part, part).registry,
    }


def seat() -> tuple[list[Any], list[Any], list[Any]]:
    """The tools, resources and prompts of a seat for an MCP host."""
    server = build_server(cast(Any, _Anything()))

    async def offered() -> tuple[list[Any], list[Any], list[Any]]:
        return await server.list_tools(), await server.list_resources(), await server.list_prompts()

    return asyncio.run(offered())


def render() -> str:
    """The page as Markdown."""
    parts = [HEAD]
    for agent, tools in tables().items():
        parts.append(f"## {agent}\n")
        parts += [_tool(tool) for tool in tools]
        parts += [_view(view) for view in libraries()[agent].views()]
        parts += [_resources(libraries()[agent])]
    parts.append(
        "## A seat for an MCP host\n\n"
        "`league host` serves these to a person, or a model, in an MCP host: [Sit a host down](../hosts.md).\n"
    )
    tools, resources, prompts = seat()
    parts += [_seat_tool(tool) for tool in tools]
    parts.append(_offered([(page.uri, page.description.partition(". ")[0]) for page in resources], prompts))
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


def _view(view: View) -> str:
    properties = view.input_schema.get("properties", {})
    shown = _arguments(properties, view.input_schema.get("required", ()))
    said = f"For hosts, which may draw its result with the page `{view.app}`. It takes no envelope."
    return f"### `{view.name}`\n\n{view.description} {said}\n\n{shown}"


def _resources(resources: ResourceProvider) -> str:
    pages = [*resources.resources(), *resources.templates()]
    return _offered([(page.uri.replace("//none", "//LEAGUE"), page.description) for page in pages], resources.prompts())


def _offered(addresses: Iterable[tuple[str, str]], prompts: Iterable[Any]) -> str:
    rows = [(f"`{address}`", about) for address, about in addresses]
    asked = [(f"`{prompt.name}`", _prompt(prompt)) for prompt in prompts]
    parts = ["### Resources\n", table(("address", "what it holds"), rows)]
    if asked:
        parts += ["### Prompts\n", table(("prompt", "what it asks a model for"), asked)]
    return "\n".join(parts)


def _prompt(prompt: Any) -> str:
    arguments = " ".join(f"`{argument.name}`: {argument.description}" for argument in prompt.arguments or ())
    return f"{prompt.description} {arguments}".rstrip()


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
