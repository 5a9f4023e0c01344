"""Counts what passes the SDK's own classes: `sitecustomize` of every process of a league that is counted.

Each count is a line, appended at once, since agents may end without a farewell.
"""

import os
from typing import Any

from mcp.client.session import ClientSession
from mcp.server.lowlevel import Server

_OUT = os.open(os.environ["SDK_COUNTS"], os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)


def _count(what: str) -> None:
    os.write(_OUT, f"{what}\n".encode())


_enter, _send, _discover, _init = (
    ClientSession.__aenter__,
    ClientSession.send_request,
    ClientSession.send_discover,
    Server.__init__,
)


async def _entered(self: Any) -> Any:
    _count("session")
    return await _enter(self)


async def _sent(self: Any, request: Any, *args: Any, **options: Any) -> Any:
    _count(f"sent {request.method}")
    return await _send(self, request, *args, **options)


async def _discovered(self: Any, *args: Any, **options: Any) -> Any:
    _count("sent server/discover")
    return await _discover(self, *args, **options)


async def _handled(context: Any, call_next: Any) -> Any:
    _count(f"handled {context.method}")
    return await call_next(context)


def _made(self: Any, *args: Any, **options: Any) -> None:
    _init(self, *args, **options)
    self.middleware.append(_handled)


ClientSession.__aenter__ = _entered
ClientSession.send_request = _sent
ClientSession.send_discover = _discovered
Server.__init__ = _made
