"""`league list`: the leagues of a folder or a database."""

from collections.abc import Mapping, Sequence
from typing import Any

import anyio

from league_sdk.clock import SystemClock
from league_sdk.ports import EventStore
from league_sdk.settings import Workspace
from league_sdk.stores import open_store
from servers.agent import event_store
from servers.cli import common
from servers.league_manager.ledger import Ledger
from servers.read_model.text import count


def list(  # noqa: A001 (the command is called so)
    store: common.StoreOption = None,
    data: common.DataOption = None,
    as_json: common.JsonOption = False,
) -> None:
    """List the leagues of this folder, or of a database.

    [bold]Examples[/bold]

      league list
      league list --store postgresql://league@db/league --json
    """
    workspace = common.workspace_of(data)
    url = event_store.checked(store)
    rows = anyio.run(_rows_of_store, workspace, url) if url else _rows_of_folder(workspace)
    if as_json:
        common.print_json({"leagues": [*rows]})
        return
    for row in rows:
        state = f"{row['state']}, {row['read_only']} and read-only" if row["read_only"] else row["state"]
        common.print_out(f"{row['league_id']}  {state}  {count(row['records'], 'record')}  {row['display_name']}")
    if not rows:
        common.print_err("league: there is no league")


def _rows_of_folder(workspace: Workspace) -> Sequence[Mapping[str, Any]]:
    names = sorted(folder.name for folder in workspace.leagues.glob("*"))
    stores = ((name, common.store_of(workspace, name, None, None)) for name in names)
    stored = ((name, url) for name, url in stores if event_store.is_stored(workspace, name, url))
    return tuple(anyio.run(_row_of, workspace, name, url) for name, url in stored)


async def _rows_of_store(workspace: Workspace, url: str) -> Sequence[Mapping[str, Any]]:
    store = await open_store(url, workspace.data, "any")
    try:
        return [await _row(store, league_id) for league_id in await store.leagues()]
    finally:
        await store.close()


async def _row_of(workspace: Workspace, league_id: str, url: str | None) -> Mapping[str, Any]:
    store = await open_store(url, workspace.data, league_id)
    try:
        return await _row(store, league_id)
    finally:
        await store.close()


async def _row(store: EventStore, league_id: str) -> dict[str, Any]:
    ledger = Ledger(store, SystemClock(), league_id)
    await ledger.open()
    league, head = ledger.league, ledger.head
    return {
        "league_id": league_id,
        "display_name": league.rules.display_name,
        "game_type": league.rules.game_type,
        "state": str(league.state),
        "read_only": league.read_only,
        "epoch": league.epoch.number,
        "records": head.sequence if head else 0,
    }
