"""File of a live manager's waits, for terminals on its machine."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from league_sdk.settings import Workspace
from league_sdk.stores.atomic_files import write_json
from servers.agent.manager_lock import leader

WAITS_FILE = "waits.json"
MOST_BYTES = 100_000


def write_waits(workspace: Workspace, league_id: str, lines: Sequence[tuple[str, str]]) -> None:
    """Replace what is said; nothing removes the file.

    Args:
        workspace: The manager's.
        league_id: The league.
        lines: Sentences, each with the end of the time that runs, or an empty text.
    """
    if lines:
        write_json(_file(workspace, league_id), {"waits": [list(line) for line in lines]})
    else:
        _file(workspace, league_id).unlink(missing_ok=True)


def read_waits(workspace: Workspace, league_id: str) -> list[tuple[str, str]]:
    """Lines that the league's live manager has written last; none without one."""
    try:
        with _file(workspace, league_id).open("rb") as file:
            told: Any = json.loads(file.read(MOST_BYTES))
        lines = [(str(text), str(until)) for text, until in told["waits"]]
    except (OSError, ValueError, KeyError, TypeError):
        return []
    return [] if leader(workspace, league_id) is None else lines


def _file(workspace: Workspace, league_id: str) -> Path:
    return workspace.league_dir(league_id) / WAITS_FILE
