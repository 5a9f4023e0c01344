"""Finds the owner of an agent's token."""

from collections.abc import Mapping
from datetime import timedelta

from league_sdk import tokens
from league_sdk.clock import Clock
from league_sdk.domain.model import Agent
from league_sdk.errors import AuthTokenInvalid
from servers.league_manager.ledger import Ledger


class TokenOwners:
    """Agents by their tokens, which live `ttl` from taking the seat."""

    def __init__(self, ledger: Ledger, clock: Clock, ttl: timedelta | None) -> None:
        self._ledger = ledger
        self._clock = clock
        self._ttl = ttl
        self._indexed: tuple[Mapping[str, Agent] | None, ...] = (None, None, None)
        self._by_digest: Mapping[str, Agent] = {}

    def of(self, token: str) -> Agent | None:
        """The owner of a token, looked up by its digest: the time tells nothing.

        AuthTokenInvalid: it was good once, and has expired, or its player was removed. That of an agent that withdrew
        stays good, for the same request again.
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
        return owner
