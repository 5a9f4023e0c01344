"""Membership of the hosted player in a league: joining, news and queries."""

import logging
from collections.abc import Callable
from dataclasses import replace
from typing import TypeAlias

import anyio
import anyio.abc

from league_sdk import plugins
from league_sdk.clock import Clock, Ids, SystemClock
from league_sdk.errors import LeagueError
from league_sdk.ports import MalformedReply, Peer, PeerCalls
from league_sdk.protocol.envelope import stamp
from league_sdk.protocol.queries import LeagueQuery, LeagueQueryResponse, QueryName, QueryParams
from servers.agent import startup_status
from servers.agent.agent_spec import AgentSpec
from servers.agent.bootstrap import AgentContext
from servers.agent.identity import Credentials, Seat
from servers.agent.startup_status import Report
from servers.agent.untrusted import identifier, marked
from servers.host.hosted_player import HostedPlayer, Topic
from servers.host.moves import label
from servers.host.stable_port import KeptPort
from servers.host.turns import Settled, Turns
from servers.launcher.agents import run_agent
from servers.player.main import run_player
from servers.player.ports import Chooser, PlayerContext, PlayerHooks
from servers.player.service import PlayerService

LONGEST_REASON = 400
Listener: TypeAlias = Callable[[Topic], None]

logger = logging.getLogger(__name__)


class NotPossible(Exception):
    """The request can't be served; the message says why and what to do."""


class Inquiries:
    """Asks a league manager in a seat's name."""

    def __init__(self, seat: Seat, manager_url: str, peers: PeerCalls, clock: Clock, ids: Ids, timeout: float) -> None:
        self._seat = seat
        self._manager_url = manager_url
        self._peers = peers
        self._clock = clock
        self._ids = ids
        self._timeout = timeout

    async def ask(
        self, query: QueryName, params: QueryParams | None = None, timeout: float | None = None
    ) -> LeagueQueryResponse:
        credentials = self._seat.credentials
        if credentials is None:
            raise NotPossible("you are not in a league yet; join one with join_league")
        question = LeagueQuery(
            **stamp(self._clock, self._ids, self._seat.sender),
            league_id=credentials.league_id,
            query_type=query,
            query_params=params,
        )
        manager = Peer("league_manager", self._manager_url, credentials.auth_token)
        try:
            limit = min(self._timeout, timeout or self._timeout)
            return await self._peers.call(manager, question, LeagueQueryResponse, timeout=limit, retry=False)
        except (LeagueError, MalformedReply) as error:
            raise NotPossible(f"the league manager gives no answer: {marked(str(error), LONGEST_REASON)}") from error


