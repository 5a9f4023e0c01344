"""The league's state, and the only way to change it: decide, store, then tell."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime

import anyio
import anyio.lowlevel

from league_sdk.clock import Clock, to_record_time
from league_sdk.domain.commands import Command
from league_sdk.domain.decisions.result_summary import summarised
from league_sdk.domain.events import (
    EVENT_TYPES,
    GENESIS,
    AgentReturned,
    Event,
    MatchRecorded,
    PlayerEntered,
    PlayerRegistered,
    Record,
    RefereeRegistered,
    first_broken_link,
)
from league_sdk.domain.league import League, decide, evolve
from league_sdk.domain.model import MatchResult
from league_sdk.domain.records.format_version import check_readable
from league_sdk.errors import LeagueNotFound
from league_sdk.ports import ConcurrentAppend, EventStore, StoreFailed
from league_sdk.protocol.rounds import RecordHead

Listener = Callable[[League, Sequence[Record]], None]
"""Told of records once they are stored, with the league as it then is. Must be quick and must not raise."""


PAGE = 500
"""Records read at a time: their transcripts are in memory no longer than it takes to fold them."""
_SEATINGS = frozenset(kind.__name__ for kind in (PlayerRegistered, PlayerEntered, RefereeRegistered, AgentReturned))


class DamagedLog(Exception):
    """The stored log does not hold together and must not be continued."""


class Superseded(StoreFailed):
    """Another manager has recorded events of this league: this one has lost it."""


class _Waiting:
    """A command that waits for its turn.

    Attributes:
        refusal: Why the league refuses it, as long as that may still change.
        outcome: Its records, or why there are none; None until it is settled.
    """

    def __init__(self, command: Command) -> None:
        self.command = command
        self.refusal: Exception | None = None
        self.outcome: list[Record] | Exception | None = None

    def result(self) -> list[Record]:
        """The records; raises the exception stored in their place."""
        if isinstance(self.outcome, Exception):
            raise self.outcome
        if self.outcome is None:
            raise RuntimeError("a command was left unsettled")
        return self.outcome


class Ledger:
    """One league: its stored events, their fold, and those who want to know.

    An event is in the store before anyone is told of it; a command that the store refuses has not happened. Commands
    that come while others are being stored share the next append, and so its commit.

    Attributes:
        stored: How many events are in the store, by their type.
    """

    def __init__(self, store: EventStore, clock: Clock, league_id: str) -> None:
        self._store = store
        self._clock = clock
        self.league_id = league_id
        self._league: League | None = None
        self._sequence = 0
        self._digest = ""
        self._lock = anyio.Lock()
        self._waiting: list[_Waiting] = []
        self._changed = anyio.Event()
        self._listeners: list[Listener] = []
        self._seated: dict[str, datetime] = {}
        self._recorded: dict[str, str] = {}
        self._failure: StoreFailed | None = None
        self.stored: Counter[str] = Counter()
        self._on_append: Callable[[float], None] = lambda _: None
        self._on_refusal: Callable[[], None] = lambda: None

    @property
    def league(self) -> League:
        """The state after all that is stored.

        Raises:
            LeagueNotFound: Nothing is stored yet.
        """
        if self._league is None:
            raise LeagueNotFound(f"there is no league {self.league_id!r}", league_id=self.league_id)
        return self._league

    async def open(self, take: Listener | None = None) -> None:
        """Fold the stored records page by page; `take` gets each page.

        Raises:
            DamagedLog: A record was changed, removed or moved.
            NewerRecords: A newer release wrote them.
        """
        while records := await self._store.read(self.league_id, after=self._sequence, limit=PAGE):
            broken = first_broken_link(records, after=self._sequence, previous=self._digest or GENESIS)
            if broken is not None:
                raise DamagedLog(
                    f"the log of league {self.league_id!r} was changed: record {broken} does not fit the chain"
                )
            check_readable(records, EVENT_TYPES, 0 if self._league is None else self._league.format_version)
            for record in records:
                self._league = evolve(self._league, summarised(record.event, self._league))
                self._note(record)
            self._sequence += len(records)
            if take is not None:
                take(self.league, records)

    async def results(self, match_ids: Sequence[str]) -> list[MatchResult]:
        """Whole results from the store, in the order of `match_ids`, of those decided.

        Raises:
            StoreFailed: The store does not answer.
        """
        events = [record.event for record in await self._store.recorded(self.league_id, match_ids)]
        found = {event.result.match_id: event.result for event in events if isinstance(event, MatchRecorded)}
        return [found[match_id] for match_id in match_ids if match_id in found]

    @property
    def head(self) -> RecordHead | None:
        """The last record; None before the first."""
        return RecordHead(sequence=self._sequence, digest=self._digest) if self._sequence else None

    def subscribe(self, listener: Listener) -> None:
        """Tell `listener` of every record stored from now on."""
        self._listeners.append(listener)

    def measure(self, appended: Callable[[float], None], refused: Callable[[], None]) -> None:
        """Report the seconds of each append to `appended`, refusals to `refused`."""
        self._on_append, self._on_refusal = appended, refused

    async def probe(self) -> None:
        """See whether the store answers.

        Raises:
            StoreFailed: It does not, or it has failed since the ledger was opened.
            Superseded: Another manager has recorded something since.
        """
        if self._failure is not None:
            raise StoreFailed(str(self._failure)) from self._failure
        unknown = await self._store.read(self.league_id, after=self._sequence, limit=1)
        if unknown:
            async with self._lock:  # what this one stores meanwhile is known once it is folded
                if unknown[0].sequence > self._sequence:
                    raise self._superseded()

    async def watch_for_successor(self, interval: float) -> None:
        """Look each `interval` seconds if another manager leads.

        Raises:
            Superseded: It does.
        """
        while True:
            await self._clock.sleep(interval)
            try:
                await self.probe()
            except Superseded:
                raise
            except StoreFailed:
                pass  # told by whatever has something to write

    async def execute(self, command: Command) -> list[Record]:
        """Decide a command, store its events, fold them and tell the listeners.

        Returns:
            The new records; empty when the command changes nothing.

        Raises:
            LeagueError: The league refuses the command.
            StoreFailed: The store could not write; nothing has changed.
            Superseded: Another manager leads the league now; nothing has changed.
        """
        waiting = _Waiting(command)
        self._waiting.append(waiting)
        try:
            async with self._lock:
                if waiting.outcome is None:
                    # Whoever asked may hang up meanwhile: what is stored must not be missing from the state.
                    with anyio.CancelScope(shield=True):
                        await self._store_waiting()
        finally:
            if waiting in self._waiting:  # gone before its turn
                self._waiting.remove(waiting)
        await anyio.lowlevel.checkpoint_if_cancelled()  # held back until everybody knows what is stored
        return waiting.result()

    async def _store_waiting(self) -> None:
        """Take all commands that wait, in their order, with one append."""
        batch, self._waiting = self._waiting, []
        try:
            await self._store_together(batch)
        except StoreFailed as error:
            self._failed(error)
        self._changed.set()
        self._changed = anyio.Event()

    async def _store_together(self, batch: Sequence[_Waiting]) -> None:
        """Decide commands one after another, store their events at once, then publish.

        Raises:
            StoreFailed: The store could not write; those who wait have been told.
        """
        ahead, parts = self._league, list[tuple[_Waiting, Sequence[Event], League | None]]()
        for waiting in batch:
            try:
                events = decide(ahead, waiting.command)
            except Exception as refusal:
                if any(events for _, events, _ in parts):
                    # The event that it was refused for is not stored yet, and may never be.
                    waiting.refusal = refusal
                    parts.append((waiting, [], ahead))
                else:
                    waiting.outcome = refusal
                continue
            for event in events:
                ahead = evolve(ahead, summarised(event, ahead))
            parts.append((waiting, events, ahead))
        everything = [event for _, events, _ in parts for event in events]
        records: list[Record] = []
        if everything:
            began, at = self._clock.monotonic(), to_record_time(self._clock.now())
            try:
                records = await self._append(everything, at)
            except Exception as error:
                await self._after_failure([waiting for waiting, _, _ in parts], error)
                return
            self._on_append(self._clock.monotonic() - began)
        for waiting, events, after in parts:
            own, records = records[: len(events)], records[len(events) :]
            self._tell(own, after)
            waiting.outcome = waiting.refusal or own

    async def _append(self, events: Sequence[Event], at: str) -> list[Record]:
        try:
            return await self._store.append(self.league_id, events, expected=self._sequence, at=at)
        except ConcurrentAppend as error:
            raise self._superseded() from error

    def _superseded(self) -> Superseded:
        return Superseded(
            f"another league manager leads {self.league_id} now: this one can no longer record anything, and ends. "
            "Do not restart it: it would take the league back"
        )

    async def _after_failure(self, batch: Sequence[_Waiting], error: Exception) -> None:
        """Fail a batch when the store is at fault, else retry each command alone."""
        if isinstance(error, StoreFailed) or len(batch) == 1:
            for waiting in batch:
                waiting.outcome = error
            if isinstance(error, StoreFailed):
                raise error
            return
        for waiting in batch:
            waiting.refusal = None
            await self._store_together([waiting])

    def _tell(self, records: Sequence[Record], league: League | None) -> None:
        """Make the state after these records current, and tell the listeners."""
        if not records:
            return
        self._league = league
        self._sequence += len(records)
        for record in records:
            self._note(record)
        for listener in self._listeners:
            listener(self.league, records)

    def _failed(self, error: StoreFailed) -> None:
        """Fail all that wait for a store that does not work."""
        self._failure = error
        self._on_refusal()
        self._changed.set()
        self._changed = anyio.Event()

    async def note_return(self, agent_id: str) -> None:
        """Count a return that changes nothing, and so is not stored.

        An agent without an `instance_id` may have been restarted. A manager that is restarted itself doesn't know it.
        """
        async with self._lock:
            returns = self.league.returns
            self._league = replace(self.league, returns={**returns, agent_id: returns.get(agent_id, 0) + 1})
            self._seated[agent_id] = self._clock.now()
        self._changed.set()
        self._changed = anyio.Event()

    def seated_at(self, agent_id: str) -> datetime:
        """The time at which an agent last took its seat.

        Raises:
            KeyError: It never did.
        """
        return self._seated[agent_id]

    def recorded_at(self, match_id: str) -> datetime:
        """The time at which a match's result was recorded.

        Raises:
            KeyError: It has none.
        """
        return datetime.fromisoformat(self._recorded[match_id])

    def _note(self, record: Record) -> None:
        self.stored[record.type] += 1
        self._digest = record.digest
        if record.type == MatchRecorded.__name__:
            self._recorded[record.payload["result"]["match_id"]] = record.at
        if record.type not in _SEATINGS:
            return
        event, at = record.event, datetime.fromisoformat(record.at)
        if isinstance(event, PlayerRegistered):
            self._seated[event.player.agent_id] = at
        elif isinstance(event, RefereeRegistered):
            self._seated[event.referee.agent_id] = at
        elif isinstance(event, AgentReturned):
            self._seated[event.agent.agent_id] = at

    async def until(self, condition: Callable[[League], bool]) -> League:
        """Wait until the league is in a state that satisfies `condition`, and return it.

        Raises:
            StoreFailed: The store has failed since the ledger was opened: what it holds is to be read anew.
        """
        while not condition(self.league):
            if self._failure is not None:
                raise StoreFailed(str(self._failure)) from self._failure
            await self._changed.wait()
        return self.league
