"""Engines of the SQL stores: their URLs, their drivers, their errors."""

from pathlib import Path
from typing import Any

from sqlalchemy import event
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, NoSuchModuleError
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

from league_sdk.ports import StoreFailed

BUSY_TIMEOUT_SEC = 10.0  # time that SQLite waits for another process's transaction
CONNECT_TIMEOUT_SEC = 10.0  # time limit for a connection to PostgreSQL

_DRIVERS = {
    "sqlite": "sqlite+aiosqlite",
    "postgresql": "postgresql+asyncpg",
    "postgres": "postgresql+asyncpg",
}
_LOST_CONNECTION = ("08", "57")  # classes of SQLSTATE: connection exception, operator intervention


def reason(error: BaseException) -> str:
    """The driver's message, without the statement and its parameters."""
    origin = getattr(error, "orig", None) or error
    return str(origin) or type(origin).__name__


def disconnected(error: BaseException) -> bool:
    """True if the database went away, rather than refused."""
    state = str(getattr(getattr(error, "orig", error), "sqlstate", None) or "")
    invalidated = bool(getattr(error, "connection_invalidated", False))
    return isinstance(error, OSError) or invalidated or state.startswith(_LOST_CONNECTION)


def target_of(url: str | URL) -> URL:
    """The URL with its driver; ValueError for one that is no store's."""
    try:
        target = make_url(url)
    except ArgumentError as error:
        raise ValueError("the store's URL is not understood: use sqlite:///events.db or postgresql://…") from error
    target = target.set(drivername=_DRIVERS.get(target.drivername, target.drivername))
    if target.drivername not in _DRIVERS.values():
        known = ", ".join(sorted(_DRIVERS))
        raise ValueError(f"no store for {target.drivername!r}: known are {known}")
    if target.get_backend_name() == "sqlite" and target.database in (None, "", ":memory:"):
        raise ValueError("SQLite needs a file, such as sqlite:///events.db; for a store in memory use 'memory:'")
    return target


def engine_for(target: URL) -> AsyncEngine:
    """A pool of connections; StoreFailed without the driver."""
    try:
        if target.get_backend_name() == "sqlite":
            return _sqlite_engine(target)
        limits = {"timeout": CONNECT_TIMEOUT_SEC}
        return create_async_engine(target, pool_size=4, max_overflow=4, pool_pre_ping=True, connect_args=limits)
    except (ImportError, NoSuchModuleError) as error:
        raise StoreFailed(f"{target.drivername} needs a driver: pip install 'mcp-agent-league[postgres]'") from error


def _sqlite_engine(target: URL) -> AsyncEngine:
    folder = Path(target.database or "").parent
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreFailed(f"cannot make the folder {folder}: {reason(error)}") from error
    # Each connection is a thread: one to write, one to read meanwhile.
    engine = create_async_engine(
        target, pool_size=2, max_overflow=0, pool_timeout=60, connect_args={"timeout": BUSY_TIMEOUT_SEC}
    )

    def make_durable(connection: Any, _entry: object) -> None:
        cursor = connection.cursor()
        cursor.execute("PRAGMA journal_mode=WAL")
        cursor.execute("PRAGMA synchronous=FULL")
        cursor.close()

    event.listen(engine.sync_engine, "connect", make_durable)
    return engine
