"""The checker's own agents, which keep all messages and answer as scripted."""

from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import anyio
from anyio.abc import TaskStatus

from league_sdk import tokens, transports
from league_sdk.bounds import shorten
from league_sdk.clock import HashRng
from league_sdk.dialect import V2
from league_sdk.domain.model import PROTOCOL_VERSION, Role
from league_sdk.errors import INVALID_PARAMS
from league_sdk.json_value import Json
from league_sdk.ports import CallContext, CallRefused, ToolDescriptor
from league_sdk.protocol.calls import CallSpec
from league_sdk.protocol.catalog import calls_for
from league_sdk.protocol.envelope import stamp
from league_sdk.protocol.match import MatchResultReport, ResultBody, ResultDetails
from league_sdk.protocol.queries import LeagueQuery, LeagueStatus, QueryParams
from league_sdk.protocol.registration import LeagueRegisterRequest, PlayerMeta, RefereeMeta, RefereeRegisterRequest
from league_sdk.release import release
from league_sdk.testing.compliance.responses import as_object
from league_sdk.testing.compliance.script import LEAGUE, MANAGER, OPPONENT, PLAYER, REFEREE, Script

REGISTER = {Role.PLAYER: "register_player", Role.REFEREE: "register_referee"}
WIN, LOSS = 3, 0
UNKNOWN = "unknown"
"""Stands for an unknown league, match or state."""
_GRACE_SEC = 0.1
"""Time for calls under way when the check is over."""
_MANY = 100
"""Concurrent matches of a scripted referee, which does not play them."""
_ACKNOWLEDGED = ("league_id", "round_id", "match_id", "player_id", "referee_id")


@dataclass(frozen=True, slots=True)
class HeardMessage:
    """A message to a scripted agent, with the token in it or in its header."""

    call: CallSpec
    message: Mapping[str, Json]
    token: str | None
    protocol: Json = V2


Answering: TypeAlias = Callable[[HeardMessage], dict[str, Any]]
"""Gives the fields of the reply, beside its envelope."""


@dataclass(slots=True)
class Bell:
    """Wakes waiting checks when one of the agents that share it gets a message."""

    _rung: anyio.Event = field(default_factory=anyio.Event)

    def ring(self) -> None:
        self._rung.set()
        self._rung = anyio.Event()

    async def wait_for(self, condition: Callable[[], bool], seconds: float) -> bool:
        """Wait until `condition` holds, tested at every ring; false if not in time."""
        with anyio.move_on_after(seconds):
            while not condition():
                await self._rung.wait()
        return condition()


class ScriptedAgent:
    """One agent of the checker's, for MCP and bare JSON-RPC. Implements `ToolHost`."""

    name = "league-check"
    version = release()
    instructions = "An agent of a compliance check."
    resources = None
    translates = False  # true for those that a player calls

    def __init__(self, script: Script, role: Role, display_name: str, bell: Bell | None = None) -> None:
        self.script = script
        self.role = role
        self.display_name = display_name
        self.agent_id = ""
        self.endpoint = ""
        self.heard: list[HeardMessage] = []
        self.bell = bell or Bell()
        self.answers: Mapping[str, Answering] = {}

    @property
    def sender(self) -> str:
        return MANAGER if self.role is Role.LEAGUE_MANAGER else f"{self.role}:{self.agent_id or self.display_name}"

    def of(self, tool: str | None = None, match_id: str | None = None) -> list[HeardMessage]:
        """The messages for one tool, of one match, or both."""
        return [
            heard
            for heard in self.heard
            if tool in (None, heard.call.tool) and match_id in (None, heard.message.get("match_id"))
        ]

    def tools(self) -> Sequence[ToolDescriptor]:
        codec = self.script.codec
        return [
            ToolDescriptor(
                name,
                call.title,
                call.description,
                codec.input_schema(call.request, spec=call.spec),
                codec.output_schema(call.reply, spec=call.spec),
            )
            for call in self._calls()
            for name in (call.tool, *call.aliases)
        ]

    async def call(self, tool: str, arguments: Mapping[str, Json], context: CallContext) -> dict[str, Json]:
        """Keep the message, and answer."""
        call = next((call for call in self._calls() if tool in (call.tool, *call.aliases)), None)
        if call is None:
            raise CallRefused(INVALID_PARAMS, f"Unknown tool: {shorten(tool, 100)}")
        shown: Json = arguments.get("auth_token")
        read = as_object(self.script.translator.read(dict(arguments), call.request)) if self.translates else arguments
        token = shown if isinstance(shown, str) else context.bearer_token
        heard = HeardMessage(call, dict(read), token, arguments.get("protocol"))
        self.heard.append(heard)
        self.bell.ring()
        conversation: Json = arguments.get("conversation_id")
        conversation = conversation if isinstance(conversation, str) else None
        try:
            fields = self.answers[call.tool](heard)
            reply = call.reply(**stamp(self.script.clock, self.script.ids, self.sender, conversation), **fields)
            return self.script.translator.reply(reply, arguments)
        except (KeyError, TypeError, ValueError) as error:
            # The message is judged later; its sender learns that it cannot be answered.
            raise CallRefused(INVALID_PARAMS, f"{call.tool}: {type(error).__name__}") from error

    def acknowledge(self, heard: HeardMessage) -> dict[str, Any]:
        """The fields of an acknowledgement, as far as the reply has them."""
        told = {**heard.message, f"{self.role}_id": self.agent_id or None}
        return {name: told[name] for name in _ACKNOWLEDGED if name in told and name in heard.call.reply.model_fields}

    def _calls(self) -> tuple[CallSpec, ...]:
        return tuple(call for call in calls_for(self.role, [self.script.game.move_spec]) if call.tool in self.answers)


