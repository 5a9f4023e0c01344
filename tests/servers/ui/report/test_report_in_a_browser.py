"""The report in a browser: by keyboard, without a network, and with nothing that axe finds."""

from pathlib import Path

import pytest
from playwright.async_api import Browser, Page

from league_sdk import plugins
from servers.ui import report
from tests.requirements.marker import requirement
from tests.servers.ui.report.leagues import eventful
from tests.servers.ui.report.test_report import written
from tests.servers.ui.web.browsing import browser, findings, needs_browser

pytestmark = [pytest.mark.anyio, pytest.mark.slow, needs_browser, pytest.mark.xdist_group("browser")]
HOSTILE = '</script><img src=x onerror="document.title=1"><b>bold</b>'


async def look(found: Browser, path: Path, **options: object) -> tuple[Page, list[str]]:
    """A report that somebody opened; what the browser complains of, and what is asked for elsewhere."""
    page = await found.new_page(reduced_motion="reduce", **options)  # pyright: ignore[reportArgumentType]
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("dialog", lambda dialog: complaints.append(dialog.message))
    page.on("request", lambda asked: None if asked.url.startswith("file:") else complaints.append(asked.url))
    await page.goto(path.as_uri())
    await page.wait_for_selector("#list li")
    return page, complaints


async def faint(page: Page) -> int:
    """The lines of the first chart that have stepped back behind another one."""
    lines = page.locator(".chart:not(.axis)").first.locator(".series")
    return await lines.evaluate_all("lines => lines.filter((line) => getComputedStyle(line).opacity < 1).length")


@requirement("project-LATER-08")
async def test_a_report_is_read_by_keyboard_and_needs_nothing_else(tmp_path, monkeypatch):
    game = plugins.game("tic_tac_toe")
    league = eventful(game, 5, {2: HOSTILE}, league_id="small").league
    path, packed = tmp_path / "plain.html", tmp_path / "packed.html"
    monkeypatch.setattr(report, "MOST_PLAIN", 10_000_000)
    path.write_text(written(league, game=game), encoding="utf-8")
    monkeypatch.setattr(report, "MOST_PLAIN", 10)
    packed.write_text(written(league, game=game), encoding="utf-8")
    async with browser() as found:
        page, complaints = await look(found, path)
        assert await page.locator("#list li").count() == league.total_matches
        assert HOSTILE in await page.locator("#standings bdi").all_text_contents()
        assert HOSTILE in await page.locator("#list bdi").all_text_contents()
        assert await findings(page) == []

        await page.hover(".series .name >> nth=0")
        assert await faint(page) == len(league.players) - 1
        await page.select_option("#filter-kind", "technical loss")
        assert await page.locator("#list li").count() == 1
        await page.select_option("#filter-kind", "")
        await page.focus("#list a >> nth=0")
        await page.keyboard.press("Enter")
        assert await page.locator("#dialog-title").inner_text() == "R1M1 round 1"
        before = await page.locator(".frame:not([hidden])").text_content()
        await page.keyboard.press("ArrowLeft")
        assert await page.locator(".frame:not([hidden])").text_content() != before
        await page.keyboard.press("Home")
        assert await page.locator("[data-step=back]").is_disabled()
        await page.keyboard.press("End")
        assert await page.locator("[data-step=last]").is_disabled()
        assert await page.locator(".frame:not([hidden])").text_content() == before
        assert "the match ends as reported" in (await page.locator("#dialog").text_content() or "")
        assert await findings(page) == []
        await page.keyboard.press("n")
        assert await page.locator("#dialog-title").inner_text() == "R1M2 round 1"
        await page.keyboard.press("Escape")
        assert not await page.locator("#dialog").is_visible()
        assert "#" not in page.url
        await page.locator("#standings a", has_text=HOSTILE).click()
        assert HOSTILE in (await page.locator("#dialog-title").text_content() or "")
        assert await findings(page) == []
        assert complaints == []

        small, complaints = await look(
            found, packed, viewport={"width": 390, "height": 844}, color_scheme="dark", has_touch=True
        )
        assert await small.locator("#list li").count() == league.total_matches
        assert await small.evaluate("document.documentElement.scrollWidth") == 390
        assert await findings(small) == []
        await small.tap(".series .name >> nth=1")
        assert await faint(small) == len(league.players) - 1
        await small.goto(f"{packed.as_uri()}#/matches/R1M1")
        await small.wait_for_selector("#dialog[open]")
        assert await findings(small) == []
        assert complaints == []
        assert await page.title() == "Summer <Cup> & more \N{EN DASH} league report"
