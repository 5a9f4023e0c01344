"""An agent's own life, step by step."""

import pytest

from league_sdk.domain.lifecycles import AgentState, AgentTrigger
from league_sdk.errors import InvalidState
from servers.agent.lifecycle import AgentLifecycle
from tests.servers.fakes import FakeJournal


def test_every_step_is_written_down():
    journal = FakeJournal()
    life = AgentLifecycle(journal)
    for trigger in (AgentTrigger.REGISTER, AgentTrigger.LEAGUE_START, AgentTrigger.LEAGUE_END):
        life.transition(trigger)
    assert life.state is AgentState.SHUTDOWN
    assert [details["state"] for _, details in journal.named("AGENT_STATE")] == ["REGISTERED", "ACTIVE", "SHUTDOWN"]


def test_a_step_that_the_table_lacks_is_refused_and_changes_nothing():
    life = AgentLifecycle(FakeJournal())
    with pytest.raises(InvalidState):
        life.transition(AgentTrigger.LEAGUE_END)
    assert life.state is AgentState.INIT


def test_what_may_be_told_twice_is_heeded_once():
    journal = FakeJournal()
    life = AgentLifecycle(journal)
    for trigger in (AgentTrigger.REGISTER, AgentTrigger.LEAGUE_START, AgentTrigger.LEAGUE_START):
        life.try_transition(trigger)
    assert life.state is AgentState.ACTIVE
    assert len(journal.named("AGENT_STATE")) == 2
