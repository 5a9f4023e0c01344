"""Gives seats to agents that register, and takes back those that have one."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from league_sdk import tokens
from league_sdk.clock import Ids
from league_sdk.dialect import Dialect, known_dialect
from league_sdk.domain.commands import Command, ExpectAgents, RegisterReferee, ReturnAgent
from league_sdk.domain.league import decide
from league_sdk.domain.model import Agent, Role
from league_sdk.domain.participants.expected_agent import ExpectedAgent
from league_sdk.errors import AuthTokenInvalid, Forbidden, LeagueError, LeagueNotFound
from league_sdk.names import name_key
from league_sdk.net.addresses import ReadEndpoint
from league_sdk.ports import Journal
from league_sdk.protocol.registration import LeagueRegisterRequest, RefereeRegisterRequest, check_protocol_version
from servers.agent.access import Caller
from servers.agent.class_roster import Student
from servers.agent.rate_limit import Buckets
from servers.league_manager.admission import Admission, check_can_lead
from servers.league_manager.authentication import Authentication
from servers.league_manager.ledger import Ledger
from servers.league_manager.peer_tokens import peer_token_of
from servers.league_manager.player_seats import PlayerSeats
from servers.league_manager.referee_admission import RefereeAdmission
from servers.league_manager.refused_registrations import RefusedRegistrations

REFUSALS = frozenset({"E013", "E015", "E016", "E017", "E018", "E019", "E020"})
"""Errors of a well-formed registration: it is answered with REJECTED, not with a JSON-RPC error."""


@dataclass(frozen=True, slots=True)
class SeatRegistry:
    """Registers agents by the rules of admission; `store` executes a command.

    `look` finds out what an agent speaks at its endpoint (`mcp`, `jsonrpc`, or nothing without an answer).
    """

    ledger: Ledger
    authentication: Authentication
    admission: Admission
    referees: RefereeAdmission
    seats: PlayerSeats
    ids: Ids
    journal: Journal
    operator_token: str
    read_endpoint: ReadEndpoint
    store: Callable[[Command], Awaitable[None]]
    recorded_returns: Buckets
    refusals: RefusedRegistrations
    look: Callable[[str], Awaitable[str]] | None = None

    async def register(
        self,
        message: RefereeRegisterRequest | LeagueRegisterRequest,
        caller: Caller,
        agent: Agent,
        command: Callable[[Agent], Command],
    ) -> dict[str, Any]:
        """Answer a well-formed registration: accepted, or rejected with the reason."""
        try:
            seat, token = await self._admitted(message, caller, agent, command)
        except LeagueError as error:
            if error.code not in REFUSALS:
                raise
            self.journal.event(
                "REGISTRATION_REJECTED",
                "WARNING",
                role=str(agent.role),
                display_name=agent.display_name,
                address=caller.address,
                code=error.code,
                reason=error.message,
            )
            if agent.role is Role.PLAYER:
                self.refusals.refuse(agent.display_name, error.message)
            return {"status": "REJECTED", "reason": error.message, "error_code": error.code}
        self.refusals.admit(agent.display_name)
        return {
            "status": "ACCEPTED",
            "agent_id": seat.agent_id,
            "auth_token": token,
            "league_id": self.ledger.league_id,
            "peer_token": peer_token_of(self.operator_token, self.ledger.league, seat),
            **self.seats.key_of(seat),
        }

    async def _admitted(
        self,
        message: RefereeRegisterRequest | LeagueRegisterRequest,
        caller: Caller,
        agent: Agent,
        command: Callable[[Agent], Command],
    ) -> tuple[Agent, str]:
        """The agent in its seat, with its token; raises the refusal."""
        check_protocol_version(agent.protocol_version)
        check_can_lead(agent, caller)
        older = self._is_of_an_older_card(message, agent) or self._is_invited_anew(message, agent)
        shown = None if older else message.auth_token
        known = self._known(shown, agent)
        token = self._token(shown, known)
        agent = replace(agent, token_digest=tokens.digest(token))
        launched = tokens.same(token, self._launched_token(agent))
        self.admission.check_name(agent)
        heir, own = None, False
        if known is None and isinstance(message, RefereeRegisterRequest):
            admitted_by = "launcher" if launched else await self._judge(agent, caller, message.referee_secret)
            command, own = partial(RegisterReferee, admitted_by=admitted_by), admitted_by != "open"
            heir = self._unaware_referee(agent) if admitted_by == "secret" else None
        elif known is None and isinstance(message, LeagueRegisterRequest) and not launched:
            heir, student = self._checked(agent, message.join_secret)
            if student is not None:
                agent, own = replace(agent, card=student.number, student=student.reference), True
        if known is None and launched:
            # After a change of the operator's token those of the launcher's agents are others.
            heir = self.ledger.league.named(agent.role, agent.display_name)
        credentialed = known is not None or own or launched
        if known is None and heir is None and not launched:
            self.admission.check_looks(agent, self.ledger.league)
        endpoint = None
        if agent.hosted:
            agent = self.seats.with_seat(agent, known, heir)
        else:
            endpoint = self.read_endpoint(agent.endpoint)
            agent = replace(agent, endpoint=endpoint.url)
            self.referees.check_endpoint(self.ledger.league, agent, endpoint, self.read_endpoint)
        await self.admission.check(caller, endpoint, credentialed=credentialed)
        if heir is None and self._known(shown, agent) is None:
            # It may have asked twice, and have its seat by now. An agent that is refused anyway is not called: the
            # endpoint may be that of another.
            decide(self.ledger.league, command(agent))
        agent = replace(agent, dialect=str(await self._dialect(agent, caller)))
        seat = self._known(token, agent) or heir
        if seat is not None:
            await self._return(seat, agent)
            return replace(seat, endpoint=agent.endpoint, dialect=agent.dialect, card=agent.card or seat.card), token
        with self.admission.place(caller, credentialed=credentialed):
            seat = await self._seated(agent, command, launched=launched)
        if seat.role is Role.PLAYER and not launched:
            self.referees.seen(caller)
        return seat, token

    def _is_of_an_older_card(self, message: RefereeRegisterRequest | LeagueRegisterRequest, agent: Agent) -> bool:
        """True if a student's new card comes with the token of an older one."""
        seat = self.ledger.league.named(agent.role, agent.display_name)
        if seat is None or message.auth_token is None or not isinstance(message, LeagueRegisterRequest):
            return False
        of_seat = tokens.matches(message.auth_token, seat.token_digest)
        return of_seat and self.admission.is_newer_card(seat, message.join_secret)

    def _is_invited_anew(self, message: RefereeRegisterRequest | LeagueRegisterRequest, agent: Agent) -> bool:
        """True if a new invitation comes with the token of a revoked one."""
        league = self.ledger.league
        if not isinstance(message, RefereeRegisterRequest):
            return False
        revoked = (league.referees[agent_id].token_digest for agent_id in league.revoked)
        if not any(tokens.matches(message.auth_token, digest) for digest in revoked):
            return False
        return tokens.matches(message.referee_secret, league.invited.get(name_key(agent.display_name), ""))

    def _token(self, proposed: str | None, known: Agent | None) -> str:
        """The token that an agent proposes, if it has it already or it is strong.

        Else a new one. Then it has its token even if this answer gets lost.
        """
        return proposed if proposed and (known is not None or tokens.strong(proposed)) else self.ids.token()

    def _launched_token(self, agent: Agent) -> str:
        """The token of an agent of this name if the league's launcher starts it."""
        league_id, role = self.ledger.league_id, str(agent.role)
        return tokens.launched_token(self.operator_token, league_id, role, agent.display_name)

    async def _dialect(self, agent: Agent, caller: Caller) -> Dialect:
        """The dialect for an agent: as it says, else answers, else registered."""
        said = known_dialect(agent.dialect)
        seen = await self.look(agent.endpoint) if self.look is not None and not said.wire else ""
        return said.completed(seen or caller.dialect, caller.protocol, assumed=not seen)

    def _known(self, token: str | None, agent: Agent) -> Agent | None:
        """The seat that an agent has already, by its token; None when it has none here."""
        known = self.authentication.owner(token) if token else None
        if known is not None and (known.role, known.display_name) != (agent.role, agent.display_name):
            raise AuthTokenInvalid("the auth_token is another agent's", field="auth_token")
        return known

    def _unaware_referee(self, agent: Agent) -> Agent | None:
        """The seat of a referee whose token may be lost with the operator's."""
        league = self.ledger.league
        named = league.named(agent.role, agent.display_name)
        return named if named is not None and named.agent_id in league.unaware else None

    async def _return(self, seat: Agent, agent: Agent) -> None:
        """Let an agent take its seat again; recorded where that changes something."""
        listed = self.ledger.league.rules.referees_expected.get(seat.display_name)
        if seat.role is Role.REFEREE and listed and agent.endpoint != seat.endpoint:
            raise Forbidden("a referee that is known by its address stays there (participants.referees_expected)")
        command = ReturnAgent(
            seat.agent_id,
            agent.token_digest,
            agent.endpoint,
            agent.dialect,
            agent.instance_id,
            agent.card,
            renew=self.authentication.ages(seat.agent_id),
        )
        if decide(self.ledger.league, command):
            self.recorded_returns.take(seat.agent_id)
            await self.store(command)
        elif not agent.instance_id:
            await self.ledger.note_return(seat.agent_id)

    async def _judge(self, agent: Agent, caller: Caller, secret: str | None) -> str:
        """The credential that admits a new referee."""
        return await self.referees.admit(self.ledger.league, agent, caller, secret, self.read_endpoint)

    def _checked(self, agent: Agent, secret: str | None) -> tuple[Agent | None, Student | None]:
        """Check a player's secret: the seat it takes over, and its student."""
        seat = self.ledger.league.named(agent.role, agent.display_name)
        seated_at = None if seat is None else self.ledger.seated_at(seat.agent_id)
        student = self.admission.check_secret(agent, secret, seat, seated_at)
        return (None if student is None else seat), student

    async def _seated(self, agent: Agent, command: Callable[[Agent], Command], *, launched: bool) -> Agent:
        """A new agent in its seat."""
        if launched:  # a referee that the launcher starts later was not foreseen
            expected = ExpectedAgent(agent.role, agent.display_name, agent.token_digest)
            await self.store(ExpectAgents((expected,)))
        await self.store(command(agent))
        seat = self.ledger.league.named(agent.role, agent.display_name)
        if seat is None:
            raise LeagueNotFound("the agent that has just been registered is not there")
        return seat
