"""Progress of a league in numbers and words."""

import pytest

from servers.read_model import overview
from servers.read_model.snapshot import from_json, snapshot, to_json
from tests.servers.league_history import begun, finished, waiting
from tests.servers.ui.web.site import Site

pytestmark = pytest.mark.anyio
LATE = "2 players never came: 5 were expected."


def test_players_that_never_came_are_counted_once_registration_is_closed():
    assert overview(waiting(3, expected_players=5).league).never_came == 0
    assert overview(begun(3, expected_players=5).league).never_came_named == LATE
    assert overview(begun(5, expected_players=5).league).never_came_named == ""
    assert overview(begun(3, expected_players=None).league).never_came_named == ""


def test_who_watches_from_afar_learns_it_too():
    history = finished(3, expected_players=5)
    shown = from_json(to_json(snapshot(history.league, 9, [])))
    assert shown.overview.never_came_named == LATE


async def test_the_page_says_it():
    assert "never came2" in (await Site(finished(3, expected_players=5)).page("/")).text
