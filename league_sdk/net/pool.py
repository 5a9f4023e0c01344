"""Places that many callers share, bounded by identity before address.

A caller that has proved who it is counts for its identity, any other for its network address, which has at most half
of a pool: whoever shares an address with an attacker, or comes from elsewhere, still gets in. Some places are kept for
those who keep a league going: the operator, the league manager and its referees.
"""

from collections import Counter
from collections.abc import Awaitable, Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Protocol, TypeAlias

import anyio

from league_sdk.errors import RateLimited
from league_sdk.net.addresses import network_of

ATTRIBUTE = "league.attribute"
"""The key of an ASGI scope at which a server that counts connections puts an `Attribute`."""
HUNG_UP = "league.hung_up"
"""The key of an ASGI scope at which a server puts a `HungUp`."""
KEPT_SHARE = 8
"""One place in so many is kept."""


HungUp: TypeAlias = Callable[[], Awaitable[object]]
"""Returns once the connection of a call has ended; never where a transport does not know."""


class Attribute(Protocol):
    """Counts the connection of a call for the identity that the call has proved."""

    def __call__(self, identity: str, *, kept: bool = False) -> None:
        """Raise RateLimited if the identity has too many; `kept`: room is kept for it.

        An empty identity is a stranger's, who counts for its address.
        """
        ...


async def never_hangs_up() -> None:
    """Wait for ever, where a transport does not know of connections."""
    await anyio.sleep_forever()


def attribute_nothing(identity: str, *, kept: bool = False) -> None:
    """Count nothing, where a transport has no connections."""
    del identity, kept


@dataclass(frozen=True, slots=True)
class Holder:
    """Whoever asks for a place."""

    address: str = ""
    identity: str = ""  # proved; empty for a stranger
    kept: bool = False  # whether room is kept for it

    @property
    def key(self) -> str:
        """The unit that is counted."""
        return self.identity or f"address {network_of(self.address)}"


class Pool:
    """So many places of a kind; `what` names them in sentences."""

    def __init__(self, what: str, size: int, *, per_identity: int) -> None:
        self.size = size
        self._what = what
        self._per_identity = min(per_identity, size // 2)
        self._others = size - max(1, size // KEPT_SHARE)
        self._held: Counter[str] = Counter()
        self._kept = 0

    def __len__(self) -> int:
        return self._held.total() + self._kept

    def refusal(self, holder: Holder) -> str:
        """The reason why there is no place for a holder; empty if there is one."""
        if holder.kept:
            return "" if len(self) < self.size else f"all {self.size} {self._what} are taken"
        most = self._per_identity if holder.identity else self.size // 2
        if self._held[holder.key] >= most:
            return f"{holder.key} has {most} {self._what} already"
        if self._held.total() >= self._others:
            return f"all {self._others} {self._what} that are not kept for the operator are taken"
        return ""

    def take(self, holder: Holder) -> None:
        """Take a place; RateLimited if there is none."""
        if reason := self.refusal(holder):
            raise RateLimited(reason)
        if holder.kept:
            self._kept += 1
        else:
            self._held[holder.key] += 1

    def leave(self, holder: Holder) -> None:
        """Give a place back."""
        if holder.kept:
            self._kept -= 1
            return
        self._held[holder.key] -= 1
        if not self._held[holder.key]:
            del self._held[holder.key]

    @contextmanager
    def place(self, holder: Holder) -> Generator[None]:
        """Hold a place until the context ends."""
        self.take(holder)
        try:
            yield
        finally:
            self.leave(holder)
