"""Results and the big screen of every format, in a browser: nothing for axe, nothing wider than the window."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import pytest
from playwright.async_api import Page
from starlette.applications import Starlette

from league_sdk import plugins
from league_sdk.net.serving import serve_app
from servers.read_model import Limits
from servers.read_model.live import Live
from servers.read_model.rules import format_of
from servers.ui.web.routes import web_routes
from tests.servers.league_history import LeagueHistory
from tests.servers.ui.report.leagues import tournament
from tests.servers.ui.web.browsing import SIZES, browser, findings, needs_browser
from tests.servers.ui.web.screenshots import FORMATS, records_of

pytestmark = [pytest.mark.anyio, pytest.mark.slow, needs_browser, pytest.mark.xdist_group("browser")]
GAME = plugins.game("tic_tac_toe")
PLAYERS = 30


def in_its_middle(name: str) -> LeagueHistory:
    """A league of a format, two thirds of which are played."""
    stages = FORMATS[name]
    expected = plugins.stages_format(stages).expected_rounds(PLAYERS)
    return tournament(GAME, PLAYERS, stages, expected * 2 // 3)


@asynccontextmanager
async def seen(history: LeagueHistory) -> AsyncGenerator[tuple[Page, str]]:
    """A page of a browser, and the address where the league is shown."""
    live = Live(Limits(5, 30))
    live.take(history.league, records_of(history))
    app = Starlette(routes=web_routes(live, game=GAME, tournament_format=format_of(history.league)))
    async with serve_app(app) as port, browser() as found:
        page = await found.new_page(reduced_motion="reduce")
        yield page, f"http://127.0.0.1:{port}"


async def look(page: Page, where: str) -> None:
    """Every size, light and dark in turn."""
    for place, (size, (width, height)) in enumerate(SIZES.items()):
        await page.set_viewport_size({"width": width, "height": height})
        await page.emulate_media(color_scheme="dark" if place % 2 else "light")
        assert await findings(page) == [], (where, size)
        wide = await page.evaluate("document.documentElement.scrollWidth - window.innerWidth")
        assert wide <= 0, (where, size)


@pytest.mark.parametrize("name", FORMATS)
async def test_the_results_of_a_format_are_for_everybody(name: str):
    history = in_its_middle(name)
    async with seen(history) as (page, url):
        await page.goto(f"{url}/results")
        await look(page, name)
        told = await page.inner_text("main")
        leader = history.league.standings()[0]
        assert leader.display_name in told


@pytest.mark.parametrize("name", FORMATS)
async def test_the_big_screen_shows_one_slide_after_the_other(name: str):
    async with seen(in_its_middle(name)) as (page, url):
        await page.goto(f"{url}/screen")
        await page.wait_for_selector("#controls:not([hidden])")
        slides = await page.locator(".slide").evaluate_all("slides => slides.map(slide => slide.id)")
        assert ("slide-bracket" in slides) is (FORMATS[name][0].format == "knockout")
        shown: list[str] = []
        for _ in slides:
            shown += await page.locator(".slide:visible").evaluate_all("slides => slides.map(slide => slide.id)")
            await look(page, f"{name}: {shown[-1]}")
            await page.keyboard.press("ArrowRight")
        assert shown == slides
