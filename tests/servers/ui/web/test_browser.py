"""The page in a browser, from registration to the champion."""

from datetime import timedelta
from typing import Literal

import pytest
from playwright.async_api import Browser

from league_sdk.domain.commands import (
    AssignMatch,
    CloseRegistration,
    CompleteLeague,
    CompleteRound,
    CreateLeague,
    RegisterPlayer,
    RegisterReferee,
    StartLeague,
    StartRound,
)
from league_sdk.domain.lifecycles import LeagueState
from league_sdk.domain.model import Role
from servers.agent.class_roster import ClassRoster
from servers.read_model.running import MatchProgress
from tests.requirements.marker import requirement
from tests.servers.class_season import a_class
from tests.servers.fakes import OPERATOR, enrol, entrant, result_report, rules
from tests.servers.read_model.leagues import talk
from tests.servers.ui.web.browsing import SIZES, Stand, Watcher, browser, findings, needs_browser, stand

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.slow,
    pytest.mark.tampers,  # its matches are made up
    needs_browser,
    pytest.mark.xdist_group("browser"),
]
MARKUP = '<img src=x onerror="document.title=1"><script>alert(1)</script>'
SCREENS: list[tuple[str, Literal["dark", "light"]]] = [("phone", "dark"), ("laptop", "light")]
NAMES = ["Ada", MARKUP, "\u202edesrever", "عليّ <b>bold</b>"]


async def play(made: Stand, match_id: str, winner: int | None) -> None:
    """A match, from its assignment to its report."""
    await made.do(AssignMatch(match_id, "REF01"))
    await report(made, match_id, winner)


async def report(made: Stand, match_id: str, winner: int | None) -> None:
    """The referee's report; `winner` is a seat."""
    players = made.league.fixture(match_id).players
    won = None if winner is None else players[winner]
    score = {player: 1 if won is None else 3 * (player == won) for player in players}
    transcript = [
        {**entry, **{end: players[entry[end] == "P02"] for end in ("from", "to") if end in entry}} for entry in talk()
    ]
    details = {"drawn_number": 8, "reason": f"Number 8 is even. {MARKUP}"}
    result = {"winner": won, "score": score, "details": details, "transcript": transcript}
    await made.made.call("report_match_result", {**result_report(match_id), "result": result})


@requirement("001-FUT-01", "project-LATER-05")
async def test_a_league_is_watched_from_registration_to_its_champion():
    async with stand() as made:
        await made.do(CreateLeague(rules(expected_players=4)))
        await made.listen()
        async with browser() as found:
            watcher = await looking(found, made)
            page = watcher.page
            await page.goto(made.url)

            await made.do(RegisterReferee(entrant(Role.REFEREE, 1, max_concurrent_matches=4), "secret"))
            for number, name in enumerate(NAMES, start=1):
                await made.do(RegisterPlayer(entrant(Role.PLAYER, number, display_name=name)))
                await watcher.agrees()
            assert await page.locator("#standings bdi").all_text_contents() == [
                "Ada",
                MARKUP[:59] + "…",
                "\N{REPLACEMENT CHARACTER}desrever",
                "عليّ <b>bold</b>",
            ]
            assert await page.locator("main script, main img, main b b").count() == 0

            await made.do(CloseRegistration("quorum"), StartLeague(), StartRound(1), AssignMatch("R1M1", "REF01"))
            await watcher.up_to_date()
            assert (await page.locator("#match-R1M1.under-way .clock").inner_text()).endswith(" s")
            await report(made, "R1M1", 0)
            await watcher.agrees()
            assert await page.locator("#match-R1M1 .won .score").inner_text() == "3"

            # The manager dies; what happens before it is there again is on the page once it is.
            await made.die()
            await page.wait_for_selector("#link.lost")
            await made.wake()
            await play(made, "R1M2", None)
            await made.do(CompleteRound(1))
            await made.listen()
            await watcher.agrees()
            await page.wait_for_selector("#link.live")

            for round_id in (2, 3):
                await made.do(StartRound(round_id))
                for place in (1, 2):
                    await play(made, f"R{round_id}M{place}", (round_id + place) % 2)
                    await watcher.agrees()
                await made.do(CompleteRound(round_id))
            await made.do(CompleteLeague())
            await watcher.agrees()
            champion = next(row for row in made.league.standings() if row.rank == 1)
            assert champion.player_id in (await page.locator(".champion a").first.get_attribute("href") or "")
            assert await page.locator("#decided").inner_text() == "6"
            assert await page.title() == "Overview \N{EN DASH} summer"
            assert watcher.complaints == []
            assert watcher.strangers == []

            await every_page_is_for_everybody(found, made)


