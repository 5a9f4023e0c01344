"""Notices to a match's players: whether one listens is its own affair."""

from collections.abc import Callable, Mapping

import anyio
from anyio.abc import TaskGroup

from league_sdk.domain.matches.causes import ABSENCES, NOTICE_SEC
from league_sdk.domain.model import Cause
from league_sdk.errors import LeagueError
from league_sdk.ports import MalformedReply, Peer, PeerCalls, Priority
from league_sdk.protocol.envelope import Envelope, Message
from servers.referee.transcript import Transcript


class Notices:
    """Tells players something, once each, and notes it in the transcript.

    A match waits for an acknowledgement; of a player that gave no answer to its last call, hardly at all.
    """

    def __init__(self, peers: PeerCalls, players: Mapping[str, Peer], transcript: Transcript, limit: float) -> None:
        self._peers = peers
        self._players = players
        self._transcript = transcript
        self._limit = limit
        self._absent: set[str] = set()

    def heard(self, player: str, cause: Cause | None = None) -> None:
        """Note how a player's last call ended: by an answer, or a failure's cause."""
        if cause in ABSENCES:
            self._absent.add(player)
        else:
            self._absent.discard(player)

    async def tell(self, tasks: TaskGroup | None, messages: Mapping[str, Envelope], reply: type[Message]) -> None:
        """Tell each player its message; return once the match can go on."""
        async with anyio.create_task_group() as waiting:
            for player, message in messages.items():
                if player in self._absent and tasks is not None:
                    told = anyio.Event()
                    tasks.start_soon(self._tell, player, message, reply, told.set)
                    waiting.start_soon(self._wait_a_little, told)
                else:
                    waiting.start_soon(self._tell, player, message, reply)

    async def _wait_a_little(self, told: anyio.Event) -> None:
        with anyio.move_on_after(min(NOTICE_SEC, self._limit)):
            await told.wait()

    async def _tell(
        self, player: str, message: Envelope, reply: type[Message], done: Callable[[], None] = lambda: None
    ) -> None:
        self._transcript.sent(message, player)
        try:
            answer = await self._peers.call(
                self._players[player], message, reply, timeout=self._limit, priority=Priority.MATCH, retry=False
            )
        except (LeagueError, MalformedReply) as error:
            code = error.code if isinstance(error, LeagueError) else "E002"
            self._transcript.failed(message, player, code, str(error))
        else:
            self._transcript.received(answer, player)
        done()
