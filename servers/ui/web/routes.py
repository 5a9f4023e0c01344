"""The page's routes, with a policy that runs only its own scripts."""

from collections import OrderedDict
from collections.abc import Awaitable, Callable, Mapping
from inspect import isawaitable
from typing import Any, TypeAlias

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route
from starlette.types import Receive, Scope, Send

from league_sdk.errors import LeagueNotFound, RateLimited
from league_sdk.game import Game
from league_sdk.mcp_adapter.server import call_context
from league_sdk.ports import StoreFailed
from league_sdk.tournament import Format
from servers.agent.rate_limit import Throttle
from servers.read_model.live import Live
from servers.read_model.rating_cache import RatingCache
from servers.read_model.text import printable
from servers.ui import assets
from servers.ui.pages import NoSuchPage, Pages, Values
from servers.ui.rendering import render
from servers.ui.web.stream import Streams

POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "connect-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
    )
)
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
}
WITH_WAITS = ("overview", "screen")
"""Templates of pages that show the waits of all matches."""
KEPT_PAGES = 64
"""Pages that are kept until something changes: many browsers that look at the same cost no more than one."""

PageValues: TypeAlias = Callable[[Request], Values | Awaitable[Values]]
"""Finds what the template of a page shows."""


def web_routes(
    live: Live,
    *,
    game: Game[Any] | None = None,
    tournament_format: Format | None = None,
    throttle: Throttle | None = None,
    streams: Streams | None = None,
    ratings: RatingCache | None = None,
) -> list[BaseRoute]:
    pages = Pages(live, game, tournament_format)
    return _Web(live, pages, throttle, streams or Streams(live), ratings or RatingCache(game)).routes()


class _Web:
    """Answers requests."""

    def __init__(
        self, live: Live, pages: Pages, throttle: Throttle | None, streams: Streams, ratings: RatingCache
    ) -> None:
        self._live = live
        self._pages = pages
        self._throttle = throttle
        self._streams = streams
        self._ratings = ratings
        self._kept: OrderedDict[str, tuple[str, bytes]] = OrderedDict()

    def routes(self) -> list[BaseRoute]:
        pages = self._pages

        def page(path: str, template: str, values: PageValues) -> Route:
            return Route(path, self._page(template, values), methods=["GET"])

        return [
            page("/", "overview", self._rated(lambda _: pages.overview())),
            page("/standings", "standings", self._rated(lambda request: pages.standings(_number(request, "page")))),
            page("/rounds", "rounds", lambda request: pages.rounds(None, _number(request, "page"))),
            page(
                "/rounds/{round_id:int}",
                "rounds",
                lambda request: pages.rounds(request.path_params["round_id"], _number(request, "page")),
            ),
            page(
                "/results",
                "results",
                lambda request: pages.results(_number(request, "row"), _number(request, "column")),
            ),
            page("/charts", "charts", lambda request: pages.charts(_number(request, "page"), _text(request, "player"))),
            page("/screen", "screen", lambda _: pages.screen()),
            page("/feed", "feed", lambda request: pages.feed(_number(request, "before") or None)),
            page("/operator", "operator", lambda _: pages.operator()),
            page("/players/{player_id}", "player", self._player),
            page("/matches/{match_id}", "match", self._match),
            Route("/events", _Events(self._streams), methods=["GET"]),
            Route("/watch", _Events(self._streams, whole=True), methods=["GET"]),
            Route("/static/{name}", _static, methods=["GET"]),
            Route("/cross-table", _cross_table, methods=["GET"]),
            Route("/favicon.ico", _icon, methods=["GET"]),
            Route("/{path:path}", _Nothing(self._page("missing", self._nothing))),
        ]

    def _rated(self, values: Callable[[Request], Values]) -> PageValues:
        """The same values, with ratings of the players."""

        async def answer(request: Request) -> Values:
            return {**values(request), "ratings": await self._ratings.ratings(self._live.league)}

        return answer

    @staticmethod
    def _nothing(request: Request) -> Values:
        raise NoSuchPage(f"There is no page {printable(request.url.path, 100)}.")

    async def _match(self, request: Request) -> Values:
        match_id = request.path_params["match_id"]
        return self._pages.match(match_id, await self._live.results([match_id]))

    async def _player(self, request: Request) -> Values:
        player_id, league = request.path_params["player_id"], self._live.league
        stats = league.player_stats(player_id).results if player_id in league.players else ()
        return self._pages.player(player_id, await self._live.results([result.match_id for result in stats]))

    def _page(self, template: str, values: PageValues) -> Callable[[Request], Any]:
        async def answer(request: Request) -> Response:
            try:
                self._count(request)
                if template == "charts":
                    await self._live.catch_up()
                return await self._found(request, template, values)
            except NoSuchPage as error:
                return self._missing(request, str(error))
            except LeagueNotFound:
                return _plain("There is no league yet; come back in a moment.\n", 503, {"retry-after": "1"})
            except StoreFailed:
                return _plain("The store of the league does not answer; try again.\n", 503, {"retry-after": "1"})
            except RateLimited as error:
                wait = max(1, round(error.context.get("retry_after_sec", 1)))
                return _plain("You ask too often.\n", 429, {"retry-after": str(wait)})

        return answer

    async def _found(self, request: Request, template: str, values: PageValues) -> Response:
        part = request.headers.get("x-part") == "main"
        running = self._live.running.look(request.path_params["match_id"]) if template == "match" else None
        changes = [running.number] if running else [self._live.running.number] if template in WITH_WAITS else []
        version = ".".join(map(str, [self._live.sequence, *changes]))
        tag = f'W/"{self._live.clocks.created}-{version}{"-part" if part else ""}"'
        headers = {"etag": tag, "cache-control": "no-cache", "vary": "x-part"}
        if request.headers.get("if-none-match") == tag:
            return _answer(b"", "text/html; charset=utf-8", 304, headers)
        key = f"{part} {request.url.path}?{request.url.query}"
        kept = self._kept.pop(key, None)
        if kept is None or kept[0] != version:
            found = values(request)
            found = await found if isawaitable(found) else found
            body = render(template, {**self._pages.frame(template), **found, "part": part})
            kept = version, body
        self._kept[key] = kept
        if len(self._kept) > KEPT_PAGES:
            self._kept.popitem(last=False)
        return _answer(kept[1], "text/html; charset=utf-8", 200, headers)

    def _missing(self, request: Request, reason: str) -> Response:
        part = request.headers.get("x-part") == "main"
        body = render("missing", {**self._pages.frame("missing"), "reason": reason, "part": part})
        return _answer(body, "text/html; charset=utf-8", 404, {"cache-control": "no-store"})

    def _count(self, request: Request) -> None:
        if self._throttle is not None:
            self._throttle.stranger(request.client.host if request.client else "")


