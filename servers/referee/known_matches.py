"""The matches of a referee: those under way, and the last ones that are over."""

import anyio

from league_sdk.errors import MatchNotFound, MissingField
from league_sdk.protocol.operator import MatchStep
from servers.referee.match_runner import OVER, MatchRunner

FINISHED_KEPT = 1000
"""Number of finished matches a referee can still be asked about."""


class KnownMatches:
    """Matches by their session, the latest last."""

    def __init__(self) -> None:
        self.runners: dict[str, MatchRunner] = {}
        self._live: set[MatchRunner] = set()
        self._ended = anyio.Event()

    @property
    def undecided(self) -> int:
        """Matches without a result.

        The manager gives out the next match when it has a result, which is before we know that it has it.
        """
        return sum(live.match.result is None for live in self._live)

    def begin(self, session_id: str, runner: MatchRunner) -> None:
        """Know one more; forget the oldest that is over, where there are many."""
        self._live.add(runner)
        self.runners[session_id] = runner
        if len(self.runners) - sum(live.match.state not in OVER for live in self._live) <= FINISHED_KEPT:
            return
        over = next((known for known, other in self.runners.items() if other.match.state in OVER), None)
        if over is not None:
            del self.runners[over]

    def end(self, runner: MatchRunner) -> None:
        self._live.discard(runner)
        self._ended.set()

    async def idle(self) -> None:
        """Wait until no match is under way."""
        while self._live:
            self._ended = anyio.Event()
            await self._ended.wait()

    def find(self, message: MatchStep) -> MatchRunner:
        """The match that is meant: by its session, else the last attempt of its id."""
        session_id = message.game_session_id
        if session_id is None and message.match_id is None:
            raise MissingField("say which match: game_session_id or match_id", field="game_session_id")
        if session_id is None:
            return self.latest(str(message.match_id))
        if session_id not in self.runners:
            raise MatchNotFound(f"{session_id!r} is not a match of this referee", match_id=session_id)
        return self.runners[session_id]

    def latest(self, match_id: str) -> MatchRunner:
        """The last attempt of a match."""
        if not self.knows(match_id):
            raise MatchNotFound(f"{match_id!r} is not a match of this referee", match_id=match_id)
        return next(runner for known, runner in reversed(self.runners.items()) if _match_of(known) == match_id)

    def knows(self, match_id: str) -> bool:
        return any(_match_of(known) == match_id for known in self.runners)


def _match_of(session_id: str) -> str:
    return session_id.rpartition("#")[0]
