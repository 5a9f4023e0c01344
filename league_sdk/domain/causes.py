"""Causes of technical losses: one table of their tries and their price.

A match takes from it after which failures it asks again, which players are gone, and for whom it waits no more.
`docs/faults.md` shows the table, and a test compares the two.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from types import MappingProxyType

from league_sdk.domain.model import Cause

GONE_TRIES = 2
"""Tries of one call that find a player gone: the first, and one more after `backoff_base_sec`."""
GONE_CONNECT_SEC = 3.0
"""Seconds to connect to a player that was gone at its last match."""
NOTICE_SEC = 1.0
"""Seconds that a match waits for the acknowledgement of a notice by a player that gave no answer to the call before."""


class AskedAgain(Enum):
    """Repetitions of one call by the kind of its failure, as tables show them."""

    ALL = "yes"
    """As many as `retry_policy.max_retries` says after the first."""
    GONE = "once"
    """One more; none where the player was gone at its last match and has not called since."""
    BY_CODE = "by its code"
    """As many, where the answer's error code is one that is asked again after (`match.RETRIED_CODES`)."""
    NONE = "no"
    """The failure ends the call."""


@dataclass(frozen=True, slots=True)
class CauseRule:
    """A row of the table.

    Attributes:
        again: Repetitions of the call.
        answered: True if the player answered, however badly: a match lost so is no absence.
        happened: A description for people.
        advice: Help for the agent's author.
    """

    again: AskedAgain
    answered: bool
    happened: str
    advice: str


RULES: Mapping[Cause, CauseRule] = MappingProxyType(
    {
        Cause.NO_JOIN: CauseRule(
            AskedAgain.ALL,
            False,
            "no answer to the invitation in time (5 s)",
            "a handler that blocks, or waits for something else",
        ),
        Cause.NO_MOVE: CauseRule(
            AskedAgain.ALL,
            False,
            "no answer to the call for a move in time (30 s)",
            "a strategy that computes too long; a model that is too slow",
        ),
        Cause.ILLEGAL_MOVE: CauseRule(
            AskedAgain.ALL,
            True,
            "the answer came, but the game does not allow this move",
            "spelling: `even`, not `EVEN`; the legal moves are in the call's `context.legal_moves`",
        ),
        Cause.NAME_NOT_FOUND: CauseRule(
            AskedAgain.GONE,
            False,
            "the host name in the agent's address cannot be looked up",
            "the spelling of `contact_endpoint`; a name that only your own network knows",
        ),
        Cause.CONNECTION_REFUSED: CauseRule(
            AskedAgain.GONE,
            False,
            "nothing listened at the agent's address, or its hosted seat [has no pulse](#a-player-that-is-gone)",
            "an agent that ended or never started; a wrong `contact_endpoint`",
        ),
        Cause.CONNECTION_DROPPED: CauseRule(
            AskedAgain.GONE,
            False,
            "the connection broke before the whole answer was there, or the answer was HTTP 502, 503 or 504",
            "an agent that crashed in the middle of an answer",
        ),
        Cause.MALFORMED_REPLY: CauseRule(
            AskedAgain.BY_CODE,
            True,
            "an answer came that is not the one that was asked for",
            "`received` and `error` in the evidence name the field: a missing one, another match, another sender, a "
            "timestamp that is not UTC, a reply that is too large, a redirect",
        ),
        Cause.DECLINED: CauseRule(
            AskedAgain.NONE, True, "the agent answered the invitation with `accept: false`", "whatever made it decline"
        ),
        Cause.CRASHED_HANDLER: CauseRule(
            AskedAgain.NONE,
            True,
            "the agent answered with an internal error or HTTP 500",
            "an exception in the handler; the agent's own log has it",
        ),
        Cause.SITS_OUT: CauseRule(
            AskedAgain.NONE,
            True,
            "the player [sits out](#when-a-player-sits-out), so the match was not played; the league decides it, "
            "without a referee",
            "the reason stands in the player's row",
        ),
        Cause.WITHDREW: CauseRule(
            AskedAgain.NONE,
            True,
            "the player withdrew from the league while the match was open; the league decides it, without a referee",
            "nothing: the player asked for it",
        ),
    }
)
"""Every cause."""

GONE = frozenset(cause for cause, rule in RULES.items() if rule.again is AskedAgain.GONE)
"""Causes of players that are gone: no connection, or a hosted seat without a pulse."""

ABSENCES = frozenset(cause for cause, rule in RULES.items() if not rule.answered)
"""Causes without an answer of the player."""


@dataclass(frozen=True, slots=True)
class Waits:
    """Times that a price follows from, in seconds; the defaults of the settings."""

    limit: float
    """For the answer: `game_join_timeout_sec` or `move_timeout_sec`."""
    max_retries: int = 3
    backoff_base: float = 2.0
    backoff_max: float = 30.0
    pulse: float = 0.0
    """Until a gone player is noticed: 0 at a refused connection, the pulse's bound at a hosted seat."""


def price(again: AskedAgain, waits: Waits, *, gone_before: bool = False) -> float:
    """Seconds that a failed call delays its match at most.

    `gone_before`: the player was gone at its last match, too.
    """
    match again:
        case AskedAgain.ALL | AskedAgain.BY_CODE:
            pauses = sum(min(waits.backoff_max, waits.backoff_base * 2.0**n) for n in range(waits.max_retries))
            return (waits.max_retries + 1) * (waits.limit + NOTICE_SEC) + pauses
        case AskedAgain.GONE:
            return GONE_CONNECT_SEC if gone_before else waits.pulse + waits.backoff_base + NOTICE_SEC * GONE_TRIES
        case AskedAgain.NONE:
            return waits.limit
