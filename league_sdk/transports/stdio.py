"""MCP over a process's standard input and output, as desktop hosts start their servers.

Endpoints have the form `stdio:<command line>`; connecting starts the command, closing ends it.
"""

import contextlib
import shlex
import sys
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TextIO

from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.server.stdio import stdio_server

from league_sdk.errors import InvalidEndpoint
from league_sdk.mcp_bridge import build_server, open_connection
from league_sdk.ports import Connection, ToolHost

_SCHEME = "stdio:"


async def serve_stdio(host: ToolHost) -> None:
    """Serve `host` on this process's standard input and output until the input ends.

    While it serves, whatever the program prints goes to standard error.
    """
    server = build_server(host)
    # The SDK diverts the descriptor; what Python itself still buffers would come out on the wire in the end.
    async with stdio_server() as (read, write):
        with contextlib.redirect_stdout(sys.stderr):
            await server.run(read, write, server.create_initialization_options())


class StdioConnector:
    """The calling half.

    Args:
        env: Environment variables for the command, beside the few that are always passed on.
        cwd: Its working directory; that of this process when None.
        errlog: Where its standard error goes; that of this process when None.
        mode: `auto`, or how to negotiate instead: `legacy` or a revision.
    """

    name = "stdio"

    def __init__(
        self,
        *,
        env: Mapping[str, str] | None = None,
        cwd: Path | None = None,
        errlog: TextIO | None = None,
        mode: str = "auto",
    ) -> None:
        self._env = dict(env or {})
        self._cwd = cwd
        self._errlog = errlog
        self._mode = mode

    def accepts(self, endpoint: str) -> bool:
        """Whether it has the form `stdio:<command line>`."""
        return endpoint.startswith(_SCHEME)

    @asynccontextmanager
    async def connect(self, endpoint: str) -> AsyncGenerator[Connection]:
        """Start the command and keep it until the context ends; see `Connector.connect`.

        Raises:
            InvalidEndpoint: There is no command in it.
        """
        words = shlex.split(endpoint.removeprefix(_SCHEME))
        if not words:
            raise InvalidEndpoint(f"{endpoint!r} names no command", field="endpoint", expected="stdio:<command line>")
        parameters = StdioServerParameters(command=words[0], args=words[1:], env=self._env, cwd=self._cwd)
        transport = stdio_client(parameters, errlog=self._errlog or sys.stderr)
        async with open_connection(transport, mode=self._mode) as connection:
            yield connection
