"""Composition root: chooses transport, store, clock and log of every agent."""

import logging
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

import anyio
from starlette.routing import BaseRoute

from clients.circuit import CircuitBreakers, CircuitSettings, CircuitState
from clients.derivations import Derivations
from clients.message_queue import MessageQueue
from clients.outbound import Outbound, Route
from clients.peer import PeerClient
from clients.retry import RetryPolicy
from clients.session_manager import SessionManager, SessionSettings
from clients.tool_registry import ToolRegistry
from league_sdk import plugins, tracing
from league_sdk.clock import Clock, HashRng, Ids, Rng, SystemClock, SystemIds, SystemRng
from league_sdk.dialect import V1, Dialect, known_dialect
from league_sdk.domain.model import Role, StageRules
from league_sdk.game import Game, MoveSpec
from league_sdk.json_value import Json
from league_sdk.logs import LogFiles
from league_sdk.net.addresses import AddressRule
from league_sdk.net.proxies import TrustedProxies
from league_sdk.ports import Journal, ToolHost
from league_sdk.protocol.catalog import call_for
from league_sdk.protocol.codec import Codec, DialectCodec
from league_sdk.protocol.envelope import Message
from league_sdk.protocol.v1 import V1Codec
from league_sdk.resource_provider import ResourceProvider
from league_sdk.settings import ConfigLoader, LimitsConfig, SystemConfig, Workspace
from league_sdk.tournament import Format
from league_sdk.transports import HttpListener, connectors, serve
from servers.agent import security
from servers.agent.access import Caller
from servers.agent.agent_spec import AgentSpec
from servers.agent.derived_calls import DerivedCalls, Speakers
from servers.agent.inbound import Identify, Inbound, Tool
from servers.agent.inbound_queue import InboundQueue
from servers.agent.output_guard import LostOutput, guarded_output
from servers.agent.rate_limit import Throttle
from servers.agent.refused_calls import RefusedCalls
from servers.agent.server import AgentServer
from servers.agent.strangers import strangers_may_come
from servers.observability.health import Operations
from servers.observability.metrics import BREAKERS, QUEUE_UNDER_WAY, QUEUE_WAITING, SESSIONS, AgentMetrics
from servers.observability.telemetry import send_traces, start_tracing

logger = logging.getLogger(__name__)

LOOK_SEC = 1.0
"""Limit of probing an agent that registers; it may be waiting for the answer, and not answer itself before."""
LOOKS_AT_ONCE = 16
"""Limit of concurrent probes; when a thousand agents register at once, a thousand probes would all fail."""


class ServedHost(ToolHost, Protocol):
    """A host that is told of bodies that are no requests."""

    def refuse_body(self, address: str, reason: str) -> None: ...


class HostLeft(Exception):
    """The host closed standard input, which ends the agent."""


