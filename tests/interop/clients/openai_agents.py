# type: ignore  (its framework is in an environment of its own)
"""With openai-agents; each tool is converted as for a model that takes strict schemas alone."""

import asyncio
import json
import logging
import sys
from typing import Any

from agents.mcp import MCPServerStreamableHttp, MCPUtil
from playing import URL, play


class Counting(logging.Handler):
    """Counts the tools that the conversion gave up."""

    refused = 0

    def emit(self, record: logging.LogRecord) -> None:
        self.refused += "strict" in record.getMessage()


async def main() -> None:
    async with MCPServerStreamableHttp(params={"url": URL}, client_session_timeout_seconds=60) as server:
        tools = await server.list_tools()
        counting = Counting()
        logging.getLogger("openai.agents").addHandler(counting)
        for tool in tools:
            MCPUtil.to_function_tool(tool, server, convert_schemas_to_strict=True)
        print(f"{counting.refused} of {len(tools)} tools are not strict", file=sys.stderr)

        async def call(name: str, arguments: dict[str, Any]) -> Any:
            result = await server.call_tool(name, arguments)
            return json.loads(result.content[0].text)

        await play([tool.name for tool in tools], call)


asyncio.run(main())
