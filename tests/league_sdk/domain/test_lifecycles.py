"""The four machines of the protocol, each against a table written down a second time."""

from itertools import product
from typing import Any

import pytest

from league_sdk.domain import lifecycles
from league_sdk.domain.lifecycles import AGENT, LEAGUE, MATCH, PLAYER_MATCH, RESUMES
from league_sdk.domain.machine import Machine
from league_sdk.errors import InvalidState
from tests.requirements.marker import requirement

MACHINES: list[Machine[Any, Any]] = [AGENT, LEAGUE, MATCH, PLAYER_MATCH]

STRAIGHT_WAYS = {
    "agent": "INIT register REGISTERED league_start ACTIVE timeout SUSPENDED recover ACTIVE league_end SHUTDOWN",
    "league": "WAITING_FOR_REGISTRATIONS close_registration SCHEDULED start RUNNING complete COMPLETED",
    "match": "CREATED invite WAITING_FOR_PLAYERS all_joined COLLECTING_CHOICES all_chosen RESOLVING"
    " decide FINISHED report REPORTED",
    "player in a match": "IDLE invitation INVITED accept PLAYING move AWAITING_RESULT result IDLE",
}

FINAL = {
    "agent": {"SHUTDOWN"},
    "league": {"COMPLETED"},
    "match": {"REPORTED", "ABORTED"},
    "player in a match": set(),
}

ALLOWED = {
    "agent": {
        "INIT": "register error",
        "REGISTERED": "league_start league_end error",
        "ACTIVE": "timeout league_end error",
        "SUSPENDED": "recover max_fail league_end error",
        "SHUTDOWN": "",
    },
    "league": {
        "WAITING_FOR_REGISTRATIONS": "close_registration stop resume_registration",
        "SCHEDULED": "start stop resume_scheduled",
        "RUNNING": "complete stop resume_running",
        "COMPLETED": "",
        "STOPPED": "resume_registration resume_scheduled resume_running",
    },
    "match": {
        "CREATED": "invite abort",
        "WAITING_FOR_PLAYERS": "all_joined forfeit abort",
        "COLLECTING_CHOICES": "all_chosen forfeit abort",
        "RESOLVING": "next_turn decide abort",
        "FINISHED": "report",
        "REPORTED": "",
        "ABORTED": "",
    },
    "player in a match": {
        "IDLE": "invitation result",
        "INVITED": "accept decline invitation result cancel",
        "PLAYING": "move invitation move_call result cancel",
        "AWAITING_RESULT": "result invitation move_call cancel",
    },
}


def machine(name):
    return next(one for one in MACHINES if one.name == name)


@requirement(
    "000-LM-SCHED-09",
    "000-REF-RESP-02",
    "001-STATE-01",
    "001-STATE-02",
    "001-STATE-03",
    "002-NOTE-01",
    "003-AGENT-01",
    "003-AGENT-02",
    "003-REF-03",
    "004-STATE-01",
    "004-STATE-02",
    "004-STATE-03",
)
@pytest.mark.parametrize("name", STRAIGHT_WAYS)
def test_the_straight_way_is_the_protocols(name):
    first, *rest = STRAIGHT_WAYS[name].split()
    here = machine(name).initial
    assert here == first
    for trigger, expected in zip(rest[::2], rest[1::2], strict=True):
        here = machine(name).next(here, trigger)
        assert here == expected


@requirement("003-AGENT-03")
@pytest.mark.parametrize("name", FINAL)
def test_final_states_are_those_that_nothing_leaves(name):
    assert set(machine(name).final) == FINAL[name]


@requirement(
    "000-MAP-05",
    "001-STATE-01",
    "001-STATE-02",
    "001-STATE-03",
    "002-NOTE-01",
    "003-AGENT-01",
    "003-REF-03",
    "003-TEST-A-02",
    "004-STATE-01",
    "project-PROTO-12",
)
@pytest.mark.parametrize("one", MACHINES, ids=lambda one: one.name)
def test_every_pair_of_state_and_trigger_is_either_in_the_table_or_refused(one):
    triggers: Any = {type(trigger) for _, trigger in one.table}.pop()
    for state, trigger in product(one.states, list(triggers)):
        if trigger in ALLOWED[one.name][state].split():
            assert one.next(state, trigger) in one.states
        else:
            with pytest.raises(InvalidState):
                one.next(state, trigger)


@requirement("003-AGENT-03")
def test_an_error_ends_an_agent_from_anywhere():
    assert {AGENT.next(state, lifecycles.AgentTrigger.ERROR) for state in AGENT.states if state not in AGENT.final} == {
        "SHUTDOWN"
    }


@pytest.mark.parametrize(("state", "trigger"), RESUMES.items())
def test_a_stopped_league_goes_on_where_it_was(state, trigger):
    assert LEAGUE.next(lifecycles.LeagueState.STOPPED, trigger) == state
    assert LEAGUE.next(state, trigger) == state


@requirement("001-STATE-03")
def test_a_league_can_be_stopped_until_it_is_complete():
    stoppable = {state for state in LEAGUE.states if lifecycles.LeagueTrigger.STOP in LEAGUE.allowed(state)}
    assert stoppable == set(RESUMES)


@requirement("004-STATE-03")
def test_a_player_who_never_saw_the_invitation_may_get_the_result():
    state, trigger = lifecycles.PlayerMatchState, lifecycles.PlayerMatchTrigger
    assert PLAYER_MATCH.next(state.IDLE, trigger.RESULT) == state.IDLE


def test_a_match_with_a_result_cannot_be_aborted():
    with pytest.raises(InvalidState):
        MATCH.next(lifecycles.MatchState.FINISHED, lifecycles.MatchTrigger.ABORT)