class _Events:
    """The stream of events: an ASGI application that lasts as long as the browser."""

    def __init__(self, streams: Streams, *, whole: bool = False) -> None:
        self._streams = streams
        self._whole = whole

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope)
        caller = call_context(request, "")
        holder = self._streams.holder(caller.bearer_token, caller.address)
        if reason := self._streams.refusal(holder):
            busy = _plain(f"No stream of changes: {reason}.\n", 503, {"retry-after": "5"})
            await busy(scope, receive, send)
            return
        seen = _whole(request.headers.get("last-event-id") or request.query_params.get("seen"))
        seen = seen or 0 if self._whole else seen
        await self._streams.stream(seen, dict(HEADERS), holder, whole=self._whole)(scope, receive, send)


class _Nothing:
    """Any other address: a page for GET, a line for other methods."""

    def __init__(self, page: Callable[[Request], Awaitable[Response]]) -> None:
        self._page = page

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope)
        seen = request.method in ("GET", "HEAD")
        answer = await self._page(request) if seen else _plain("There is no such address.\n", 404)
        await answer(scope, receive, send)


async def _static(request: Request) -> Response:
    asset = assets.assets().get(request.path_params["name"])
    if asset is None:
        return _plain("There is no such file.\n", 404)
    named = request.url.query == asset.tag
    keep = "public, max-age=31536000, immutable" if named else "no-cache"
    headers = {"cache-control": keep, "etag": f'"{asset.tag}"'}
    if request.headers.get("if-none-match") == headers["etag"]:
        return _answer(b"", asset.media_type, 304, headers)
    return _answer(asset.body, asset.media_type, 200, headers)


async def _cross_table(request: Request) -> Response:
    """The address of the results before there were brackets."""
    return _plain("", 308, {"location": f"/results?{request.url.query}"})


async def _icon(request: Request) -> Response:
    del request
    return _plain("", 307, {"location": assets.address("icon.svg")})


def _answer(body: bytes, media_type: str, status: int, headers: Mapping[str, str]) -> Response:
    return Response(body, status, {**HEADERS, **headers}, media_type)


def _plain(text: str, status: int, headers: Mapping[str, str] | None = None) -> Response:
    return _answer(text.encode(), "text/plain; charset=utf-8", status, headers or {})


def _number(request: Request, name: str) -> int:
    return _whole(request.query_params.get(name)) or 0


def _text(request: Request, name: str) -> str:
    return request.query_params.get(name, "")[:64]


def _whole(text: str | None) -> int | None:
    return int(text) if text and len(text) < 10 and text.isascii() and text.isdigit() else None
