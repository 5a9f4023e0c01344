"""With pydantic-ai."""

import asyncio
import json
from typing import Any

from playing import URL, play
from pydantic_ai.mcp import MCPToolset


async def main() -> None:
    async with MCPToolset(URL) as server:
        tools = await server.list_tools()

        async def call(name: str, arguments: dict[str, Any]) -> Any:
            result = await server.direct_call_tool(name, arguments)
            return json.loads(result) if isinstance(result, str) else result

        await play([tool.name for tool in tools], call)


asyncio.run(main())
