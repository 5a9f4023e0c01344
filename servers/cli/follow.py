"""Following a league through its store or its manager's page."""

import json
import ssl
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from http.client import HTTPException, HTTPResponse
from pathlib import Path
from typing import Any, TypeAlias
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit, urlunsplit
from urllib.request import Request, urlopen

from league_sdk.clock import Clock, SystemClock
from league_sdk.domain.decisions.result_summary import summarised
from league_sdk.domain.events import EVENT_TYPES, GENESIS
from league_sdk.domain.league import League, evolve
from league_sdk.domain.records.format_version import check_readable
from league_sdk.errors import InvalidEndpoint
from servers.launcher.run_options import PlanError
from servers.read_model import FeedEntry, operator_entry
from servers.read_model.snapshot import Snapshot, from_json, snapshot
from servers.read_model.waits import WaitLine

POLL_SEC = 0.3
"""Interval between two reads of the store."""
SILENCE_SEC = 40.0
"""A manager says something at least every 15 s; after so long it is taken for gone."""
RETRY_SEC = (0.5, 1.0, 2.0, 5.0)
"""Pauses before it is looked for again; the last one repeats."""
MOST_BYTES = 4_000_000
"""A line of news may be so long."""

Take: TypeAlias = Callable[[Snapshot], None]
"""Takes in what happened."""
Tell: TypeAlias = Callable[[str], None]
"""Takes in a sentence about the watching itself."""


class Gone(Exception):
    """The league cannot be followed any more; the message says why."""


async def follow_store(
    url: str | None,
    data_root: Path,
    league_id: str,
    take: Take,
    clock: Clock | None = None,
    ended: Callable[[], bool] = lambda: False,
    waits: Callable[[], Sequence[tuple[str, str]]] = lambda: (),
) -> None:
    """Follow a league through its store until it is complete, or `ended`.

    The store has no waits of matches under way; `waits` finds sentences on them, and ends.
    """
    from league_sdk.stores import events_file, open_store

    clock = clock or SystemClock()
    while url is None and not events_file(data_root, league_id).is_file():
        if ended():
            return
        await clock.sleep(POLL_SEC)
    store = await open_store(url, data_root, league_id)
    league: League | None = None
    last, sequence = GENESIS, 0
    waited: tuple[WaitLine, ...] = ()
    try:
        while True:
            last_look = ended()
            entries: list[FeedEntry] = []
            for record in await store.read(league_id, after=sequence):
                if record.previous != last or record.sequence != sequence + 1:
                    raise Gone(f"the log of league {league_id!r} was changed: record {record.sequence} does not fit")
                check_readable([record], EVENT_TYPES, 0 if league is None else league.format_version)
                league = evolve(league, summarised(record.event, league))
                last, sequence = record.digest, record.sequence
                if (entry := operator_entry(league, record)) is not None:
                    entries.append(entry)
            now_waits = tuple(WaitLine(text, until) for text, until in waits())
            if league is not None and (entries or now_waits != waited):
                waited = now_waits
                shown = snapshot(league, sequence, entries, waited)
                take(shown)
                if shown.over:
                    return
            if last_look:
                return
            await clock.sleep(POLL_SEC)
    finally:
        await store.close()


def follow_url(
    url: str,
    take: Take,
    tell: Tell,
    *,
    tls_ca: Path | None = None,
    sleep: Callable[[float], None] = time.sleep,
) -> None:
    """Follow a league through its manager until it is complete, reconnecting."""
    root, trusted = manager_root(url), trust(tls_ca)
    seen, league_id, missed = 0, "", 0
    while True:
        try:
            snapshots = _snapshots(f"{root}/watch?seen={seen}", trusted)
            if next(snapshots, None) is None and missed:
                tell(f"the league manager at {root} is back")
                missed = 0
            for shown in filter(None, snapshots):
                league_id, seen = _same(shown, league_id, root), shown.sequence
                take(shown)
                if shown.over:
                    return
            reason = "it closed the connection"
        except (OSError, HTTPException) as error:
            reason = str(getattr(error, "reason", "") or error)
        if not league_id:
            raise Gone(f"no league manager answers at {root} ({reason}). Is 'league manager' or 'league run' running?")
        if not missed:
            tell(f"the league manager at {root} is unreachable ({reason}); reconnecting, Ctrl-C ends")
        sleep(RETRY_SEC[min(missed, len(RETRY_SEC) - 1)])
        missed += 1


def _same(shown: Snapshot, league_id: str, root: str) -> str:
    found = shown.overview.league_id
    if league_id and found != league_id:
        raise Gone(f"at {root} there is another league by now: {found}")
    return found


def manager_root(url: str) -> str:
    """The address of the page."""
    from league_sdk.net.endpoints import read_endpoint

    try:
        parts = urlsplit(read_endpoint(url).url)
    except InvalidEndpoint as error:
        raise PlanError(
            f"{url!r} is no URL; name the league manager's, such as http://localhost:8000 ({error.message})"
        ) from error
    path = parts.path.rstrip("/").removesuffix("/mcp").rstrip("/")
    return urlunsplit((parts.scheme, parts.netloc, path, "", ""))


def trust(tls_ca: Path | None) -> ssl.SSLContext:
    """The TLS context for calls of a manager."""
    try:
        return ssl.create_default_context(cafile=None if tls_ca is None else str(tls_ca.expanduser()))
    except OSError as error:
        raise PlanError(f"--tls-ca {tls_ca}: {error.strerror or error}") from error


def _snapshots(url: str, trusted: ssl.SSLContext) -> Iterator[Snapshot | None]:
    """Snapshots from a manager until it disconnects; first None, once it answered."""
    request = Request(url, headers={"accept": "text/event-stream"})  # noqa: S310 (the scheme was looked at)
    try:
        answer: HTTPResponse = urlopen(request, timeout=SILENCE_SEC, context=trusted)  # noqa: S310
    except HTTPError as error:
        error.close()
        if error.code in (429, 502, 503, 504):
            raise URLError(f"HTTP status {error.code}") from error
        raise PlanError(f"{url} cannot be watched: HTTP status {error.code}; is it a league manager's?") from error
    with answer:
        if answer.headers.get_content_type() != "text/event-stream":
            raise PlanError(f"{url} cannot be watched: what answers there is no league manager")
        yield None
        for told in events(_lines(answer)):
            try:
                shown = from_json(told)
                now = SystemClock().now()
                yield replace(shown, waits=tuple(line.by(now) for line in shown.waits))
            except ValueError as error:
                raise PlanError(f"{url} cannot be understood: {error}") from error


def _lines(answer: HTTPResponse) -> Iterator[bytes]:
    while line := answer.readline(MOST_BYTES):
        yield line


def events(lines: Iterable[bytes]) -> Iterator[Any]:
    """Data of `changed` in server-sent events; None for invalid JSON."""
    kind, data = "", b""
    for line in lines:
        name, _, value = line.rstrip(b"\r\n").partition(b":")
        if line.strip() == b"":
            if kind == "changed":
                try:
                    yield json.loads(data)
                except ValueError:
                    yield None
            kind, data = "", b""
        elif name == b"event":
            kind = value.strip().decode("utf-8", "replace")
        elif name == b"data":
            data += value.removeprefix(b" ")
