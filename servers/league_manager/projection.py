"""The JSON files of the league, written a little behind what is stored: many results then cost one table.

When a league goes on, the files of all of its matches are written anew. They are many, and the league does not wait.
"""

import asyncio
from collections.abc import Sequence

from league_sdk.domain.events import MatchAssigned, MatchRecorded, Record
from league_sdk.domain.league import League
from league_sdk.ports import Journal
from league_sdk.stores import JsonFiles

BEHIND_SEC = 0.05
"""How long the files may be behind while matches are given out and decided."""
AT_ONCE = 20
"""How many files of matches that were decided before are written before anything else may happen."""
_MAY_WAIT = frozenset(kind.__name__ for kind in (MatchAssigned, MatchRecorded))


class Projection:
    """Keeps the files up to date. Whatever is not about a single match is in them at once, with all before it.

    Args:
        files: The files.
        journal: Where it is noted when they cannot be written.
    """

    def __init__(self, files: JsonFiles, journal: Journal) -> None:
        self._files = files
        self._journal = journal
        self._league: League | None = None
        self._records: list[Record] = []
        self._timer: asyncio.Handle | None = None

    def rebuild(self, league: League, records: Sequence[Record]) -> None:
        """Write all files anew from all records of the league, those of its matches one after the other from now on."""
        self._files.rebuild(records, league, anew=AT_ONCE)
        self._league = league
        self._timer = asyncio.get_running_loop().call_soon(self._write, AT_ONCE)

    def take(self, league: League, records: Sequence[Record]) -> None:
        """Take up what was stored; a listener of the ledger."""
        self._league = league
        self._records += records
        if not all(record.type in _MAY_WAIT for record in records):
            self._write(AT_ONCE)
        elif self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(BEHIND_SEC, self._write, AT_ONCE)

    def write(self) -> None:
        """Bring all files up to date."""
        self._write(None)

    def _write(self, anew: int | None) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._league is None:
            return
        league, records = self._league, self._records
        self._league, self._records = None, []
        try:
            if self._files.update(league, records, anew=anew):
                self._league = league
                self._timer = asyncio.get_running_loop().call_soon(self._write, AT_ONCE)
        except OSError as error:
            # The store has it; the files can be rebuilt from there.
            self._journal.event("PROJECTION_FAILED", "ERROR", reason=str(error))
