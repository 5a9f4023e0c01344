"""Reasons an attempt at a match failed, and if the match is played again.

A match is played again only for reasons outside the players' reach, so that nobody can undo what it is losing.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from league_sdk.domain.matches.own_parts import OwnPart


class Reason(Enum):
    """Everything that ends an attempt without a result.

    Attributes:
        text: What is recorded.
        caused_by: Who could cause it.
        again: Whether the match is played again; else it is void.
        part: The part of the league that failed; None for the operator's wish, and for a fault that may be a game's.
    """

    NOT_TAKEN = (
        "{referee} did not take it",
        "the referee or its host; the network between it and the manager",
        True,
        OwnPart.REFEREE,
    )
    SILENT = (
        "{referee} stopped answering",
        "the referee or its host; the network between it and the manager",
        True,
        OwnPart.REFEREE,
    )
    FORGOTTEN = (
        "{referee} does not know the match any more",
        "the referee or its host: it lost its memory",
        True,
        OwnPart.REFEREE,
    )
    RESTARTED = (
        "{referee} was restarted",
        "the referee, its host, or a supervisor that started it again",
        True,
        OwnPart.REFEREE,
    )
    STALLED = (
        "{referee} got no further with it",
        "the referee or its host: no wait for a player is that long",
        True,
        OwnPart.REFEREE,
    )
    NO_SEATS = (
        "{referee} waited for the seats process in vain",
        "the seats process or its host; the network between it and the referee",
        True,
        OwnPart.SEATS,
    )
    NODE_LOST = (
        "a player's machine was lost",
        "the machine, or its network: its cluster reports it lost",
        True,
        OwnPart.NODE,
    )
    WANTED = ("the operator wants it played again", "the operator", True)
    ABORTED = (
        "{referee} had to abort it",
        "a fault in the game's rules or in the referee, which a move may meet",
        False,
    )
    GAME_FAILED = ("the game failed", "a fault in the game's rules, which a move may meet", False)
    UNREPORTED = (
        "{referee} has a result, and its report is refused",
        "a fault in the referee or in the manager",
        False,
    )

    def __init__(self, text: str, caused_by: str, again: bool, part: OwnPart | None = None) -> None:
        self.text = text
        self.caused_by = caused_by
        self.again = again
        self.part = part


@dataclass(frozen=True, slots=True)
class Setback:
    """One attempt that came to nothing."""

    reason: Reason
    referee_id: str  # whose attempt it was
    detail: str = ""  # more about it; may be empty

    def __str__(self) -> str:
        said = self.reason.text.format(referee=self.referee_id)
        return f"{said}: {self.detail}" if self.detail else said


def cause_of_void(setbacks: Sequence[Setback]) -> str:
    """The cause of a void match: the parts that failed, and the last setback."""
    parts = [setback.reason.part for setback in setbacks if setback.reason.part is not None]
    failed = [f"{part.text} failed {_times(parts.count(part))}" for part in dict.fromkeys(reversed(parts))]
    last = str(setbacks[-1]) if setbacks else ""
    return f"{' and '.join(failed)}: {last}" if failed else last


def _times(number: int) -> str:
    return "once" if number == 1 else f"{number} times"
