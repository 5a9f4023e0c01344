"""Lock held by a league's live manager.

The mark is a lock of the system on a file in the league's folder. It ends with its process, however that dies, so what
is found is true: a manager that was paused still holds it, one that was killed does not. The event store would refuse
the second of two managers anyway, but only once both have started agents and spoken to everybody.
"""

import fcntl
import os
from collections.abc import Callable, Generator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Final

from league_sdk.clock import Clock
from league_sdk.settings import Workspace

PAUSED: Final = "paused by the operator"
"""Why a league is stopped whose manager waits for its operator to let it continue."""
REFUSED: Final = "paused: "
"""Begins the reason of a pause that the manager makes itself, since its agents refuse it."""
MARK_FILE: Final = "manager.lock"
PATIENCE_SEC = 10.0
"""Time for a manager to end whose `league run` was killed: it closes what it has open."""
LOOK_SEC = 0.1
"""The pause between two looks whether it has."""

Say = Callable[[str], None]


@contextmanager
def locked(path: Path) -> Generator[Say]:
    """Hold the lock on a file; what is said is its content."""
    path.parent.mkdir(parents=True, exist_ok=True)
    file = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(file, fcntl.LOCK_SH)

        def say(text: str) -> None:
            os.truncate(file, 0)
            os.pwrite(file, text.encode(), 0)

        say("")
        yield say
    finally:
        os.close(file)


def holder(path: Path) -> str | None:
    """The content of a locked file; None if it is not locked."""
    try:
        file = os.open(path, os.O_RDWR)
    except FileNotFoundError:
        return None
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return os.read(file, 4096).decode("utf-8", "replace")
    finally:
        os.close(file)
    return None


def manager_lock(workspace: Workspace, league_id: str) -> AbstractContextManager[Say]:
    """Mark a league as led; what is said is the manager's endpoint.

    Managers do not exclude each other by this: it is for those who ask before they start one.
    """
    return locked(workspace.league_dir(league_id) / MARK_FILE)


def leader(workspace: Workspace, league_id: str) -> str | None:
    """The endpoint of a league's live manager; empty before it has one, None without."""
    return holder(workspace.league_dir(league_id) / MARK_FILE)


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


def is_pause(reason: str) -> bool:
    """True for the reason of a stopped league whose manager waits for its operator."""
    return reason == PAUSED or reason.startswith(REFUSED)
