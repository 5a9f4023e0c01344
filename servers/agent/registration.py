"""Registration: ask the manager until it answers, and keep the credentials."""

import hashlib
import math
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from league_sdk.clock import Clock, Ids
from league_sdk.dialect import Dialect
from league_sdk.domain.model import Role
from league_sdk.errors import Forbidden, InternalError, LeagueError, RateLimited, ResponseTimeout
from league_sdk.names import is_safe_name
from league_sdk.net.reachability import unreachable_because
from league_sdk.ports import Journal, MalformedReply, Peer, PeerCalls
from league_sdk.protocol.envelope import Envelope
from league_sdk.protocol.registration import LeagueRegisterResponse, RefereeRegisterResponse
from servers.agent import security
from servers.agent.bootstrap import AgentContext
from servers.agent.identity import Credentials, CredentialsFile, Seat
from servers.observability.health import OK, Check

Response = RefereeRegisterResponse | LeagueRegisterResponse

ASK_AGAIN_SEC = 0.1
"""The first pause between two tries to find a manager that is not there yet; it doubles up to the next."""
ASK_AGAIN_MAX_SEC = 2.0
SAY_AGAIN_SEC = 60.0
"""Waiting for the same reason is told again after so long."""
ANSWER_MAX_SEC = 60.0
"""An answer that did not come in time is given twice as long the next time, up to this."""


class RegistrationRefused(Exception):
    """The manager does not let the agent in; the message says why and what to do."""


class Registrar:
    """Registers one agent."""

    def __init__(
        self,
        *,
        seat: Seat,
        manager_url: str,
        peers: PeerCalls,
        credentials: Callable[[str], CredentialsFile],
        remembered: Credentials | None,
        token: str = "",
        league_id: str,
        ids: Ids,
        request: Callable[[str | None], Envelope],
        reply: type[Any],
        clock: Clock,
        journal: Journal,
        timeout: float,
        patience: float | None = None,
        dialect: Dialect | None = None,
        look: Callable[[str], Awaitable[str]] | None = None,
    ) -> None:
        self._seat = seat
        self._manager = Peer("league_manager", manager_url, dialect=dialect or Dialect())
        self._peers = peers
        self._credentials = credentials
        self._remembered = remembered
        self._token = token
        self._league_id = league_id
        self._ids = ids
        self._request = request
        self._reply = reply
        self._clock = clock
        self._journal = journal
        self._timeout = timeout
        self._patience = patience
        self._look = look
        self._failure = self._reason = ""

    async def register(self, on_waiting: Callable[[str], None] = lambda _: None) -> Credentials:
        """Take a seat, or the one that the agent had before."""
        known = self._remembered.auth_token if self._remembered else ""
        token = self._token or known or self._propose()
        response = await self._ask(lambda: self._once(token), on_waiting)
        agent_id = getattr(response, "player_id", None) or getattr(response, "referee_id", None)
        if response.status != "ACCEPTED" or not agent_id or not response.auth_token or not response.league_id:
            why = (response.reason or "no reason given") + (f" ({response.error_code})" if response.error_code else "")
            why += self._advice(response.error_code or "", why)
            raise RegistrationRefused(f"{self._manager.endpoint} refused {self._seat.display_name!r}: {why}")
        if not is_safe_name(agent_id) or not is_safe_name(response.league_id):
            raise RegistrationRefused(f"{self._manager.endpoint} gives out ids that cannot be file names; don't use it")
        credentials = Credentials(
            agent_id,
            response.league_id,
            response.auth_token,
            response.peer_token,
            getattr(response, "seat_endpoint", None),
            getattr(response, "seat_token", None),
        )
        if self._remembered is not None and self._remembered.league_id == credentials.league_id:
            credentials = credentials.following(self._remembered.epoch)
        self._seat.keep = self._save
        self._seat.settle(credentials)
        self._save(credentials)
        return credentials

    def _save(self, credentials: Credentials) -> None:
        for key in {credentials.league_id, self._league_id} - {""}:
            self._credentials(key).save(credentials)

    def _propose(self) -> str:
        """A proposed token, which survives a crash between registration and reply."""
        token = self._ids.token()
        if self._league_id:
            self._credentials(self._league_id).save(Credentials("", self._league_id, token))
        return token

    async def _once(self, token: str) -> Response:
        """Ask; once more if the manager has made its referee secret meanwhile."""
        request = self._request(token)
        response = await self._call(request)
        if response.status == "ACCEPTED" or _secret(later := self._request(token)) == _secret(request):
            return response
        return await self._call(later)

    async def _call(self, request: Envelope) -> Response:
        return await self._peers.call(self._manager, request, self._reply, timeout=self._timeout, retry=False)

    async def _ask(self, attempt: Callable[[], Awaitable[Response]], on_waiting: Callable[[str], None]) -> Response:
        pause, started, told = ASK_AGAIN_SEC, self._clock.monotonic(), -math.inf
        while True:
            try:
                return await attempt()
            except MalformedReply as error:
                raise RegistrationRefused(
                    f"{self._manager.endpoint} is no league manager: not an MCP endpoint of one ({error})"
                ) from error
            except LeagueError as error:
                if isinstance(error, ResponseTimeout):
                    # A manager that a thousand ask would never be done with those who ask again too soon.
                    self._timeout = max(
                        self._timeout, min(2 * self._timeout, ANSWER_MAX_SEC, self._patience or math.inf)
                    )
                if not error.retryable:
                    advice = self._advice(error.code, error.message)
                    raise RegistrationRefused(
                        f"{self._manager.endpoint}: {error.message} ({error.code}){advice}"
                    ) from error
                before, reason = self._reason, await self._why(error)
                now = self._clock.monotonic()
                if self._patience is not None and now - started > self._patience:
                    raise RegistrationRefused(
                        f"no league manager answered at {self._manager.endpoint} within {self._patience:g} s: {reason}"
                    ) from error
                if reason != before or now - told >= SAY_AGAIN_SEC:
                    on_waiting(f"waiting for the league manager at {self._manager.endpoint}: {reason}")
                    self._journal.event("WAITING_FOR_MANAGER", endpoint=self._manager.endpoint, reason=reason)
                    told = now
            await self._clock.sleep(pause)
            pause = min(pause * 2, ASK_AGAIN_MAX_SEC)

    def _advice(self, code: str, why: str) -> str:
        """The end of a refusal's sentence, unless it says already whom to ask."""
        settled = "your instructor" in why or "the player's name" in why
        return "" if settled else _ADVICE.get((code, self._seat.role), _ADVICE.get((code, None), ""))

    async def _why(self, error: LeagueError) -> str:
        """The reason for no answer, diagnosed anew when the kind of failure changes."""
        if isinstance(error, ResponseTimeout):
            self._failure, self._reason = error.message, "it did not answer in time"
        elif isinstance(error, RateLimited):
            rehearsal = error.context.get("rehearsal") is True
            self._failure, self._reason = error.message, error.message if rehearsal else "it is overloaded"
        elif error.message != self._failure:
            self._failure = error.message
            found = await self._look(self._manager.endpoint) if self._look else ""
            self._reason = found or f"what answers there is no league manager that is ready ({error.message})"
        return self._reason


