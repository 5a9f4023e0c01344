"""Lifetime of a referee or player: serve, register, end with the league."""

from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from functools import partial
from typing import Any, Protocol

import anyio

from league_sdk.domain.model import HOSTED, PROTOCOL_VERSION, Role
from league_sdk.errors import AuthTokenInvalid
from league_sdk.logs import AgentLogger
from league_sdk.protocol.envelope import Envelope, stamp
from league_sdk.release import release
from league_sdk.resource_provider import ResourceProvider
from servers.agent import startup_status
from servers.agent.bootstrap import AgentContext
from servers.agent.derived_calls import Speakers
from servers.agent.hosted_seat import HostedSeatClient
from servers.agent.identity import Credentials, Seat
from servers.agent.inbound import Identify, Tool
from servers.agent.lifecycle import AgentLifecycle
from servers.agent.manager_heartbeat import watch_manager
from servers.agent.own_token import refusal_of
from servers.agent.rate_limit import Throttle
from servers.agent.referee_secret import shown_referee_secret
from servers.agent.registration import registered, registrar
from servers.agent.server import AgentServer
from servers.agent.startup_status import ReportTo

Request = Callable[[Mapping[str, Any], Mapping[str, Any]], Envelope]
"""Builds a registration: of the fields that every registration has, and of those that its `meta` has."""


class MemberService(Protocol):
    """A service with a seat in a league."""

    life: AgentLifecycle

    def registered(self) -> None: ...


class MemberResources(Protocol):
    """Resources that depend on the seat."""

    @property
    def registry(self) -> ResourceProvider: ...

    def seated(self) -> None: ...


class Member:
    """A referee or player from its start to the end of its league."""

    def __init__(self, tools: AgentContext, report: ReportTo, role: Role) -> None:
        spec = tools.spec
        self.tools = tools
        self.report = report
        self.journal = AgentLogger.unregistered(spec.name, tools.logs)
        tools.lost_output.log_to(self.journal)
        self.seat = Seat(role, spec.name, spec.operator_token)
        self.over = anyio.Event()
        self.peers = tools.peers(self.journal)
        self.throttle: Throttle = tools.throttle()
        self.endpoint: str | None = None
        self._instance_id = tools.ids.token()[:16]

    async def serve(
        self,
        service: MemberService,
        resources: MemberResources,
        *,
        instructions: str,
        table: Sequence[Tool],
        identify: Identify,
        request: Request,
        reply: type[Any],
        speakers: Speakers | None = None,
    ) -> int:
        """Serve and register; 0 once the league is over, 1 if the manager vanished."""
        tools, seat, report = self.tools, self.seat, self.report
        tools.operations.require("registered", registered(seat))
        tools.operations.tell_state(lambda: str(service.life.state))
        agent = tools.server(
            self.journal,
            instructions=instructions,
            tools=table,
            identify=identify,
            sender=lambda: seat.sender,
            ready=seat.ready,
            throttle=self.throttle,
            resources=resources.registry,
            speakers=speakers or seat.speaker,
            check_epoch=seat.check_epoch,
        )
        async with self._reachable(agent):
            if not tools.spec.manager_url:
                seat.settle(None)
                await anyio.sleep_forever()
            asking = registrar(tools, seat, self.journal, lambda token: self._request(request, token), reply)
            credentials = await asking.register(lambda text: report(startup_status.waiting(text)))
            self.journal.rename(credentials.agent_id)
            service.registered()
            resources.seated()
            report(startup_status.registered(credentials.agent_id, credentials.league_id))
            async with self._fetching(agent, credentials):
                unknown = partial(self._unknown, credentials) if self._invited else None
                gone = await watch_manager(tools, self.peers, self.journal, self.over, service.life, unknown)
        if gone:
            report(startup_status.failed(gone))
            return 1
        return 0

    @property
    def _invited(self) -> bool:
        """True for a referee that shows an invitation, which may be revoked."""
        return self.seat.role is Role.REFEREE and self.tools.system.security.referee_secret is not None

    async def _unknown(self, own: Credentials) -> str:
        refused = await refusal_of(self.tools, self.seat.role, own, self.peers, self.journal, AuthTokenInvalid)
        return "" if refused is None else f"it is no longer in league {own.league_id}: {refused.message}"

    @asynccontextmanager
    async def _reachable(self, agent: AgentServer) -> AsyncGenerator[None]:
        """Listen, unless the messages are fetched."""
        if self.tools.spec.outbound:
            self.endpoint = HOSTED
            yield
            return
        async with self.tools.serve(agent) as listener:
            self.endpoint = listener.endpoint
            self.report(startup_status.listening(listener.endpoint))
            yield

    @asynccontextmanager
    async def _fetching(self, agent: AgentServer, credentials: Credentials) -> AsyncGenerator[None]:
        """Fetch the messages of a hosted seat, if the agent has one."""
        if not self.tools.spec.outbound:
            yield
            return
        seat = HostedSeatClient(self.tools, agent, credentials, self.peers, self.journal, self.report)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(seat.run)
            yield
            await seat.settle()
            tasks.cancel_scope.cancel()

    def _request(self, request: Request, token: str | None) -> Envelope:
        tools, spec = self.tools, self.tools.spec
        fields = {
            **stamp(tools.clock, tools.ids, self.seat.sender),
            "auth_token": token,
            "league_id": spec.league_id or None,
            **self._secret(),
        }
        meta = {
            "display_name": spec.name,
            "version": release(),
            "protocol_version": PROTOCOL_VERSION,
            "game_types": tuple(tools.games),
            "contact_endpoint": self.endpoint,
            "dialect": spec.dialect or None,
            "instance_id": self._instance_id,
        }
        return request(fields, meta)

    def _secret(self) -> dict[str, str | None]:
        """The secret of its role; a manager may have made it since the try before."""
        security = self.tools.system.security
        if self.seat.role is Role.REFEREE:
            return {"referee_secret": shown_referee_secret(self.tools.spec, security.referee_secret)}
        return {"join_secret": security.join_secret}
