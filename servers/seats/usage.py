"""Counts of calls beyond a seat's bounds."""

import contextlib
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from league_sdk.clock import Clock, to_record_time
from league_sdk.errors import RateLimited
from league_sdk.stores.atomic_files import write_json
from servers.agent.rate_limit import Buckets, Rate
from servers.agent.seat_use import SeatUse, read_seat_use

ENDED_WAITS = Rate(per_sec=1.0, burst=60)
"""Waits that newer ones may end before it is too many: a client whose connection breaks asks again at once."""
WRITE_SEC = 5.0
"""Between two writings of the file."""


class SeatUsage:
    """The counts of all seats, also over a restart; `told` hears of new overuse."""

    def __init__(
        self, clock: Clock, file: Path | None = None, told: Callable[[str, SeatUse], None] | None = None
    ) -> None:
        self._clock = clock
        self._file = file
        self._told = told
        self._ended = Buckets(clock, ENDED_WAITS)
        self._uses: dict[str, SeatUse] = {} if file is None else read_seat_use(file)
        self._written = float("-inf")

    def wait_ended(self, seat_id: str) -> None:
        """Count a wait that a newer one of the same seat ended."""
        try:
            self._ended.take(seat_id)
        except RateLimited:
            self._over(seat_id, "waits_ended")
        else:
            self._count(seat_id, "waits_ended")

    def call_refused(self, seat_id: str) -> None:
        """Count a call above the rate of a seat's owner."""
        self._over(seat_id, "calls_refused")

    def connection_refused(self, seat_id: str) -> None:
        """Count a call on a connection too many."""
        self._over(seat_id, "connections_refused")

    def recent(self) -> list[str]:
        """The seats that were used beyond their bounds in the last minutes."""
        return sorted(seat_id for seat_id in self._uses if self._is_recent(seat_id))

    def to_json(self) -> dict[str, Any]:
        """All counts, by seat."""
        return {seat_id: asdict(use) for seat_id, use in sorted(self._uses.items())}

    def _is_recent(self, seat_id: str) -> bool:
        return self._uses.get(seat_id, SeatUse()).is_recent(self._clock.now())

    def _count(self, seat_id: str, what: str) -> SeatUse:
        use = self._uses.get(seat_id, SeatUse())
        self._uses[seat_id] = replace(use, **{what: getattr(use, what) + 1})
        return self._uses[seat_id]

    def _over(self, seat_id: str, what: str) -> None:
        known = self._is_recent(seat_id)
        use = self._uses[seat_id] = replace(self._count(seat_id, what), overused_at=to_record_time(self._clock.now()))
        now = self._clock.monotonic()
        if known and now - self._written < WRITE_SEC:
            return
        self._written = now
        if self._file is not None:
            with contextlib.suppress(OSError):  # it is in the log, too, and a full disk is told of there
                write_json(self._file, self.to_json())
        if not known and self._told is not None:
            self._told(seat_id, use)