class ScriptedManager(ScriptedAgent):
    """League manager with room for one agent: the checked player or referee."""

    def __init__(self, script: Script, seat_role: Role) -> None:
        super().__init__(script, Role.LEAGUE_MANAGER, MANAGER)
        self.seat_role = seat_role
        self.translates = seat_role is Role.PLAYER
        self.seat = PLAYER if seat_role is Role.PLAYER else REFEREE
        self.auth_token = script.ids.token()
        self.peer_token = tokens.peer_token(script.ids.token(), LEAGUE, self.seat)
        self.answers = {
            REGISTER[seat_role]: self._register,
            "report_match_result": self.acknowledge,
            "league_query": self._answer,
        }

    @property
    def registrations(self) -> list[HeardMessage]:
        return self.of(REGISTER[self.seat_role])

    def reports(self, match_id: str | None = None) -> list[HeardMessage]:
        return self.of("report_match_result", match_id)

    def _register(self, heard: HeardMessage) -> dict[str, Any]:
        # The token that an agent proposes, or had before, is as good as ours.
        if heard.token and tokens.strong(heard.token):
            self.auth_token = heard.token
        return {
            "status": "ACCEPTED",
            f"{self.seat_role}_id": self.seat,
            "auth_token": self.auth_token,
            "league_id": LEAGUE,
            "peer_token": self.peer_token,
        }

    def _answer(self, heard: HeardMessage) -> dict[str, Any]:
        status = LeagueStatus(
            state="RUNNING",
            players=2,
            referees=1,
            current_round=1,
            total_rounds=1,
            matches_completed=0,
            total_matches=1,
        )
        return {
            "query_type": heard.message["query_type"],
            "league_id": LEAGUE,
            "current_round": 1,
            "status": status,
        }


class ScriptedPlayer(ScriptedAgent):
    """Player for the checked referee: makes the first legal move.

    It declines the matches of `declined`, and in those of `slips` its first move is illegal.
    """

    def __init__(self, script: Script, player_id: str) -> None:
        super().__init__(script, Role.PLAYER, player_id)
        self.agent_id = player_id
        self.moves: dict[str, list[Json]] = {}
        self.declined: set[str] = set()
        self.slips: set[str] = set()
        self.answers = {
            "handle_game_invitation": self._join,
            script.game.move_spec.tool: self._move,
            "notify_match_result": self.acknowledge,
            "notify_game_error": self.acknowledge,
        }

    def _join(self, heard: HeardMessage) -> dict[str, Any]:
        accept = heard.message.get("match_id") not in self.declined
        return {**self.acknowledge(heard), "accept": accept, "arrival_timestamp": self.script.now()}

    def _move(self, heard: HeardMessage) -> dict[str, Any]:
        match_id = str(heard.message["match_id"])
        context: Mapping[str, Any] = heard.message.get("context") or {}
        legal = list(context.get("legal_moves") or self._opening_moves())
        if match_id in self.slips:
            self.slips.remove(match_id)
            return {**self.acknowledge(heard), "move": illegal_move(legal)}
        self.moves.setdefault(match_id, []).append(legal[0])
        return {**self.acknowledge(heard), "move": legal[0]}

    def _opening_moves(self) -> tuple[Json, ...]:
        game = self.script.game
        return game.legal_moves(game.start((PLAYER, OPPONENT), HashRng("opening")), self.agent_id)


