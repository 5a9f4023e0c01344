"""MCP over standard input and output, as desktop hosts start their servers.

Endpoints have the form `stdio:<command line>`; connecting starts the command, closing ends it.
"""

import asyncio
import contextlib
import os
import shlex
import sys
import threading
from collections.abc import AsyncGenerator, AsyncIterator, Generator, Mapping
from concurrent.futures import CancelledError
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, TextIO, cast

from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.server.stdio import stdio_server

from league_sdk.errors import InvalidEndpoint
from league_sdk.mcp_adapter.client import open_connection
from league_sdk.mcp_adapter.server import build_server
from league_sdk.ports import Connection, ToolHost

_SCHEME = "stdio:"
_LINES_AHEAD = 16


async def serve_stdio(host: ToolHost) -> None:
    """Serve `host` on standard input and output until end of input or cancellation.

    While it serves, printed output goes to standard error.
    """
    server = build_server(host)
    with _standard_input() as lines:
        # The SDK diverts the descriptor; text in Python's own buffer would still go out on the wire in the end.
        async with stdio_server(stdin=cast("Any", lines)) as (read, write):
            with contextlib.redirect_stdout(sys.stderr):
                await server.run(read, write, server.create_initialization_options())


@contextlib.contextmanager
def _standard_input() -> Generator[AsyncIterator[str]]:
    """Standard input, read line by line in a daemon thread.

    The SDK reads in a thread that cannot be cancelled, so a program that has to end would wait for its host. The
    descriptor 0 is replaced meanwhile, so that no other code reads from it.
    """
    private = os.dup(0)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    lines: asyncio.Queue[bytes | None] = asyncio.Queue(_LINES_AHEAD)
    loop = asyncio.get_running_loop()

    def read() -> None:
        with contextlib.suppress(RuntimeError, OSError, CancelledError):  # the loop is closed
            for line in _lines(private):
                asyncio.run_coroutine_threadsafe(lines.put(line), loop).result()
            asyncio.run_coroutine_threadsafe(lines.put(None), loop).result()

    threading.Thread(target=read, name="standard input", daemon=True).start()
    try:
        yield _until_none(lines)
    finally:
        # The descriptor stays open: the thread may still read from it.
        os.dup2(private, 0)


def _lines(descriptor: int) -> Generator[bytes]:
    begun = b""
    while chunk := os.read(descriptor, 65_536):
        *whole, begun = (begun + chunk).split(b"\n")
        yield from whole


async def _until_none(lines: "asyncio.Queue[bytes | None]") -> AsyncGenerator[str]:
    while (line := await lines.get()) is not None:
        yield line.decode(errors="replace")


class StdioConnector:
    """The calling half.

    Args:
        env: Environment variables for the command, beside the few that are always passed on.
        cwd: Its working directory; by default this process's.
        errlog: Destination of its standard error; by default this process's.
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
        return endpoint.startswith(_SCHEME)

    @asynccontextmanager
    async def connect(self, endpoint: str) -> AsyncGenerator[Connection]:
        """Start the command and keep it until the context ends; see `Connector.connect`."""
        words = shlex.split(endpoint.removeprefix(_SCHEME))
        if not words:
            raise InvalidEndpoint(f"{endpoint!r} names no command", field="endpoint", expected="stdio:<command line>")
        parameters = StdioServerParameters(command=words[0], args=words[1:], env=self._env, cwd=self._cwd)
        transport = stdio_client(parameters, errlog=self._errlog or sys.stderr)
        async with open_connection(transport, mode=self._mode) as connection:
            yield connection
