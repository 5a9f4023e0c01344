"""Fakes of other agents, of logs and of time, and calls to an agent."""

import asyncio
import heapq
import inspect
import itertools
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import anyio

from game_rules.even_odd import EvenOdd
from game_rules.rock_paper_scissors import RockPaperScissors
from league_sdk import tokens
from league_sdk.clock import Ids, ManualClock, ManualIds
from league_sdk.dialect import V1
from league_sdk.domain.commands import (
    CloseRegistration,
    CreateLeague,
    RegisterPlayer,
    RegisterReferee,
    StartLeague,
)
from league_sdk.domain.events import Event, Record
from league_sdk.domain.league import League
from league_sdk.domain.model import Agent as Entrant
from league_sdk.domain.model import LeagueRules, Role
from league_sdk.errors import MatchNotFound
from league_sdk.game import Game
from league_sdk.net.endpoints import read_endpoint
from league_sdk.ports import CallContext, EventStore, Journal, Peer, Priority, StoreFailed
from league_sdk.protocol import match, operator, rounds
from league_sdk.protocol.codec import Codec
from league_sdk.protocol.envelope import Message
from league_sdk.protocol.v1 import V1Codec
from league_sdk.resource_provider import ResourceProvider
from league_sdk.stores import MemoryEventStore
from servers.agent.inbound import Identify, Inbound, Tool
from servers.agent.inbound_queue import InboundQueue
from servers.agent.refused_calls import RefusedCalls
from servers.agent.server import AgentServer
from servers.league_manager.ledger import Ledger
from servers.league_manager.lost_nodes import LostNodes
from servers.league_manager.mcp_resources import league_resources
from servers.league_manager.service import LeagueManagerService
from servers.league_manager.tools import tool_table

NOW = "2025-01-15T10:00:00.000Z"
OPERATOR = "the operator's token"
LEAGUE = "summer"
GAMES: Mapping[str, Game[Any]] = {"even_odd": EvenOdd(), "rock_paper_scissors": RockPaperScissors(rounds=2)}
SPECS = [game.move_spec for game in GAMES.values()]
CODEC = Codec(SPECS)


async def settle(turns: int = 200) -> None:
    """Let every task run until all of them wait for something that does not come by itself."""
    for _ in range(turns):
        await asyncio.sleep(0)


class SteppingClock(ManualClock):
    """A clock on which sleepers wait until the test moves it."""

    def __init__(self) -> None:
        super().__init__()
        self._sleepers: list[tuple[float, int, anyio.Event]] = []
        self._numbers = itertools.count()

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        woken = anyio.Event()
        heapq.heappush(self._sleepers, (self.monotonic() + seconds, next(self._numbers), woken))
        await woken.wait()

    async def pass_by(self, seconds: float) -> None:
        """Let the time pass, waking each sleeper at its moment, and let everybody do what they then do."""
        await settle()
        end = self.monotonic() + seconds
        while self._sleepers and self._sleepers[0][0] <= end:
            due, _, woken = heapq.heappop(self._sleepers)
            self.advance(max(0.0, due - self.monotonic()))
            woken.set()
            await settle()
        self.advance(max(0.0, end - self.monotonic()))
        await settle()


class FakeJournal:
    """Keeps what is written down."""

    def __init__(self) -> None:
        self.messages: list[tuple[str, str, str]] = []
        self.events: list[tuple[str, str, dict[str, Any]]] = []

    def sent(self, message_type: str, peer: str, details: Mapping[str, Any] | None = None) -> None:
        self.messages.append(("SENT", message_type, peer))

    def received(self, message_type: str, peer: str, details: Mapping[str, Any] | None = None) -> None:
        self.messages.append(("RECEIVED", message_type, peer))

    def event(self, event_type: str, level: str = "INFO", **details: Any) -> None:
        self.events.append((event_type, level, details))

    def named(self, event_type: str) -> list[tuple[str, dict[str, Any]]]:
        """Level and details of every event of a type."""
        return [(level, details) for name, level, details in self.events if name == event_type]


@dataclass(frozen=True)
class Sent:
    """A call that went out."""

    peer: Peer
    message: Any
    timeout: float
    priority: Priority
    retry: bool

    @property
    def to(self) -> str:
        return self.peer.agent_id


Answer = Any
"""A message, an exception to raise, or a function of the call that gives one of them, or waits and then does."""


