"""On the high level of the official SDK, 2.x."""

import os

from even_odd import TOOLS
from mcp.server import MCPServer

server = MCPServer("Mia")
for tool in TOOLS:
    server.tool()(tool)
server.run(transport="streamable-http", host="127.0.0.1", port=int(os.environ["PORT"]))
