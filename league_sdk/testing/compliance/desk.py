"""The league manager that the checker plays, for agents that register before they do anything else."""

from dataclasses import dataclass, field
from typing import Any

from league_sdk import tokens
from league_sdk.clock import Ids, SystemIds
from league_sdk.domain.model import Role
from league_sdk.protocol.queries import LeagueStatus
from league_sdk.testing.compliance.peers import CheckerAgent, Heard
from league_sdk.testing.compliance.script import LEAGUE, MANAGER, PLAYER, REFEREE, Script

_TOOLS = {Role.PLAYER: "register_player", Role.REFEREE: "register_referee"}


@dataclass(slots=True)
class Desk:
    """A league manager with one seat, for the agent that is checked.

    Attributes:
        script: The messages of the league.
        role: Whom the seat is for.
        agent: The manager as an agent.
        auth_token: What it gave the agent to show.
        peer_token: What it shows the agent.
    """

    script: Script
    role: Role
    ids: Ids = field(default_factory=SystemIds)
    agent: CheckerAgent = field(init=False)
    auth_token: str = field(init=False, repr=False)
    peer_token: str = field(init=False, repr=False)

    def __post_init__(self) -> None:
        """Make the agent, with tokens of its own."""
        self.auth_token = self.ids.token()
        self.peer_token = tokens.peer_token(self.ids.token(), LEAGUE, self.seat)
        self.agent = CheckerAgent(
            MANAGER,
            Role.LEAGUE_MANAGER,
            self.script.codec,
            self.script.game.move_spec,
            {
                _TOOLS[self.role]: self._register,
                "report_match_result": self._acknowledge,
                "league_query": self._answer,
            },
        )

    @property
    def seat(self) -> str:
        """The id that it gives."""
        return PLAYER if self.role is Role.PLAYER else REFEREE

    @property
    def registrations(self) -> list[Heard]:
        """Every request for the seat."""
        return self.agent.of(_TOOLS[self.role])

    @property
    def reports(self) -> list[Heard]:
        """Every report of a match."""
        return self.agent.of("report_match_result")

    async def registered(self, seconds: float) -> bool:
        """Wait for the agent to register; whether it does in time."""
        return await self.agent.bell.wait_for(lambda: bool(self.registrations), seconds)

    async def _register(self, heard: Heard) -> dict[str, Any]:
        # The token that an agent proposes, or had before, is as good as ours.
        if heard.token and tokens.strong(heard.token):
            self.auth_token = heard.token
        return {
            "status": "ACCEPTED",
            f"{self.role}_id": self.seat,
            "auth_token": self.auth_token,
            "league_id": LEAGUE,
            "peer_token": self.peer_token,
        }

    async def _acknowledge(self, heard: Heard) -> dict[str, Any]:
        return {"match_id": heard.message["match_id"], "round_id": heard.message["round_id"]}

    async def _answer(self, heard: Heard) -> dict[str, Any]:
        state: dict[str, Any] = {
            "current_round": 1,
            "total_rounds": 1,
            "matches_completed": 0,
            "total_matches": 1,
        }
        status = LeagueStatus(state="RUNNING", players=2, referees=1, **state)
        return {"query_type": heard.message["query_type"], "league_id": LEAGUE, "current_round": 1, "status": status}
