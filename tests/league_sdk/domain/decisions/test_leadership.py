"""Plans, read-only records and epochs of a league."""

import pytest

from league_sdk.domain.commands import BeginEpoch, ChangeOperatorToken, KeepPlan, MakeReadOnly, StartRound
from league_sdk.domain.events import EpochBegun, MadeReadOnly, RunPlanned, event_from_json, event_to_json
from league_sdk.domain.records.epoch import Epoch
from league_sdk.errors import InvalidField, InvalidState, LeagueAlreadyComplete
from tests.league_sdk.domain.season import running


def test_a_plan_is_recorded_once_and_stays():
    season = running()
    assert [type(event) for event in season.do(KeepPlan({"shared": {"port": 1}}))] == [RunPlanned]
    assert list(season.do(KeepPlan({"shared": {"port": 2}}))) == []
    assert season.league.plan == {"shared": {"port": 1}}


def test_read_only_records_take_nothing_until_an_epoch_begins():
    season = running()
    season.do(MakeReadOnly("restored", "http://old:8000/mcp"))
    assert list(season.do(MakeReadOnly("restored"))) == []
    for command in (StartRound(1), ChangeOperatorToken("digest", "lost"), KeepPlan({"shared": {}})):
        with pytest.raises(InvalidState, match="read-only: they were restored"):
            season.do(command)
    season.do(BeginEpoch("random"))
    assert (season.league.read_only, season.league.epoch) == ("", Epoch(1, "random"))
    assert season.league.older_manager == "http://old:8000/mcp"
    season.do(StartRound(1))


def test_each_lead_of_read_only_records_is_an_epoch_of_its_own():
    season = running()
    for number in (1, 2):
        season.do(MakeReadOnly("restored"))
        season.do(BeginEpoch(f"id {number}"))
    assert season.league.epoch == Epoch(2, "id 2")
    with pytest.raises(InvalidState, match="no new epoch is needed"):
        season.do(BeginEpoch("id 3"))


def test_a_complete_league_can_be_archived_and_never_led_again():
    season = running(players=2).play()
    season.do(MakeReadOnly("archived"))
    with pytest.raises(LeagueAlreadyComplete):
        season.do(BeginEpoch("random"))


def test_records_are_read_only_for_a_known_reason():
    with pytest.raises(InvalidField):
        running().do(MakeReadOnly("mood"))


@pytest.mark.parametrize(
    "event", [RunPlanned({"shared": {"port": 1}}), MadeReadOnly("restored", "http://old/mcp"), EpochBegun(2, "random")]
)
def test_events_of_the_lead_come_back_from_json_as_they_were(event):
    assert event_from_json(type(event).__name__, event_to_json(event)) == event


@pytest.mark.parametrize(
    ("later", "admitted"),
    [(Epoch(), False), (Epoch(1, "a"), True), (Epoch(1, "b"), False), (Epoch(2, "b"), True)],
)
def test_an_agent_follows_its_own_epoch_and_later_ones_alone(later, admitted):
    assert Epoch(1, "a").admits(later) is admitted
