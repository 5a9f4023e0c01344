"""Cancelling of a league whose manager does not run."""

from collections.abc import Sequence

import anyio

from league_sdk.bounds import LONGEST_REASON
from league_sdk.clock import SystemClock
from league_sdk.domain.commands import CancelLeague, Command, CreateLeague
from league_sdk.domain.events import Record
from league_sdk.domain.league import fold
from league_sdk.settings import Workspace
from league_sdk.stores import JsonFiles, open_store
from league_sdk.tokens import operator_digest
from servers.agent.manager_lock import manager_lock
from servers.agent.operator_secret import check_leads, kept_token
from servers.cli import common
from servers.launcher.plan import load_plan
from servers.launcher.run_options import PlanError
from servers.league_manager.ledger import Ledger


def cancel_stored(workspace: Workspace, league_id: str, reason: str, token: str | None) -> None:
    """Record the cancellation that a manager would, with its operator's token."""
    if len(reason) > LONGEST_REASON:
        raise PlanError(f"--reason has {len(reason)} characters; {LONGEST_REASON} are the most")
    url = common.store_of(workspace, league_id, None, None)
    orders: list[Command] = [CancelLeague(reason)]
    records = common.read_records(workspace, league_id)
    if records:
        known = fold(record.event for record in records)
        check_leads(known, token or kept_token(workspace, known), kept=token is None)
    else:  # it was planned, and nothing came of it
        planned = load_plan(workspace, league_id, without_token=True)
        made = operator_digest(common.operator_token(workspace, league_id, token), league_id)
        orders.insert(0, CreateLeague(planned.rules, made))
    with manager_lock(workspace, league_id):
        anyio.run(_record, workspace, league_id, url, orders)


async def _record(workspace: Workspace, league_id: str, url: str | None, orders: Sequence[Command]) -> None:
    store = await open_store(url, workspace.data, league_id)
    try:
        ledger, records = Ledger(store, SystemClock(), league_id), list[Record]()
        await ledger.open(lambda _, page: records.extend(page))
        for order in orders:
            records += await ledger.execute(order)
        JsonFiles(workspace.data).catch_up(ledger.league, records)
    finally:
        await store.close()
