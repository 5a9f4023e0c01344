"""The operator's orders to a league as a whole."""

import pytest

from league_sdk.domain.commands import (
    CancelLeague,
    CompleteLeague,
    MoveDeadline,
    RegisterPlayer,
    ResumeLeague,
    StopLeague,
)
from league_sdk.domain.events import event_from_json, event_to_json
from league_sdk.domain.league import fold
from league_sdk.domain.lifecycles import LeagueState
from league_sdk.errors import InvalidField, InvalidState, LeagueAlreadyComplete, RegistrationClosed
from tests.league_sdk.domain.season import Season, agent, created, registered, running

LATER = "2036-05-01T09:00:00Z"


def stored(season: Season) -> list:
    return [event_from_json(type(event).__name__, event_to_json(event)) for event in season.events]


def test_a_deadline_is_moved_while_agents_register_and_it_is_on_record_by_whom():
    season = registered(2)
    season.do(MoveDeadline(LATER))
    assert season.league.rules.registration_deadline == LATER
    assert season.events[-1].by == "operator"
    before = len(season.events)
    season.do(MoveDeadline(LATER))
    assert len(season.events) == before
    assert fold(stored(season)) == season.league


@pytest.mark.parametrize("text", ["soon", "2036-05-01T09:00:00", "2036-05-01T09:00:00+02:00", ""])
def test_a_deadline_is_a_moment_in_utc(text):
    with pytest.raises(InvalidField):
        created().do(MoveDeadline(text))


def test_the_deadline_of_a_registration_that_is_over_stays_and_the_refusal_says_what_can_be_done():
    with pytest.raises(InvalidState, match="league control cancel"):
        running(players=3).do(MoveDeadline(LATER))


@pytest.mark.parametrize("make", [created, lambda: running(players=4)])
def test_a_league_is_cancelled_for_good(make):
    season = make()
    season.do(CancelLeague("wrong roster"))
    league = season.league
    assert (league.state, league.cancelled, league.finished) == (LeagueState.STOPPED, True, True)
    assert league.stop_reason == "cancelled by the operator: wrong roster"
    before = len(season.events)
    season.do(CancelLeague())
    assert len(season.events) == before
    with pytest.raises(InvalidState, match="was cancelled: start a new one"):
        season.do(ResumeLeague())
    with pytest.raises(RegistrationClosed, match="the league was cancelled"):
        season.do(RegisterPlayer(agent("Late")))
    assert fold(stored(season)) == league


def test_a_stopped_league_can_be_cancelled_and_a_complete_one_cannot():
    season = running(players=2)
    season.do(StopLeague("tea"))
    season.do(CancelLeague())
    assert season.league.cancelled
    season = running(players=2)
    season.play_round(1)
    season.do(CompleteLeague())
    with pytest.raises(LeagueAlreadyComplete):
        season.do(CancelLeague())
