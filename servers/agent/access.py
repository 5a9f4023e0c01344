"""Access rules of tools, and the identity of callers."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from league_sdk.dialect import V2
from league_sdk.domain.model import Role
from league_sdk.net.pool import Holder


class Access(StrEnum):
    """Credentials that a tool asks for."""

    PUBLIC = "public"
    """Nothing: registration."""
    AGENT = "agent"
    """The token of a registered player or referee."""
    REFEREE = "referee"
    """The token of a registered referee."""
    MANAGER = "manager"
    """The peer token that the manager gave this agent, or the operator's token."""
    TICKET = "ticket"
    """The ticket of the match in question, or the operator's token."""
    ANSWER = "answer"
    """The ticket of the match in question, or the token of the player who answers."""
    OPERATOR = "operator"
    """The operator's token."""


FindHolder: TypeAlias = Callable[[str | None, str], Holder]
"""Finds whose streams and sessions are counted together, by bearer token and address."""


@dataclass(frozen=True, slots=True)
class Caller:
    """An authenticated caller."""

    # a player's or a referee's role, the manager's, or None for the operator and for an unknown caller
    role: Role | None = None
    agent_id: str = ""
    operator: bool = False  # whether the operator's token was shown
    proved: bool = True  # whether a token proved who it is; not for registration, and not where no token can be checked
    limited: bool = True  # whether it may call only so often; not for those who keep the league going
    address: str = ""
    dialect: str = "mcp"  # `mcp` or `jsonrpc`
    protocol: str = V2  # the protocol of its message

    @property
    def identity(self) -> str:
        """Its name where callers are counted."""
        return "operator" if self.operator else f"{self.role}:{self.agent_id}"

    @property
    def keeps_going(self) -> bool:
        """True for those for whom room is kept: operator, manager and referees."""
        return self.operator or (self.proved and self.role in (Role.LEAGUE_MANAGER, Role.REFEREE))
