"""Agents whose names are kept for them, whoever comes first."""

import pytest

from league_sdk.domain.commands import ExpectAgents, RegisterPlayer, RegisterReferee, RemovePlayer
from league_sdk.domain.events import AgentsExpected, event_from_json, event_to_json
from league_sdk.domain.model import Role
from league_sdk.domain.participants.expected_agent import ExpectedAgent
from league_sdk.errors import DuplicateName
from tests.league_sdk.domain.season import agent, created

ALPHA = ExpectedAgent(Role.REFEREE, "Referee Alpha", "digest of Referee Alpha")
DELTA = ExpectedAgent(Role.PLAYER, "Agent Delta", "digest of Agent Delta")
STRANGER = {"token_digest": "another digest"}


def expecting():
    season = created(roster={"Agent Delta": "P04"}, referee_roster={"Referee Alpha": "REF01"})
    season.do(ExpectAgents((ALPHA, DELTA)))
    return season


@pytest.mark.parametrize("command", [RegisterReferee, RegisterPlayer])
@pytest.mark.parametrize("name", ["Referee Alpha", "Agent Delta", "AGENT DELTA", "Agent  Delta", "\uff21gent Delta"])
def test_nobody_else_gets_a_name_that_is_kept_in_either_role(command, name):
    with pytest.raises(DuplicateName, match="is kept for an agent that the operator starts"):
        expecting().do(command(agent(name, **STRANGER)))


def test_those_who_are_expected_get_their_names_and_places():
    season = expecting()
    season.do(RegisterPlayer(agent("Ada")))
    season.do(RegisterPlayer(agent("Agent Delta")))
    season.do(RegisterReferee(agent("Referee Alpha", role=Role.REFEREE)))
    assert season.league.players["P01"].display_name == "Ada"
    assert season.league.players["P04"].display_name == "Agent Delta"
    assert season.league.referees["REF01"].display_name == "Referee Alpha"


def test_a_player_and_a_referee_of_the_operators_may_have_one_name():
    season = created()
    season.do(ExpectAgents(tuple(ExpectedAgent(role, "Alpha", f"{role}") for role in (Role.PLAYER, Role.REFEREE))))
    season.do(RegisterPlayer(agent("Alpha", token_digest="player")))
    season.do(RegisterReferee(agent("Alpha", role=Role.REFEREE, token_digest="referee")))


def test_to_expect_the_same_again_changes_nothing():
    season = expecting()
    assert season.do(ExpectAgents((ALPHA, DELTA))) == ()
    new = ExpectedAgent(Role.REFEREE, "Referee Beta", "digest")
    assert season.do(ExpectAgents((ALPHA, new))) == (AgentsExpected((new,)),)


def test_a_registered_agent_is_not_expected_any_more():
    season = created()
    season.do(RegisterPlayer(agent("agent delta")))
    assert season.do(ExpectAgents((DELTA,))) == ()


def test_a_name_is_kept_after_its_player_was_removed():
    season = expecting()
    season.do(RegisterPlayer(agent("Agent Delta")))
    season.do(RemovePlayer("P04"))
    for digest in (DELTA.token_digest, "another digest"):
        with pytest.raises(DuplicateName):
            season.do(RegisterPlayer(agent("Agent Delta", token_digest=digest)))


def test_the_event_is_read_again_as_it_was_written():
    event = AgentsExpected((ALPHA, DELTA), "launcher")
    assert event_from_json("AgentsExpected", event_to_json(event)) == event


@pytest.mark.parametrize("command", [RegisterPlayer, RegisterReferee])
def test_names_that_people_take_for_one_are_one(command):
    season = created()
    season.do(command(agent("Agent Delta")))
    for name in ("agent delta", "AGENT  DELTA", "\uff21gent Delta", "Agent\u00a0Delta"):
        with pytest.raises(DuplicateName, match="is taken"):
            season.do(command(agent(name)))
