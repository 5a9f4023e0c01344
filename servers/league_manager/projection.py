"""The league's JSON files, written in batches behind the store.

When a league continues, the files of all of its matches are written anew. They are many, and the league does not wait.
"""

import asyncio
import time
from collections.abc import Sequence

import anyio

from league_sdk.domain.events import DrawCommitted, MatchAssigned, MatchRecorded, Record
from league_sdk.domain.league import League
from league_sdk.ports import Journal, StoreFailed
from league_sdk.stores import JsonFiles
from servers.league_manager.ledger import Ledger

BEHIND_SEC = 0.05
"""Least delay of the files behind the store while matches are given out and decided."""
SHARE = 50
"""The delay in times of the files' processor time: a table of 1,000 players takes 25 to 60 ms."""
AT_ONCE = 20
"""Files of matches that were decided before, to be written before anything else may happen."""
_MAY_WAIT = frozenset(kind.__name__ for kind in (MatchAssigned, DrawCommitted, MatchRecorded))


class Projection:
    """Keeps the files up to date; all but match files are written at once."""

    def __init__(self, files: JsonFiles, ledger: Ledger, journal: Journal) -> None:
        self._files = files
        self._ledger = ledger
        self._journal = journal
        self._league: League | None = None
        self._records: list[Record] = []
        self._timer: asyncio.TimerHandle | None = None
        self._took = 0.0
        self._rewriting: asyncio.Task[None] | None = None

    def rewrite(self) -> None:
        """Write all files of what `JsonFiles.catch_up` took, match by match."""
        self._league = self._ledger.league
        self.write()
        self._rewriting = asyncio.create_task(self._rewrite(), name="files of earlier matches")

    def take(self, league: League, records: Sequence[Record]) -> None:
        """Take new records; a listener of the ledger."""
        self._league = league
        self._records += records
        if not all(record.type in _MAY_WAIT for record in records):
            self.write()
        elif self._timer is None:
            delay = max(BEHIND_SEC, SHARE * self._took)
            self._timer = asyncio.get_running_loop().call_later(delay, self.write)

    def write(self) -> None:
        """Bring the files up to date, but for those of earlier matches."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._league is None:
            return
        league, records = self._league, self._records
        self._league, self._records = None, []
        began = time.thread_time()
        try:
            self._files.update(league, records)
        except OSError as error:
            self._failed(error)
        self._took = time.thread_time() - began

    async def close(self) -> None:
        """Bring all files up to date."""
        self.write()
        if self._rewriting is not None:
            with anyio.CancelScope(shield=True):
                await self._rewriting

    async def _rewrite(self) -> None:
        league = self._ledger.league
        try:
            while due := self._files.matches_left(league.league_id, AT_ONCE):
                results = {result.match_id: result for result in await self._ledger.results(due)}
                self._files.write_matches(league, due, results)
        except (OSError, StoreFailed) as error:
            self._failed(error)

    def _failed(self, error: Exception) -> None:
        # The store has it; the files can be rebuilt from there.
        self._journal.event("PROJECTION_FAILED", "ERROR", reason=str(error))
