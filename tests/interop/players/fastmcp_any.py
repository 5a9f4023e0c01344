# type: ignore  (its framework is in an environment of its own)
"""On fastmcp of PyPI, 2.14 to 4."""

import os

from even_odd import TOOLS
from fastmcp import FastMCP

server = FastMCP("Mia")
for tool in TOOLS:
    server.tool(tool)
server.run(transport="http", host="127.0.0.1", port=int(os.environ["PORT"]), path="/mcp", show_banner=False)
