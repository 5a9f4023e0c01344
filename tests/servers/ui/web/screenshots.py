"""`make screenshots`: every page of four leagues, at every size, light and dark, to be looked at.

They go to `build/screenshots`, and the two of the README to `docs/images`. The leagues are always the same.
"""

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import chain
from pathlib import Path

import anyio
from playwright.async_api import Browser, Page
from starlette.applications import Starlette

from league_sdk import plugins
from league_sdk.clock import ManualClock, to_wire_time
from league_sdk.domain.commands import AssignMatch, StartRound
from league_sdk.domain.events import GENESIS, Record, seal
from league_sdk.domain.model import StageRules
from league_sdk.net.serving import serve_app
from servers.read_model import Limits
from servers.read_model.live import Live
from servers.read_model.rules import format_of, rules_of
from servers.ui.web.routes import web_routes
from servers.ui.web.stream import Streams
from tests.servers.league_history import LeagueHistory, waiting
from tests.servers.ui.report.leagues import PEOPLE, eventful, played, tournament
from tests.servers.ui.web.browsing import CHROMIUM, SIZES, browser

ROOT = Path(__file__).parents[4]
TAKEN = ROOT / "build" / "screenshots"
BEGIN = datetime(2025, 1, 15, 9, 52, tzinfo=UTC)
SLOW = 0.7
"""Seconds between two things that happen."""


@dataclass(frozen=True)
class Sight:
    """A league to look at.

    Attributes:
        name: What its pictures are called.
        history: The league.
        paths: Pages of it.
    """

    name: str
    history: LeagueHistory
    paths: Sequence[str]


def sights() -> list[Sight]:
    """A league in registration, one in its seventh round, one that is complete, and a large one."""
    everywhere = ("/", "/standings", "/rounds", "/results", "/charts", "/feed", "/operator")
    small = eventful(plugins.game("tic_tac_toe"), 4, {4: '<img src=x onerror="alert(1)"> ' * 3})
    return [
        Sight("waiting", waiting(3, expected_players=8, display_name="Spring Championship"), ("/", "/results")),
        Sight("running", running(), (*everywhere, "/players/P06", "/matches/R4M2", "/matches/R3M2", "/matches/R7M5")),
        Sight("complete", small, (*everywhere, "/players/P04", "/matches/R1M1", "/matches/R3M2", "/matches/R2M1")),
        Sight("large", eventful(plugins.game("even_odd"), 100, rounds=70), (*everywhere, "/players/P50")),
    ]


FORMATS: Mapping[str, Sequence[StageRules]] = {
    "round-robin": (StageRules(),),
    "swiss": (StageRules("swiss"),),
    "knockout": (StageRules("knockout", {"third_place": True}),),
    "series": (StageRules("knockout", {"best_of": 3}),),
    "double": (StageRules("knockout", {"double": True}),),
    "groups": (StageRules("groups", {"groups": 2}, 4), StageRules("knockout")),
    "gauntlet": (StageRules("gauntlet", {"challengers": 2}),),
    "cycles": (StageRules(options={"cycles": 2}),),
    "swiss-series": (StageRules("swiss", {"best_of": 3}),),
    "ladder": (StageRules("ladder"),),
}


def formats() -> Iterator[Sight]:
    """A league of each format with 8, 30 and 100 players: in its middle, and of 30 players at its end too."""
    game = plugins.game("tic_tac_toe")
    for name, stages in FORMATS.items():
        for players in (8, 30, 100):
            expected = plugins.stages_format(stages).expected_rounds(players)
            middle = tournament(game, players, stages, expected * 2 // 3)
            paths = ("/", "/results", "/rounds", "/screen") if players > 8 else ("/", "/results", "/charts", "/screen")
            yield Sight(f"{name}-{players}", middle, paths)
            if players == 30:
                yield Sight(f"{name}-{players}-over", tournament(game, players, stages), ("/", "/results"))


def running() -> LeagueHistory:
    """Twelve players in their seventh round: three matches are decided, three under way."""
    game = plugins.game("even_odd")
    names = dict(enumerate(PEOPLE[:12], start=1))
    history = eventful(game, len(names), names, 6, display_name="Spring Championship")
    season = history.season
    season.do(StartRound(7))
    for place, fixture in enumerate(season.league.round(7).fixtures):
        season.do(AssignMatch(fixture.match_id, f"REF0{place % 2 + 1}"))
        if place < 3:
            result = played(game, fixture, season.league.league_id)
            told = {name: getattr(result, name) for name in ("status", "reason", "details", "lifecycle", "transcript")}
            season.record(fixture.match_id, result.winner, **told)
    return history


def records_of(history: LeagueHistory) -> list[Record]:
    """The records of a league, one after another in time."""
    records: list[Record] = []
    for number, event in enumerate(history.season.events):
        previous = records[-1].digest if records else GENESIS
        at = to_wire_time(BEGIN + timedelta(seconds=SLOW * number))
        records.append(seal(history.league.league_id, number + 1, at, event, previous))
    return records


async def main() -> None:
    """Take all pictures."""
    if CHROMIUM is None:
        sys.exit("there is no Chromium: apt-get install chromium")
    TAKEN.mkdir(parents=True, exist_ok=True)
    wanted = sys.argv[1:]
    chosen = (sight for sight in chain(sights(), formats()) if not wanted or sight.name.startswith(tuple(wanted)))
    async with browser() as found:
        for place, sight in enumerate(chosen):
            records, live = records_of(sight.history), Live(Limits(5, 30))
            live.take(sight.history.league, records)
            clock = ManualClock(start=BEGIN + timedelta(seconds=SLOW * len(records) + 13))
            league = sight.history.league
            routes = web_routes(
                live, game=rules_of(league), tournament_format=format_of(league), streams=Streams(live, clock)
            )
            app = Starlette(routes=routes)
            async with serve_app(app) as port:
                await take(found, sight, f"http://127.0.0.1:{port}")
            print(f"{place + 1}: {sight.name}, {len(records)} records")


async def take(found: Browser, sight: Sight, url: str) -> None:
    """All pictures of one league."""
    for size, (width, height) in SIZES.items():
        for colours in ("light", "dark"):
            context = await found.new_context(
                viewport={"width": width, "height": height},
                color_scheme="dark" if colours == "dark" else "light",
                reduced_motion="reduce",
            )
            await context.add_init_script("sessionStorage.setItem('league-operator-token', 'shown')")
            page = await context.new_page()
            for path in sight.paths:
                await page.goto(url + path)
                await page.wait_for_selector("#link:not([hidden])")
                await shoot(page, sight.name, path, f"{size}-{colours}")
            await context.close()


async def shoot(page: Page, name: str, path: str, how: str) -> None:
    """One page: the whole of it, and for the README what of it is seen at first."""
    page_name = path.strip("/").replace("/", "-") or "overview"
    await page.screenshot(path=TAKEN / f"{name}-{page_name}-{how}.png", full_page=not how.startswith("projector"))
    shown = {("/", "laptop-light"): "page-overview.png", ("/matches/R4M2", "laptop-dark"): "page-match.png"}
    if name == "running" and (path, how) in shown:
        await page.screenshot(path=ROOT / "docs" / "images" / shown[path, how])


if __name__ == "__main__":
    anyio.run(main)