def reply(call: Sent, kind: type[Any], **fields: Any) -> Any:
    """An answer from whoever was called."""
    sender = {"P": f"player:{call.to}", "R": f"referee:{call.to}"}.get(call.to[0], "league_manager")
    return kind(sender=sender, timestamp=NOW, conversation_id=call.message.conversation_id, **fields)


def _of_match(kind: type[Any], **fields: Any) -> Callable[[Sent], Any]:
    return lambda call: reply(call, kind, match_id=call.message.match_id, player_id=call.to, **fields)


def _acknowledged(kind: type[Any]) -> Callable[[Sent], Any]:
    def answer(call: Sent) -> Any:
        own = {"player_id" if call.to.startswith("P") else "referee_id": call.to}
        turn = {} if kind is rounds.LeagueCompletedAck else {"round_id": call.message.round_id}
        return reply(call, kind, **own, **turn)

    return answer


def join(*, accept: bool = True) -> Callable[[Sent], Any]:
    """The answer to an invitation."""
    return _of_match(match.GameJoinAck, accept=accept, arrival_timestamp=NOW)


def choose(move: Any) -> Callable[[Sent], Any]:
    """The answer to a call for a move."""
    return _of_match(match.MoveResponse, move=move)


def status(state: str, *, reported: bool = False, **more: Any) -> Callable[[Sent], Any]:
    """The answer of a referee that is asked how far a match is."""
    return lambda call: reply(
        call,
        operator.MatchStepResponse,
        match_id=call.message.match_id,
        game_session_id=f"{call.message.match_id}#1",
        state=state,
        reported=reported,
        **more,
    )


def begun(call: Sent, **more: Any) -> Any:
    """The answer of a referee that takes a match."""
    session = f"{call.message.match_id}#{call.message.attempt}"
    fields = {"match_id": call.message.match_id, "game_session_id": session, "state": "WAITING_FOR_PLAYERS", **more}
    return reply(call, operator.StartMatchResponse, **fields)


NATURAL: Mapping[type[Message], Callable[[Sent], Any]] = {
    rounds.RoundAnnouncement: _acknowledged(rounds.RoundAnnouncementAck),
    rounds.LeagueStandingsUpdate: _acknowledged(rounds.StandingsUpdateAck),
    rounds.RoundCompletedMessage: _acknowledged(rounds.RoundCompletedAck),
    rounds.LeagueCompletedMessage: _acknowledged(rounds.LeagueCompletedAck),
    match.GameInvitation: join(),
    match.MoveCall: lambda call: choose(call.message.context.legal_moves[0])(call),
    match.GameOver: _of_match(match.GameOverAck),
    match.GameError: _of_match(match.GameErrorAck),
    match.MatchResultReport: lambda call: reply(
        call, match.MatchResultAck, match_id=call.message.match_id, round_id=call.message.round_id
    ),
    operator.StartMatch: begun,
    operator.MatchStatus: status("COLLECTING_CHOICES"),
}
"""Default answers: accepts, plays the first legal move, acknowledges."""


class FakePeers:
    """Implements PeerCalls: keeps the calls, and answers by script."""

    def __init__(self) -> None:
        self.calls: list[Sent] = []
        self.pings: list[Answer] = []
        self.pings_of: dict[str, list[Answer]] = {}
        self.looks: dict[str, Exception] = {}
        self.pinged = 0
        self._scripts: dict[tuple[type[Message], str | None], list[Answer]] = {}

    def script(self, kind: type[Message], *answers: Answer, to: str | None = None) -> None:
        """Answer messages of a kind (from one agent) like this, one after the other; the last one repeats for ever."""
        self._scripts[kind, to] = list(answers)

    def sent(self, kind: type[Message], to: str | None = None) -> list[Any]:
        """The messages of a kind that went out (to one agent)."""
        return [call.message for call in self.calls if isinstance(call.message, kind) and to in (None, call.to)]

    def order(self, to: str) -> list[str]:
        """The types of the messages that went to one agent, in order."""
        return [call.message.message_type for call in self.calls if call.to == to]

    async def call(
        self,
        peer: Peer,
        message: Message,
        reply: type[Any],
        *,
        timeout: float,
        priority: Priority = Priority.CONTROL,
        retry: bool = True,
    ) -> Any:
        if isinstance(message, operator.MatchStatus) and message.match_id == "R0M0":
            await self.ping(peer, timeout=timeout)
            raise self.looks.get(peer.agent_id, MatchNotFound("there is no such match"))
        call = Sent(peer, message, timeout, priority, retry)
        self.calls.append(call)
        await asyncio.sleep(0)
        answer = self._next(call)
        if callable(answer):
            answer = answer(call)
        if inspect.isawaitable(answer):
            answer = await answer
        if isinstance(answer, BaseException):
            raise answer
        assert isinstance(answer, reply), f"the script answers {message} with {answer}"
        return answer

    async def ping(self, peer: Peer, *, timeout: float) -> None:
        self.pinged += 1
        script = self.pings_of.get(peer.agent_id) or self.pings or [None]
        answer = script.pop(0) if len(script) > 1 else script[0]
        if answer is not None:
            raise answer

    def _next(self, call: Sent) -> Answer:
        kind = type(call.message)
        for key in ((kind, call.to), (kind, None)):
            script = self._scripts.get(key)
            if script:
                return script.pop(0) if len(script) > 1 else script[0]
        return NATURAL[kind]


