"""Lock held by a league's live manager.

The mark is a lock of the system on a file in the league's folder. It ends with its process, however that dies, so what
is found is true: a manager that was paused still holds it, one that was killed does not. The event store would refuse
the second of two managers anyway, but only once both have started agents and spoken to everybody.
"""

import fcntl
import os
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Final

from league_sdk.clock import Clock
from league_sdk.settings import Workspace

PAUSED: Final = "paused by the operator"
"""Why a league is stopped whose manager waits for its operator to let it go on."""
MARK_FILE: Final = "manager.lock"
PATIENCE_SEC = 10.0
"""Time for a manager to end whose `league run` was killed: it closes what it has open."""
LOOK_SEC = 0.1
"""The pause between two looks whether it has."""

Say = Callable[[str], None]


@contextmanager
def manager_lock(workspace: Workspace, league_id: str) -> Generator[Say]:
    """Mark a league as led.

    Managers do not exclude each other by this: it is for those who ask before they start one.
    """
    path = workspace.league_dir(league_id) / MARK_FILE
    path.parent.mkdir(parents=True, exist_ok=True)
    file = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(file, fcntl.LOCK_SH)

        def at(endpoint: str) -> None:
            os.truncate(file, 0)
            os.pwrite(file, endpoint.encode(), 0)

        at("")
        yield at
    finally:
        os.close(file)


def leader(workspace: Workspace, league_id: str) -> str | None:
    """The endpoint of a league's live manager; empty before it has one, None without."""
    try:
        file = os.open(workspace.league_dir(league_id) / MARK_FILE, os.O_RDWR)
    except FileNotFoundError:
        return None
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return os.read(file, 4096).decode("utf-8", "replace")
    finally:
        os.close(file)
    return None


async def leader_that_stays(workspace: Workspace, league_id: str, clock: Clock, say: Say) -> str | None:
    """Wait for the manager of a league to end, for a while."""
    found, end = leader(workspace, league_id), clock.monotonic() + PATIENCE_SEC
    if found is not None:
        say(f"{manager_at(found)} still leads {league_id}; waiting up to {PATIENCE_SEC:g} s for it to end")
    while found is not None and clock.monotonic() < end:
        await clock.sleep(LOOK_SEC)
        found = leader(workspace, league_id)
    return found


def manager_at(endpoint: str) -> str:
    """Name of a manager by the endpoint in its lock file."""
    return f"the league manager at {endpoint}" if endpoint else "a league manager that has just begun"
