"""Rate limits: one token bucket per agent, and per address of strangers."""

from collections import OrderedDict
from dataclasses import dataclass

from league_sdk.clock import Clock
from league_sdk.errors import RateLimited
from league_sdk.net.addresses import network_of
from servers.agent.access import Caller

REMEMBERED = 10_000
"""Number of callers' buckets kept; the least recently used one goes, and so is full again."""


@dataclass(frozen=True, slots=True)
class Rate:
    """A rate and its burst."""

    per_sec: float
    burst: int  # calls at once


class Buckets:
    """A bucket for each key: full at first, emptied by calls, filled by time."""

    def __init__(self, clock: Clock, rate: Rate, remembered: int = REMEMBERED) -> None:
        self._clock = clock
        self._rate = rate
        self._remembered = remembered
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def take(self, key: str) -> None:
        """Take one call out of a bucket."""
        now = self._clock.monotonic()
        left, since = self._left.pop(key, (float(self._rate.burst), now))
        left = min(float(self._rate.burst), left + (now - since) * self._rate.per_sec)
        allowed = left >= 1
        self._left[key] = (left - 1 if allowed else left, now)
        if len(self._left) > self._remembered:
            self._left.popitem(last=False)
        if not allowed:
            wait = round((1 - left) / self._rate.per_sec, 3)
            raise RateLimited(
                f"more than {self._rate.per_sec:g} calls a second; try again in {wait:g} s", retry_after_sec=wait
            )


class Throttle:
    """Limits each caller's share of an agent's time.

    An agent that has proved itself has a bucket of its own, so strangers who share its address take nothing from it.
    The operator and the league manager are not limited.
    """

    def __init__(self, clock: Clock, agents: Rate, strangers: Rate) -> None:
        self._agents = Buckets(clock, agents)
        self._strangers = Buckets(clock, strangers)

    def caller(self, caller: Caller) -> None:
        """Count a call whose caller is established."""
        if caller.operator:
            return
        if not caller.proved:
            self.stranger(caller.address)
        elif caller.limited:
            self._agents.take(f"{caller.role}:{caller.agent_id}")

    def stranger(self, address: str) -> None:
        """Count a call that was refused before its caller was established."""
        self._strangers.take(network_of(address))
