"""Server-sent events: a signal of change and progress, without the data.

An event bears the number of the last record as its id, so a browser that comes back says what it has seen, to this
manager or to the one that was started after it. Nothing is queued: a slow reader is told of the last
change only, and one that takes nothing is disconnected.
"""

import json
from typing import Any

import anyio
from starlette.types import Receive, Scope, Send

from league_sdk.clock import Clock, SystemClock, to_record_time
from league_sdk.net.pool import Holder, Pool
from servers.agent.access import FindHolder
from servers.read_model.live import Live
from servers.read_model.snapshot import MOST_ENTRIES, snapshot, to_json
from servers.read_model.waits import WaitLine, seconds_left

MOST_STREAMS = 64
"""Browsers that are told of changes; others ask by themselves, every few seconds."""
STREAMS_OF_ONE = 4
"""Of these, those of one agent by its token."""
INTERVAL_SEC = 0.5
"""Between two events to one browser."""
PULSE_SEC = 15.0
"""When nothing happens, something is sent nevertheless, so that a dead connection is noticed."""
SLOW_SEC = 10.0
"""A browser that takes nothing for so long is let go of."""
LINGER_SEC = 1.5
"""Time a finished league's manager stays for browsers that are connected."""
RETRY_MS = 1000
"""When a browser is to come back."""


class Streams:
    """Tells browsers of changes."""

    def __init__(
        self,
        live: Live,
        clock: Clock | None = None,
        *,
        most: int = MOST_STREAMS,
        interval: float = INTERVAL_SEC,
        find_holder: FindHolder | None = None,
    ) -> None:
        self._live = live
        self._clock = clock or SystemClock()
        self._interval = interval
        self._ended = anyio.Event()
        self._find_holder = find_holder
        self.pool = Pool("event streams", most, per_identity=STREAMS_OF_ONE)

    @property
    def open(self) -> int:
        """The number of browsers that are told."""
        return len(self.pool)

    def holder(self, token: str | None, address: str) -> Holder:
        """The one whose streams are counted together."""
        return Holder(address) if self._find_holder is None else self._find_holder(token, address)

    def refusal(self, holder: Holder) -> str:
        """The reason why a browser is not taken; empty if it is."""
        return "the league is over" if self._ended.is_set() else self.pool.refusal(holder)

    def stream(self, seen: int | None, headers: dict[str, str], holder: Holder, *, whole: bool = False) -> "Stream":
        """A stream for a browser that has seen this record; None for a new one."""
        return Stream(self, seen, headers, holder, whole=whole)

    async def linger(self) -> None:
        """Stay a moment while a page is open, so that the end of the league is seen."""
        if self.open:
            await anyio.sleep(LINGER_SEC)

    def end(self) -> None:
        """Tell every browser the last news, and let go of it; none is taken any more."""
        self._ended.set()

    async def serve(self, seen: int | None, send: Send, *, whole: bool = False) -> None:
        """Serve one browser until it leaves, reads nothing, or this server ends."""
        now = to_record_time(self._clock.now())
        if not await _sent(send, f"retry: {RETRY_MS}\nevent: now\ndata: {now}\n\n"):
            return
        known = self._live.sequence if seen is None else seen
        waits = 0 if self._live.running.waits else self._live.running.number
        async with anyio.create_task_group() as tasks:

            async def tell() -> None:
                nonlocal known, waits
                taken = True
                while taken:
                    with anyio.move_on_after(PULSE_SEC) as pulse:
                        told, (known, waits) = known, await self._live.after(known, waits)
                        taken = await _sent(send, self._event(told, whole=whole))
                        await anyio.sleep(self._interval)
                    if pulse.cancelled_caught:
                        taken = await _sent(send, ": still here\n\n")
                tasks.cancel_scope.cancel()

            tasks.start_soon(tell)
            await self._ended.wait()
            tasks.cancel_scope.cancel()
        if self._ended.is_set():
            if known != self._live.sequence:
                await _sent(send, self._event(known, whole=whole))
            await send({"type": "http.response.body", "body": b""})

    def _event(self, seen: int, *, whole: bool) -> str:
        told = self._snapshot(seen) if whole else self._hint()
        return f"id: {self._live.sequence}\nevent: changed\ndata: {json.dumps(told)}\n\n"

    def _hint(self) -> dict[str, Any]:
        latest = self._live.feed(1)
        return {"sequence": self._live.sequence, "news": latest[0].text if latest else ""}

    def _waits(self) -> list[WaitLine]:
        """Waits with the seconds left, so that a reader's clock doesn't matter."""
        return [
            WaitLine(line.text, line.until, seconds_left(line.until, self._clock.now())) for line in self._live.waits()
        ]

    def _snapshot(self, seen: int) -> dict[str, Any]:
        entries = [entry for entry in self._live.feed(MOST_ENTRIES) if entry.sequence > seen]
        return to_json(snapshot(self._live.league, self._live.sequence, entries[::-1], self._waits()))


class Stream:
    """One stream, as a response."""

    def __init__(
        self, streams: Streams, seen: int | None, headers: dict[str, str], holder: Holder, *, whole: bool = False
    ) -> None:
        self._streams = streams
        self._holder = holder
        self._whole = whole
        self._seen = seen
        self._headers = headers

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Stream until the browser is gone, or stops reading."""
        del scope
        own = {**self._headers, "content-type": "text/event-stream", "cache-control": "no-store"}
        raw = [(name.encode(), value.encode()) for name, value in own.items()]
        with self._streams.pool.place(self._holder):
            await send({"type": "http.response.start", "status": 200, "headers": raw})
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(_until_gone, receive, tasks.cancel_scope)
                await self._streams.serve(self._seen, send, whole=self._whole)
                tasks.cancel_scope.cancel()


async def _sent(send: Send, text: str) -> bool:
    with anyio.move_on_after(SLOW_SEC):
        await send({"type": "http.response.body", "body": text.encode(), "more_body": True})
        return True
    return False


async def _until_gone(receive: Receive, scope: anyio.CancelScope) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
    scope.cancel()