@dataclass(frozen=True, slots=True)
class AgentContext:
    """Parts that every agent is built from."""

    spec: AgentSpec
    config: ConfigLoader
    system: SystemConfig
    workspace: Workspace
    clock: Clock
    ids: Ids
    rng: Rng  # chance, for jitter
    logs: LogFiles  # the log files of this process
    codec: Codec  # between JSON and messages
    dialects: Mapping[str, DialectCodec]  # codecs of the other protocols, by name
    outbound: Outbound  # what all outgoing calls share
    games: Mapping[str, Game[Any]]  # the games this agent is there for, by name
    rule: AddressRule  # the addresses that it may call
    operations: Operations  # its metrics and health
    lost_output: LostOutput = field(default_factory=LostOutput)  # told when something that the process prints is lost
    # turns to look at agents that register
    looks: anyio.Semaphore = field(default_factory=lambda: anyio.Semaphore(LOOKS_AT_ONCE))

    def peers(self, journal: Journal) -> PeerClient:
        """The client for calls in a running league."""
        return PeerClient(self.outbound, self.codec, self._route, journal, self.dialects)

    def patient_peers(self, journal: Journal) -> PeerClient:
        """A client without circuit breaker, for waiting for a manager."""
        never = CircuitBreakers(self.clock, CircuitSettings(threshold=2**31))
        return PeerClient(replace(self.outbound, breakers=never), self.codec, self._route, journal, self.dialects)

    @property
    def dialect(self) -> Dialect:
        """The dialect with the manager, as far as it was specified."""
        return known_dialect(self.spec.dialect)

    async def look(self, endpoint: str) -> str:
        """Detect `mcp` or `jsonrpc` at an endpoint; empty when unknown or too busy."""
        with anyio.move_on_after(LOOK_SEC) as waiting:
            await self.looks.acquire()
        if waiting.cancelled_caught:
            return ""
        try:
            return await self.outbound.sessions.wire(endpoint, timeout=LOOK_SEC)
        finally:
            self.looks.release()

    def server(
        self,
        journal: Journal,
        *,
        instructions: str,
        tools: Sequence[Tool],
        identify: Identify,
        sender: Callable[[], str],
        ready: Callable[[], Awaitable[object]],
        throttle: Throttle,
        resources: ResourceProvider,
        speakers: Speakers,
        say: Callable[[str], None] | None = None,
        check_epoch: Callable[[Caller, Json], None] | None = None,
        epoch: Callable[[], Json] | None = None,
    ) -> AgentServer:
        derivations = self.outbound.derivations
        inbound = Inbound(
            codec=self.codec,
            queue=self.inbound_queue(),
            journal=journal,
            clock=self.clock,
            ids=self.ids,
            refused_calls=RefusedCalls(self.clock, journal, say),
            identify=identify,
            sender=sender,
            ready=ready,
            throttle=throttle,
            dialects=self.dialects,
            metrics=self.operations.metrics,
            derived=derivations and DerivedCalls(self.clock, self.ids, journal, derivations, speakers),
            check_epoch=check_epoch,
            epoch=epoch,
        )
        return AgentServer(self.spec.name, instructions, tools, inbound, resources)

    def inbound_queue(self) -> InboundQueue:
        limits = self.system.limits
        queue = InboundQueue(
            capacity=limits.queue_capacity, concurrency=limits.max_concurrent_calls, patience=limits.queue_patience_sec
        )
        self.operations.metrics.read(QUEUE_WAITING, lambda: _by_queue(self.outbound.queue.waiting, queue.waiting))
        self.operations.metrics.read(QUEUE_UNDER_WAY, lambda: _by_queue(self.outbound.queue.under_way, queue.under_way))
        return queue

    @asynccontextmanager
    async def serve(
        self,
        agent: ServedHost,
        extra_routes: Sequence[BaseRoute] = (),
        more: Mapping[str, ToolHost] | None = None,
    ) -> AsyncGenerator[HttpListener]:
        """Serve an agent over HTTP, and over standard input and output if specified."""
        async with self._listen(agent, extra_routes, more) as listener:
            if not self.spec.stdio:
                yield listener
                return
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(_answer_host, agent)
                yield listener
                tasks.cancel_scope.cancel()

    def _listen(
        self, agent: ServedHost, extra_routes: Sequence[BaseRoute], more: Mapping[str, ToolHost] | None
    ) -> AbstractAsyncContextManager[HttpListener]:
        return serve(
            agent,
            bind_host=self.spec.bind_host,
            port=self.spec.port,
            public_host=self.spec.public_host,
            more=more,
            extra_routes=[*self.operations.routes(), *extra_routes],
            allowed_hosts=self.system.security.allowed_hosts,
            limits=security.connection_limits(self.system.limits),
            max_body=self.system.security.max_message_bytes,
            tls=security.tls_files(self.system.security),
            on_refused=agent.refuse_body,
            proxies=TrustedProxies(self.system.security.trusted_proxies),
        )

    def tournament_format(self, stages: Sequence[StageRules]) -> Format:
        return plugins.stages_format(stages, self.spec.plugins)

    def throttle(self) -> Throttle:
        return security.throttle(self.clock, self.system.limits)

    def _route(self, message: Message) -> Route:
        call = call_for(message, move_specs(self.games))
        return Route((call.tool, *call.aliases), call.spec)


@asynccontextmanager
async def agent_context(spec: AgentSpec, default_games: Sequence[str] = ()) -> AsyncGenerator[AgentContext]:
    """Build an agent's context, and close it at the end."""
    config = ConfigLoader(spec.config, overrides=spec.overrides)
    start_tracing(spec.role)
    system = config.load_system()
    rule = _rule(spec, system) if spec.role is Role.LEAGUE_MANAGER else AddressRule()
    workspace = Workspace(spec.workspace)
    clock, rng = SystemClock(), SystemRng() if spec.seed is None else HashRng(f"{spec.seed}:{spec.name}")
    names = spec.game_types or tuple(default_games) or tuple(plugins.game_classes(spec.plugins))
    games = {name: plugins.game(name, spec.plugins) for name in names}
    metrics = AgentMetrics(spec.role)
    codec = Codec((game.move_spec for game in games.values()), security.bounds(system.security))
    async with AsyncExitStack() as stack:
        stack.push_async_callback(send_traces)
        logs = _log_files(spec, config, workspace, clock, metrics)
        stack.callback(logs.close)
        lost_output = LostOutput()
        # Standard output is a wire where the agent speaks MCP over it.
        stack.enter_context(guarded_output(lost_output, descriptors=(2,) if spec.stdio else (1, 2)))
        sessions = await _sessions(stack, system, rule, clock)
        yield AgentContext(
            spec=spec,
            config=config,
            system=system,
            workspace=workspace,
            clock=clock,
            ids=SystemIds(),
            rng=rng,
            logs=logs,
            codec=codec,
            dialects={V1: _v1(spec, config, codec, games)},
            outbound=_outbound(system, sessions, clock, rng, metrics),
            games=games,
            rule=rule,
            operations=Operations(
                spec.role,
                spec.name,
                clock,
                metrics,
                system.security.metrics_readers,
                spec.operator_token,
                system.security.metrics_token,
                trusts_own_machine=not strangers_may_come(spec, system.security),
            ),
            lost_output=lost_output,
        )


