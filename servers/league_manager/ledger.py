"""The league's state, and the only way to change it: decide, store, then tell."""

from collections import Counter
from collections.abc import Callable, Sequence
from datetime import datetime

import anyio
import anyio.lowlevel

from league_sdk.clock import Clock, to_wire_time
from league_sdk.domain.events import AgentReturned, PlayerRegistered, Record, RefereeRegistered, first_broken_link
from league_sdk.domain.league import Command, League, decide, evolve
from league_sdk.errors import LeagueNotFound
from league_sdk.ports import EventStore, StoreFailed

Listener = Callable[[League, Sequence[Record]], None]
"""Told of records once they are stored, with the league as it then is. Must be quick and must not raise."""


class DamagedLog(Exception):
    """The stored log does not hold together; nobody should build on it."""


class Ledger:
    """One league: its stored events, their fold, and those who want to know.

    An event is in the store before anyone is told of it; a command that the store refuses has not happened.

    Args:
        store: Where events are kept.
        clock: Stamps them.
        league_id: The league.

    Attributes:
        stored: How many events are in the store, by their type.
    """

    def __init__(self, store: EventStore, clock: Clock, league_id: str) -> None:
        self._store = store
        self._clock = clock
        self.league_id = league_id
        self._league: League | None = None
        self._sequence = 0
        self._lock = anyio.Lock()
        self._changed = anyio.Event()
        self._listeners: list[Listener] = []
        self._seated: dict[str, datetime] = {}
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

    async def open(self) -> list[Record]:
        """Fold what is stored, and return it; empty for a league that does not exist yet.

        Raises:
            DamagedLog: A record was changed, removed or moved.
        """
        records = await self._store.read(self.league_id)
        broken = first_broken_link(records)
        if broken is not None:
            raise DamagedLog(
                f"the log of league {self.league_id!r} was changed: record {broken} does not fit the chain"
            )
        for record in records:
            self._league = evolve(self._league, record.event)
            self._note(record)
        self._sequence = len(records)
        return records

    def subscribe(self, listener: Listener) -> None:
        """Tell `listener` of every record stored from now on."""
        self._listeners.append(listener)

    def measure(self, appended: Callable[[float], None], refused: Callable[[], None]) -> None:
        """Tell `appended` what every append took, in seconds, and `refused` of every one that the store refused."""
        self._on_append, self._on_refusal = appended, refused

    async def probe(self) -> None:
        """See whether the store answers.

        Raises:
            StoreFailed: It does not, or it has failed since the ledger was opened.
        """
        if self._failure is not None:
            raise StoreFailed(str(self._failure)) from self._failure
        await self._store.read(self.league_id, after=self._sequence)

    async def execute(self, command: Command) -> list[Record]:
        """Decide a command, store its events, fold them and tell the listeners.

        Returns:
            The new records; empty when the command changes nothing.

        Raises:
            LeagueError: The league refuses the command.
            StoreFailed: The store could not write; nothing has changed.
        """
        async with self._lock:
            events = decide(self._league, command)
            if not events:
                return []
            at, records = to_wire_time(self._clock.now()), list[Record]()
            began = self._clock.monotonic()
            # Whoever asked may hang up meanwhile: what is stored must not be missing from the state.
            with anyio.CancelScope(shield=True):
                try:
                    records = await self._store.append(self.league_id, events, expected=self._sequence, at=at)
                except StoreFailed as error:
                    self._failed(error)
                    raise
            self._on_append(self._clock.monotonic() - began)
            for event in events:
                self._league = evolve(self._league, event)
            self._sequence += len(events)
        for record in records:
            self._note(record)
        for listener in self._listeners:
            listener(self.league, records)
        self._changed.set()
        self._changed = anyio.Event()
        await anyio.lowlevel.checkpoint_if_cancelled()  # held back until everybody knows what is stored
        return records

    def _failed(self, error: StoreFailed) -> None:
        """Let nobody wait for what a store that does not work will never hold."""
        self._failure = error
        self._on_refusal()
        self._changed.set()
        self._changed = anyio.Event()

    def seated_at(self, agent_id: str) -> datetime:
        """When an agent took its seat, or took it again the last time.

        Raises:
            KeyError: It never did.
        """
        return self._seated[agent_id]

    def _note(self, record: Record) -> None:
        self.stored[type(record.event).__name__] += 1
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
