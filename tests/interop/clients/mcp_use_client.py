# type: ignore  (its framework is in an environment of its own)
"""With mcp-use."""

import asyncio
import json
from typing import Any

from mcp_use import MCPClient
from playing import URL, play


async def main() -> None:
    client = MCPClient.from_dict({"mcpServers": {"seat": {"url": URL}}})
    session = await client.create_session("seat")
    tools = await session.list_tools()

    async def call(name: str, arguments: dict[str, Any]) -> Any:
        result = await session.call_tool(name, arguments)
        return json.loads(result.content[0].text)

    await play([tool.name for tool in tools], call)
    await client.close_all_sessions()


asyncio.run(main())
