"""Audits of agents that were expected, and of names that people take for one."""

from dataclasses import replace

import pytest

from league_sdk.domain.commands import CreateLeague, ExpectAgents
from league_sdk.domain.events import PlayerRegistered, RefereeRegistered
from league_sdk.domain.evolution import evolve
from league_sdk.domain.model import LeagueRules, Role
from league_sdk.domain.participants.expected_agent import ExpectedAgent
from tests.league_sdk.audit.leagues import LEAGUE, Maker, look_at
from tests.league_sdk.domain.season import agent

RULES = LeagueRules(LEAGUE, "even_odd", expected_players=2)
EXPECTED = ExpectedAgent(Role.REFEREE, "Referee Alpha", "digest of Referee Alpha")


def faults(*events, version=2):
    maker = Maker(RULES)
    maker.do(CreateLeague(RULES))
    if version == 1:
        event = replace(maker.records[0].event, format_version=1)
        maker.records.clear()
        maker.keep(event)
        maker.league = evolve(None, event)
    maker.do(ExpectAgents((EXPECTED,)))  # of which an older league records nothing
    for event in events:
        maker.keep(event)
    return [found.sentence for found in look_at(maker.records).findings if found.kind == "course"]


def referee(digest):
    alpha = agent("Referee Alpha", agent_id="REF01", role=Role.REFEREE, token_digest=digest)
    return RefereeRegistered(alpha, admitted_by="launcher")


def players(*names):
    return [PlayerRegistered(agent(name, agent_id=f"P{number:02d}")) for number, name in enumerate(names, 1)]


def test_an_expected_agent_has_the_token_that_was_told():
    assert faults(referee(EXPECTED.token_digest)) == []
    (found,) = faults(referee("another digest"))
    assert "REF01 registers as 'Referee Alpha', a name that is kept for another agent" in found


@pytest.mark.parametrize(("version", "number"), [(1, 0), (2, 1)])
def test_names_are_compared_by_the_rule_of_the_leagues_time(version, number):
    assert len(faults(*players("Ada", "ADA"), version=version)) == number
