"""Invitations of referees: made for a name, taken back, and what becomes of who came by one."""

from dataclasses import replace

import pytest

from league_sdk.domain.commands import InviteReferee, RegisterReferee, RevokeInvitation
from league_sdk.domain.events import (
    AgentWithdrew,
    InvitationRevoked,
    RefereeInvited,
    RefereeRegistered,
    event_from_json,
    event_to_json,
)
from league_sdk.domain.lifecycles import LeagueState
from league_sdk.domain.model import Role
from league_sdk.errors import DuplicateName, LeagueAlreadyComplete, RefereeNotRegistered
from tests.league_sdk.domain.season import agent, created

RHEA = InviteReferee("Rhea", "digest")


def test_a_name_is_invited_until_the_invitation_is_revoked():
    season = created()
    assert season.do(RHEA) == (RefereeInvited("Rhea", "digest"),)
    assert season.league.invited == {"rhea": "digest"}
    assert season.do(RevokeInvitation("RHEA")) == (InvitationRevoked("RHEA"),)
    assert season.league.invited == {}
    with pytest.raises(RefereeNotRegistered, match="no referee 'Rhea' is invited"):
        season.do(RevokeInvitation("Rhea"))


def test_a_referee_that_is_there_is_not_invited():
    season = created()
    season.do(RegisterReferee(agent("Rhea", role=Role.REFEREE)))
    with pytest.raises(DuplicateName, match="registered already"):
        season.do(InviteReferee("rhea", "digest"))


def test_a_referee_withdraws_when_its_invitation_is_revoked_but_not_twice():
    season = created()
    season.do(RHEA)
    season.do(RegisterReferee(agent("Rolf", role=Role.REFEREE)))
    season.do(RegisterReferee(agent("Rhea", role=Role.REFEREE), "invitation"))
    assert season.do(RevokeInvitation("Rhea")) == (
        InvitationRevoked("Rhea"),
        AgentWithdrew("REF02", "its invitation was revoked"),
    )
    assert list(season.league.active_referees) == ["REF01"]


def test_a_league_that_is_over_invites_nobody():
    season = created()
    season.league = replace(season.league, state=LeagueState.COMPLETED)
    with pytest.raises(LeagueAlreadyComplete):
        season.do(RHEA)


@pytest.mark.parametrize(
    "event",
    [
        RefereeInvited("Rhea", "digest"),
        InvitationRevoked("Rhea"),
        RefereeRegistered(agent("Rhea", role=Role.REFEREE), "invitation"),
    ],
)
def test_the_events_are_read_as_they_were_written(event):
    assert event_from_json(type(event).__name__, event_to_json(event)) == event


def test_a_referee_of_a_record_from_before_was_admitted_by_nobody_knows_what():
    event = event_to_json(RefereeRegistered(agent("Rhea", role=Role.REFEREE), "secret"))
    del event["admitted_by"]
    read = event_from_json("RefereeRegistered", event)
    assert isinstance(read, RefereeRegistered)
    assert read.admitted_by == ""
