"""Players that have retaken their seat since their match began."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from league_sdk.clock import Clock, Ids
from league_sdk.errors import LeagueError
from league_sdk.ports import Journal, MalformedReply, Peer, PeerCalls, Priority
from league_sdk.protocol.envelope import stamp
from league_sdk.protocol.queries import LeagueQuery, LeagueQueryResponse, QueryParams

HasReturned: TypeAlias = Callable[[str], Awaitable[bool]]
"""Says of a player whether it has returned since its match began."""


async def nobody_returned(player: str) -> bool:
    """The answer where nothing is known of returns."""
    del player
    return False


@dataclass(frozen=True, slots=True)
class ReturnedPlayers:
    """Asks the manager how often players retook their seats (ADR 0074).

    A player's own word would not do, nor would a connection that broke: both cost a player nothing. A return is on
    the league's record.
    """

    # how often each player had, when the match was given out; of those of whom the manager said it
    before: Mapping[str, int]
    peers: PeerCalls
    manager: Peer
    league_id: str
    sender: str  # how the referee signs
    timeout: float  # seconds for the manager's answer
    clock: Clock
    ids: Ids
    journal: Journal  # where it is noted when the manager cannot be asked

    async def __call__(self, player: str) -> bool:
        """True if a player has returned since the match began; False without a manager."""
        before = self.before.get(player)
        if before is None:
            return False
        query = LeagueQuery(
            **stamp(self.clock, self.ids, self.sender),
            league_id=self.league_id,
            query_type="GET_PLAYER_STATS",
            query_params=QueryParams(player_id=player),
        )
        try:
            answer = await self.peers.call(
                self.manager,
                query,
                LeagueQueryResponse,
                timeout=self.timeout,
                priority=Priority.MATCH,
                retry=False,
            )
        except (LeagueError, MalformedReply) as error:
            self.journal.event("RETURN_NOT_ASKED", "WARNING", player_id=player, reason=str(error))
            return isinstance(error, LeagueError) and error.retryable
        stats = answer.player_stats
        return stats is not None and stats.returns is not None and stats.returns > before
