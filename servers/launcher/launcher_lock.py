"""Lock held by the process that runs a league's agents."""

import json
import os
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass

from league_sdk.settings import Workspace
from servers.agent.manager_lock import holder, locked

LOCK_FILE = "launcher.lock"


@dataclass(frozen=True, slots=True)
class Launcher:
    """A process of `league run` or `league resume`."""

    pid: int
    on: str = ""  # the Ray cluster in which its agents are; empty for processes of this machine
    page: str = ""  # the address of the league's page; empty before the manager listens


@contextmanager
def launcher_lock(workspace: Workspace, league_id: str, on: str) -> Generator[Callable[[str], None]]:
    """Mark a league as run by this process; yields what takes its page."""
    with locked(workspace.league_dir(league_id) / LOCK_FILE) as say:

        def serves(page: str) -> None:
            say(json.dumps(asdict(Launcher(os.getpid(), on, page))))

        serves("")
        yield serves


def launcher(workspace: Workspace, league_id: str) -> Launcher | None:
    """The process that runs a league; None without one, also when it was killed."""
    with suppress(ValueError):  # read while it is written: it begins or ends this moment
        if text := holder(workspace.league_dir(league_id) / LOCK_FILE):
            return Launcher(**json.loads(text))
    return None


def running(workspace: Workspace) -> list[str]:
    """The ids of all leagues that are run here."""
    found = (path.parent.name for path in sorted(workspace.leagues.glob(f"*/{LOCK_FILE}")))
    return [league_id for league_id in found if launcher(workspace, league_id) is not None]
