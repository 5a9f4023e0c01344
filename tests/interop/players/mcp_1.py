# type: ignore  (its framework is in an environment of its own)
"""On the high level of the official SDK, 1.x."""

import os

from even_odd import TOOLS
from mcp.server.fastmcp import FastMCP

server = FastMCP("Mia", host="127.0.0.1", port=int(os.environ["PORT"]))
for tool in TOOLS:
    server.tool()(tool)
server.run(transport="streamable-http")