async def test_a_running_match_is_followed_without_reloading():
    async with stand() as made:
        await made.do(CreateLeague(rules(expected_players=2)))
        await enrol(made.made.ledger, 2)
        await made.do(CloseRegistration("quorum"), StartLeague(), StartRound(1), AssignMatch("R1M1", "REF01"))
        await made.listen()
        first, second = made.league.fixture("R1M1").players
        async with browser() as found:
            watcher = await looking(found, made)
            page = watcher.page
            with made.live.running.follow("R1M1") as followed:
                await page.goto(f"{made.url}/matches/R1M1")
                await page.wait_for_selector(".sub >> text=Under way")
                assert await page.locator(".board .word").all_text_contents() == ["", ""]
                for turn, mover in ((1, first), (2, second)):
                    end = (made.made.clock.now() + timedelta(hours=1)).isoformat()
                    followed.tell(MatchProgress(turn, (mover,), {mover: end}))
                    await page.wait_for_selector(f".sub >> text=turn {turn}")
                    words = await page.locator(".board .word").all_text_contents()
                    seat = made.league.fixture("R1M1").players.index(mover)
                    assert words[seat].startswith("to move, time is up in ")
                    assert words[1 - seat] == ""
                    assert await findings(page) == []
            await report(made, "R1M1", 0)
            await page.wait_for_selector(".seat.won")
            assert watcher.complaints == []


@requirement("project-LATER-05")
async def test_only_with_the_operators_token_something_can_be_done():
    async with stand() as made:
        await made.do(CreateLeague(rules(expected_players=2)))
        await enrol(made.made.ledger, 2)
        await made.listen()
        async with browser() as found:
            watcher = await looking(found, made)
            page = watcher.page
            await page.goto(f"{made.url}/operator")
            assert not await page.locator("[data-action]").first.is_visible()
            await page.fill("#token", "a guess")
            await page.keyboard.press("Enter")
            await page.wait_for_selector("#answer:not(:empty)")
            assert await page.inner_text("#answer") == "This is not the operator's token."
            assert not await page.locator("[data-action]").first.is_visible()
            await page.fill("#token", OPERATOR)
            await page.keyboard.press("Enter")
            await page.click("[data-action='/admin/start_league']")
            await page.wait_for_selector(".state-running")
            await page.click("[data-action='/admin/pause_league']")
            await page.wait_for_selector(".state-stopped")
            assert made.league.state is LeagueState.STOPPED
            await page.goto(f"{made.url}/operator")
            await page.click("[data-action='/admin/resume_league']")
            await page.wait_for_selector(".state-running")
            assert made.league.state is LeagueState.RUNNING
            assert await page.context.cookies() == []
            await page.click("#forget")
            assert await page.evaluate("sessionStorage.length") == 0
            assert [text for text in watcher.complaints if "401" not in text] == []


@requirement("project-CLI-17")
async def test_the_operator_of_a_class_sees_each_students_state_and_nobody_else_does(tmp_path):
    async with stand() as made:
        made.roster = roster = tmp_path / "class.json"
        ClassRoster(roster).save(a_class())
        ada = a_class()[0]
        await made.do(CreateLeague(rules(expected_players=3)))
        await enrol(made.made.ledger, 1)
        await made.listen()
        async with browser() as found:
            watcher = await looking(found, made)
            page = watcher.page
            await page.set_viewport_size({"width": 390, "height": 844})
            await page.goto(f"{made.url}/operator")
            assert not await page.locator("#class").is_visible()
            assert ada.name not in await page.content()
            await page.fill("#token", OPERATOR)
            await page.keyboard.press("Enter")
            await page.wait_for_selector("#students tr")
            assert await page.inner_text("#class-summary") == "3 missing"
            joined = entrant(Role.PLAYER, 2, display_name=ada.player, card=1, student=ada.reference)
            await made.do(RegisterPlayer(joined))
            await page.wait_for_selector("#students tr.joined")
            assert await page.inner_text("#class-summary") == "2 missing, 1 joined"
            assert await findings(page) == []
            assert await page.evaluate("document.documentElement.scrollWidth <= innerWidth")
            await page.click("#forget")
            assert not await page.locator("#class").is_visible()
            assert watcher.complaints == []


