"""Following a league through its store, and through a manager that goes and comes back."""

import json
import threading
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import anyio
import anyio.lowlevel
import pytest

from league_sdk.clock import ManualClock
from league_sdk.domain.commands import (
    AssignMatch,
    CloseRegistration,
    CompleteLeague,
    CompleteRound,
    CreateLeague,
    RegisterPlayer,
    StartLeague,
    StartRound,
)
from league_sdk.domain.events import seal
from league_sdk.domain.lifecycles import LeagueState
from league_sdk.stores import open_store
from servers import read_model
from servers.cli.follow import Gone, events, follow_store, follow_url
from servers.launcher.run_options import PlanError
from servers.read_model.snapshot import Snapshot, from_json, snapshot, to_json
from tests.league_sdk.domain.season import agent
from tests.requirements.marker import requirement
from tests.servers.fakes import enrol, result_report, rules
from tests.servers.league_history import AT, LeagueHistory, finished, under_way, waiting
from tests.servers.ui.web.browsing import stand
from tests.servers.ui.web.site import Site

pytestmark = pytest.mark.anyio


def snapshot_of(history: LeagueHistory, seen: int = 0) -> Snapshot:
    """A manager's snapshot for a follower that has seen this many records."""
    records = history.records()
    entries = [entry for record in records[seen:] if (entry := read_model.feed_entry(history.league, record))]
    return snapshot(history.league, len(records), entries)


def stream(*snapshots: Snapshot) -> bytes:
    """As a manager sends it."""
    parts = ["retry: 1000\nevent: now\ndata: 2025\n\n", ": still here\n\n"]
    parts += [f"id: 1\nevent: changed\ndata: {json.dumps(to_json(shown))}\n\n" for shown in snapshots]
    return "".join(parts).encode()


@contextmanager
def manager(*answers: bytes | int, kind: str = "text/event-stream") -> Generator[tuple[str, list[str]]]:
    """A server that gives these answers, one a request, and hangs up after each; its address, and what was asked."""
    asked: list[str] = []
    left = list(answers)

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            answer = left.pop(0)
            self.send_response(answer if isinstance(answer, int) else 200)
            self.send_header("content-type", kind)
            self.end_headers()
            if isinstance(answer, bytes):
                self.wfile.write(answer)

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 (the name that it overrides)
            """Not to the terminal."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}", asked
    finally:
        server.shutdown()
        server.server_close()
        thread.join(5)


def followed(url: str) -> tuple[list[Snapshot], list[str], list[float]]:
    """A follower's lines about the league and the connection, and its waits."""
    shown: list[Snapshot] = []
    told: list[str] = []
    waits: list[float] = []
    follow_url(url, shown.append, told.append, sleep=waits.append)
    return shown, told, waits


@pytest.mark.parametrize("ending", ["", "/", "/mcp", "/mcp/"])
def test_a_league_is_followed_to_its_end(ending: str):
    over = finished(2)
    with manager(stream(snapshot_of(waiting(2)), snapshot_of(over))) as (url, asked):
        shown, told, waits = followed(url + ending)
    assert [each.overview.state for each in shown] == [LeagueState.WAITING_FOR_REGISTRATIONS, LeagueState.COMPLETED]
    assert shown[-1].standings == over.league.standings()
    assert (told, waits, asked) == ([], [], ["/watch?seen=0"])


def test_a_manager_that_goes_is_waited_for_and_told_what_was_seen():
    begun, over = snapshot_of(under_way(2)), snapshot_of(finished(2))
    with manager(stream(begun), 503, 503, stream(over)) as (url, asked):
        shown, told, waits = followed(url)
    assert [each.sequence for each in shown] == [begun.sequence, over.sequence]
    assert told == [
        f"the league manager at {url} is unreachable (it closed the connection); reconnecting, Ctrl-C ends",
        f"the league manager at {url} is back",
    ]
    assert waits == [0.5, 1.0, 2.0]
    assert asked == ["/watch?seen=0", *[f"/watch?seen={begun.sequence}"] * 3]


def test_a_manager_that_was_never_there_is_not_waited_for():
    with manager() as (url, _):
        pass
    with pytest.raises(Gone, match="no league manager answers"):
        followed(url)


def test_another_league_at_the_same_place_ends_it():
    with (
        manager(stream(snapshot_of(waiting(2))), stream(snapshot_of(finished(2, league_id="winter")))) as (url, _),
        pytest.raises(Gone, match="there is another league by now: winter"),
    ):
        followed(url)


@pytest.mark.parametrize(
    ("answer", "kind", "message"),
    [
        (404, "text/plain", "HTTP status 404"),
        (b"<html>", "text/html", "no league manager"),
        (b"event: changed\ndata: {}\n\n", "text/event-stream", "cannot be understood"),
        (b"event: changed\ndata: [\n\n", "text/event-stream", "cannot be understood"),
    ],
)
def test_what_is_no_manager_is_told(answer: Any, kind: str, message: str):
    with manager(answer, kind=kind) as (url, _), pytest.raises(PlanError, match=message):
        followed(url)


@pytest.mark.parametrize("url", ["localhost:8000", "ftp://localhost/mcp", "http://", "http://[::1", "http://:80"])
def test_what_is_no_url_is_told(url: str):
    with pytest.raises(PlanError, match="is no URL"):
        followed(url)


def test_authorities_that_are_not_there_are_told(tmp_path: Path):
    with pytest.raises(PlanError, match="--tls-ca"):
        follow_url("https://localhost:1", print, print, tls_ca=tmp_path / "none.pem")


