"""Inputs and commands of a match: the vocabulary of `match.step`.

Inputs report events; their `at` is the time: ISO 8601 in UTC with milliseconds and `Z`. Commands are the actions to
take.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from league_sdk.bounds import as_evidence, shorten
from league_sdk.domain.model import Cause, MatchResult
from league_sdk.game import Move
from league_sdk.json_value import Json

JOIN_PHASE = "join"
MOVE_PHASE = "move"


@dataclass(frozen=True, slots=True)
class Failure:
    """The reason why an invitation or a request for a move failed.

    Excerpts of a player's reply are bounded here, so that every report of it can be read.
    """

    cause: Cause  # as the referee saw it
    error_code: str
    retryable: bool  # only for E001, E004 and E009
    description: str
    evidence: Mapping[str, Json] = field(default_factory=dict[str, Json])
    returned: bool = False  # during the match, with time left: then E007, E008 and E012 are retried too

    def __post_init__(self) -> None:
        object.__setattr__(self, "description", shorten(self.description))
        object.__setattr__(self, "evidence", {name: as_evidence(value) for name, value in self.evidence.items()})


@dataclass(frozen=True, slots=True)
class Begin:
    """Invite the players."""

    at: str


@dataclass(frozen=True, slots=True)
class Joined:
    """A player accepted the invitation, perhaps with its part of the match's chance."""

    player: str
    at: str
    nonce: str = ""


@dataclass(frozen=True, slots=True)
class JoinFailed:
    """An invitation failed."""

    player: str
    failure: Failure
    at: str


@dataclass(frozen=True, slots=True)
class Collect:
    """Ask for moves; only in a match that is played step by step."""

    at: str


@dataclass(frozen=True, slots=True)
class MoveMade:
    """A player answered with a move. With `turn`, it only counts in that turn."""

    player: str
    move: Move
    at: str
    turn: int | None = None


@dataclass(frozen=True, slots=True)
class MoveFailed:
    """A request for a move failed. With `turn`, it only counts in that turn."""

    player: str
    failure: Failure
    at: str
    turn: int | None = None


@dataclass(frozen=True, slots=True)
class Resolve:
    """Apply the moves; only in a match that is played step by step."""

    at: str


@dataclass(frozen=True, slots=True)
class Finalize:
    """Announce the result; only in a match played step by step. May be repeated."""

    at: str


@dataclass(frozen=True, slots=True)
class Reported:
    """The league acknowledged the result."""

    at: str


@dataclass(frozen=True, slots=True)
class Abort:
    """The match cannot continue, through no fault of a player."""

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
    """Send a request for a move; `try_number` and `turn` count from 1."""

    player: str
    try_number: int
    turn: int


@dataclass(frozen=True, slots=True)
class NotifyError:
    """Tell a player of its failure, before it is asked again."""

    player: str
    failure: Failure
    try_number: int  # of the failed try, from 1: the `retry_count` on the wire
    max_retries: int
    consequence: str  # a sentence for the player
    phase: str  # `join` or `move`


@dataclass(frozen=True, slots=True)
class SendGameOver:
    """Tell the players the result."""

    players: tuple[str, ...]
    result: MatchResult


@dataclass(frozen=True, slots=True)
class SendReport:
    """Report the result to the league."""

    result: MatchResult


@dataclass(frozen=True, slots=True)
class NoteStandIn:
    """Note the move that a stand-in made for a player that failed."""

    player: str
    turn: int
    move: Move


Command: TypeAlias = Invite | AskForMove | NotifyError | NoteStandIn | SendGameOver | SendReport
