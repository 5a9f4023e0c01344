"""A league watched in a browser, from registration to its champion, while its manager is killed and started again."""

import os
import signal
from dataclasses import dataclass
from typing import Any

import pytest
from playwright.sync_api import Page, sync_playwright

from league_sdk.domain.league import fold
from league_sdk.settings import Workspace
from servers.agent.event_store import read_records
from servers.cli.summary import standing_json
from tests.end_to_end.program_harness import PATIENCE, QUICK, ProgramHarness, until
from tests.end_to_end.test_agents_by_hand import ask
from tests.requirements.marker import requirement
from tests.servers.ui.web.browsing import CHROMIUM, ROWS, needs_browser, rows_of

pytestmark = [pytest.mark.slow, needs_browser]
MARKUP = "<b>Zoe</b>"
PATIENT = """
import time
from pathlib import Path
from league_sdk import strategy

GATES = Path(__file__).parent


@strategy("patient")
def patient(view):
    '''Takes the first move, once the gate of the round is open.'''
    while not (GATES / f"round {view.round_id}").exists():
        time.sleep(0.01)
    return view.legal_moves[0]
"""
NOTING = f"""
window.noted = [];
const note = () => noted.push([Number(document.getElementById("page").dataset.sequence), ({ROWS})()]);
document.addEventListener("DOMContentLoaded", note);
document.addEventListener("page:changed", note);
"""
"""In the browser: every state of the page, by the last record that it shows. A reload would forget them."""


@dataclass
class Watched:
    """A page, and the league's own API beside it.

    Attributes:
        page: The page.
        programs: Where the league is played.
        token: The operator's token.
    """

    page: Page
    programs: ProgramHarness
    token: str

    def agrees(self) -> bool:
        """True if the page agrees with the API; not while a change is on its way."""
        said: list[Any] = [ask(self.programs, "/admin/standings", self.token), self.page.evaluate(ROWS)]
        return rows_of(said[0][1]) == said[1]


def rows_after(programs: ProgramHarness, league_id: str) -> dict[int, list[list[str]]]:
    """The standings after each record, from the store alone."""
    records = read_records(Workspace(programs.data), league_id, None)
    standings = {
        record.sequence: fold(known.event for known in records[: record.sequence]).standings() for record in records
    }
    return {number: rows_of({"standings": [*map(standing_json, rows)]}) for number, rows in standings.items()}


@requirement("project-LATER-05")
def test_a_league_is_watched_to_its_champion_though_its_manager_is_killed(programs):
    folder = programs.plug_in("patient", PATIENT)
    players = [f"--player=name={name},strategy=patient" for name in ("Ada", "Bob", "Cyd")]
    league = programs.start(
        *("run", "--guests", 1, "--port-base", programs.base, "--plugins", folder, "--json", *players, *QUICK)
    )
    secrets = programs.data / "data" / "secrets"
    token = until(lambda: next((path.read_text().strip() for path in secrets.rglob("operator.token")), ""), "the token")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM)
        page = browser.new_page(reduced_motion="reduce")
        complaints: list[str] = []
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.add_init_script(NOTING)
        page.set_default_timeout(PATIENCE * 1000)
        watched = Watched(page, programs, token)

        until(lambda: programs.listeners().get(programs.base), "the manager")
        page.goto(f"http://localhost:{programs.base}/")
        page.get_by_text("3 of 4 players").first.wait_for()
        until(watched.agrees, "registration as the API has it")

        where = ("--port", 0, "--manager", programs.manager, "--plugins", folder)
        programs.start("player", "--name", MARKUP, "--strategy", "patient", *where, *QUICK)
        (folder / "round 1").touch()
        decided = page.locator("#decided")
        decided.filter(has_text="2").wait_for()
        until(watched.agrees, "the first round as the API has it")

        os.kill(programs.listeners()[programs.base], signal.SIGKILL)
        (folder / "round 2").touch()
        page.wait_for_selector("#link.lost")
        page.wait_for_selector("#link.live")
        decided.filter(has_text="4").wait_for()
        until(watched.agrees, "the second round as the API has it")

        (folder / "round 3").touch()
        champion = page.locator(".champion .who a").first
        champion.wait_for()
        won, number = champion.get_attribute("href"), decided.inner_text()
        names = page.locator("#standings bdi").all_inner_texts()
        noted = page.evaluate("noted")
        browser.close()

    assert league.end() == 0, league.err
    told = programs.look("standings", "--json")
    rows = rows_after(programs, told["league_id"])
    assert (complaints, number) == ([], "6")
    assert MARKUP in names
    assert won == f"/players/{told['standings'][0]['player_id']}"
    assert noted[-1] == [max(rows), rows_of(told)]
    assert all(shown == rows[at] for at, shown in noted)
    assert len({at for at, _ in noted}) >= 4  # the four places above
    assert [at for at, _ in noted] == sorted(at for at, _ in noted)