async def test_the_operator_removes_a_player_on_its_page():
    async with stand() as made:
        await made.do(CreateLeague(rules(expected_players=3)))
        await enrol(made.made.ledger, 3)
        await made.do(CloseRegistration("quorum"), StartLeague(), StartRound(1))
        await play(made, "R1M1", 0)
        await made.listen()
        gone = made.league.fixture("R1M1").players[0]
        async with browser() as found:
            watcher = await looking(found, made)
            page = watcher.page
            await page.goto(f"{made.url}/players/{gone}")
            assert not await page.locator("[data-action]").first.is_visible()
            await page.goto(f"{made.url}/operator")
            await page.fill("#token", OPERATOR)
            await page.keyboard.press("Enter")
            await page.wait_for_selector("#desk:not([hidden])")
            await page.goto(f"{made.url}/players/{gone}")
            await page.fill("#reason", "two agents of one author")
            await made.do(CompleteRound(1))
            await watcher.up_to_date()
            assert await page.input_value("#reason") == "two agents of one author"

            answers = ["no", "yes"]
            page.on("dialog", lambda dialog: dialog.accept() if answers.pop(0) == "yes" else dialog.dismiss())
            await page.click("[data-action$='/remove']")
            assert made.league.removed == {}
            assert await findings(page) == []
            await page.click("[data-action$='/remove']")
            await page.wait_for_selector(".notice")
            assert made.league.removed == {gone: f"{gone} was removed by the operator: two agents of one author"}
            assert "two agents of one author" in await page.inner_text(".notice")
            assert await page.locator("[data-action]").count() == 0
            assert await findings(page) == []

            for path in ("/standings", "/cross-table"):
                await page.goto(made.url + path)
                assert {*await page.locator(".gone").all_text_contents()} == {"removed"}
                assert await findings(page) == []
            await page.goto(f"{made.url}/standings")
            assert await watcher.standings() == await made.standings()
            asked = [complaint for complaint in watcher.complaints if complaint.startswith("dialog: ")]
            assert watcher.complaints == asked
            assert len(asked) == 2
            assert f"({gone}) from the league?" in asked[0]


async def looking(found: Browser, made: Stand) -> Watcher:
    width, height = SIZES["laptop"]
    page = await found.new_page(viewport={"width": width, "height": height}, reduced_motion="reduce")
    return Watcher(page, made)


async def every_page_is_for_everybody(found: Browser, made: Stand) -> None:
    """Whatever the screen: nothing serious for axe, nothing that has to be scrolled sideways, all by keyboard."""
    paths = ["/", "/rounds/2", "/cross-table", "/charts", "/feed", "/operator", "/players/P02", "/matches/R1M1"]
    watcher = await looking(found, made)
    page = watcher.page
    for path in paths:
        await page.goto(made.url + path)
        for size, colours in SCREENS:
            width, height = SIZES[size]
            await page.set_viewport_size({"width": width, "height": height})
            await page.emulate_media(color_scheme=colours)
            assert await findings(page) == [], (path, size, colours)
            wide = await page.evaluate("document.documentElement.scrollWidth - window.innerWidth")
            assert wide <= 0, (path, size)
    assert watcher.complaints == []
    await page.keyboard.press("Tab")
    assert await page.evaluate("document.activeElement.textContent") == "Skip to content"
    await page.keyboard.press("Enter")
    assert await page.evaluate("document.activeElement.id") == "main"
