"""Matches whose players are not invited before the league has recorded the draw."""

import anyio

from league_sdk.clock import Clock
from league_sdk.ports import Journal


class HeldMatches:
    """Holds matches between START_MATCH's answer and its repetition."""

    def __init__(self, clock: Clock, journal: Journal) -> None:
        self._clock = clock
        self._journal = journal
        self._held: dict[str, anyio.Event] = {}

    def hold(self, session_id: str) -> None:
        self._held[session_id] = anyio.Event()

    def release(self, session_id: str) -> None:
        """Let a match begin; nothing, if it is not held."""
        if session_id in self._held:
            self._held.pop(session_id).set()

    async def wait(self, session_id: str, limit: float) -> None:
        """Return when a match may begin, after `limit` seconds at the latest.

        Its manager may have died, and the one that takes over asks for the match, not for its beginning.
        """
        released = self._held.get(session_id)
        if released is None:
            return

        async def lose_patience() -> None:
            await self._clock.sleep(limit)
            self._journal.event("DRAW_NOT_RECORDED", "WARNING", match_id=session_id.partition("#")[0])
            self.release(session_id)

        async with anyio.create_task_group() as waiting:
            waiting.start_soon(lose_patience)
            await released.wait()
            waiting.cancel_scope.cancel()
