"""A referee without a wire, and a game or two that misbehave."""

from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import anyio
from anyio.abc import TaskGroup

from clients.retry import RetryPolicy
from game_rules.lowest_unique_number import LowestUniqueNumber
from league_sdk import tokens
from league_sdk.clock import HashRng, ManualClock, ManualIds, Rng
from league_sdk.domain.lifecycles import MatchState
from league_sdk.domain.model import Role
from league_sdk.errors import UnsupportedGameType
from league_sdk.game import Game, Move, MoveSpec, Outcome, PlayedMatch
from league_sdk.ports import Peer
from servers.agent.identity import Credentials, Seat
from servers.agent.server import AgentServer
from servers.referee.match_runner import MatchRunner
from servers.referee.mcp_resources import RefereeResources
from servers.referee.player_timeouts import PlayerTimeouts
from servers.referee.referee_context import RefereeContext, RefereeHooks, RefereeLimits
from servers.referee.service import RefereeService
from servers.referee.tools import tool_table
from tests.servers.fakes import GAMES, LEAGUE, OPERATOR, SPECS, FakeJournal, FakePeers, agent, context, envelope

PEER_TOKEN = tokens.peer_token(OPERATOR, LEAGUE, "REF01")
LIMITS = PlayerTimeouts(join=5.0, move=30.0, response=10.0)


class Explosive(Game[tuple[str, ...]]):
    """A game that breaks wherever it is told to: in a method, or in the `details` of its outcome."""

    name = "explosive"
    move_spec = MoveSpec()

    def __init__(self, where: str = "apply") -> None:
        self.where = where

    def start(self, players: Sequence[str], rng: Rng) -> tuple[str, ...]:
        self._break("start")
        return tuple(players)

    def to_move(self, state: tuple[str, ...]) -> tuple[str, ...]:
        self._break("to_move")
        return () if self.where == "nobody" else state

    def observe(self, state: tuple[str, ...], player: str) -> dict[str, Any]:
        self._break("observe")
        return {}

    def public_moves(self, state: tuple[str, ...]) -> dict[str, list[Move]]:
        self._break("public_moves")
        return {}

    def check(self, state: tuple[str, ...], player: str, move: Move) -> None:
        self._break("check")

    def render(self, state: tuple[str, ...]) -> str:
        self._break("render")
        return "boom"

    def svg(self, state: tuple[str, ...]) -> str:
        self._break("svg")
        return ""

    def notation(self, match: PlayedMatch) -> str:
        self._break("notation")
        return ""

    def legal_moves(self, state: tuple[str, ...], player: str) -> tuple[Move, ...]:
        self._break("legal_moves")
        return ("bang",)

    def apply(self, state: tuple[str, ...], moves: Mapping[str, Move], rng: Rng) -> tuple[str, ...]:
        self._break("apply")
        return ()

    def outcome(self, state: tuple[str, ...]) -> Outcome | None:
        self._break("outcome")
        if state:
            return None
        details = {"bomb": object()} if self.where == "details" else {}
        return Outcome(None, {}, "nobody was hurt", details)

    def _break(self, place: str) -> None:
        if self.where == place:
            raise ZeroDivisionError(f"in {place}")


def games(name: str, options: Mapping[str, Any]) -> Game[Any]:
    """The games that the referee knows."""
    if name == "explosive":
        return Explosive(**options)
    if name == "lowest_unique_number":
        return LowestUniqueNumber(**options)
    if name not in GAMES:
        raise UnsupportedGameType(f"{name!r} is not installed", field="game_type", value=name, expected=sorted(GAMES))
    return GAMES[name]


