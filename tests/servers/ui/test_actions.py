"""The operator's actions, by what can be done now."""

from league_sdk.domain.commands import CancelLeague, MoveDeadline
from servers.read_model import overview
from servers.ui.actions import actions
from tests.league_sdk.domain.season import registered, running


def opened(season) -> set[str]:
    return {action.label for action in actions(season.league) if action.open}


def test_a_deadline_can_be_put_off_while_there_is_one():
    season = registered(2)
    assert opened(season) == {"Start", "Stop", "Cancel"}
    season.do(MoveDeadline("2036-05-01T09:00:00Z"))
    assert opened(season) == {"Start", "Stop", "Cancel", "Ten more minutes"}


def test_a_league_is_cancelled_at_any_time_and_nothing_can_be_done_with_it_then():
    season = running(players=4)
    assert "Cancel" in opened(season)
    season.do(CancelLeague("wrong roster"))
    assert opened(season) == set()
    assert overview(season.league).state_named == "CANCELLED"
