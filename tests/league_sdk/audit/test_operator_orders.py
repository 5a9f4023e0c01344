"""Audits of deadlines that were moved, and of leagues that were cancelled."""

from league_sdk.domain.commands import CreateLeague
from league_sdk.domain.events import (
    DeadlineMoved,
    InvitationRevoked,
    LeagueCancelled,
    LeagueCreated,
    LeagueResumed,
    RefereeInvited,
    ScheduleCreated,
)
from league_sdk.domain.model import LeagueRules
from tests.league_sdk.audit.leagues import LEAGUE, Maker, look_at

RULES = LeagueRules(LEAGUE, "even_odd", expected_players=2)


def faults(*events):
    maker = Maker(RULES)
    maker.do(CreateLeague(RULES))
    return sentences(maker, events)


def sentences(maker, events):
    for event in events:
        maker.keep(event)
    return [found.sentence for found in look_at(maker.records).findings if found.kind == "course"]


def test_a_deadline_is_moved_before_the_schedule_is_made():
    assert faults(DeadlineMoved("2036-05-01T09:00:00Z")) == []
    (found,) = faults(ScheduleCreated((), "operator", 3), DeadlineMoved("2036-05-01T09:00:00Z"))
    assert "the deadline of a registration that is over is moved" in found


def test_a_cancelled_league_does_not_go_on():
    assert faults(LeagueCancelled("wrong roster")) == []
    (found,) = faults(LeagueCancelled(), LeagueResumed())
    assert "the league continues after it was cancelled" in found


def test_a_league_of_an_older_release_that_is_resumed_takes_orders_and_the_audit_holds_none_against_it():
    maker = Maker(RULES)
    maker.keep(LeagueCreated(RULES, format_version=1))
    orders = (
        DeadlineMoved("2036-05-01T09:00:00Z"),
        RefereeInvited("Rhea", "d" * 64),
        InvitationRevoked("Rhea"),
        LeagueCancelled("wrong roster"),
    )
    assert sentences(maker, orders) == []
