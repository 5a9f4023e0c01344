"""Queues of messages for players that cannot be called, and their answers.

A seat has a pulse: while its owner waits, or holds a message that it may still answer, a message waits for its answer
in full. Without one for `PULSE_SEC` its owner is gone, and whoever calls is told so at once (ADR 0187).
"""

import math
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import anyio

from league_sdk import tokens
from league_sdk.clock import Clock
from league_sdk.errors import AuthTokenInvalid, InvalidState, LeagueError, PeerUnreachable, RateLimited, ResponseTimeout
from league_sdk.json_value import Json
from league_sdk.ports import ANSWER_WITHIN, NO_PULSE, CallRefused
from servers.seats.usage import SeatUsage

MOST_OPEN = 64
"""Messages that may wait for one player at once."""
MOST_AT_ONCE = 16
"""Messages in one answer to `wait_for_message`."""
RETURN_SEC = 10.0
"""Seconds after its start in which a call waits for its seat's owner: it pauses for 2 s at most, and connects in 5."""
PULSE_SEC = 8.0
"""Seconds without a sign of its owner after which a seat has no pulse: a little more than that pause and connecting."""
LOOK_SEC = 1.0
"""Seconds between two looks at the time, by which this process notices that it was held up itself."""
LISTENERS_KEPT = 16
"""Programs that listened before at a seat and are still refused there."""


@dataclass(slots=True)
class HostedMessage:
    """A message for the player, and its answer."""

    number: int
    tool: str
    arguments: Mapping[str, Json]
    answered: anyio.Event = field(default_factory=anyio.Event)
    reply: dict[str, Json] | None = None
    refusal: CallRefused | None = None
    given: bool = False  # to an owner that may be thinking about it


@dataclass(slots=True)
class HostedSeat:
    """One player's seat, until another owner takes it over."""

    seat_id: str
    number: int
    heard: float  # when its owner last called, or ceased to be excused
    taken_over: bool = False
    wait: int = 0  # the number of the wait that is open, or was the last
    open: bool = False  # whether it is still open
    listener: str = ""
    before: deque[str] = field(default_factory=lambda: deque[str](maxlen=LISTENERS_KEPT))
    waiting: dict[int, HostedMessage] = field(default_factory=dict[int, HostedMessage])
    changed: anyio.Event = field(default_factory=anyio.Event)

    def change(self) -> None:
        """Wake who waits for something new."""
        self.changed.set()
        self.changed = anyio.Event()

    @property
    def excused(self) -> bool:
        """True while its owner waits, or may be thinking about a message instead."""
        return self.open or any(message.given for message in self.waiting.values())

    def hung_up(self) -> None:
        """Note that the owner's wait ended with its connection: no message excuses it."""
        for message in self.waiting.values():
            message.given = False