async def never(call: Sent) -> Any:
    """The answer of somebody who has fallen silent; the caller's own limit has to end it."""
    del call
    await anyio.sleep_forever()


class StubbornStore(MemoryEventStore):
    """A store that refuses to write while `full`, and waits for `gate` before it writes."""

    def __init__(self) -> None:
        super().__init__()
        self.full = False
        self.gate: anyio.Event | None = None

    async def append(self, league_id: str, events: Sequence[Event], *, expected: int, at: str) -> list[Record]:
        if self.full:
            raise StoreFailed("the disk is full")
        if self.gate is not None:
            await self.gate.wait()
        return await super().append(league_id, events, expected=expected, at=at)


def rules(**changes: Any) -> LeagueRules:
    """The rules of a league that waits for its operator."""
    return replace(LeagueRules(LEAGUE, "even_odd", registration_timeout_sec=None), **changes)


def token_of(agent_id: str) -> str:
    """The token of an agent that `enrol` registered."""
    return f"token of {agent_id}"


def entrant(role: Role, number: int, **changes: Any) -> Entrant:
    """An agent that may register; it will be number `number` of its role."""
    prefix, port = ("P", 8100) if role is Role.PLAYER else ("REF", 8000)
    plain = Entrant(
        agent_id="",
        role=role,
        display_name=f"{'Player' if role is Role.PLAYER else 'Referee'} {number}",
        endpoint=f"http://localhost:{port + number}/mcp",
        token_digest=tokens.digest(token_of(f"{prefix}{number:02d}")),
        game_types=("even_odd",),
        max_concurrent_matches=2,
    )
    return replace(plain, **changes)


async def enrol(ledger: Ledger, players: int, referees: int = 1, *, concurrent: int = 2) -> None:
    """Register so many agents."""
    for number in range(1, referees + 1):
        await ledger.execute(
            RegisterReferee(entrant(Role.REFEREE, number, max_concurrent_matches=concurrent), "secret")
        )
    for number in range(1, players + 1):
        await ledger.execute(RegisterPlayer(entrant(Role.PLAYER, number)))


async def start(ledger: Ledger) -> None:
    """Close registration and start."""
    await ledger.execute(CloseRegistration("operator"))
    await ledger.execute(StartLeague())


def context(bearer: str | None = None) -> CallContext:
    """A transport's knowledge of a caller."""
    return CallContext(bearer_token=bearer, address="127.0.0.1")


def envelope(message_type: str, sender: str, token: str | None = None, **fields: Any) -> dict[str, Any]:
    """A message as it arrives."""
    plain = {
        "protocol": "league.v2",
        "message_type": message_type,
        "sender": sender,
        "timestamp": NOW,
        "conversation_id": "conv-of-caller",
    }
    return {**plain, **({} if token is None else {"auth_token": token}), **fields}


def player_request(name: str = "Ada", token: str | None = None, **meta: Any) -> dict[str, Any]:
    """A player that asks for a seat."""
    plain = {
        "display_name": name,
        "version": "1.0.0",
        "game_types": ["even_odd"],
        "contact_endpoint": "http://localhost:8101/mcp",
    }
    return envelope("LEAGUE_REGISTER_REQUEST", f"player:{name}", token, player_meta={**plain, **meta})


def referee_request(name: str = "Whistle", token: str | None = None, **meta: Any) -> dict[str, Any]:
    """A referee that asks for a seat."""
    plain = {
        "display_name": name,
        "version": "1.0.0",
        "game_types": ["even_odd"],
        "contact_endpoint": "http://localhost:8001/mcp",
        "max_concurrent_matches": 2,
    }
    return envelope("REFEREE_REGISTER_REQUEST", f"referee:{name}", token, referee_meta={**plain, **meta})


