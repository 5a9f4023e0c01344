"""Time, chance and identifiers as ports, with system and manual implementations.

All code that depends on the time of day, on randomness or on a fresh identifier takes one of these, so that a test
decides their values and a match can be replayed to the last number.
"""

import asyncio
import random
import secrets
import time
import uuid
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Protocol, TypeVar

T = TypeVar("T")


class Clock(Protocol):
    """Source of time."""

    def now(self) -> datetime:
        """The time of day, as an aware datetime in UTC."""
        ...

    def monotonic(self) -> float:
        """Seconds since an arbitrary point, never going back."""
        ...

    async def sleep(self, seconds: float) -> None:
        """Suspend the calling task for `seconds`; zero or less yields once."""
        ...


class Rng(Protocol):
    """Source of chance, the only one for games and strategies."""

    def random(self) -> float:
        """A float, uniform in [0, 1)."""
        ...

    def randint(self, low: int, high: int) -> int:
        """An integer, uniform in `low`..`high`, both ends included."""
        ...

    def choice(self, items: Sequence[T]) -> T:
        """One of `items`, uniformly.

        Raises:
            IndexError: `items` is empty.
        """
        ...

    def shuffled(self, items: Sequence[T]) -> list[T]:
        """A uniformly shuffled copy of `items`."""
        ...


class Ids(Protocol):
    """Source of fresh identifiers and secrets."""

    def conversation(self) -> str:
        """A fresh conversation id (a UUID4 as text)."""
        ...

    def token(self) -> str:
        """A fresh authentication token: at least 256 bits, URL-safe."""
        ...


class SystemClock:
    """The machine's clock, and the event loop's sleep."""

    def now(self) -> datetime:
        return datetime.now(UTC)

    def monotonic(self) -> float:
        return time.monotonic()

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(max(0.0, seconds))


class ManualClock:
    """A clock that moves only by `advance` and `sleep`, for tests."""

    def __init__(self, start: datetime = datetime(2025, 1, 15, 10, 0, tzinfo=UTC)) -> None:
        self._now = start
        self._monotonic = 0.0
        self.slept: list[float] = []

    def now(self) -> datetime:
        return self._now

    def monotonic(self) -> float:
        return self._monotonic

    def advance(self, seconds: float) -> None:
        self._now += timedelta(seconds=seconds)
        self._monotonic += seconds

    async def sleep(self, seconds: float) -> None:
        """Advance by `seconds`, let other tasks run once, and return."""
        self.slept.append(seconds)
        self.advance(max(0.0, seconds))
        await asyncio.sleep(0)


class HashRng:
    """Reproducible chance: SHA-256 in counter mode, unbiased by rejection sampling.

    Block i of the stream is SHA-256(seed || i as 8 bytes, big-endian). An integer below n takes the next
    ceil(bits(n-1)/8) bytes, masks them to bits(n-1) bits and tries again while the value is n or more. Every draw can
    be recomputed from the seed with any SHA-256.

    Args:
        seed: The seed; any number of bytes, or text (taken as UTF-8).
    """

    _counter = 0
    _buffer = b""

    def __init__(self, seed: bytes | str) -> None:
        self._seed = seed

    def _take(self, size: int) -> int:
        """The next bytes as a number."""
        buffer = self._buffer
        if len(buffer) < size:
            seed = self._seed.encode() if isinstance(self._seed, str) else self._seed
            while len(buffer) < size:
                buffer += sha256(seed + self._counter.to_bytes(8, "big")).digest()
                self._counter += 1
        self._buffer = buffer[size:]
        return buffer[0] if size == 1 else int.from_bytes(buffer[:size], "big")

    def _below(self, bound: int) -> int:
        bits = (bound - 1).bit_length()
        while True:
            value = self._take((bits + 7) // 8) & ((1 << bits) - 1)
            if value < bound:
                return value

    def random(self) -> float:
        """A float in [0, 1) with 53 random bits."""
        return (self._take(7) >> 3) / (1 << 53)

    def randint(self, low: int, high: int) -> int:
        """An integer, uniform in `low`..`high`, both included.

        Raises:
            ValueError: `high` is below `low`.
        """
        if high < low:
            raise ValueError(f"randint needs low <= high, got {low} and {high}")
        return low + self._below(high - low + 1)

    def choice(self, items: Sequence[T]) -> T:
        """One of `items`, uniformly."""
        if not items:
            raise IndexError("cannot choose from nothing")
        return items[self._below(len(items))]

    def shuffled(self, items: Sequence[T]) -> list[T]:
        """A uniformly shuffled copy of `items` (Fisher-Yates)."""
        result = list(items)
        for last in range(len(result) - 1, 0, -1):
            other = self._below(last + 1)
            result[last], result[other] = result[other], result[last]
        return result


class SystemRng:
    """Chance from the operating system's entropy."""

    def __init__(self) -> None:
        self._random = random.SystemRandom()

    def random(self) -> float:
        return self._random.random()

    def randint(self, low: int, high: int) -> int:
        return self._random.randint(low, high)

    def choice(self, items: Sequence[T]) -> T:
        return self._random.choice(items)

    def shuffled(self, items: Sequence[T]) -> list[T]:
        return self._random.sample(items, len(items))


class SystemIds:
    """Identifiers and secrets from the operating system's entropy."""

    def conversation(self) -> str:
        return str(uuid.uuid4())

    def token(self) -> str:
        return secrets.token_urlsafe(32)


class ManualIds:
    """Identifiers that count up, for tests: `conv-1`, `conv-2` and `tok-1`, `tok-2`."""

    def __init__(self) -> None:
        self._conversations = 0
        self._tokens = 0

    def conversation(self) -> str:
        self._conversations += 1
        return f"conv-{self._conversations}"

    def token(self) -> str:
        self._tokens += 1
        return f"tok-{self._tokens}"


def to_wire_time(moment: datetime, *, round_up: bool = False) -> str:
    """ISO 8601 in UTC in whole seconds with `Z`, as in all messages.

    A fraction would shut out peers that parse strictly, by `%Y-%m-%dT%H:%M:%SZ`. Deadlines are rounded up.
    """
    if round_up and moment.microsecond:
        moment += timedelta(seconds=1)
    return _iso(moment, "seconds")


def to_record_time(moment: datetime) -> str:
    """ISO 8601 in UTC with milliseconds and `Z`, as in logs, records and files."""
    return _iso(moment, "milliseconds")


def _iso(moment: datetime, timespec: str) -> str:
    # To convert what is in UTC already takes most of the time, and each call makes some ten of these.
    utc = moment if moment.tzinfo is UTC else moment.astimezone(UTC)
    return utc.isoformat(timespec=timespec).removesuffix("+00:00") + "Z"
