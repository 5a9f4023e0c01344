"""Admission of referees, by credentials of their own."""

from league_sdk import tokens
from league_sdk.domain.model import Agent
from league_sdk.errors import Forbidden


class RefereeAdmission:
    """Decides whether a new referee is taken, and by which credential.

    A referee decides results, so no credential of a player makes one, nor does the operator's token. `secret` None
    admits all; so does `own_agents_only` for those that show nothing: all agents are the launcher's, and no stranger
    can come.
    """

    def __init__(self, secret: str | None = None, *, own_agents_only: bool = False) -> None:
        self._secret = secret
        self._own_agents_only = own_agents_only

    def admit(self, agent: Agent, shown: str | None) -> str:
        """The credential that admits a referee, as its record has it; else Forbidden."""
        if self._secret is None or (shown is None and self._own_agents_only):
            return "open"
        if tokens.same(shown, self._secret):
            return "secret"
        wrong = "" if shown is None else "; this is neither"
        raise Forbidden(
            f"a referee of this league shows its referee secret (security.referee_secret) or an invitation for the "
            f"name {agent.display_name!r}{wrong}",
            field="referee_secret",
        )