def test_a_snapshot_is_the_same_after_its_journey():
    for history in (waiting(2), under_way(4), finished(3)):
        shown = snapshot_of(history)
        assert from_json(json.loads(json.dumps(to_json(shown)))) == shown
        later = {**to_json(shown), "overview": {**to_json(shown)["overview"], "new in a later version": 1}}
        assert from_json(later) == shown


@pytest.mark.parametrize("told", [None, [], {}, {"overview": {}}, {"overview": {"state": "LOST"}}, "text"])
def test_what_is_no_snapshot_is_refused(told: Any):
    with pytest.raises(ValueError, match="not a snapshot of a league"):
        from_json(told)


@pytest.mark.parametrize("left", [10**15, 10**12, -1, float("nan"), "soon", [1]], ids=str)
def test_a_wait_beyond_the_calendar_ends_no_watch_in_a_traceback(left: Any):
    told = {**to_json(snapshot_of(waiting(2))), "waits": [{"text": "R1M1 waits", "until": "", "left_sec": left}]}
    stream_of_it = b"event: changed\ndata: " + json.dumps(told).encode() + b"\n\n"
    with manager(stream_of_it) as (url, _), pytest.raises(PlanError, match="cannot be understood"):
        followed(url)


def test_an_event_may_come_in_pieces_and_with_either_end_of_line():
    lines = [b": a comment\r\n", b"event: changed\r\n", b"data:[1,\r\n", b"data: 2]\r\n", b"\r\n", b"data: 3\n", b"\n"]
    assert list(events(lines)) == [[1, 2]]


async def test_the_managers_page_tells_all_of_it_to_whoever_watches():
    site = Site(finished(3))
    site.streams.end()
    answer = await site.get("/watch?seen=0")
    assert answer.status_code == 503, "no more are taken once the manager ends"
    site = Site(finished(3))
    sent: list[bytes] = []

    async def send(message: Any) -> None:
        sent.append(message.get("body", b""))
        if len(sent) == 2:
            site.streams.end()

    with anyio.fail_after(30):
        await site.streams.serve(0, send, whole=True)
    (told,) = events(b"".join(sent).splitlines(keepends=True))
    assert from_json(told) == snapshot_of(site.history)


class Impatient(ManualClock):
    """A clock that lets something happen in place of every pause."""

    def __init__(self, happens: Sequence[Any]) -> None:
        super().__init__()
        self._happens = list(happens)

    async def sleep(self, seconds: float) -> None:
        await self._happens.pop(0)()


async def test_a_store_is_followed_from_before_there_is_one_to_the_end_of_the_league(tmp_path: Path):
    history = finished(2)
    records = history.season.events
    folder = tmp_path / "leagues" / "summer"
    written = 0

    async def write(number: int) -> None:
        nonlocal written
        folder.mkdir(parents=True, exist_ok=True)
        store = await open_store(None, tmp_path, "summer")
        await store.append("summer", records[written : written + number], expected=written, at=AT.format(0))
        written += number
        await store.close()

    async def nothing() -> None:
        """Time passes."""

    clock = Impatient([nothing, lambda: write(4), nothing, lambda: write(len(records) - 4)])
    shown: list[Snapshot] = []
    await follow_store(None, tmp_path, "summer", shown.append, clock)
    assert [each.sequence for each in shown] == [4, len(records)]
    assert shown[-1].over
    assert shown[-1].standings == history.league.standings()
    assert len({entry.sequence for each in shown for entry in each.entries}) > 6


async def test_records_that_do_not_follow_each_other_end_it(tmp_path: Path):
    history = waiting(2)
    events_file = tmp_path / "leagues" / "summer"
    events_file.mkdir(parents=True)
    store = await open_store(None, tmp_path, "summer")
    await store.append("summer", history.season.events, expected=0, at=AT.format(0))
    await store.close()
    history.do(RegisterPlayer(agent("Late")))
    forged = seal("summer", len(history.season.events), AT.format(1), history.season.events[-1], "0" * 64)

    class Forged:
        async def read(self, league_id: str, *, after: int = 0, limit: int | None = None) -> list[Any]:
            return history.records()[:-1] if not after else [forged]

        async def close(self) -> None:
            """Nothing to close."""

    async def opened(*_: Any) -> Any:
        return Forged()

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("league_sdk.stores.open_store", opened)
        with pytest.raises(Gone, match="was changed: record"):
            await follow_store(
                None, tmp_path, "summer", lambda _: None, Impatient([lambda: anyio.lowlevel.checkpoint()])
            )


@requirement("project-LATER-08")
async def test_a_real_manager_is_followed_beyond_its_death():
    send, receive = anyio.create_memory_object_stream[Any](100)

    def heard(what: Any) -> None:
        anyio.from_thread.run_sync(send.send_nowait, what)

    async with stand() as made, send, receive:
        await made.do(CreateLeague(rules(expected_players=2)))
        await enrol(made.made.ledger, 2)
        await made.listen()
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(anyio.to_thread.run_sync, lambda: follow_url(f"{made.url}/mcp", heard, heard))
            first = await receive.receive()
            assert (first.overview.players, first.sequence) == (2, made.live.sequence)
            await made.do(CloseRegistration("quorum"), StartLeague(), StartRound(1), AssignMatch("R1M1", "REF01"))
            while (await receive.receive()).sequence < made.live.sequence:
                """Events that come together are told together, or not."""
            await made.die()
            assert "is unreachable" in await receive.receive()
            await made.wake()
            await made.made.call("report_match_result", result_report())
            await made.do(CompleteRound(1), CompleteLeague())
            await made.listen()
            assert "is back" in await receive.receive()
            last = await receive.receive()
            assert last.over
            assert last.standings == made.league.standings()
            assert last.entries[-1].text.startswith("The league is complete;")