def result_report(
    match_id: str = "R1M1",
    winner: str | None = "P01",
    score: Mapping[str, int] | None = None,
    referee: str = "REF01",
    token: str | None = None,
    **fields: Any,
) -> dict[str, Any]:
    """A referee's report."""
    points = {"P01": 3, "P02": 0} if score is None else dict(score)
    return envelope(
        "MATCH_RESULT_REPORT",
        f"referee:{referee}",
        token_of(referee) if token is None else token,
        **{
            "league_id": LEAGUE,
            "round_id": int(match_id[1 : match_id.index("M")]),
            "match_id": match_id,
            "game_type": "even_odd",
            "result": {"winner": winner, "score": points, "details": {"drawn_number": 8}},
            **fields,
        },
    )


def query(kind: str, asker: str = "P01", params: Mapping[str, Any] | None = None, **fields: Any) -> dict[str, Any]:
    """A question to the manager."""
    role = "player" if asker.startswith("P") else "referee"
    more = {} if params is None else {"query_params": dict(params)}
    plain = {"league_id": LEAGUE, "query_type": kind, **more}
    return envelope("LEAGUE_QUERY", f"{role}:{asker}", token_of(asker), **{**plain, **fields})


def agent(
    tools: Iterable[Tool],
    identify: Identify,
    *,
    journal: Journal | None = None,
    clock: ManualClock | None = None,
    ids: Ids | None = None,
    queue: InboundQueue | None = None,
    sender: Callable[[], str] = lambda: "player:P01",
    say: Callable[[str], None] | None = None,
    resources: ResourceProvider | None = None,
    **more: Any,
) -> AgentServer:
    """An agent around these tools."""
    journal, clock = journal or FakeJournal(), clock or ManualClock()
    inbound = Inbound(
        identify=identify,
        codec=CODEC,
        queue=queue or InboundQueue(capacity=10_000, concurrency=256, patience=60),
        journal=journal,
        clock=clock,
        ids=ids or ManualIds(),
        sender=sender,
        refused_calls=RefusedCalls(clock, journal, say),
        **more,
    )
    return AgentServer("tested", "", list(tools), inbound, resources)


@dataclass
class Manager:
    """A league manager without a wire, and without its course."""

    store: EventStore
    clock: ManualClock = field(default_factory=ManualClock)
    ids: ManualIds = field(default_factory=ManualIds)
    journal: FakeJournal = field(default_factory=FakeJournal)
    records: list[Record] = field(default_factory=list[Record])
    look: Callable[[str], Awaitable[str]] | None = None
    lost_nodes: LostNodes = field(default_factory=LostNodes)

    def __post_init__(self) -> None:
        self.ledger = Ledger(self.store, self.clock, LEAGUE)
        self.ledger.subscribe(lambda _, records: self.records.extend(records))
        self.service = LeagueManagerService(
            ledger=self.ledger,
            clock=self.clock,
            ids=self.ids,
            journal=self.journal,
            operator_token=OPERATOR,
            read_endpoint=read_endpoint,
            look=self.look,
            lost_nodes=self.lost_nodes,
        )
        self.agent = agent(
            tool_table(self.service),
            self.service.authentication.identify,
            journal=self.journal,
            clock=self.clock,
            ids=self.ids,
            sender=lambda: "league_manager",
            dialects={V1: V1Codec(CODEC, SPECS, leagues=[LEAGUE])},
            resources=league_resources(self.ledger, operator_token=OPERATOR),
        )

    @property
    def league(self) -> League:
        return self.ledger.league

    @property
    def types(self) -> list[str]:
        """The types of all events that were stored."""
        return [record.type for record in self.records]

    async def call(self, tool: str, message: Mapping[str, Any], bearer: str | None = None) -> dict[str, Any]:
        """Call a tool as a transport does."""
        return await self.agent.call(tool, message, context(bearer))


async def manager(
    store: EventStore | None = None,
    clock: ManualClock | None = None,
    look: Callable[[str], Awaitable[str]] | None = None,
    lost_nodes: LostNodes | None = None,
    **changes: Any,
) -> Manager:
    """A manager of a new league that waits for registrations."""
    made = Manager(store or MemoryEventStore(), clock or ManualClock(), look=look, lost_nodes=lost_nodes or LostNodes())
    await made.ledger.execute(CreateLeague(rules(**changes)))
    return made
