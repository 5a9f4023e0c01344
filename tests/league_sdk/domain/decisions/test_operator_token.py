"""Digests of the operator's token in a league's records."""

from dataclasses import replace

import pytest

from league_sdk import tokens
from league_sdk.domain.commands import ChangeOperatorToken, CreateLeague
from league_sdk.domain.events import LeagueCreated, OperatorTokenChanged, event_from_json, event_to_json
from league_sdk.domain.league import decide, fold
from league_sdk.domain.lifecycles import LeagueState
from league_sdk.domain.model import LeagueRules
from league_sdk.errors import InvalidField, InvalidState, LeagueAlreadyComplete

RULES = LeagueRules("summer", "chess")
OLD = fold([LeagueCreated(RULES)])
NEW = fold([LeagueCreated(RULES, operator_digest="d1")])


def test_a_new_league_has_the_digest_that_it_was_created_with():
    (event,) = decide(None, CreateLeague(RULES, "d1"))
    assert fold([event]).operator_digest == "d1"
    assert event_from_json("LeagueCreated", event_to_json(event)) == event


def test_a_league_from_before_digests_takes_the_one_of_a_kept_token_once():
    (event,) = decide(OLD, ChangeOperatorToken("d1", "kept"))
    assert event == OperatorTokenChanged("d1", "kept")
    assert fold([LeagueCreated(RULES), event]) == NEW
    assert decide(NEW, ChangeOperatorToken("d1", "kept")) == ()
    with pytest.raises(InvalidState, match="another operator's token"):
        decide(NEW, ChangeOperatorToken("d2", "kept"))


@pytest.mark.parametrize("how", ["rotated", "lost"])
def test_a_token_that_is_changed_has_its_digest_from_then_on(how: str):
    (event,) = decide(NEW, ChangeOperatorToken("d2", how))
    assert fold([LeagueCreated(RULES, operator_digest="d1"), event]).operator_digest == "d2"
    assert event_from_json("OperatorTokenChanged", event_to_json(event)) == event


def test_a_change_says_how_and_is_for_leagues_that_go_on():
    with pytest.raises(InvalidField, match="how"):
        decide(NEW, ChangeOperatorToken("d2", "found"))
    with pytest.raises(LeagueAlreadyComplete):
        decide(replace(NEW, state=LeagueState.COMPLETED), ChangeOperatorToken("d2", "rotated"))


def test_digests_of_one_token_in_two_leagues_differ():
    one, other = (tokens.operator_digest("secret", league_id) for league_id in ("summer", "autumn"))
    assert one != other
    assert tokens.digest("secret") not in (one, other)
