"""Turns of incoming calls, shared out by who calls."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from clients.message_queue import MessageQueue
from league_sdk.net.addresses import network_of
from league_sdk.ports import Priority
from servers.agent.access import Caller

AGENTS_SHARE = 8
"""An agent has one turn in so many, and one place in so many to wait for it."""


class InboundQueue:
    """Hands out turns to callers.

    Operator, manager and referees have turns of their own, so that no number of other calls keeps a report waiting. Of
    the turns of others an agent has an eighth, and all strangers of one address together half.
    """

    def __init__(self, *, capacity: int, concurrency: int, patience: float) -> None:
        self._capacity, self._concurrency, self._patience = capacity, concurrency, patience
        self._kept = self._queue(1)
        self._others = self._queue(1)
        self._shares: dict[str, MessageQueue] = {}

    @property
    def waiting(self) -> int:
        """The number of calls that wait."""
        return sum(queue.waiting for queue in (self._kept, self._others, *self._shares.values()))

    @property
    def under_way(self) -> int:
        """The number of calls that hold a turn."""
        return self._kept.under_way + self._others.under_way

    @asynccontextmanager
    async def turn(self, caller: Caller) -> AsyncGenerator[None]:
        """Wait for a turn, and hold it until the context ends; Overloaded if none comes."""
        if caller.keeps_going:
            async with self._kept.turn(Priority.CONTROL):
                yield
            return
        proved = caller.proved and caller.agent_id
        key = caller.identity if proved else f"address {network_of(caller.address)}"
        share = self._shares.get(key)
        if share is None:
            share = self._shares[key] = self._queue(AGENTS_SHARE if proved else 2)
        try:
            async with share.turn(Priority.CONTROL), self._others.turn(Priority.CONTROL):
                yield
        finally:
            if not share.under_way and not share.waiting:
                self._shares.pop(key, None)

    def _queue(self, share: int) -> MessageQueue:
        return MessageQueue(
            capacity=self._capacity // share, concurrency=max(1, self._concurrency // share), patience=self._patience
        )
