"""The queue of outgoing calls: bounded, by priority, with back-pressure.

A call waits for its turn, and holds it until the answer is there. At most `concurrency` calls are under way; at most
`capacity` wait. The most urgent goes first, and among equals the one that has waited longest.
"""

import heapq
import itertools
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import anyio

from league_sdk.errors import RateLimited
from league_sdk.ports import Priority


class Overloaded(RateLimited):
    """Our own queue is full, or we can open no connection; the peer is not at fault."""


@dataclass(order=True, slots=True)
class _Waiter:
    priority: int
    number: int
    turn: anyio.Event = field(compare=False, default_factory=anyio.Event)
    gone: bool = field(compare=False, default=False)


class MessageQueue:
    """Hands out turns.

    Args:
        capacity: Largest number of waiting calls; one more is refused.
        concurrency: Largest number of calls under way. A slow peer keeps its turn while it thinks, so this should be
            well above the number of calls that one slow group of peers can hold.
        patience: Longest wait for a turn, in seconds.
    """

    def __init__(self, *, capacity: int = 10_000, concurrency: int = 256, patience: float = 60.0) -> None:
        if capacity < 0 or concurrency < 1 or patience < 0:
            raise ValueError(f"a queue cannot have {capacity=}, {concurrency=}, {patience=}")
        self._capacity = capacity
        self._free = self._concurrency = concurrency
        self._patience = patience
        self._numbers = itertools.count()
        self._heap: list[_Waiter] = []
        self._waiting = 0

    @property
    def waiting(self) -> int:
        return self._waiting

    @property
    def under_way(self) -> int:
        """The number of calls that hold a turn."""
        return self._concurrency - self._free

    @asynccontextmanager
    async def turn(self, priority: Priority) -> AsyncGenerator[None]:
        """Wait for a turn, and hold it until the context ends; Overloaded if none comes."""
        await self._acquire(priority)
        try:
            yield
        finally:
            self._release()

    async def _acquire(self, priority: Priority) -> None:
        # While a call waits no turn is free: a turn that comes back goes straight to a waiter.
        if self._free:
            self._free -= 1
            return
        if self._waiting >= self._capacity:
            raise Overloaded(f"{self._waiting} calls are waiting already; no more are taken", waiting=self._waiting)
        waiter = _Waiter(priority, next(self._numbers))
        heapq.heappush(self._heap, waiter)
        self._waiting += 1
        try:
            with anyio.move_on_after(self._patience):
                await waiter.turn.wait()
        except BaseException:
            # Cancelled: a turn that was handed over in the same moment must not be lost.
            self._withdraw(waiter)
            raise
        if not waiter.turn.is_set():
            self._withdraw(waiter)
            raise Overloaded(f"no turn within {self._patience:g} s; {self._waiting} more are waiting")

    def _withdraw(self, waiter: _Waiter) -> None:
        if waiter.turn.is_set():
            self._release()
        else:
            waiter.gone = True
            self._waiting -= 1
            self._sweep()

    def _sweep(self) -> None:
        """Keep cancelled waiters from piling up in the heap."""
        if len(self._heap) > 2 * self._waiting + 16:
            self._heap = [waiter for waiter in self._heap if not waiter.gone]
            heapq.heapify(self._heap)

    def _release(self) -> None:
        while self._heap:
            waiter = heapq.heappop(self._heap)
            if not waiter.gone:
                self._waiting -= 1
                waiter.turn.set()
                return
        self._free += 1
