"""Players that returned since their match began, and their addresses."""

from collections.abc import Mapping
from dataclasses import dataclass

from league_sdk.clock import Clock, Ids
from league_sdk.errors import LeagueError
from league_sdk.ports import Journal, MalformedReply, Peer, PeerCalls, Priority
from league_sdk.protocol.envelope import stamp
from league_sdk.protocol.queries import LeagueQuery, LeagueQueryResponse, PlayerStats, QueryParams


@dataclass(frozen=True, slots=True)
class ReturnedPlayers:
    """Asks the manager how often players retook their seats (ADR 0074).

    A player's own word would not do, nor would a connection that broke: both cost a player nothing. A return is on
    the league's record.
    """

    # returns of each player when the match was given out; of those of whom the manager said it
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
        try:
            stats = await self._ask(player)
        except (LeagueError, MalformedReply) as error:
            return isinstance(error, LeagueError) and error.retryable
        return stats is not None and stats.returns is not None and stats.returns > before

    async def address(self, player: str) -> str | None:
        """The endpoint of a player that has returned since the match began."""
        before = self.before.get(player)
        if before is None:
            return None
        try:
            stats = await self._ask(player)
        except (LeagueError, MalformedReply):
            return None
        return stats.endpoint if stats is not None and (stats.returns or 0) > before else None

    async def _ask(self, player: str) -> PlayerStats | None:
        """The manager's record of a player.

        Raises:
            LeagueError, MalformedReply: It did not tell.
        """
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
            raise
        return answer.player_stats
