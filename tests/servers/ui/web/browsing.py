"""A browser for tests, and a league manager that it looks at over a real socket."""

import shutil
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import anyio
import httpx2
import pytest
from anyio.abc import TaskGroup, TaskStatus
from axe_playwright_python.async_playwright import Axe
from playwright.async_api import Browser, Page, async_playwright

from league_sdk.domain.commands import Command
from league_sdk.domain.league import League
from league_sdk.plugins import game
from league_sdk.ports import EventStore
from league_sdk.stores import MemoryEventStore
from league_sdk.transports import serve
from servers.league_manager.admin import admin_routes
from servers.league_manager.class_status import ClassStatus
from servers.league_manager.operator_controls import OperatorControls
from servers.read_model import Limits
from servers.read_model.live import Live
from servers.read_model.rules import format_of
from servers.ui.web.routes import web_routes
from servers.ui.web.stream import Streams
from tests.servers.fakes import OPERATOR, Manager

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
needs_browser = pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium: apt-get install chromium")

ROWS = """() => [...document.querySelectorAll("#standings > tr")].map((row) => [
    row.querySelector(".rank").firstChild.textContent.trim(), row.id.replace("row-", ""),
    ...[".points", ...[3, 4, 5, 6].map((place) => `:nth-child(${place})`)]
      .map((cell) => row.querySelector(`td${cell}`).textContent.trim())])"""
"""In the browser: the rows of the standings as they stand there."""

SIZES = {"phone": (390, 844), "laptop": (1280, 800), "projector": (1920, 1080)}


def rows_of(answer: Mapping[str, Any]) -> list[list[str]]:
    """The rows of the standings as `ROWS` has them, from what the API or a command answers."""
    names = ("rank", "player_id", "points", "played", "wins", "draws", "losses")
    return [[str(row[name]) for name in names] for row in answer["standings"]]


@asynccontextmanager
async def stand() -> AsyncGenerator["Stand"]:
    """A manager that has nothing to remember yet."""
    with anyio.fail_after(240):
        async with anyio.create_task_group() as tasks:
            made = Stand(MemoryEventStore(), tasks)
            await made.wake()
            yield made
            tasks.cancel_scope.cancel()


@asynccontextmanager
async def browser() -> AsyncGenerator[Browser]:
    """A browser without a window."""
    async with async_playwright() as playwright:
        found = await playwright.chromium.launch(executable_path=CHROMIUM)
        try:
            yield found
        finally:
            await found.close()


@dataclass
class Stand:
    """A manager with its page, on a port that stays the same when it is started again.

    Attributes:
        store: What it remembers.
        tasks: Where it runs.
        port: Where it listens.
        roster: The file of its class; None without one.
    """

    store: EventStore
    tasks: TaskGroup
    port: int = 0
    roster: Path | None = None
    made: Manager = field(init=False)

    @property
    def url(self) -> str:
        """The page's URL."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def league(self) -> League:
        """The league."""
        return self.made.league

    async def wake(self) -> None:
        """Read what is stored, without listening yet."""
        self.made = Manager(self.store)
        self.live = Live(Limits(5, 30), self.made.ledger.results)
        await self.made.ledger.open(self.live.take)
        self.made.ledger.subscribe(self.live.take)

    async def listen(self) -> None:
        """Be there."""
        self._killed, self._gone = anyio.Event(), anyio.Event()
        await self.tasks.start(self._serve)

    async def die(self) -> None:
        """Be gone, without a word to anybody."""
        self._killed.set()
        await self._gone.wait()

    async def _serve(self, *, task_status: TaskStatus[None]) -> None:
        streams = Streams(self.live, self.made.clock, interval=0.02)
        controls = OperatorControls(self.made.ledger)
        students = self.roster and ClassStatus(
            self.roster, self.made.ledger, self.made.clock, self.made.service.refusals
        )
        routes = [
            *admin_routes(self.made.agent, controls, students),
            *web_routes(self.live, game=game("even_odd"), tournament_format=format_of(self.league), streams=streams),
        ]
        async with serve(self.made.agent, extra_routes=routes, port=self.port, grace=0) as listener:
            self.port = listener.port
            task_status.started()
            await self._killed.wait()
        self._gone.set()

    async def do(self, *commands: Command) -> None:
        """Let things happen."""
        for command in commands:
            await self.made.ledger.execute(command)

    async def standings(self) -> list[list[str]]:
        """The API's answer, as the page has it."""
        async with httpx2.AsyncClient(trust_env=False) as client:
            answer = await client.get(
                f"{self.url}/admin/standings", headers={"authorization": f"Bearer {OPERATOR}"}, timeout=10
            )
        return rows_of(answer.json())


@dataclass
class Watcher:
    """Somebody who looks at a page, and notes what should not happen on it.

    Attributes:
        page: What it looks at.
        stand: Whose page that is.
        complaints: What the browser complained of.
        strangers: What was asked for elsewhere.
    """

    page: Page
    stand: Stand
    complaints: list[str] = field(default_factory=list[str])
    strangers: list[str] = field(default_factory=list[str])

    def __post_init__(self) -> None:
        self.page.on("console", lambda message: self._note(message.type, message.text))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("request", lambda request: self._asked(request.url))
        self.page.on("dialog", lambda dialog: self.complaints.append(f"dialog: {dialog.message}"))

    def _note(self, kind: str, text: str) -> None:
        if kind in ("error", "warning") and "net::ERR" not in text:
            self.complaints.append(text)

    def _asked(self, url: str) -> None:
        if not url.startswith(self.stand.url):
            self.strangers.append(url)

    async def up_to_date(self) -> None:
        """Wait until the page shows the last record."""
        shown = f'#page[data-sequence="{self.stand.live.sequence}"]'
        await self.page.wait_for_selector(shown, state="attached", timeout=60_000)

    async def standings(self) -> list[list[str]]:
        """The rows of the standings as they stand there."""
        return await self.page.evaluate(ROWS)

    async def agrees(self) -> None:
        """The page shows what the API says."""
        await self.up_to_date()
        assert await self.standings() == await self.stand.standings()


async def findings(page: Page) -> list[str]:
    """axe's findings of a page that are serious or worse, with their places."""
    there = await page.evaluate("'axe' in window")
    results: Any = await (Axe(axe_script="0") if there else Axe()).run(page)
    return [
        f"{found['id']} ({found['impact']}): {node['html'][:120]} {node.get('failureSummary', '')[:300]}"
        for found in results.response["violations"]
        if found["impact"] in ("serious", "critical", "moderate")
        for node in found["nodes"][:3]
    ]
