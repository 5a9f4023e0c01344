"""What is counted of the calls that go out: the port, and nobody who counts."""

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
"""What can become of a try, beside the protocol's error codes."""


class CallMeter(Protocol):
    """Counts tries. It is told of every one, so it has to be quick."""

    def tried(self, tool: str, peer: str, outcome: str, seconds: float) -> None:
        """A try is over.

        Args:
            tool: The tool, by its first name.
            peer: The id of whom it was for.
            outcome: One of `OUTCOMES`, or the E-code of an error.
            seconds: What the peer took; 0 when it was not asked.
        """
        ...

    def tries_again(self, tool: str, code: str) -> None:
        """The retry policy tries once more, after an error of this code."""
        ...


class NoMeter:
    """Counts nothing."""

    def tried(self, tool: str, peer: str, outcome: str, seconds: float) -> None:
        """Nothing."""

    def tries_again(self, tool: str, code: str) -> None:
        """Nothing."""


def outcome_of(error: Exception) -> str:
    """What an error is counted as: by what it means for whoever looks after the league."""
    if isinstance(error, CircuitOpen):
        return CIRCUIT_OPEN
    if isinstance(error, Overloaded | OutOfFiles):
        return OVERLOADED
    if isinstance(error, Acknowledged):
        return ACKNOWLEDGED
    return error.code if isinstance(error, LeagueError) else MALFORMED
