"""The page at the widths of phones: nothing scrolls sideways but charts and wide tables."""

from datetime import UTC, datetime, timedelta

import pytest
from starlette.applications import Starlette

from league_sdk.clock import to_record_time
from league_sdk.domain.commands import RegisterPlayer
from league_sdk.net.serving import serve_app
from servers.read_model.running import MatchProgress
from servers.read_model.waits import Wait
from tests.league_sdk.domain.season import agent
from tests.servers.league_history import LeagueHistory, under_way, waiting
from tests.servers.ui.web.browsing import browser, needs_browser
from tests.servers.ui.web.site import Site

pytestmark = [pytest.mark.anyio, pytest.mark.slow, needs_browser, pytest.mark.xdist_group("browser")]
PATHS = ("/", "/standings", "/rounds", "/results", "/charts", "/feed", "/operator", "/screen", "/players/P01")
SIDEWAYS = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


def registration() -> LeagueHistory:
    """A league that registers until a deadline, with long names."""
    title, deadline = "Spring Championship of the learners of 2027", "2999-01-15T12:00:00Z"
    history = waiting(3, expected_players=8, display_name=title, registration_deadline=deadline)
    history.do(RegisterPlayer(agent("A" * 64)))
    return history


async def test_nothing_scrolls_sideways_on_a_phone_during_registration_or_while_a_match_waits():
    """Red before: the state of a league in registration stood in one line, 422 of 390 pixels wide."""
    until = to_record_time(datetime.now(UTC) + timedelta(hours=1))
    wait = Wait("R1M1", ("P01", "P02"), True, 2, 4, until)
    async with browser() as chromium:
        for history, paths in ((registration(), PATHS), (under_way(4), (*PATHS, "/matches/R1M1"))):
            site = Site(history)
            with site.live.running.follow("R1M1") as followed:
                if history.league.rounds:
                    followed.tell(MatchProgress(1, ("P02",), waits=(wait,)))
                async with serve_app(Starlette(routes=site.app.routes), port=0) as port:
                    for width in (390, 320):
                        page = await chromium.new_page(viewport={"width": width, "height": 844})
                        for path in paths:
                            await page.goto(f"http://127.0.0.1:{port}{path}")
                            assert await page.evaluate(SIDEWAYS) == 0, (path, width)
                        if history.league.rounds:
                            clock = page.locator(".waits time")
                            assert (await clock.inner_text()).endswith(" s left"), "counted by the manager's clock"
                        await page.close()
                    site.streams.end()
