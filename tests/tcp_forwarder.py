"""An address that stays when the manager behind it moves, as the name of a service does."""

import asyncio
import threading
from collections.abc import Generator
from contextlib import contextmanager

from servers.launcher.ray_node import LeagueAddress


class Forwarder:
    """Passes connections to 127.0.0.1 on to one of two managers."""

    def __init__(self, loop: asyncio.AbstractEventLoop, address: LeagueAddress, port: int) -> None:
        self._loop, self._address, self.port = loop, address, port

    def lead_to(self, port: int) -> None:
        """Pass on to another port; connections to the one before end."""
        leading = self._address.lead_to(("127.0.0.1", port))
        asyncio.run_coroutine_threadsafe(leading, self._loop).result(10)


@contextmanager
def forwarder() -> Generator[Forwarder]:
    """A forwarder in a thread of its own, which leads nowhere yet."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    address = LeagueAddress()
    server = asyncio.run_coroutine_threadsafe(asyncio.start_server(address._pass_on, "127.0.0.1", 0), loop).result(10)
    try:
        yield Forwarder(loop, address, server.sockets[0].getsockname()[1])
    finally:
        server.close()
        asyncio.run_coroutine_threadsafe(address.lead_to(None), loop).result(10)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(10)
        loop.close()
