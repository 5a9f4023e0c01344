"""An agent: an MCP server with a table of tools."""

from collections.abc import Mapping, Sequence

from league_sdk.bounds import shorten
from league_sdk.errors import INVALID_PARAMS
from league_sdk.json_value import Json
from league_sdk.ports import CallContext, CallRefused, ToolDescriptor
from league_sdk.release import release
from league_sdk.resource_provider import ResourceProvider
from servers.agent.inbound import Inbound, InboundCall, InboundLayers, Tool


class AgentServer:
    """Serves a tool table; see `servers.agent.inbound` for a call's way."""

    version = release()

    def __init__(
        self,
        name: str,
        instructions: str,
        tools: Sequence[Tool],
        inbound: Inbound,
        resources: ResourceProvider | None = None,
    ) -> None:
        self.name = name
        self.instructions = instructions
        self.resources = resources
        self.layers = InboundLayers(inbound)
        self._tools = {alias: tool for tool in tools for alias in (tool.call.tool, *tool.call.aliases)}
        self._codec = inbound.codec
        self._refused_calls = inbound.refused_calls

    def tools(self) -> list[ToolDescriptor]:
        """Every tool and alias with its schemas, in the order of the table."""
        return [self._describe(name, tool) for name, tool in self._tools.items()]

    async def call(self, tool: str, arguments: Mapping[str, Json], context: CallContext) -> dict[str, Json]:
        """Handle one call and return the reply message as JSON."""
        entry = self._tools.get(tool)
        if entry is None:
            self._refused_calls.refused("unknown", context.address, f"there is no tool {shorten(tool, 100)!r}")
            raise CallRefused(INVALID_PARAMS, f"Unknown tool: {shorten(tool, 100)}")
        return await self.layers.receive(InboundCall(entry, arguments, context, self._codec))

    def refuse_body(self, address: str, reason: str) -> None:
        """Tell the operator of a body that is no request."""
        self._refused_calls.refused("malformed", address, reason)

    def _describe(self, name: str, tool: Tool) -> ToolDescriptor:
        alias = "" if name == tool.call.tool else f" (Another name of {tool.call.tool}.)"
        return ToolDescriptor(
            name=name,
            title=tool.call.title,
            description=tool.call.description + alias,
            input_schema=self._codec.input_schema(tool.call.request, spec=tool.spec),
            output_schema=self._codec.output_schema(tool.call.reply, spec=tool.spec),
            read_only=tool.call.read_only,
            idempotent=tool.call.idempotent,
            destructive=tool.call.destructive,
            open_world=tool.call.open_world,
        )
