"""The players and referees that the checker registers at a league manager."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from league_sdk.clock import Ids, SystemIds
from league_sdk.domain.model import PROTOCOL_VERSION, Role
from league_sdk.game import Json
from league_sdk.protocol.envelope import stamp
from league_sdk.protocol.match import MatchResultReport, ResultBody, ResultDetails
from league_sdk.protocol.queries import LeagueQuery, QueryParams
from league_sdk.protocol.registration import LeagueRegisterRequest, PlayerMeta, RefereeMeta, RefereeRegisterRequest
from league_sdk.testing.compliance.peers import Bell, CheckerAgent, Heard
from league_sdk.testing.compliance.script import Script

REGISTER = {Role.PLAYER: "register_player", Role.REFEREE: "register_referee"}
WIN, LOSS = 3, 0
UNKNOWN = "unknown"
"""What stands for a league, match or state that has not been told."""
MANY = 100
"""How many matches a referee of the checker's takes at once: it does not play them."""


@dataclass(slots=True)
class Entrant:
    """One agent of the checker's in somebody else's league.

    Attributes:
        role: What it is.
        name: Its display name.
        script: Knows the game.
        bell: Rings when it hears something.
        agent: Its server.
        agent_id: Its id, once it is registered.
        league_id: The league, likewise.
        token: What it shows the manager.
        peer_token: What the manager shows it.
        reported: The matches that it has reported.
    """

    role: Role
    name: str
    script: Script
    bell: Bell = field(default_factory=Bell)
    ids: Ids = field(default_factory=SystemIds)
    agent: CheckerAgent = field(init=False)
    agent_id: str = ""
    league_id: str = ""
    token: str | None = field(default=None, repr=False)
    peer_token: str | None = field(default=None, repr=False)
    reported: set[str] = field(default_factory=set[str])

    def __post_init__(self) -> None:
        """Make its server."""
        news = ["notify_round", "notify_round_completed", "notify_league_completed"]
        answers = dict.fromkeys(news, self._acknowledge)
        if self.role is Role.PLAYER:
            answers["update_standings"] = self._acknowledge
        else:
            answers |= {"start_match": self._begin, "match_status": self._tell_state}
        spec = self.script.game.move_spec
        self.agent = CheckerAgent(
            f"{self.role}:{self.name}", self.role, self.script.codec, spec, answers, bell=self.bell
        )

    def registration(self, **meta: Json) -> dict[str, Json]:
        """The request for a seat, with some of what it says about itself changed; None leaves it out."""
        about: dict[str, Any] = {
            "display_name": self.name,
            "version": "1.0.0",
            "protocol_version": PROTOCOL_VERSION,
            "game_types": (self.script.game.name,),
            "contact_endpoint": self.agent.endpoint,
        }
        envelope = stamp(self.script.clock, self.ids, f"{self.role}:{self.name}")
        request: LeagueRegisterRequest | RefereeRegisterRequest
        if self.role is Role.PLAYER:
            request = LeagueRegisterRequest(**envelope, player_meta=PlayerMeta(**about))
        else:
            referee = RefereeMeta(**about, max_concurrent_matches=MANY)
            request = RefereeRegisterRequest(**envelope, referee_meta=referee)
        message = self.script.codec.render(request)
        said: dict[str, Json] = {**message[f"{self.role}_meta"], **meta}
        message[f"{self.role}_meta"] = {name: value for name, value in said.items() if value is not None}
        return message if self.token is None else {**message, "auth_token": self.token}

    def seated(self, reply: Mapping[str, Json]) -> None:
        """Keep what a registration gave it."""
        self.agent_id = str(reply.get(f"{self.role}_id"))
        self.league_id = str(reply.get("league_id"))
        self.token, self.peer_token = reply.get("auth_token"), reply.get("peer_token")
        self.agent.sender = self.sender

    @property
    def sender(self) -> str:
        """How it signs."""
        return f"{self.role}:{self.agent_id or self.name}"

    def query(self, query_type: str, league_id: str | None = None, **params: Json) -> dict[str, Json]:
        """A query, as JSON that may be wrong."""
        message = LeagueQuery(
            **stamp(self.script.clock, self.ids, self.sender),
            auth_token=self.token,
            league_id=league_id or self.league_id or UNKNOWN,
            query_type="GET_STATUS",
            query_params=QueryParams(**params) if params else None,
        )
        return self.script.codec.render(message) | {"query_type": query_type}

    def report(self, assignment: Mapping[str, Json], *, otherwise: bool = False) -> dict[str, Json]:
        """The report of a match that was given to it: the player of the lower id has won, or else the other."""
        players = sorted((str(assignment.get("player_A_id")), str(assignment.get("player_B_id"))), reverse=otherwise)
        winner, loser = players
        body = ResultBody(
            winner=winner, score={winner: WIN, loser: LOSS}, details=ResultDetails(status="WIN", reason="It was so.")
        )
        message = MatchResultReport(
            **stamp(self.script.clock, self.ids, self.sender),
            auth_token=self.token,
            league_id=self.league_id or UNKNOWN,
            round_id=1,
            match_id=UNKNOWN,
            game_type=self.script.game.name,
            result=body,
        )
        given = {name: assignment[name] for name in ("round_id", "match_id", "attempt") if name in assignment}
        return self.script.codec.render(message) | given

    async def _acknowledge(self, heard: Heard) -> dict[str, Any]:
        own = {f"{self.role}_id": self.agent_id or None}
        if heard.call.tool == "notify_league_completed":
            return own
        return {**own, "round_id": heard.message.get("round_id", 0)}

    async def _begin(self, heard: Heard) -> dict[str, Any]:
        match_id = str(heard.message.get("match_id"))
        return {"match_id": match_id, "game_session_id": f"{match_id}#1", "state": "WAITING_FOR_PLAYERS"}

    async def _tell_state(self, heard: Heard) -> dict[str, Any]:
        match_id = str(heard.message.get("match_id"))
        done = match_id in self.reported
        state = "REPORTED" if done else "WAITING_FOR_PLAYERS"
        return {"match_id": match_id, "game_session_id": f"{match_id}#1", "state": state, "reported": done}
