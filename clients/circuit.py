"""A circuit breaker a peer: after too many failures in a row, calls fail at once.

CLOSED → OPEN after `threshold` failures in a row; OPEN → HALF_OPEN once `reset_timeout` has passed; HALF_OPEN lets
`half_open_max_calls` through at a time: a success closes the circuit, a failure opens it again.
"""

from collections import Counter
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum

from league_sdk.clock import Clock
from league_sdk.errors import PeerUnreachable, ResponseTimeout
from league_sdk.ports import OutOfFiles, UnforeseenError


class CircuitState(StrEnum):
    """The state of a breaker."""

    CLOSED = "CLOSED"
    OPEN = "OPEN"
    HALF_OPEN = "HALF_OPEN"


class CircuitOpen(PeerUnreachable):
    """The peer failed too often; it is not called until the circuit closes."""


@dataclass(frozen=True, slots=True)
class CircuitSettings:
    """Settings of a circuit breaker; raises ValueError for values out of range."""

    threshold: int = 5  # failures in a row that open it
    reset_timeout: float = 30.0  # seconds until it lets a call through again
    half_open_max_calls: int = 1  # concurrent trial calls

    def __post_init__(self) -> None:
        if self.threshold < 1 or self.half_open_max_calls < 1 or self.reset_timeout < 0:
            raise ValueError(f"a circuit needs counts of at least 1 and a timeout of at least 0: {self}")


class CircuitBreaker:
    """The breaker of one peer, called `name` in errors."""

    def __init__(self, name: str, clock: Clock, settings: CircuitSettings) -> None:
        self._name = name
        self._clock = clock
        self._settings = settings
        self._failures = 0
        self._opened_at: float | None = None
        self._trials = 0

    @property
    def state(self) -> CircuitState:
        if self._opened_at is None:
            return CircuitState.CLOSED
        if self._clock.monotonic() - self._opened_at < self._settings.reset_timeout:
            return CircuitState.OPEN
        return CircuitState.HALF_OPEN

    @contextmanager
    def guard(self, *, insist: bool = False) -> Generator[None]:
        """Hold this around one call; CircuitOpen if it may not be made now.

        PeerUnreachable and ResponseTimeout count as failures. Any other exception comes from a peer that answers, and
        counts as a success. A cancelled call counts as neither, nor does one that failed on our own side. `insist`
        calls even while the circuit is open, as a trial: for callers that must count their tries themselves.
        """
        trial = self._admit(insist)
        try:
            yield
        except (OutOfFiles, UnforeseenError):
            raise
        except (PeerUnreachable, ResponseTimeout):
            self._failed(trial)
            raise
        except Exception:
            self._succeeded(trial)
            raise
        else:
            self._succeeded(trial)
        finally:
            self._trials -= trial

    def _admit(self, insist: bool) -> bool:
        state = self.state
        if state is CircuitState.CLOSED:
            return False
        full = state is CircuitState.OPEN or self._trials >= self._settings.half_open_max_calls
        if full and not insist:
            raise CircuitOpen(
                f"{self._name} failed {self._failures} times in a row; not called until it has had time to recover"
            )
        self._trials += 1
        return True

    def _failed(self, trial: bool) -> None:
        self._failures += 1
        if trial or (self._opened_at is None and self._failures >= self._settings.threshold):
            self._opened_at = self._clock.monotonic()

    def _succeeded(self, trial: bool) -> None:
        # A call from before the circuit opened says nothing about the peer now.
        if trial or self._opened_at is None:
            self._failures = 0
            self._opened_at = None


class CircuitBreakers:
    """One breaker an endpoint, made at its first use, with shared settings."""

    def __init__(self, clock: Clock, settings: CircuitSettings | None = None) -> None:
        self._clock = clock
        self._settings = settings or CircuitSettings()
        self._breakers: dict[str, CircuitBreaker] = {}

    def of(self, endpoint: str) -> CircuitBreaker:
        breaker = self._breakers.get(endpoint)
        if breaker is None:
            breaker = self._breakers[endpoint] = CircuitBreaker(endpoint, self._clock, self._settings)
        return breaker

    def states(self) -> Counter[CircuitState]:
        """The number of breakers in each state."""
        return Counter(breaker.state for breaker in self._breakers.values())