@dataclass
class RefereeHarness:
    """A referee and all that it meets."""

    service: RefereeService
    agent: AgentServer
    seat: Seat
    peers: FakePeers
    clock: ManualClock
    journal: FakeJournal
    tasks: TaskGroup
    over: anyio.Event

    async def call(
        self, tool: str, message: Mapping[str, Any] | None = None, token: str = PEER_TOKEN
    ) -> dict[str, Any]:
        """Call a tool as a transport does."""
        return await self.agent.call(tool, message or {}, context(token))

    async def start(self, match_id: str = "R1M1", **changes: Any) -> dict[str, Any]:
        """Have a match begin."""
        return await self.call("start_match", assignment(match_id, **changes))

    async def played(self, match_id: str = "R1M1", **changes: Any) -> MatchRunner:
        """Have a match begin, and wait until it is over."""
        session = (await self.start(match_id, **changes))["game_session_id"]
        return await self.ended(session)

    async def ended(self, session: str) -> MatchRunner:
        """Wait until a match is over."""
        runner = self.runner(session)
        await runner.until(lambda match: match.state in (MatchState.REPORTED, MatchState.ABORTED))
        return runner

    def runner(self, session: str = "R1M1#1") -> MatchRunner:
        return self.service.runners[session]


def assignment(match_id: str = "R1M1", players: tuple[str, ...] = ("P01", "P02"), **changes: Any) -> dict[str, Any]:
    """The manager's message that begins a match."""
    first, second, *more = players
    plain: dict[str, Any] = {
        "league_id": LEAGUE,
        "round_id": 1,
        "match_id": match_id,
        "game_type": "even_odd",
        "player_A_id": first,
        "player_B_id": second,
        "player_A_endpoint": f"http://localhost/{first}",
        "player_B_endpoint": f"http://localhost/{second}",
        "player_A_name": f"Name of {first}",
        "player_B_name": f"Name of {second}",
        "player_A_ticket": f"ticket of {first}",
        "player_B_ticket": f"ticket of {second}",
        "attempt": 1,
        "seed": "7",
    }
    if more:
        plain["players"] = [
            {"player_id": player, "endpoint": f"http://localhost/{player}", "ticket": f"ticket of {player}"}
            for player in players
        ]
    given: dict[str, Any] = {name: value for name, value in {**plain, **changes}.items() if value is not None}
    return envelope("START_MATCH", "league_manager", **given)


@asynccontextmanager
async def referee_harness(
    *,
    most: int = 4,
    max_retries: int = 3,
    clock: ManualClock | None = None,
    credentials: Credentials | None = None,
    limits: Callable[..., PlayerTimeouts] = lambda *_: LIMITS,
    peers: FakePeers | None = None,
) -> AsyncGenerator[RefereeHarness]:
    """A referee that has its seat; its matches run until the test ends. What the test raises comes out as it is."""
    raised: Exception | None = None
    seat, peers, journal = Seat(Role.REFEREE, "Whistle", OPERATOR), peers or FakePeers(), FakeJournal()
    seat.settle(credentials or Credentials("REF01", LEAGUE, "the referee's own token", PEER_TOKEN))
    clock, ids, over = clock or ManualClock(), ManualIds(), anyio.Event()
    with anyio.fail_after(30):
        async with anyio.create_task_group() as tasks:

            def spawn(job: Callable[[], Any]) -> None:
                tasks.start_soon(job)

            parts = RefereeContext(
                seat=seat,
                games=games,
                default_game="even_odd",
                manager=lambda: Peer("league_manager", "http://localhost:8000/mcp", "the referee's own token"),
                peers=peers,
                settings=RefereeLimits(most, limits, max_retries),
                retry=RetryPolicy(clock, HashRng("jitter"), max_retries, base=2.0),
                spawn=spawn,
                clock=clock,
                ids=ids,
                journal=journal,
            )
            service = RefereeService(parts, RefereeHooks(over.set, lambda match_id: resources.changed(match_id)))
            resources = RefereeResources(seat, lambda: service.runners, OPERATOR)
            service.registered()
            host = agent(
                tool_table(service, SPECS),
                service.identify,
                journal=journal,
                clock=clock,
                ids=ids,
                sender=lambda: seat.sender,
                ready=seat.ready,
                resources=resources.registry,
            )
            try:
                yield RefereeHarness(service, host, seat, peers, clock, journal, tasks, over)
            except Exception as error:
                raised = error
            tasks.cancel_scope.cancel()
    if raised is not None:
        raise raised
