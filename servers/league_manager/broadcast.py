"""Telling many agents the same thing, each in order, none waiting for another."""

import asyncio
import math
from collections.abc import Iterable
from contextlib import ExitStack
from dataclasses import dataclass, field

import anyio
from anyio.abc import TaskGroup
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream

from league_sdk.errors import LeagueError, PlayerNotRegistered, RefereeNotRegistered
from league_sdk.ports import Journal, MalformedReply, Peer, PeerCalls, Priority
from league_sdk.protocol.envelope import Envelope, Message
from servers.league_manager.excerpts import Addressed

AT_ONCE = 64
"""Limit of concurrent deliveries: a deadline begins when its call goes out, and of a thousand many would be late."""
HOLD_SEC = 1.0
"""Time after which a silent agent's place goes to the next one; its own deadline continues."""

UNSEATED_SEC = 60.0
"""For so long an agent may say that it has no seat yet, and is told again: a league can begin before it knows."""
UNSEATED_PAUSE_SEC = 0.5


@dataclass(frozen=True, slots=True)
class _Parcel:
    peer: Peer
    message: Addressed
    reply: type[Message]
    delivery: "Delivery"


@dataclass(slots=True)
class Delivery:
    """One broadcast under way."""

    missing: set[str]  # ids of agents that have neither acknowledged it nor been given up
    failed: set[str] = field(default_factory=set[str])  # ids of agents that were given up
    settled: anyio.Event = field(default_factory=anyio.Event)

    def settle(self, agent_id: str, *, delivered: bool) -> None:
        """Note that one agent is done with."""
        self.missing.discard(agent_id)
        if not delivered:
            self.failed.add(agent_id)
        if not self.missing:
            self.settled.set()

    async def wait(self, seconds: float) -> bool:
        """Wait at most `seconds` until every agent is served; True if all are."""
        if not self.missing:
            return True
        with anyio.move_on_after(seconds):
            await self.settled.wait()
        return not self.missing


class Broadcaster:
    """Sends messages to agents through one outbox an agent, in order, best effort.

    An agent that does not answer delays its own messages only. A message to very many goes out bit by bit.
    """

    def __init__(self, peers: PeerCalls, tasks: TaskGroup, journal: Journal, timeout: float) -> None:
        self._peers = peers
        self._tasks = tasks
        self._journal = journal
        self._timeout = timeout
        self._room = anyio.Semaphore(AT_ONCE, fast_acquire=True)
        self._unseated_until: dict[str, float] = {}
        self._outboxes: dict[str, MemoryObjectSendStream[_Parcel]] = {}

    def send(self, peers: Iterable[Peer], message: Addressed, reply: type[Message]) -> Delivery:
        """Put `message` into the outbox of every peer, and return at once."""
        peers = list(peers)
        delivery = Delivery({peer.agent_id for peer in peers})
        for peer in peers:
            self._outbox(peer.agent_id).send_nowait(_Parcel(peer, message, reply, delivery))
        return delivery

    def close(self) -> None:
        """Let every outbox end once it is empty."""
        for outbox in self._outboxes.values():
            outbox.close()

    def _outbox(self, agent_id: str) -> MemoryObjectSendStream[_Parcel]:
        if agent_id not in self._outboxes:
            # A league sends each agent a handful of messages a round, so an outbox needs no bound of its own.
            sender, receiver = anyio.create_memory_object_stream[_Parcel](math.inf)
            self._outboxes[agent_id] = sender
            self._tasks.start_soon(self._work, receiver)
        return self._outboxes[agent_id]

    async def _work(self, parcels: MemoryObjectReceiveStream[_Parcel]) -> None:
        async with parcels:
            async for parcel in parcels:
                delivered = await self._deliver_in_turn(parcel)
                parcel.delivery.settle(parcel.peer.agent_id, delivered=delivered)

    async def _deliver_in_turn(self, parcel: _Parcel) -> bool:
        await self._room.acquire()
        with ExitStack() as room:
            room.callback(self._room.release)
            making_room = asyncio.get_running_loop().call_later(HOLD_SEC, room.close)
            try:
                return await self._deliver(parcel)
            finally:
                making_room.cancel()

    async def _deliver(self, parcel: _Parcel) -> bool:
        message = parcel.message(parcel.peer.agent_id)
        while True:
            try:
                await self._peers.call(
                    parcel.peer, message, parcel.reply, timeout=self._timeout, priority=Priority.BROADCAST
                )
            except (PlayerNotRegistered, RefereeNotRegistered) as error:
                if not await self._may_hear_of_its_seat(parcel.peer.agent_id):
                    return self._failed(parcel, message, error)
            except (LeagueError, MalformedReply) as error:
                return self._failed(parcel, message, error)
            else:
                return True

    async def _may_hear_of_its_seat(self, agent_id: str) -> bool:
        """Wait a little for an agent that may not have got its answer yet."""
        now = anyio.current_time()
        if now >= self._unseated_until.setdefault(agent_id, now + UNSEATED_SEC):
            return False
        await anyio.sleep(UNSEATED_PAUSE_SEC)
        return True

    def _failed(self, parcel: _Parcel, message: Envelope, error: Exception) -> bool:
        self._journal.event(
            "BROADCAST_FAILED",
            "WARNING",
            message_type=message.message_type,
            agent_id=parcel.peer.agent_id,
            reason=str(error),
        )
        return False
