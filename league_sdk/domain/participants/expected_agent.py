"""An agent that is expected, before it registers."""

from dataclasses import dataclass

from league_sdk.domain.model import Role


@dataclass(frozen=True, slots=True)
class ExpectedAgent:
    """An agent whose name is kept for it, whoever comes first.

    Attributes:
        role: Referee or player.
        display_name: The name; no other agent may bear one like it.
        token_digest: SHA-256 of the token that it registers with, in hexadecimal.
    """

    role: Role
    display_name: str
    token_digest: str