class ScriptedEntrant(ScriptedAgent):
    """Player or referee in the league of the manager that is checked."""

    def __init__(self, script: Script, role: Role, display_name: str, bell: Bell | None = None) -> None:
        super().__init__(script, role, display_name, bell)
        self.league_id = ""
        self.token: str | None = None
        self.peer_token: str | None = None
        self.reported: set[str] = set()
        news = ["notify_round", "notify_round_completed", "notify_league_completed"]
        self.answers = dict.fromkeys(news, self.acknowledge) | (
            {"update_standings": self.acknowledge}
            if role is Role.PLAYER
            else {"start_match": self._begin, "match_status": self._tell_state}
        )

    def registration(self, **meta: Json) -> dict[str, Json]:
        """The registration request, with changes to its meta fields; None removes one."""
        about: dict[str, Any] = {
            "display_name": self.display_name,
            "version": "1.0.0",
            "protocol_version": PROTOCOL_VERSION,
            "game_types": (self.script.game.name,),
            "contact_endpoint": self.endpoint,
        }
        envelope = stamp(self.script.clock, self.script.ids, f"{self.role}:{self.display_name}")
        request: LeagueRegisterRequest | RefereeRegisterRequest
        if self.role is Role.PLAYER:
            request = LeagueRegisterRequest(**envelope, player_meta=PlayerMeta(**about))
        else:
            referee = RefereeMeta(**about, max_concurrent_matches=_MANY)
            secret = self.script.referee_secret
            request = RefereeRegisterRequest(**envelope, referee_secret=secret, referee_meta=referee)
        message = self.script.codec.render(request)
        said: dict[str, Json] = {**message[f"{self.role}_meta"], **meta}
        message[f"{self.role}_meta"] = {name: value for name, value in said.items() if value is not None}
        return message if self.token is None else {**message, "auth_token": self.token}

    def take_seat(self, reply: Mapping[str, Json]) -> None:
        """Keep the id and tokens of an accepted registration."""
        self.agent_id, self.league_id = str(reply.get(f"{self.role}_id")), str(reply.get("league_id"))
        self.token, self.peer_token = reply.get("auth_token"), reply.get("peer_token")

    def query(self, query_type: str, league_id: str | None = None, **params: Json) -> dict[str, Json]:
        """A query, as JSON that may be wrong."""
        message = LeagueQuery(
            **stamp(self.script.clock, self.script.ids, self.sender),
            auth_token=self.token,
            league_id=league_id or self.league_id or UNKNOWN,
            query_type="GET_STATUS",
            query_params=QueryParams(**params) if params else None,
        )
        return self.script.codec.render(message) | {"query_type": query_type}

    def report(self, assignment: Mapping[str, Json], *, otherwise: bool = False) -> dict[str, Json]:
        """The report of an assigned match: the lower id wins, or `otherwise` the other."""
        players = (str(assignment.get(f"player_{seat}_id")) for seat in "AB")
        winner, loser = sorted(players, reverse=otherwise)
        details = ResultDetails(status="WIN", reason="It was so.")
        message = MatchResultReport(
            **stamp(self.script.clock, self.script.ids, self.sender),
            auth_token=self.token,
            league_id=self.league_id or UNKNOWN,
            round_id=1,
            match_id=UNKNOWN,
            game_type=self.script.game.name,
            result=ResultBody(winner=winner, score={winner: WIN, loser: LOSS}, details=details),
        )
        given = {name: assignment[name] for name in ("round_id", "match_id", "attempt") if name in assignment}
        return self.script.codec.render(message) | given

    def _begin(self, heard: HeardMessage) -> dict[str, Any]:
        match_id = str(heard.message.get("match_id"))
        return {"match_id": match_id, "game_session_id": f"{match_id}#1", "state": "WAITING_FOR_PLAYERS"}

    def _tell_state(self, heard: HeardMessage) -> dict[str, Any]:
        begun = self._begin(heard)
        done = begun["match_id"] in self.reported
        return {**begun, "reported": done, **({"state": "REPORTED"} if done else {})}


Start: TypeAlias = Callable[..., Awaitable[None]]
"""Serves a scripted agent, at a given or free port; raises AddressUnusable if it is in use."""


@asynccontextmanager
async def open_servers() -> AsyncGenerator[Start]:
    """Serve agents until the context ends; all end together, which saves time."""
    over = anyio.Event()
    raised: Exception | None = None

    async def serve(agent: ScriptedAgent, port: int, *, task_status: TaskStatus[str]) -> None:
        async with transports.serve(agent, port=port, grace=_GRACE_SEC) as listener:
            task_status.started(listener.endpoint)
            await over.wait()

    async with anyio.create_task_group() as tasks:

        async def start(agent: ScriptedAgent, port: int = 0) -> None:
            agent.endpoint = await tasks.start(serve, agent, port)

        try:
            yield start
        except Exception as error:
            # Kept out of the task group, which would hand it back wrapped in a group.
            raised = error
        over.set()
    if raised is not None:
        raise raised


def illegal_move(legal: list[Json]) -> Json:
    """A move that is almost legal: in upper case, if that makes a difference."""
    shouted = [move.upper() for move in legal if isinstance(move, str)]
    return next((move for move in shouted if move not in legal), "no such move")