class Membership:
    """One seat, in one league at a time."""

    def __init__(self, spec: AgentSpec, tasks: anyio.abc.TaskGroup, clock: Clock | None = None) -> None:
        self.clock = clock or SystemClock()
        self.turns: Turns | None = None
        self.player: HostedPlayer | None = None
        self.ended = ""
        self._late: list[str] = []
        self._spec = spec
        self._tasks = tasks
        self._listeners: dict[object, Listener] = {}
        self._changed = anyio.Event()
        self._seat: Seat | None = None
        self._inquiries: Inquiries | None = None
        self._joining = anyio.Lock()

    @property
    def credentials(self) -> Credentials | None:
        """Credentials from the league, or None before registration."""
        return None if self._seat is None else self._seat.credentials

    @property
    def seated(self) -> bool:
        """True while it plays in a league that is not over."""
        return self._inquiries is not None and self.player is not None and not self.player.over

    def late(self) -> str:
        """Fallback moves that the host has not been told yet."""
        told, self._late = " ".join(self._late), []
        return told

    def watch(self, listener: Listener) -> Callable[[], None]:
        """Tell `listener` of changes, until the returned function is called."""
        key = object()
        self._listeners[key] = listener
        return lambda: self._listeners.pop(key, None) and None

    @property
    def change(self) -> anyio.Event:
        """Set as soon as anything changes."""
        return self._changed

    async def join(self, manager_url: str | None = None, name: str | None = None) -> Credentials:
        async with self._joining:
            if self.seated and self.credentials is not None:
                seat = self.credentials
                raise NotPossible(
                    f"you sit in league {seat.league_id} as {seat.agent_id} until it is over; one seat at a time"
                )
            spec = replace(
                self._spec, manager_url=manager_url or self._spec.manager_url, name=(name or self._spec.name).strip()
            )
            if not spec.manager_url:
                raise NotPossible("no league manager is known: name its endpoint, such as http://localhost:8000/mcp")
            kept = KeptPort(spec)
            spec = replace(spec, port=kept.choose())
            failed: list[str] = []
            settled = anyio.Event()

            def report(told: Report) -> None:
                if told["kind"] == "failed":
                    failed.append(str(told["text"]))
                if told["kind"] == "registered":
                    settled.set()

            self._tasks.start_soon(self._play, spec, report, settled)
            await settled.wait()
            if self.credentials is None:
                raise NotPossible(marked(failed[0], LONGEST_REASON) if failed else "the league did not register you")
            kept.keep(spec.port)
            return self.credentials

    async def ask(
        self, query: QueryName, params: QueryParams | None = None, timeout: float | None = None
    ) -> LeagueQueryResponse:
        """Ask the league manager; see `Inquiries.ask`."""
        if self._inquiries is None:
            raise NotPossible("you are in no league that is under way; join one with join_league")
        return await self._inquiries.ask(query, params, timeout)

    def take_seat(self, player: HostedPlayer, turns: Turns, seat: Seat, inquiries: Inquiries) -> None:
        """Play with this player from now on."""
        self.player, self.turns, self._seat, self._inquiries = player, turns, seat, inquiries

    async def _play(self, spec: AgentSpec, report: Callable[[Report], None], settled: anyio.Event) -> None:
        self.player, self.turns, self._seat, self.ended, self._late = None, None, None, "", []

        async def run(tools: AgentContext, told: Callable[[Report], None]) -> int:
            turns = self._turns(tools)

            def make(context: PlayerContext, choose: Chooser, hooks: PlayerHooks) -> PlayerService:
                player = HostedPlayer(context, choose, hooks, tell=self.tell)
                limit = tools.system.timeouts.generic_response_timeout_sec
                peers = tools.peers(context.journal)
                inquiries = Inquiries(context.seat, spec.manager_url, peers, tools.clock, tools.ids, limit)
                self.take_seat(player, turns, context.seat, inquiries)
                return player

            return await run_player(tools, told, choose=turns, make=make)

        def told(what: Report) -> None:
            if what["kind"] == "failed":
                self.ended = marked(str(what["text"]), LONGEST_REASON)
            report(what)

        try:
            await run_agent(spec, told, run)
        except Exception:
            logger.exception("%s: the player crashed", spec.name)
            told(startup_status.failed("the player crashed; the host's log of this server says how"))
        finally:
            self._inquiries = None
            settled.set()
            self.tell(Topic.TURN)

    def _turns(self, tools: AgentContext) -> Turns:
        spec = tools.spec
        limits = [
            tools.config.timeouts_for(game.move_spec.choice_field).move_timeout_sec for game in tools.games.values()
        ]
        strategy = plugins.strategy(spec.strategy, spec.plugins)
        return Turns(self.clock, min(limits), strategy, spec.strategy, self.turn_changed)

    def turn_changed(self, settled: Settled | None) -> None:
        """A turn has begun, or ended like this."""
        if settled is not None and self.player is not None:
            told, match_id = settled.reason or f"you chose {label(settled.move)}", identifier(settled.turn.match_id)
            self.player.note(f"{match_id}: {told}.")
            if settled.reason:
                self._late.append(f"In {match_id} {settled.reason}.")
        self.tell(Topic.TURN)

    def tell(self, topic: Topic) -> None:
        """Something has changed."""
        changed, self._changed = self._changed, anyio.Event()
        changed.set()
        for listener in tuple(self._listeners.values()):
            listener(topic)
