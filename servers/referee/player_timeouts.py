"""Time limits of a match."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PlayerTimeouts:
    """Time limits in a match, in seconds: to join, to move, to acknowledge."""

    join: float = 5.0
    move: float = 30.0
    response: float = 10.0
    seats: float = 60.0  # that the seats process may be away, which costs no player anything