def _secret(request: Envelope) -> str | None:
    return getattr(request, "referee_secret", None)


_ADVICE: Mapping[tuple[str, Role | None], str] = {
    (
        Forbidden.code,
        Role.PLAYER,
    ): "; give it in LEAGUE_JOIN_SECRET, or with --join-link-file, --join-secret-file or --ask-join-secret",
    (
        Forbidden.code,
        Role.REFEREE,
    ): "; start it on the league manager's data folder (--data), or ask the league's "
    "operator for an invitation (league invite --referee NAME) and show it with --invitation-file",
    (
        InternalError.code,
        None,
    ): "; if that is no league manager, name its MCP endpoint with --manager or LEAGUE_MANAGER",
}
"""For codes of refusals what its operator can do, as the end of a sentence."""


def registrar(
    tools: AgentContext, seat: Seat, journal: Journal, request: Callable[[str | None], Envelope], reply: type[Any]
) -> Registrar:
    """The registrar of an agent that was started from a specification."""

    def kept(league_id: str) -> CredentialsFile:
        return CredentialsFile(tools.workspace.credentials_file(league_id, str(seat.role), seat.display_name))

    own = bool(tools.spec.port or tools.system.security.join_secret)
    key = tools.spec.league_id or (_at(tools.spec.manager_url, tools.spec.port) if own else "")
    return Registrar(
        seat=seat,
        manager_url=tools.spec.manager_url,
        peers=tools.patient_peers(journal),
        credentials=kept,
        remembered=kept(key).load() if key else None,
        token=tools.spec.auth_token,
        league_id=key,
        ids=tools.ids,
        request=request,
        reply=reply,
        clock=tools.clock,
        journal=journal,
        timeout=tools.system.timeouts.generic_response_timeout_sec,
        patience=tools.spec.patience,
        dialect=tools.dialect,
        look=lambda url: unreachable_because(url, security.authorities(tools.system.security)),
    )


def registered(seat: Seat) -> Check:
    """The check of whether an agent has its seat, or is to have none."""

    async def check() -> str:
        return OK if seat.settled else "it is not registered yet"

    return check


def _at(manager_url: str, port: int) -> str:
    """Stand-in for the league id of an agent started by hand.

    It has a port or a join secret of its own. Without either it could be a second one of that name, which must not take
    the seat of the first.
    """
    return f"at-{hashlib.sha256(f'{port} {manager_url}'.encode()).hexdigest()[:16]}"
