"""The page of a league whose manager has ended, from its records."""

from collections.abc import Sequence

import anyio
from starlette.applications import Starlette

from league_sdk.domain.events import Record
from league_sdk.domain.league import fold
from league_sdk.net.serving import serve_app
from servers.read_model.live import Live
from servers.read_model.rules import format_of, rules_of
from servers.ui.web.routes import web_routes
from servers.ui.web.stream import Streams


def application(records: Sequence[Record], plugin_folders: Sequence[str] = ()) -> tuple[Starlette, Streams]:
    """The page, and the streams of those who look at it."""
    league, live = fold(record.event for record in records), Live()
    live.take(league, records)
    streams = Streams(live)
    played, game = format_of(league, plugin_folders), rules_of(league, plugin_folders)
    routes = web_routes(live, game=game, tournament_format=played, streams=streams)
    return Starlette(routes=routes), streams


async def show(records: Sequence[Record], port: int, plugin_folders: Sequence[str] = ()) -> None:
    """Serve it where the manager was, on this machine alone, until it is cancelled."""
    app, streams = application(records, plugin_folders)
    async with serve_app(app, port=port):
        try:
            await anyio.sleep_forever()
        finally:
            streams.end()
