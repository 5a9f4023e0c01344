"""What goes into a match, and what comes out: the vocabulary of `match.step`.

Inputs say what happened; their `at` is when: ISO 8601 in UTC with milliseconds and `Z`. Commands say what has to be
done about it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from league_sdk.bounds import as_evidence, shorten
from league_sdk.domain.model import Cause, Json, MatchResult
from league_sdk.game import Move

JOIN_PHASE = "join"
MOVE_PHASE = "move"


@dataclass(frozen=True, slots=True)
class Failure:
    """Why an invitation or a call for a move came to nothing.

    What it holds of a player's reply is bounded here, when it is taken, so that every report of it can be read.

    Attributes:
        cause: What the player did, as the referee saw it.
        error_code: The E-code.
        retryable: Whether asking again can help; only E001, E004 and E009 are ever retried.
        description: A sentence for a person.
        evidence: JSON: what was sent, what came back, when, and how long it took.
        returned: Whether the player has returned since the match began and has time left: then E007, E008 and E012
            are retried, too.
    """

    cause: Cause
    error_code: str
    retryable: bool
    description: str
    evidence: Mapping[str, Json] = field(default_factory=dict[str, Json])
    returned: bool = False

    def __post_init__(self) -> None:
        """Shorten the description, and keep plain evidence alone."""
        object.__setattr__(self, "description", shorten(self.description))
        object.__setattr__(self, "evidence", {name: as_evidence(value) for name, value in self.evidence.items()})


@dataclass(frozen=True, slots=True)
class Begin:
    """Invite the players."""

    at: str


@dataclass(frozen=True, slots=True)
class Joined:
    """A player accepted the invitation, and perhaps gave its part of the match's chance."""

    player: str
    at: str
    nonce: str = ""


@dataclass(frozen=True, slots=True)
class JoinFailed:
    """An invitation came to nothing."""

    player: str
    failure: Failure
    at: str


@dataclass(frozen=True, slots=True)
class Collect:
    """Ask for moves; only in a match that is played step by step."""

    at: str


@dataclass(frozen=True, slots=True)
class MoveMade:
    """A player answered with a move, legal or not. With `turn`, it only counts in that turn."""

    player: str
    move: Move
    at: str
    turn: int | None = None


@dataclass(frozen=True, slots=True)
class MoveFailed:
    """A call for a move came to nothing. With `turn`, it only counts in that turn."""

    player: str
    failure: Failure
    at: str
    turn: int | None = None


@dataclass(frozen=True, slots=True)
class Resolve:
    """Apply the moves; only in a match that is played step by step, all others do so by themselves."""

    at: str


@dataclass(frozen=True, slots=True)
class Finalize:
    """Tell players and league how it ended; only in a match that is played step by step. May be repeated."""

    at: str


@dataclass(frozen=True, slots=True)
class Reported:
    """The league acknowledged the result."""

    at: str


@dataclass(frozen=True, slots=True)
class Abort:
    """The match cannot go on, through no fault of a player."""

    reason: str
    at: str


Input: TypeAlias = Begin | Joined | JoinFailed | Collect | MoveMade | MoveFailed | Resolve | Finalize | Reported | Abort


@dataclass(frozen=True, slots=True)
class Invite:
    """Send an invitation; `try_number` counts from 1."""

    player: str
    try_number: int


@dataclass(frozen=True, slots=True)
class AskForMove:
    """Send a call for a move; `try_number` and `turn` count from 1."""

    player: str
    try_number: int
    turn: int


@dataclass(frozen=True, slots=True)
class NotifyError:
    """Tell a player what went wrong, before it is asked again.

    Attributes:
        player: Whom, and who is affected.
        failure: What went wrong.
        try_number: The try that failed, from 1: the `retry_count` on the wire.
        max_retries: How often it is asked again at most.
        consequence: A sentence for the player.
        phase: `join` or `move`.
    """

    player: str
    failure: Failure
    try_number: int
    max_retries: int
    consequence: str
    phase: str


@dataclass(frozen=True, slots=True)
class SendGameOver:
    """Tell the players how it ended."""

    players: tuple[str, ...]
    result: MatchResult


@dataclass(frozen=True, slots=True)
class SendReport:
    """Tell the league how it ended."""

    result: MatchResult


Command: TypeAlias = Invite | AskForMove | NotifyError | SendGameOver | SendReport
