"""The JSON files of a league whose manager does not run, from its records."""

from league_sdk.clock import SystemClock
from league_sdk.ports import EventStore
from league_sdk.settings import Workspace
from league_sdk.stores import JsonFiles
from servers.league_manager.ledger import Ledger
from servers.league_manager.projection import AT_ONCE


async def write_files(store: EventStore, workspace: Workspace, league_id: str) -> None:
    """Write all files of a league, a few matches at a time."""
    files, ledger = JsonFiles(workspace.data), Ledger(store, SystemClock(), league_id)
    await ledger.open(files.catch_up)
    files.update(ledger.league, ())
    while due := files.matches_left(league_id, AT_ONCE):
        results = {result.match_id: result for result in await ledger.results(due)}
        files.write_matches(ledger.league, due, results)
