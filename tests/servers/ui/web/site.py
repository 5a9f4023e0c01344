"""A page to look at in a test: a league led by hand, and requests without a socket."""

from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Any

import httpx2
from starlette.applications import Starlette

from league_sdk.game import Game
from servers.agent.rate_limit import Throttle
from servers.read_model import Limits
from servers.read_model.live import Live
from servers.read_model.rules import format_of
from servers.ui.web.routes import web_routes
from servers.ui.web.stream import Streams
from tests.servers.league_history import LeagueHistory


@dataclass
class Site:
    """The page of a history.

    Attributes:
        history: What happens.
        game: The rules of its game.
        throttle: How often strangers may ask.
    """

    history: LeagueHistory
    game: Game[Any] | None = None
    throttle: Throttle | None = None
    live: Live = field(init=False)

    def __post_init__(self) -> None:
        self.live = Live(Limits(5, 30))
        self.streams = Streams(self.live, interval=0.01)
        routes = web_routes(
            self.live,
            game=self.game,
            tournament_format=format_of(self.history.league),
            throttle=self.throttle,
            streams=self.streams,
        )
        self.app = Starlette(routes=routes)
        self._told = 0
        self.catch_up()

    def catch_up(self) -> None:
        """Tell the page what has happened meanwhile."""
        records = self.history.records()[self._told :]
        self._told += len(records)
        if records:
            self.live.take(self.history.league, records)

    async def get(self, path: str, **headers: str) -> httpx2.Response:
        """Ask for something."""
        transport = httpx2.ASGITransport(app=self.app)
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        async with httpx2.AsyncClient(transport=transport, base_url="http://localhost") as client:
            return await client.get(path, headers=named)

    async def page(self, path: str) -> "Seen":
        """A page that has to be there."""
        answer = await self.get(path)
        assert answer.status_code == 200, answer.text
        return Seen.of(answer.text)


class Seen(HTMLParser):
    """The content of a page.

    Attributes:
        tags: Every element with its attributes, in order.
        words: All text, elements apart by blanks.
    """

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []
        self.rows: list[list[str]] = []
        self._cell: list[str] | None = None

    @classmethod
    def of(cls, html: str) -> "Seen":
        """Read a page."""
        seen = cls()
        seen.feed(html)
        return seen

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self._cell = []

    def handle_endtag(self, tag: str) -> None:
        if tag in ("td", "th") and self._cell is not None:
            self.rows[-1].append(" ".join("".join(self._cell).split()))
            self._cell = None

    def handle_data(self, data: str) -> None:
        self.words.append(data)
        if self._cell is not None:
            self._cell.append(data)

    @property
    def text(self) -> str:
        """All text."""
        return " ".join("".join(self.words).split())

    def links(self) -> list[str]:
        """Targets of its links."""
        return [attrs["href"] or "" for tag, attrs in self.tags if tag == "a"]
