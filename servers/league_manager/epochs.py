"""The manager's calls in its epoch, and the agents that follow another one."""

from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

from league_sdk.domain.league import League
from league_sdk.domain.records.epoch import Epoch
from league_sdk.errors import Forbidden, InvalidField, LeagueError
from league_sdk.names import listed
from league_sdk.ports import Peer, PeerCalls, Priority
from league_sdk.protocol.envelope import Message
from league_sdk.protocol.epochs import FIELD, epoch_json, read_epoch
from servers.league_manager.ledger import Superseded

M = TypeVar("M", bound=Message)
MOST_NAMED = 10


class EpochCalls:
    """Calls that carry the league's epoch, and note agents that follow another.

    A referee that the launcher started refuses for no reason of its own. Else all referees have to, or all agents of
    others, and two at least: a player that is losing must not stop the league.
    """

    def __init__(self, peers: PeerCalls, league: Callable[[], League]) -> None:
        self._peers = peers
        self._league = league
        self._following: dict[str, Epoch] = {}

    async def call(
        self,
        peer: Peer,
        message: Message,
        reply: type[M],
        *,
        timeout: float,
        priority: Priority = Priority.CONTROL,
        retry: bool = True,
    ) -> M:
        """Call as `PeerCalls.call` does.

        Raises:
            Superseded: The agents follow another manager.
        """
        told = replace(peer, epoch=epoch_json(self._league().epoch))
        try:
            return await self._peers.call(told, message, reply, timeout=timeout, priority=priority, retry=retry)
        except Forbidden as error:
            if self._is_lost(peer.agent_id, error):
                raise self._superseded() from error
            raise

    async def ping(self, peer: Peer, *, timeout: float) -> None:
        await self._peers.ping(peer, timeout=timeout)

    def _superseded(self) -> Superseded:
        agents, league = sorted(self._following), self._league()
        epoch = self._following[agents[0]]
        theirs, ours = epoch.number, league.epoch.number
        return Superseded(
            f"{listed(agents, MOST_NAMED)} of {league.league_id} follow another league manager, of epoch {theirs}, and "
            f"refuse this one, of epoch {ours}: it ends. Do not lead this copy of the league again"
        )

    def _is_lost(self, agent_id: str, error: LeagueError) -> bool:
        league = self._league()
        try:
            epoch = read_epoch(error.context.get(FIELD))
        except InvalidField:
            return False
        if epoch == league.epoch or epoch.number < max(1, league.epoch.number):
            return False
        self._following[agent_id] = epoch
        referees = league.active_referees.values()
        if any(referee.agent_id == agent_id and league.expects(referee) for referee in referees):
            return True
        if self._following.keys() >= {*league.active_referees}:
            return True  # nobody is left to play by
        others = [agent.agent_id for agent in (*league.players.values(), *referees) if not league.expects(agent)]
        return len(others) > 1 and self._following.keys() >= {*others}
