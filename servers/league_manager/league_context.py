"""Everything that the parts of a league's run share."""

from collections.abc import Callable
from dataclasses import dataclass, field

import anyio

from league_sdk.clock import Clock, SystemIds
from league_sdk.dialect import known_dialect
from league_sdk.domain.commands import Command
from league_sdk.domain.league import League
from league_sdk.domain.lifecycles import LeagueState
from league_sdk.domain.model import Agent
from league_sdk.domain.participants.sitting_out import SittingOutReason
from league_sdk.errors import InvalidState
from league_sdk.ports import Journal, Peer, PeerCalls
from servers.league_manager.announcements import Announcements
from servers.league_manager.gone_players import GonePlayers
from servers.league_manager.ledger import Ledger
from servers.league_manager.lost_nodes import LostNodes
from servers.league_manager.manager_timeouts import ManagerTimeouts
from servers.league_manager.pairing import Pairing
from servers.league_manager.peer_tokens import peer_token_of
from servers.league_manager.player_seats import PlayerSeats
from servers.read_model.running import RunningMatches


@dataclass(frozen=True, slots=True)
class LeagueContext:
    """One league, its agents, and the means to reach them."""

    ledger: Ledger
    peers: PeerCalls
    announcements: Announcements
    clock: Clock
    journal: Journal
    operator_token: str  # peer tokens are derived from it
    timeouts: ManagerTimeouts
    tell: Callable[[str], None] = lambda _: None  # told what the operator should see, in a sentence
    pairing: Pairing = field(default_factory=Pairing)
    seats: PlayerSeats = field(default_factory=lambda: PlayerSeats(SystemIds()))
    gone: GonePlayers = field(default_factory=GonePlayers)
    lost_nodes: LostNodes = field(default_factory=LostNodes)  # machines of players
    overused_seats: Callable[[], frozenset[str]] = frozenset  # endpoints of seats whose owners lately overused them
    running: RunningMatches = field(default_factory=RunningMatches)
    unregistered: frozenset[str] = frozenset()  # names of players that were entered, and never register
    stays_open: bool = False  # too few players at the end of registration do not stop the league: they may come late

    @property
    def league(self) -> League:
        return self.ledger.league

    def peer(self, agent: Agent) -> Peer:
        """An agent's address, with the token that tells it that the manager is calling."""
        token = peer_token_of(self.operator_token, self.league, agent)
        return Peer(agent.agent_id, self.seats.url(agent), token, known_dialect(agent.dialect))

    def players(self) -> list[Peer]:
        """All players that have not left, and don't sit out as absent."""
        absent = set(self.absent_ids())
        return [self.peer(self.league.player(each)) for each in self.league.staying() if each not in absent]

    def absent_ids(self) -> tuple[str, ...]:
        """Ids of the players that sit out as absent."""
        sitting = self.league.sitting_out.items()
        return tuple(player_id for player_id, state in sitting if state.reason is SittingOutReason.ABSENT)

    def absent_players(self) -> list[Peer]:
        """The players that sit out as absent; nothing waits for them."""
        return [self.peer(self.league.player(player_id)) for player_id in self.absent_ids()]

    def everyone(self, *, removed: bool = False) -> list[Peer]:
        """All agents that have not left and are not absent; `removed`: also who left."""
        league = self.league
        gone = {**league.dismissed, **league.players} if removed else {}
        others = [self.peer(player) for player_id, player in gone.items() if player_id in league.removed]
        return [*self.players(), *others, *map(self.peer, league.active_referees.values())]

    def withdrawn_referees(self) -> list[Peer]:
        """The referees that withdrew; they may wait for the end."""
        return [
            self.peer(agent) for agent_id, agent in self.league.referees.items() if agent_id in self.league.withdrew
        ]

    async def execute(self, command: Command) -> None:
        """Execute a command of the run; without effect once the league is stopped."""
        try:
            await self.ledger.execute(command)
        except InvalidState:
            if self.league.state is not LeagueState.STOPPED:
                raise
            await anyio.sleep_forever()  # the run is about to be cancelled
