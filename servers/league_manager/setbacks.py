"""Reasons an attempt at a match failed, and if the match is played again.

A match is played again only for reasons outside the players' reach, so that nobody can undo what it is losing.
"""

from dataclasses import dataclass
from enum import Enum


class Reason(Enum):
    """Everything that ends an attempt without a result.

    Attributes:
        text: What is recorded.
        caused_by: Who could cause it.
        again: Whether the match is played again; else it is void.
    """

    NOT_TAKEN = ("{referee} did not take it", "the referee or its host; the network between it and the manager", True)
    SILENT = ("{referee} stopped answering", "the referee or its host; the network between it and the manager", True)
    FORGOTTEN = ("{referee} does not know the match any more", "the referee or its host: it lost its memory", True)
    RESTARTED = ("{referee} was restarted", "the referee, its host, or a supervisor that started it again", True)
    STALLED = ("{referee} got no further with it", "the referee or its host: no wait for a player is that long", True)
    WANTED = ("the operator wants it played again", "the operator", True)
    ABORTED = (
        "{referee} had to abort it",
        "a fault in the game's rules or in the referee, which a move may meet",
        False,
    )
    UNREPORTED = (
        "{referee} has a result, and its report is refused",
        "a fault in the referee or in the manager",
        False,
    )

    def __init__(self, text: str, caused_by: str, again: bool) -> None:
        self.text = text
        self.caused_by = caused_by
        self.again = again


@dataclass(frozen=True, slots=True)
class Setback:
    """One attempt that came to nothing."""

    reason: Reason
    referee_id: str  # whose attempt it was
    detail: str = ""  # more about it; may be empty

    def __str__(self) -> str:
        said = self.reason.text.format(referee=self.referee_id)
        return f"{said}: {self.detail}" if self.detail else said
