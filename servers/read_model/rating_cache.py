"""Ratings of a running league, computed in a thread after each round."""

from typing import Any

import anyio

from league_sdk.domain.league import League
from league_sdk.game import Game
from servers.read_model.ratings import LeagueRatings, rate


class RatingCache:
    """Keeps the ratings until another round is complete, or a result is void."""

    def __init__(self, game: Game[Any] | None = None) -> None:
        self._chance = game is not None and game.pure_chance
        self._lock = anyio.Lock()
        self._of: tuple[int, int] | None = None
        self._ratings = LeagueRatings()

    async def ratings(self, league: League) -> LeagueRatings:
        """The ratings after the last complete round."""
        async with self._lock:
            now = league.rounds_completed, len(league.voided)
            if now != self._of:
                results = tuple(league.results.values()) if league.rounds_completed else ()
                self._ratings = await anyio.to_thread.run_sync(lambda: rate(results, chance=self._chance))
                self._of = now
            return self._ratings
