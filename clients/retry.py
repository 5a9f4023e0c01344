"""Retries: exponential backoff with full jitter, from an injected clock and rng.

The libraries for this (tenacity, stamina) draw their jitter from the `random` module and hide their clock, so a replay
could not control them; the policy itself is the few lines below.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeVar

from league_sdk.clock import Clock, Rng

T = TypeVar("T")

OnRetry = Callable[[Exception, int, float], None]
"""Told of each retry: the error, the number of the failed try (from 1), and the seconds until the next."""


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """The number and times of retries; raises ValueError for negative values.

    The wait before retry n (from 1) is uniform in 0 … min(`max_delay`, `base` · 2^(n-1)) seconds: full jitter, so that
    callers who failed together do not come back together.
    """

    clock: Clock
    rng: Rng
    max_retries: int = 3  # tries after the first
    base: float = 2.0  # seconds
    max_delay: float = 30.0  # seconds

    def __post_init__(self) -> None:
        if self.max_retries < 0 or self.base < 0 or self.max_delay < 0:
            raise ValueError(f"retries and delays cannot be negative: {self}")

    def delay(self, retry: int) -> float:
        """Seconds to wait before retry number `retry`, from 1; drawn anew each time."""
        return self.rng.random() * self.longest(retry)

    def longest(self, retry: int) -> float:
        """Seconds that the wait before retry number `retry` takes at most."""
        # Capped before it is computed: 2.0 ** 1024 would overflow.
        return min(self.max_delay, self.base * 2.0 ** min(retry - 1, 64))

    async def run(
        self,
        operation: Callable[[], Awaitable[T]],
        *,
        retryable: Callable[[Exception], bool],
        on_retry: OnRetry | None = None,
    ) -> T:
        """Run `operation`, again while it raises an exception that is `retryable`.

        `on_retry` is called before each wait. Raises the last try's exception.
        """
        for failed in range(1, self.max_retries + 1):
            try:
                return await operation()
            except Exception as error:
                if not retryable(error):
                    raise
                wait = self.delay(failed)
                if on_retry is not None:
                    on_retry(error, failed, wait)
            await self.clock.sleep(wait)
        return await operation()
