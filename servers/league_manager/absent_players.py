"""Looks after players that sit out because they were absent: are they back?"""

from collections.abc import Sequence
from contextlib import suppress

import anyio
from anyio.abc import TaskGroup

from league_sdk.domain.commands import Rejoin
from league_sdk.domain.participants.sitting_out import LiftedBy, SittingOutReason
from league_sdk.errors import LeagueAlreadyComplete, LeagueError, PlayerNotRegistered
from league_sdk.ports import MalformedReply, Priority
from league_sdk.protocol.envelope import Envelope
from league_sdk.protocol.rounds import StandingsUpdateAck
from servers.league_manager.league_context import LeagueContext

NO_ANSWER = frozenset({"E001", "E009", "E023"})
"""Errors that are no answer of the player: a time limit, no connection, and a queue of our own that is full."""

AT_ONCE = 32
"""Probes under way: a silent player holds one of 256 turns of outgoing calls until its time is over."""


class AbsentPlayers:
    """Probes absent players with the standings; one that answers rejoins.

    They get no other message meanwhile, so that nothing waits for them and nothing piles up.
    """

    def __init__(self, context: LeagueContext, tasks: TaskGroup) -> None:
        self._context = context
        self._tasks = tasks
        self._probed = set[str]()
        self._room = anyio.CapacityLimiter(AT_ONCE)

    def probe(self) -> None:
        """Begin to probe those that are not being probed; nobody waits for it."""
        waiting = [player_id for player_id in self._context.absent_ids() if player_id not in self._probed]
        self._probed.update(waiting)
        self._start(self._tasks, waiting)

    async def probe_all(self) -> None:
        """Probe all of them, and wait until each has answered or run out of time."""
        async with anyio.create_task_group() as probes:
            self._start(probes, self._context.absent_ids())

    async def keep_probing(self) -> None:
        """Probe them again and again, while there is no round to do it with."""
        while True:
            await self.probe_all()
            await self._context.clock.sleep(self._context.timeouts.heartbeat)

    def _start(self, tasks: TaskGroup, player_ids: Sequence[str]) -> None:
        if player_ids:
            message = self._context.announcements.standings(self._context.league)  # one table for all of them
            for player_id in player_ids:
                tasks.start_soon(self._probe, player_id, message(player_id))

    async def _probe(self, player_id: str, message: Envelope) -> None:
        context = self._context
        try:
            async with self._room:
                peer, limit = context.peer(context.league.player(player_id)), context.timeouts.response
                # As urgent as a result, for such calls are made though the player's circuit is open.
                urgent = Priority.RESULT
                await context.peers.call(peer, message, StandingsUpdateAck, timeout=limit, priority=urgent, retry=False)
        except MalformedReply:
            await self._rejoin(player_id)
        except LeagueError as error:
            if error.code not in NO_ANSWER:
                await self._rejoin(player_id)
        else:
            await self._rejoin(player_id)
        finally:
            self._probed.discard(player_id)

    async def _rejoin(self, player_id: str) -> None:
        """Let a player rejoin that has answered; no more once the league is over."""
        state = self._context.league.sitting_out.get(player_id)
        if state is not None and state.reason is SittingOutReason.ABSENT:
            with suppress(LeagueAlreadyComplete, PlayerNotRegistered):
                await self._context.execute(Rejoin(player_id, LiftedBy.PROBE))