class HostedSeats:
    """All seats of one league.

    A seat comes to be when its owner first listens: the token proves that the league gave it, so nothing is stored and
    a host that was started again has its seats back as their owners come. Messages are numbered on, from the time when
    the seat came to be, and stay until they are answered or given up: a player that repeats a wait whose answer was
    lost gets the same messages with the same numbers.
    """

    def __init__(
        self, key: str, clock: Clock, patience: float, usage: SeatUsage | None = None, pulse: float = PULSE_SEC
    ) -> None:
        self._key = key
        self._clock = clock
        self._patience = patience
        self._seats: dict[str, HostedSeat] = {}
        self._pulse = pulse
        self._began = self._held_up = clock.monotonic()
        self._missed: set[str] = set()  # seats whose owner was waited for in vain
        self._arrived = anyio.Event()
        self.usage = usage or SeatUsage(clock)
        self._no_claim = frozenset(self.usage.recent())

    def called(self, address: str) -> str:
        """The seat that an address is of; whoever knows it is the manager or a referee."""
        seat_id = address.partition(".")[0]
        if not tokens.same(address, tokens.seat_address(self._key, seat_id)):
            raise refusal(AuthTokenInvalid("this league has no seat at this address"))
        return seat_id

    def owned(self, token: str) -> str:
        """The seat that a token is of."""
        seat_id = token.partition(".")[0]
        if not tokens.same(token, tokens.seat_token(self._key, seat_id)):
            raise refusal(AuthTokenInvalid("this seat_token is not one of this league's", field="seat_token"))
        return seat_id

    async def ask(self, address: str, tool: str, arguments: Mapping[str, Json]) -> dict[str, Json]:
        """Pass a message on to a seat's owner, and return the answer.

        A referee takes only an answer from here for its player's silence, so one comes within the time that it names.
        """
        seat_id = self.called(address)
        if seat_id in self._no_claim and seat_id in self.usage.recent():
            raise gone("its owner overused the seats process before it failed: it counts as gone")
        within = arguments.get(ANSWER_WITHIN)
        patience = min(self._patience, within) if isinstance(within, int | float) else self._patience
        arguments = {name: value for name, value in arguments.items() if name != ANSWER_WITHIN}
        began = self._clock.monotonic()
        self._hand_over(seat_id)
        seat = await self._taken(seat_id, patience)
        if len(seat.waiting) >= MOST_OPEN:
            raise refusal(RateLimited(f"{MOST_OPEN} messages are waiting at this seat already"))
        seat.number += 1
        message = seat.waiting[seat.number] = HostedMessage(seat.number, tool, arguments)
        seat.change()
        try:
            with anyio.move_on_after(max(0.0, patience - (self._clock.monotonic() - began))):
                await self._answered(seat, message)
        finally:
            if seat.waiting.pop(message.number, None) is not None and message.given:
                seat.heard = self._clock.monotonic()
        if message.refusal is not None:
            raise message.refusal
        if message.reply is None:
            raise refusal(ResponseTimeout(f"the player at this seat did not answer within {patience:g} s"))
        return message.reply

    async def _answered(self, seat: HostedSeat, message: HostedMessage) -> None:
        """Wait for an answer for as long as the seat has a pulse."""
        while not message.answered.is_set():
            left = self._pulse_left(seat)
            if left <= 0:
                raise gone(f"no player listens at this seat: it gave no sign for {self._pulse:g} s")
            with anyio.move_on_after(left):
                await seat.changed.wait()

    def _pulse_left(self, seat: HostedSeat) -> float:
        """Seconds until a seat has no pulse, if nothing is heard of its owner."""
        if seat.excused:
            return math.inf
        return max(seat.heard, self._held_up) + self._pulse - self._clock.monotonic()

    async def keep_time(self) -> None:
        """Notice when this process was held up, which no owner answers for."""
        while True:
            before = self._clock.monotonic()
            await self._clock.sleep(LOOK_SEC)
            if self._clock.monotonic() - before > 2 * LOOK_SEC:
                self._held_up = self._clock.monotonic()

    async def _taken(self, seat_id: str, patience: float) -> HostedSeat:
        """The seat of an owner that listens, or comes soon."""
        young = self._clock.monotonic() - self._began < RETURN_SEC
        longest = RETURN_SEC if young else 0.0 if seat_id in self._missed else self._pulse
        place, owner = tokens.seat_and_number(seat_id)
        with anyio.move_on_after(min(patience, longest)):
            while (seat := self._seats.get(place)) is None or tokens.seat_and_number(seat.seat_id)[1] < owner:
                await self._arrived.wait()
            if seat.seat_id == seat_id:
                return seat
        if not young:
            self._missed.add(seat_id)
        raise gone("no player is listening at this seat yet")

    async def wait(self, token: str, listener: str, after: int, seconds: float) -> list[dict[str, Json]]:
        """The messages above a number that are not answered yet; waits for the first one.

        The program that began to listen last has the seat: another one that did before is refused from then on. A
        seat has one open wait: a newer one ends the one before.
        """
        seat = self._seat_of(token)
        if listener in seat.before:
            raise refusal(InvalidState("another program with the same token listens at this seat now"))
        if listener != seat.listener:
            if seat.listener:
                seat.before.append(seat.listener)
            seat.listener = listener
            seat.change()
        seat.heard = self._clock.monotonic()
        await self._message(seat, listener, after, seconds)
        if seat.listener != listener or seat.taken_over:
            return []
        found = [message for number, message in seat.waiting.items() if number > after][:MOST_AT_ONCE]
        for message in found:
            message.given = True
        return [{"number": m.number, "tool": m.tool, "arguments": dict(m.arguments)} for m in found]

    async def _message(self, seat: HostedSeat, listener: str, after: int, seconds: float) -> None:
        """Wait for a message, the end of the time or seat, or a newer wait."""
        if seat.open:
            self.usage.wait_ended(seat.seat_id)
            seat.change()
        seat.wait, seat.open = seat.wait + 1, True
        own = seat.wait
        try:
            with anyio.move_on_after(seconds):
                while not (
                    seat.wait != own
                    or seat.listener != listener
                    or seat.taken_over
                    or any(number > after for number in seat.waiting)
                ):
                    await seat.changed.wait()
        except anyio.get_cancelled_exc_class():
            seat.hung_up()
            raise
        finally:
            if seat.wait == own:
                seat.open, seat.heard = False, self._clock.monotonic()
                seat.change()
        if seat.wait != own and seat.listener == listener and not seat.taken_over:
            raise refusal(
                RateLimited("a newer wait_for_message has ended this one: a seat has one open wait at a time")
            )

    def answer(self, token: str, number: int, reply: dict[str, Any] | None, refused: CallRefused | None) -> bool:
        """Take the owner's answer to a message; false if its call has ended."""
        seat = self._seat_of(token)
        message = seat.waiting.pop(number, None)
        seat.heard = self._clock.monotonic()
        if message is None:
            return False
        message.reply, message.refusal = reply, refused
        message.answered.set()
        seat.change()
        return True

    def _seat_of(self, token: str) -> HostedSeat:
        seat_id = self.owned(token)
        place, _ = tokens.seat_and_number(seat_id)
        self._hand_over(seat_id)
        if place not in self._seats:
            self._begin(seat_id)
        seat = self._seats[place]
        if seat.seat_id != seat_id:
            raise refusal(InvalidState("this seat was taken over with a newer join secret"))
        return seat

    def _hand_over(self, seat_id: str) -> None:
        """Shut out an owner before, from the next one's first call or message."""
        place, owner = tokens.seat_and_number(seat_id)
        before = self._seats.get(place)
        if before is not None and tokens.seat_and_number(before.seat_id)[1] < owner:
            before.taken_over = True
            before.change()
            self._begin(seat_id)

    def _begin(self, seat_id: str) -> None:
        place, _ = tokens.seat_and_number(seat_id)
        number = int(self._clock.now().timestamp() * 1000)
        self._seats[place] = HostedSeat(seat_id, number, self._clock.monotonic())
        self._missed.discard(seat_id)
        self._arrived.set()
        self._arrived = anyio.Event()


def refusal(error: LeagueError) -> CallRefused:
    """A refusal as it goes over the wire."""
    return CallRefused(
        error.spec.number, error.message, {"error_code": error.code, "error_description": error.spec.name}
    )


def gone(reason: str) -> CallRefused:
    """The refusal of a call to a player that is gone, which no player can forge."""
    refused = refusal(PeerUnreachable(reason))
    return CallRefused(refused.number, refused.message, {**(refused.data or {}), NO_PULSE: True})
