"""Lifecycle of a referee or player: the state machine `AGENT`."""

import contextlib

from league_sdk.domain.lifecycles import AGENT, AgentState, AgentTrigger
from league_sdk.errors import InvalidState
from league_sdk.ports import Journal


class AgentLifecycle:
    """An agent's state, written down whenever it changes."""

    def __init__(self, journal: Journal) -> None:
        self.state = AgentState.INIT
        self._journal = journal

    def transition(self, trigger: AgentTrigger) -> None:
        """Take the step that the table has for `trigger` here."""
        self.state = AGENT.next(self.state, trigger)
        self._journal.event("AGENT_STATE", state=str(self.state), trigger=str(trigger))

    def try_transition(self, trigger: AgentTrigger) -> None:
        """Take the step if there is one: for reports that come twice, or too late."""
        with contextlib.suppress(InvalidState):
            self.transition(trigger)
