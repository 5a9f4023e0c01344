"""Recomputed chance: the formulas of docs/verifiable_draws.md, a second time."""

import hashlib
import uuid
from collections.abc import Iterator, Sequence
from itertools import count
from typing import NoReturn, TypeVar

T = TypeVar("T")

ALGORITHM = "sha256-v1"
LONGEST_NONCE = 128
_V1 = uuid.UUID("6f0b1f5e-54f5-5a38-9f3c-0a4c7f3f6f5b")


def fingerprint(label: str, *parts: str) -> str:
    """SHA-256 over netstrings, in hexadecimal."""
    hasher = hashlib.sha256()
    for part in (label, *parts):
        encoded = part.encode("utf-8")
        hasher.update(str(len(encoded)).encode("ascii") + b":" + encoded + b",")
    return hasher.hexdigest()


def commitment_of(secret: str, league_id: str, match_id: str, attempt: int) -> str:
    """The commitment that the referee must have published before the match."""
    return fingerprint("league.v2/draw/commitment", secret, league_id, match_id, str(attempt))


def draw_ids(league_id: str) -> tuple[str, str]:
    """A league's id, and the UUID that a referee of `league.v1` knows it by."""
    return league_id, str(uuid.uuid5(_V1, league_id))


def seed_of(secret: str, league_id: str, match_id: str, attempt: int, nonces: Sequence[str]) -> str:
    """The seed of all chance in the match."""
    return fingerprint("league.v2/draw/seed", secret, league_id, match_id, str(attempt), *nonces)


def seeded_secret(league_seed: str, league_id: str, match_id: str, attempt: int) -> str:
    """The referee's secret in a league with a seed."""
    match_seed = hashlib.sha256("\x1f".join((league_seed, match_id, str(attempt))).encode("utf-8")).hexdigest()
    return fingerprint("league.v2/draw/secret", match_seed, league_id, match_id, str(attempt))


class Chance:
    """The stream of chance from a seed, as the documentation of draws defines it."""

    def __init__(self, seed: str) -> None:
        self._bytes = _stream(seed.encode("utf-8"))

    def random(self) -> float:
        """A float in [0, 1) with 53 bits: seven bytes without their last three bits."""
        return (self._number(7) // 8) / 2**53

    def randint(self, low: int, high: int) -> int:
        return low + self._index(high - low + 1)

    def choice(self, items: Sequence[T]) -> T:
        return items[self._index(len(items))]

    def shuffled(self, items: Sequence[T]) -> list[T]:
        """A shuffled copy of `items`, from the last place to the second."""
        mixed = list(items)
        for size in range(len(mixed), 1, -1):
            place = self._index(size)
            mixed[size - 1], mixed[place] = mixed[place], mixed[size - 1]
        return mixed

    def _number(self, size: int) -> int:
        return int.from_bytes(bytes(next(self._bytes) for _ in range(size)), "big")

    def _index(self, size: int) -> int:
        """A number below `size`; others are drawn again (rejection sampling, no bias)."""
        if size < 1:
            raise ValueError("nothing to choose from")
        bits = (size - 1).bit_length()
        while True:
            drawn = self._number((bits + 7) // 8) % 2**bits
            if drawn < size:
                return drawn


def _stream(seed: bytes) -> Iterator[int]:
    """SHA-256(seed, block number as 8 bytes), byte after byte."""
    for block in count():
        yield from hashlib.sha256(seed + block.to_bytes(8, "big")).digest()


class ChanceNeeded(Exception):
    """The game needs chance that was not revealed."""


class NoChance:
    """Stands in for chance that was not revealed, and raises at any use."""

    def random(self) -> NoReturn:
        raise ChanceNeeded

    def randint(self, low: int, high: int) -> NoReturn:
        del low, high
        raise ChanceNeeded

    def choice(self, items: Sequence[T]) -> NoReturn:
        del items
        raise ChanceNeeded

    def shuffled(self, items: Sequence[T]) -> NoReturn:
        del items
        raise ChanceNeeded
