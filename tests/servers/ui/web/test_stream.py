"""News by server-sent events: every browser is told of the last change, none of them costs the league anything."""

import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import anyio
import anyio.lowlevel
import pytest
from starlette.applications import Starlette

from league_sdk.clock import ManualClock
from servers.read_model.live import Live
from servers.read_model.running import MatchProgress
from servers.read_model.waits import Wait
from servers.ui.web import stream as subject
from servers.ui.web.routes import POLICY, web_routes
from servers.ui.web.stream import Streams
from tests.requirements.marker import requirement
from tests.servers.fakes import settle
from tests.servers.league_history import LeagueHistory, begun, under_way, waiting

pytestmark = pytest.mark.anyio


@dataclass
class Reader:
    """A browser that reads a stream.

    Attributes:
        started: The beginning of the answer.
        text: What came so far.
        ended: Whether the stream has come to its end.
    """

    started: dict[str, Any] = field(default_factory=dict[str, Any])
    text: str = ""
    ended: bool = False
    slow: bool = False
    _news: anyio.Event = field(default_factory=anyio.Event)
    _left: anyio.Event = field(default_factory=anyio.Event)

    async def send(self, message: Any) -> None:
        if message["type"] == "http.response.start":
            self.started = message
            return
        if self.slow:
            await anyio.sleep_forever()
        self.text += message["body"].decode()
        self.ended = not message.get("more_body", False)
        self._news.set()
        self._news = anyio.Event()

    async def receive(self) -> Any:
        await self._left.wait()
        return {"type": "http.disconnect"}

    def leave(self) -> None:
        """Close the tab."""
        self._left.set()

    async def until(self, words: str) -> None:
        """Wait for something."""
        with anyio.fail_after(10):
            while words not in self.text:
                await self._news.wait()

    @property
    def header(self) -> dict[str, str]:
        return {name.decode(): value.decode() for name, value in self.started["headers"]}

    @property
    def events(self) -> list[int]:
        """The ids of the events, in order."""
        return [int(line[4:]) for line in self.text.splitlines() if line.startswith("id: ")]


@dataclass
class Station:
    """A league, and those who listen to it."""

    history: LeagueHistory
    tasks: Any
    most: int = 64
    interval: float = 0.0

    def __post_init__(self) -> None:
        self.live = Live()
        self.streams = Streams(self.live, ManualClock(), most=self.most, interval=self.interval)
        self.app = Starlette(routes=web_routes(self.live, streams=self.streams))
        self._told = 0
        self.tell()

    def tell(self) -> None:
        """Tell of what has happened."""
        records = self.history.records()[self._told :]
        self._told += len(records)
        self.live.take(self.history.league, records)

    def listen(self, path: str = "/events", *, slow: bool = False, **headers: str) -> Reader:
        """Open a stream."""
        reader = Reader(slow=slow)
        route, _, query = path.partition("?")
        raw = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
        scope = {
            "type": "http",
            "method": "GET",
            "path": route,
            "query_string": query.encode(),
            "headers": raw,
            "client": ("192.0.2.1", 1),
        }
        self.tasks.start_soon(self.app, scope, reader.receive, reader.send)
        return reader


@asynccontextmanager
async def station(history: LeagueHistory, **options: Any) -> AsyncGenerator[Station]:
    with anyio.fail_after(15):
        async with anyio.create_task_group() as tasks:
            yield Station(history, tasks, **options)
            tasks.cancel_scope.cancel()


async def test_a_browser_is_told_what_has_changed():
    async with station(under_way(4)) as held:
        reader = held.listen()
        await reader.until("retry: ")
        assert reader.header["content-type"] == "text/event-stream"
        assert reader.header["content-security-policy"] == POLICY
        assert "event: now\ndata: 2025-01-15T" in reader.text
        assert reader.events == []
        held.history.season.record("R1M1", "P01")
        held.tell()
        await reader.until("event: changed")
        (data,) = [line[6:] for line in reader.text.splitlines() if line.startswith("data: {")]
        assert json.loads(data) == {"sequence": held.live.sequence, "news": "R1M1: Player 1 beat Player 2."}
        assert reader.events == [held.live.sequence]


@requirement("project-LATER-05")
@pytest.mark.parametrize("how", ["the browser itself", "the page's script"])
async def test_a_browser_that_comes_back_is_told_at_once_what_it_has_missed(how: str):
    async with station(under_way(4)) as held:
        seen = str(held.live.sequence - 2)
        again = held.listen(last_event_id=seen) if how == "the browser itself" else held.listen(f"/events?seen={seen}")
        await again.until(f"id: {held.live.sequence}\n")
        assert again.events == [held.live.sequence]


