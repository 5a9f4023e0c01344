"""Serves an EchoHost over stdio, as a separate process."""

import anyio

from league_sdk.testing import EchoHost
from league_sdk.transports.stdio import serve_stdio

if __name__ == "__main__":
    anyio.run(serve_stdio, EchoHost())
