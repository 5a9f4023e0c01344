"""Checks the tokens that agents and the operator show the league manager."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import timedelta

from league_sdk import tokens
from league_sdk.clock import Clock
from league_sdk.dialect import V2, known_dialect
from league_sdk.domain.league_state import League
from league_sdk.domain.model import Agent, Role
from league_sdk.errors import AuthTokenInvalid, AuthTokenMissing, Forbidden
from league_sdk.json_value import Json
from league_sdk.net.pool import Holder
from league_sdk.ports import CallContext
from league_sdk.protocol.envelope import Message, parse_sender
from servers.agent.access import Access, Caller
from servers.agent.derived_calls import Speaker
from servers.league_manager.ledger import Ledger


class Authentication:
    """Identifies callers. An agent's token lives `ttl` from taking the seat."""

    def __init__(
        self,
        ledger: Ledger,
        clock: Clock,
        operator_token: str,
        ttl: timedelta | None,
        check_card: Callable[[Agent], None] = lambda _: None,
    ) -> None:
        self._ledger = ledger
        self._clock = clock
        self._operator_token = operator_token
        self._ttl = ttl
        self._check_card = check_card
        self._indexed: tuple[Mapping[str, Agent] | None, ...] = (None, None, None)
        self._by_digest: Mapping[str, Agent] = {}

    def identify(self, access: Access, message: Message, token: str | None, context: CallContext) -> Caller:
        if tokens.same(token, self._operator_token):
            return Caller(operator=True, address=context.address, dialect=context.dialect)
        if access is Access.PUBLIC:
            return self._registering(token, context)
        if token is None:
            raise AuthTokenMissing("this call needs the auth_token from registration", field="auth_token")
        agent = self.owner(token)
        if agent is None:
            raise AuthTokenInvalid("the auth_token is unknown in this league", field="auth_token")
        _check_speaks_as_itself(agent, message)
        if access is Access.OPERATOR or (access is Access.REFEREE and agent.role is not Role.REFEREE):
            raise Forbidden(f"{agent.sender} may not do this: it is for {_whom(access)}")
        return Caller(agent.role, agent.agent_id, address=context.address, dialect=context.dialect)

    def speaker(self, access: Access, arguments: Mapping[str, Json], token: str | None) -> Speaker | None:
        """The agent whose token is shown."""
        del access, arguments
        agent = self._known(token)
        return Speaker(agent.sender, known_dialect(agent.dialect).protocol or V2) if agent else None

    def holder(self, token: str | None, address: str) -> Holder:
        """The one whose streams and sessions are counted together."""
        if tokens.same(token, self._operator_token):
            return Holder(address, "operator", kept=True)
        agent = self._known(token)
        return Holder(address, agent.sender, kept=agent.role is Role.REFEREE) if agent else Holder(address)

    def _registering(self, token: str | None, context: CallContext) -> Caller:
        """A seated agent that registers again, which has its own share of calls."""
        stranger = Caller(proved=False, address=context.address, dialect=context.dialect)
        agent = self._known(token)
        return replace(stranger, role=agent.role, agent_id=agent.agent_id, proved=True) if agent else stranger

    def _known(self, token: str | None) -> Agent | None:
        """The owner of a token that is good; None for any other."""
        try:
            return self.owner(token) if token else None
        except AuthTokenInvalid:
            return None

    def owner(self, token: str) -> Agent | None:
        """The owner of a token, looked up by its digest: the time tells nothing.

        AuthTokenInvalid: it was good once, and has expired, its player was removed, or its invitation revoked. That of
        an agent that withdrew stays good, for the same request again.
        """
        league = self._ledger.league
        agents = (league.referees, league.players, league.dismissed)
        if any(before is not now for before, now in zip(self._indexed, agents, strict=True)):
            self._indexed = agents
            self._by_digest = {agent.token_digest: agent for role in agents for agent in role.values()}
        owner = self._by_digest.get(tokens.digest(token))
        if owner is None:
            return None
        if owner.agent_id in league.removed and owner.agent_id not in league.withdrew:
            raise AuthTokenInvalid(league.removed[owner.agent_id], field="auth_token")
        if self._ttl is not None and self._clock.now() - self._ledger.seated_at(owner.agent_id) > self._ttl:
            raise AuthTokenInvalid("the auth_token has expired", field="auth_token")
        if owner.agent_id in league.revoked and not _has_matches(league, owner.agent_id):
            raise AuthTokenInvalid("the invitation of this referee was revoked", field="auth_token")
        self._check_card(owner)
        return owner

    def ages(self, agent_id: str) -> bool:
        """True if a token's time is worth renewing: a quarter of it is over."""
        return self._ttl is not None and self._clock.now() - self._ledger.seated_at(agent_id) > self._ttl / 4


def _has_matches(league: League, referee_id: str) -> bool:
    """True while a referee brings matches to their end."""
    return any(
        given.referee_id == referee_id and not league.decided(match_id)
        for match_id, given in league.assignments.items()
    )


def _check_speaks_as_itself(agent: Agent, message: Message) -> None:
    text: str | None = getattr(message, "sender", None)
    if text is None:
        return
    sender = parse_sender(text)
    if (sender.role, sender.agent_id) != (agent.role, agent.agent_id):
        raise AuthTokenInvalid(f"the auth_token is not that of {text}", field="auth_token", sender=text)


def _whom(access: Access) -> str:
    return "the operator" if access is Access.OPERATOR else "referees"
