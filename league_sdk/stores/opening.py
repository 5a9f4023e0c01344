"""Opens the store for a URL's scheme, plug-ins included."""

from collections.abc import Mapping
from pathlib import Path

from league_sdk import plugins
from league_sdk.names import safe_name
from league_sdk.plugins import StoreOpener
from league_sdk.ports import EventStore
from league_sdk.stores.memory import MemoryEventStore

_SQL = ("sqlite", "postgresql", "postgres")
SCHEMES = ("memory", *_SQL)  # schemes of our own stores, to which plug-ins add theirs


def events_file(data_root: Path, league_id: str) -> Path:
    """The default file of a league's events: `leagues/<league>/events.db`."""
    return data_root / "leagues" / safe_name(league_id, "league id") / "events.db"


async def open_store(
    url: str | None, data_root: Path, league_id: str, openers: Mapping[str, StoreOpener] | None = None
) -> EventStore:
    """Open the store of a league's events.

    Args:
        url: `memory:`, `sqlite:///file`, `postgresql://…`, a plug-in's `scheme:…`; None for the league's own SQLite
            file (`events_file`).
        data_root: The `data` folder.
        league_id: The league.
        openers: Openers of other stores by scheme; those of the installed packages when left out.

    Raises:
        ValueError: The URL's scheme is not known, or the league's id cannot name a folder.
        StoreFailed: The store cannot be opened.
    """
    scheme = "sqlite" if url is None else url.partition(":")[0]
    if scheme == "memory":
        return MemoryEventStore()
    if url is None or scheme.partition("+")[0] in _SQL:
        # A database library loads slowly, and only the league manager needs one.
        from sqlalchemy.engine import URL

        from league_sdk.stores.sql import SqlEventStore

        own = URL.create("sqlite", database=str(events_file(data_root, league_id).resolve()))
        return await SqlEventStore.open(url or own)
    others = plugins.stores() if openers is None else openers
    if scheme not in others:
        known = ", ".join(("memory", "sqlite", "postgresql", *sorted(others)))
        raise ValueError(f"no store is called {scheme!r}: known are {known}")
    return await others[scheme](url)
