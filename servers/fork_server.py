"""The process that agents are forked from. It has what they need loaded, and no threads.

Only the standard library is used here, so that it can be the first thing that a command starts: loading takes longer
than all the rest of its beginning, and goes on beside it.
"""

import multiprocessing
import signal
from collections.abc import Generator
from contextlib import contextmanager
from multiprocessing import forkserver, resource_tracker
from multiprocessing.context import ForkServerContext

PRELOADED = [
    "servers.agents",
    "servers.league_manager.main",
    "servers.referee.main",
    "servers.player.main",
    "league_sdk.stores.sql",
    "aiosqlite",
]


def start_fork_server() -> ForkServerContext | None:
    """Start it, unless it runs; it ends with this process. None where nothing can be forked."""
    if "forkserver" not in multiprocessing.get_all_start_methods():
        return None
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(PRELOADED)
    resource_tracker.ensure_running()  # first, since it would let interrupts through again
    with deaf_to_interrupts():
        forkserver.ensure_running()
    return context


@contextmanager
def deaf_to_interrupts() -> Generator[None]:
    """Ctrl-C reaches the whole group: a process that is started in here never notices, and we do afterwards."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
