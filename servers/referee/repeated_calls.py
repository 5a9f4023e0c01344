"""Repeated calls to players: their pauses, time limits and addresses."""

from dataclasses import replace

from clients.retry import RetryPolicy
from league_sdk.clock import Clock
from league_sdk.domain.matches.causes import GONE
from league_sdk.domain.matches.match import RETURNED_CODES
from league_sdk.domain.matches.match_io import Failure
from league_sdk.domain.model import Cause
from league_sdk.ports import Journal, Peer
from servers.referee.returned_players import ReturnedPlayers

SHORTEST_TRY_SEC = 1.0
"""Least time of a try that continues with the time of the one before."""
UNREACHED_CODES = frozenset({"E001", "E009"})
"""Failures of a player that may have moved: a timeout, a broken connection."""


class RepeatedCalls:
    """The time that each player has for its present try.

    A player that failed because it has lost its memory continues with the time of that try: to fail wins it no time.
    """

    def __init__(self, returned: ReturnedPlayers, retry: RetryPolicy, clock: Clock, journal: Journal) -> None:
        self._returned = returned
        self._unreached: set[str] = set()
        self._gone: set[str] = set()
        self._retry = retry
        self._clock = clock
        self._journal = journal
        self._ends: dict[str, float] = {}

    def time_left(self, player: str, limit: float) -> float:
        """Seconds for a player's next try: `limit`, or the rest of a returned one's."""
        if player not in self._ends:
            return limit
        return max(self._ends[player] - self._clock.monotonic(), min(SHORTEST_TRY_SEC, limit))

    async def pause(self, player: str, failed: int) -> None:
        """The pause after a failed try; at most half of a returned player's time.

        A player that was gone gets the whole first backoff, without jitter: it has this one more try.
        """
        pause = self._retry.longest(1) if player in self._gone else self._retry.delay(failed)
        if player in self._ends:
            pause = min(pause, max(0.0, self._ends[player] - self._clock.monotonic()) / 2)
        await self._clock.sleep(pause)

    async def found(self, peer: Peer) -> Peer:
        """A player for its next try, at its new address if it has moved."""
        if peer.agent_id not in self._unreached:
            return peer
        self._unreached.discard(peer.agent_id)
        endpoint = await self._returned.address(peer.agent_id)
        if endpoint is None or endpoint == peer.endpoint:
            return peer
        self._journal.event("PLAYER_MOVED", player_id=peer.agent_id, endpoint=endpoint)
        return replace(peer, endpoint=endpoint)

    def begin(self, player: str, limit: float) -> tuple[float, float]:
        """Begin a try: the seconds it may take, and when the player's time is over."""
        limit = self.time_left(player, limit)
        return limit, self._ends.pop(player, self._clock.monotonic() + limit)

    async def judge(self, player: str, failure: Failure, ends: float) -> Failure:
        """A failure as it is, or marked as memory loss of a returned player.

        `ends` is the time when the player's time for the try that failed is over.
        """
        if failure.error_code in UNREACHED_CODES:
            self._unreached.add(player)
        if failure.cause in GONE:
            self._gone.add(player)
        else:
            self._gone.discard(player)
        if failure.error_code not in RETURNED_CODES or failure.cause is Cause.DECLINED:
            return failure
        if not await self._returned(player) or self._clock.monotonic() >= ends:
            return failure
        self._ends[player] = ends
        self._journal.event("PLAYER_RETURNED", player_id=player, code=failure.error_code)
        return replace(failure, returned=True, evidence={**failure.evidence, "returned": True})
