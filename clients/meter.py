"""The port for counting outgoing calls."""

from typing import Protocol

from clients.circuit import CircuitOpen
from clients.message_queue import Overloaded
from league_sdk.errors import LeagueError
from league_sdk.ports import Acknowledged, OutOfFiles

OK = "ok"
ACKNOWLEDGED = "acknowledged"
CIRCUIT_OPEN = "circuit_open"
MALFORMED = "malformed"
OVERLOADED = "overloaded"
OUTCOMES = (OK, ACKNOWLEDGED, CIRCUIT_OPEN, MALFORMED, OVERLOADED)
"""Outcomes of a try, besides the protocol's error codes."""


class CallMeter(Protocol):
    """Counts tries. It is told of every one, so it has to be quick."""

    def tried(self, tool: str, peer: str, outcome: str, seconds: float) -> None:
        """Count a try: an outcome of `OUTCOMES` or an E-code, and the peer's seconds."""
        ...

    def tries_again(self, tool: str, code: str) -> None:
        """Count a retry, after an error of this code."""
        ...

    def derived(self, peer: str, field: str) -> None:
        """Count a field that a peer left out, and that was derived."""
        ...


class NoMeter:
    """Counts nothing."""

    def tried(self, tool: str, peer: str, outcome: str, seconds: float) -> None: ...

    def tries_again(self, tool: str, code: str) -> None: ...

    def derived(self, peer: str, field: str) -> None: ...


def outcome_of(error: Exception) -> str:
    """The outcome that an error counts as, in the operator's terms."""
    if isinstance(error, CircuitOpen):
        return CIRCUIT_OPEN
    if isinstance(error, Overloaded | OutOfFiles):
        return OVERLOADED
    if isinstance(error, Acknowledged):
        return ACKNOWLEDGED
    return error.code if isinstance(error, LeagueError) else MALFORMED
