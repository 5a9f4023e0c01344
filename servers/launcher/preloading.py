"""Loads everything agents need, for the fork server and leagues in one process.

Garbage isn't looked for from here on: what modules make stays, and the search is a fifth of their import.
Agents switch it on again (`servers.agent.gc_tuning.settle_memory`); the fork server itself makes no garbage.
"""

import gc
import os
from importlib import import_module

from servers.launcher.fork_server import OURS, SAFE_PATH

gc.disable()
if os.environ.get(SAFE_PATH) == OURS:
    del os.environ[SAFE_PATH]  # it has done its work; programs that a strategy starts are none of its business

for _name in (
    "servers.launcher.agents",
    "servers.launcher.worker_processes",
    "servers.league_manager.main",
    "servers.referee.main",
    "servers.player.main",
    "servers.seats.main",
    # These are loaded by name, at the first use.
    "league_sdk.stores.sql",
    "sqlalchemy.dialects.sqlite.aiosqlite",
    "anyio._backends._asyncio",
    "concurrent.futures.thread",
    "encodings.idna",
    "uvicorn.lifespan.off",
):
    import_module(_name)


def _make_schemas() -> None:
    """Make the schemas of all tools once, in place of once an agent."""
    from league_sdk.protocol.catalog import CALLS
    from league_sdk.protocol.tool_schemas import message_schema

    for call in CALLS:
        message_schema(call.request, "validation", None)
        message_schema(call.reply, "serialization", None)


_make_schemas()
import_module("league_sdk.plugins").load_own()  # others may start threads, which a fork would lose
