"""The last refused registrations of players, for the league's operator."""

from collections import OrderedDict
from dataclasses import dataclass
from datetime import datetime

from league_sdk.clock import Clock

MOST = 20
"""Names that are kept; the oldest is forgotten, and a stranger's flood is no more than this."""


@dataclass(frozen=True, slots=True)
class RefusedRegistration:
    """A name that was refused last, with the sentence that its player was told."""

    name: str
    reason: str
    at: datetime


class RefusedRegistrations:
    """Remembers whom the league has refused, until one of that name is admitted."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._by_name: OrderedDict[str, RefusedRegistration] = OrderedDict()

    def refuse(self, name: str, reason: str) -> None:
        self._by_name.pop(name, None)
        self._by_name[name] = RefusedRegistration(name, reason, self._clock.now())
        if len(self._by_name) > MOST:
            self._by_name.popitem(last=False)

    def admit(self, name: str) -> None:
        self._by_name.pop(name, None)

    @property
    def latest(self) -> tuple[RefusedRegistration, ...]:
        """The refused names, the last one first."""
        return tuple(reversed(self._by_name.values()))
