# type: ignore  (its framework is in an environment of its own)
"""With langchain-mcp-adapters."""

import asyncio
import json
from typing import Any

from langchain_mcp_adapters.client import MultiServerMCPClient
from playing import URL, play


async def main() -> None:
    client = MultiServerMCPClient({"seat": {"transport": "streamable_http", "url": URL}})
    tools = {tool.name: tool for tool in await client.get_tools()}

    async def call(name: str, arguments: dict[str, Any]) -> Any:
        (part,) = await tools[name].ainvoke(arguments)
        return json.loads(part["text"])

    await play(list(tools), call)


asyncio.run(main())