async def test_a_browser_that_has_seen_everything_is_told_nothing():
    async with station(under_way(4)) as held:
        reader = held.listen(last_event_id=str(held.live.sequence))
        await reader.until("retry: ")
        await anyio.wait_all_tasks_blocked()
        assert reader.events == []


@pytest.mark.parametrize("nonsense", ["x", "-1", "9" * 40, "\N{SUPERSCRIPT TWO}".encode("utf-8").decode("latin-1")])
async def test_an_id_that_is_none_counts_for_nothing(nonsense: str):
    async with station(waiting(2)) as held:
        reader = held.listen(last_event_id=nonsense)
        await reader.until("retry: ")
        await anyio.wait_all_tasks_blocked()
        assert reader.events == []


async def test_many_changes_are_told_as_one():
    async with station(begun(6), interval=0.05) as held:
        reader = held.listen()
        await reader.until("retry: ")
        for round_id in range(1, 6):
            held.history.season.play_round(round_id)
            held.tell()
            await anyio.lowlevel.checkpoint()
        await reader.until(f"id: {held.live.sequence}\n")
        assert len(reader.events) <= 2


async def test_no_more_browsers_are_told_than_there_is_room_for():
    async with station(waiting(1), most=4) as held:
        first, second = held.listen(), held.listen()
        await first.until("retry: ")
        await second.until("retry: ")
        third = held.listen()
        await third.until("No stream of changes: address 192.0.2.1 has 2 event streams already.")
        assert third.started["status"] == 503
        assert third.header["retry-after"] == "5"
        first.leave()
        while held.streams.open > 1:
            await anyio.lowlevel.checkpoint()
        await held.listen().until("retry: ")


async def test_a_browser_that_takes_nothing_is_let_go_of(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(subject, "SLOW_SEC", 0.02)
    async with station(under_way(2)) as held:
        held.listen(slow=True)
        while not held.streams.open:
            await anyio.lowlevel.checkpoint()
        while held.streams.open:
            await anyio.lowlevel.checkpoint()


async def test_a_quiet_league_is_noticed_to_live(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(subject, "PULSE_SEC", 0.01)
    async with station(waiting(1)) as held:
        await held.listen().until(": still here\n\n: still here\n\n")


async def test_at_the_end_everybody_is_told_the_last_news():
    async with station(under_way(4), interval=30) as held:
        reader = held.listen(last_event_id="1")
        await reader.until("event: changed")
        held.history.season.record("R1M1", "P01")
        held.tell()
        await anyio.wait_all_tasks_blocked()
        assert reader.events[-1] < held.live.sequence
        held.streams.end()
        await reader.until(f"id: {held.live.sequence}\n")
        while held.streams.open:
            await anyio.lowlevel.checkpoint()
        assert reader.ended
        late = held.listen()
        await late.until("No stream of changes: the league is over.")


async def test_a_manager_stays_a_moment_for_those_who_look_and_for_nobody_else(monkeypatch: pytest.MonkeyPatch):
    async with station(waiting(1)) as held:
        with anyio.fail_after(1):
            await held.streams.linger()
        reader, left = held.listen(), anyio.Event()
        await reader.until("retry: ")
        monkeypatch.setattr(subject, "LINGER_SEC", 3600)

        async def linger() -> None:
            await held.streams.linger()
            left.set()

        held.tasks.start_soon(linger)
        await anyio.wait_all_tasks_blocked()
        assert not left.is_set()


async def test_whoever_watches_is_told_what_is_waited_for_and_that_it_is_over():
    live = Live()
    history = under_way(2)
    live.take(history.league, history.records())
    said: list[str] = []

    async def send(message: Any) -> None:
        said.append(message["body"].decode())

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(lambda: Streams(live, ManualClock(), interval=0).serve(live.sequence, send, whole=True))
        await settle()
        assert len(said) == 1, "only the time"
        with live.running.follow("R1M1") as followed:
            followed.tell(MatchProgress(1, waits=(Wait("R1M1", ("P02",), True, 2, 4, "2025-01-15T10:00:18.000Z"),)))
            while len(said) < 2:
                await anyio.lowlevel.checkpoint()
        while len(said) < 3:
            await anyio.lowlevel.checkpoint()
        tasks.cancel_scope.cancel()
    told = [json.loads(text.partition("data: ")[2]) for text in said[1:3]]
    line = {
        "text": "R1M1 waits for Player 2: move, attempt 2 of 4",
        "until": "2025-01-15T10:00:18.000Z",
        "left_sec": 18,
    }
    assert [each["waits"] for each in told] == [[line], []]
