"""Log of refused calls: one line per kind and address, with a count of the rest."""

from collections import OrderedDict
from collections.abc import Callable

from league_sdk.bounds import shorten
from league_sdk.clock import Clock, to_record_time
from league_sdk.net.addresses import network_of
from league_sdk.ports import Journal

QUIET_SEC = 30.0
"""After a line, the same kind of refusal is only counted for so long, by address."""
LINES_A_WINDOW = 20
"""Lines of all addresses together within `QUIET_SEC`: callers can have many addresses."""
REMEMBERED = 1000
"""Pairs of address and kind that are kept; the oldest is forgotten."""


class RefusedCalls:
    """Reports unauthenticated refused calls and refused registrations."""

    def __init__(self, clock: Clock, journal: Journal, say: Callable[[str], None] | None = None) -> None:
        self._clock = clock
        self._journal = journal
        self._say = say
        self._told: OrderedDict[tuple[str, str], tuple[float, int]] = OrderedDict()
        self._window = (float("-inf"), 0)

    def refused(self, code: str, address: str, text: str, *, logged: bool = False) -> None:
        """Tell of a refusal, or count it."""
        now, key = self._clock.monotonic(), (network_of(address), code)
        since, left_out = self._told.pop(key, (float("-inf"), 0))
        if now - since < QUIET_SEC or not self._has_line(now):
            self._keep(key, since, left_out + 1)
            return
        self._keep(key, now, 0)
        reason = shorten(text, 300)
        if not logged:
            found = {"code": code, "address": address, "message": reason, "left_out": left_out}
            self._journal.event("CALL_REFUSED", "WARNING", **found)
        if self._say is not None:
            more = f" ({left_out} more like it before were left out)" if left_out else ""
            at = to_record_time(self._clock.now())[11:19]
            self._say(f"refused a call from {address or 'its host'} at {at} UTC: {reason}{more}")

    def _keep(self, key: tuple[str, str], since: float, left_out: int) -> None:
        self._told[key] = (since, left_out)
        if len(self._told) > REMEMBERED:
            self._told.popitem(last=False)

    def _has_line(self, now: float) -> bool:
        began, lines = self._window
        if now - began >= QUIET_SEC:
            began, lines = now, 0
        self._window = (began, lines + 1)
        return lines < LINES_A_WINDOW
