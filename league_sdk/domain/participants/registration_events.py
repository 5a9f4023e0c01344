"""Events of agents that come: expected, registered, returned."""

from dataclasses import dataclass

from league_sdk.domain.model import Agent
from league_sdk.domain.participants.expected_agent import ExpectedAgent


@dataclass(frozen=True, slots=True)
class AgentsExpected:
    """The names of these agents are kept for them.

    Attributes:
        agents: The agents, with the digests of the tokens that they will register with.
        by: The part of the league that starts them, such as `launcher`.
    """

    agents: tuple[ExpectedAgent, ...]
    by: str = "launcher"


@dataclass(frozen=True, slots=True)
class RefereeInvited:
    """A referee of this name may register with an invitation.

    Attributes:
        display_name: The name.
        digest: SHA-256 of the invitation, in hexadecimal.
    """

    display_name: str
    digest: str


@dataclass(frozen=True, slots=True)
class InvitationRevoked:
    """The invitation for this name admits nobody any more."""

    display_name: str


@dataclass(frozen=True, slots=True)
class DeadlineMoved:
    """Registration closes at another time.

    Attributes:
        deadline: The time: ISO 8601 in UTC.
        by: Whose decision it was.
    """

    deadline: str
    by: str = "operator"


@dataclass(frozen=True, slots=True)
class RefereeRegistered:
    """A referee is registered.

    Attributes:
        referee: The referee.
        admitted_by: Its credential: `launcher` (the token that the launcher gave it), `secret`, `invitation`, `address`
            (`referees_expected` of the rules), or `open`, where all agents are the launcher's and nobody else can come.
            Empty in records from before that was kept.
    """

    referee: Agent
    admitted_by: str = ""


@dataclass(frozen=True, slots=True)
class PlayerRegistered:
    """A player is registered."""

    player: Agent


@dataclass(frozen=True, slots=True)
class PlayerEntered(PlayerRegistered):
    """A player is registered after the start; it plays from the next round on.

    Attributes:
        bye_points: The points for each round that it has missed: `none` or `draw`.
    """

    bye_points: str = "none"


@dataclass(frozen=True, slots=True)
class AgentReturned:
    """An agent registered again, perhaps with a new token or from another endpoint."""

    agent: Agent
