"""The page's knowledge beside the league's state: times, feed, change signal.

It is told of every record, which costs little, also while no page is open; all else is made when asked for.
"""

from bisect import insort
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from itertools import islice
from typing import TypeAlias

import anyio
import anyio.lowlevel

from league_sdk.domain.events import Record
from league_sdk.domain.league import League
from league_sdk.domain.model import MatchResult
from league_sdk.errors import LeagueNotFound
from servers import read_model
from servers.read_model import Clocks, FeedEntry, Kind, Limits, RoundTable, Speed
from servers.read_model.running import RunningMatches
from servers.read_model.waits import WaitLine, wait_lines

KEPT_ENTRIES = 1000
"""The last entries of the feed that can be looked at."""
AT_ONCE = 50
"""Results whose times are taken before other tasks have a turn."""
FindResults: TypeAlias = Callable[[Sequence[str]], Awaitable[Sequence[MatchResult]]]


class Live:
    """Follows a league for those who look at it.

    `whole` finds whole results by match id, if the league has summaries.
    """

    def __init__(
        self,
        limits: Limits | None = None,
        whole: FindResults | None = None,
        running: RunningMatches | None = None,
    ) -> None:
        self._whole = whole
        self.running = running or RunningMatches()
        self.limits = limits or Limits()
        self.clocks = Clocks()
        self.sequence = 0
        self.head = ""
        self._league: League | None = None
        self._records: deque[Record] = deque(maxlen=KEPT_ENTRIES)
        self._entries: dict[int, FeedEntry | None] = {}
        self._tables: tuple[RoundTable, ...] = ()
        self._tables_at = -1
        self._seconds: dict[str, list[float]] = {}
        self._timed = 0
        self._timing = anyio.Lock()
        self._changed = anyio.Event()
        self.running.subscribe(self._wake)

    @property
    def league(self) -> League:
        if self._league is None:
            raise LeagueNotFound("there is no league yet")
        return self._league

    def take(self, league: League, records: Sequence[Record]) -> None:
        """Take in new records, with the league after them."""
        for record in records:
            self.clocks = self.clocks.after(record)
        self._records.extend(map(read_model.brief, records[-KEPT_ENTRIES:]))
        self._league = league
        self.sequence = records[-1].sequence if records else self.sequence
        self.head = records[-1].digest if records else self.head
        self._wake()

    def _wake(self) -> None:
        self._changed.set()
        self._changed = anyio.Event()

    async def after(self, sequence: int, waits: int | None = None) -> tuple[int, int]:
        """Wait for another last record or other waits; the numbers of both.

        Args:
            sequence: The number of the last record that is known.
            waits: The same of the waits; None to wait for a record.
        """
        while self.sequence == sequence and waits in (None, self.running.number):
            await self._changed.wait()
        return self.sequence, self.running.number

    def waits(self) -> tuple[WaitLine, ...]:
        """Sentences on what matches under way wait for."""
        return wait_lines(self.league, self.running.waits)

    def feed(self, count: int, before: int | None = None) -> list[FeedEntry]:
        """The last `count` feed entries before a record's number, the newest first."""
        told = (self._entry(record) for record in reversed(self._records) if before is None or record.sequence < before)
        return list(islice((entry for entry in told if entry is not None), count))

    def _entry(self, record: Record) -> FeedEntry | None:
        """The entry of a record; made at the first request."""
        if record.sequence not in self._entries:
            if len(self._entries) >= 2 * KEPT_ENTRIES:
                self._entries.clear()
            self._entries[record.sequence] = read_model.feed_entry(self.league, record)
        return self._entries[record.sequence]

    def tables(self) -> tuple[RoundTable, ...]:
        if self._tables_at != self.sequence:
            self._tables = read_model.by_round(self.league, self._tables)
            self._tables_at = self.sequence
        return self._tables

    def speed(self, player_id: str) -> Speed | None:
        """A player's time for a move, as far as `catch_up` has come; None without moves."""
        return read_model.speed_of(self._seconds.get(player_id, ()))

    async def results(self, match_ids: Sequence[str]) -> Sequence[MatchResult]:
        """Whole results of those of these matches that have one, in the order of the ids."""
        if self._whole is not None:
            return await self._whole(match_ids)
        return [self.league.results[match_id] for match_id in match_ids if match_id in self.league.results]

    async def catch_up(self) -> None:
        """Take the times of results not read yet; long leagues take many steps."""
        async with self._timing:
            while ids := tuple(islice(self.league.results, self._timed, self._timed + AT_ONCE)):
                for result in await self.results(ids):
                    self._time(result)
                await anyio.lowlevel.checkpoint()

    def time_all(self) -> None:
        """Take the times of all results of a league that has them whole."""
        for result in islice(self.league.results.values(), self._timed, None):
            self._time(result)

    def _time(self, result: MatchResult) -> None:
        for exchange in read_model.exchanges(result):
            if exchange.kind is Kind.MOVE and not exchange.error_code:
                insort(self._seconds.setdefault(exchange.player_id, []), exchange.seconds)
        self._timed += 1
