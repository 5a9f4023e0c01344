"""Outlasts an absence of the league's seats process in the middle of a match."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import TypeVar

from league_sdk.clock import Clock
from league_sdk.errors import LeagueError
from league_sdk.ports import Journal, Peer, PeerCalls, SeatsAway

T = TypeVar("T")

LOOK_SEC = 1.0
"""Seconds between two looks at a seats process that is away, and for each answer."""
MOST_IN_A_ROW = 20
"""Calls of one player in a row that a seats process may fail although it answers pings."""


@dataclass(frozen=True, slots=True)
class SeatsOutage:
    """Waits for the seats process, within a bound."""

    peers: PeerCalls
    clock: Clock
    journal: Journal
    bound: float  # seconds
    away: set[str] = field(default_factory=set[str])  # players whose calls wait for the seats process

    async def outlast(self, peer: Callable[[], Peer], ask: Callable[[bool], Awaitable[T]]) -> T:
        """Ask a player, anew after an outage; `ask` is told if it is anew.

        Raises:
            SeatsAway: The bound is reached.
        """
        for failed in range(MOST_IN_A_ROW):
            try:
                return await ask(failed > 0)
            except SeatsAway as error:
                self.journal.event("SEATS_AWAY", "WARNING", player_id=peer().agent_id, reason=error.message)
                self.away.add(player := peer().agent_id)
                try:
                    await self._back(peer(), error)
                finally:
                    self.away.discard(player)
        return await ask(True)

    async def _back(self, peer: Peer, error: SeatsAway) -> None:
        """Wait until the seats process answers a ping."""
        since = self.clock.monotonic()
        while self.clock.monotonic() - since < self.bound:
            await self.clock.sleep(LOOK_SEC)
            try:
                await self.peers.ping(peer, timeout=LOOK_SEC)
            except LeagueError:
                continue
            away = round(self.clock.monotonic() - since, 3)
            return self.journal.event("SEATS_BACK", "WARNING", player_id=peer.agent_id, away_sec=away)
        raise error