def _log_files(
    spec: AgentSpec, config: ConfigLoader, workspace: Workspace, clock: Clock, metrics: AgentMetrics
) -> LogFiles:
    settings = config.logging_for(_LOG_ROLE[spec.role])
    return LogFiles(
        workspace.logs,
        clock=clock,
        level=settings.level,
        max_bytes=int(settings.rotation_mb * 1_000_000),
        backups=settings.rotation_backups,
        on_trouble=metrics.logged,
        trace_id=tracing.trace_id,
    )


async def _sessions(stack: AsyncExitStack, system: SystemConfig, rule: AddressRule, clock: Clock) -> SessionManager:
    transports = await stack.enter_async_context(
        connectors(
            max_body=system.security.max_message_bytes,
            authorities=security.authorities(system.security),
            rule=rule,
            lenient=system.protocol.lenient,
        )
    )
    settings = SessionSettings(
        open_timeout=system.timeouts.http_request_timeout_sec,
        heartbeat_interval=system.heartbeat_interval_sec,
        idle_timeout=system.limits.session_idle_sec,
    )
    return await stack.enter_async_context(SessionManager(transports, clock, settings))


def _outbound(
    system: SystemConfig, sessions: SessionManager, clock: Clock, rng: Rng, metrics: AgentMetrics
) -> Outbound:
    retry, breaker = system.retry_policy, system.circuit_breaker
    settings = CircuitSettings(
        threshold=breaker.failure_threshold,
        reset_timeout=breaker.timeout_sec,
        half_open_max_calls=breaker.half_open_max_calls,
    )
    outbound = Outbound(
        sessions=sessions,
        queue=queue_for(system.limits),
        retry=RetryPolicy(clock, rng, retry.max_retries, retry.backoff_base_sec, retry.backoff_max_sec),
        breakers=CircuitBreakers(clock, settings),
        registry=ToolRegistry(),
        meter=metrics,
        derivations=Derivations(metrics) if system.protocol.lenient else None,
    )
    metrics.read(BREAKERS, lambda: _by_state(outbound.breakers))
    metrics.read(SESSIONS, lambda: {(): float(len(sessions.open_endpoints))})
    return outbound


def _v1(spec: AgentSpec, config: ConfigLoader, codec: Codec, games: Mapping[str, Game[Any]]) -> V1Codec:
    return V1Codec(
        codec,
        move_specs(games),
        leagues=(spec.league_id,) if spec.league_id else (),
        join_sec=config.timeouts_for().game_join_timeout_sec,
        bounds=security.bounds(config.load_system().security),
    )


async def _answer_host(agent: ToolHost) -> None:
    from league_sdk.transports.stdio import serve_stdio

    await serve_stdio(agent)
    raise HostLeft


def _rule(spec: AgentSpec, system: SystemConfig) -> AddressRule:
    invited = (url for _, url in spec.invited)
    return security.address_rule(system.security, spec.bind_host, spec.neighbours, invited)


def queue_for(limits: LimitsConfig) -> MessageQueue:
    return MessageQueue(
        capacity=limits.queue_capacity,
        concurrency=limits.max_concurrent_calls,
        patience=limits.queue_patience_sec,
    )


def _by_state(breakers: CircuitBreakers) -> dict[tuple[str, ...], float]:
    states = breakers.states()
    return {(str(state),): float(states[state]) for state in CircuitState}


def _by_queue(sent: int, received: int) -> dict[tuple[str, ...], float]:
    return {("sent",): float(sent), ("received",): float(received)}


def move_specs(games: Mapping[str, Game[Any]]) -> list[MoveSpec]:
    """The distinct move specifications of these games."""
    return list(dict.fromkeys(game.move_spec for game in games.values()))


_LOG_ROLE: Mapping[Role, Any] = {
    Role.LEAGUE_MANAGER: "league_manager",
    Role.REFEREE: "referee",
    Role.PLAYER: "player",
    Role.SEATS: "league_manager",
}

Say = Callable[[str], None]
"""Tells the person at the terminal something, in a line."""
