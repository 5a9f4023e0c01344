"""Event stores, and the JSON files that people read."""

from typing import TYPE_CHECKING, Any

from league_sdk.stores.atomic_files import DamagedFile
from league_sdk.stores.json_files import JsonFiles
from league_sdk.stores.memory import MemoryEventStore
from league_sdk.stores.opening import SCHEMES, events_file, open_store
from league_sdk.stores.player_history import PlayerHistoryRepository
from league_sdk.stores.repositories import DATA_ROOT, MatchRepository, RoundsRepository, StandingsRepository
from league_sdk.stores.spending import CapReached, SpendingRepository

if TYPE_CHECKING:
    from league_sdk.stores.sql import SqlEventStore

__all__ = [
    "DATA_ROOT",
    "SCHEMES",
    "CapReached",
    "DamagedFile",
    "JsonFiles",
    "MatchRepository",
    "MemoryEventStore",
    "PlayerHistoryRepository",
    "RoundsRepository",
    "SpendingRepository",
    "SqlEventStore",
    "StandingsRepository",
    "events_file",
    "open_store",
]


def __getattr__(name: str) -> Any:
    """Import the SQL store at its first use: loading a database library is slow."""
    if name == "SqlEventStore":
        from league_sdk.stores.sql import SqlEventStore

        return SqlEventStore
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
