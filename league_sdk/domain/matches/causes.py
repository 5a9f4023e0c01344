"""Causes of technical losses: one table of their tries.

A match takes from it after which failures it asks again, which players are gone, and for whom it waits no more.
`docs/faults.md` explains each cause, and says what it costs; a test compares the two.
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
    """

    again: AskedAgain
    answered: bool


RULES: Mapping[Cause, CauseRule] = MappingProxyType(
    {
        Cause.NO_JOIN: CauseRule(AskedAgain.ALL, answered=False),
        Cause.NO_MOVE: CauseRule(AskedAgain.ALL, answered=False),
        Cause.ILLEGAL_MOVE: CauseRule(AskedAgain.ALL, answered=True),
        Cause.NAME_NOT_FOUND: CauseRule(AskedAgain.GONE, answered=False),
        Cause.CONNECTION_REFUSED: CauseRule(AskedAgain.GONE, answered=False),
        Cause.CONNECTION_DROPPED: CauseRule(AskedAgain.GONE, answered=False),
        Cause.MALFORMED_REPLY: CauseRule(AskedAgain.BY_CODE, answered=True),
        Cause.DECLINED: CauseRule(AskedAgain.NONE, answered=True),
        Cause.CRASHED_HANDLER: CauseRule(AskedAgain.NONE, answered=True),
        Cause.SITS_OUT: CauseRule(AskedAgain.NONE, answered=True),
        Cause.WITHDREW: CauseRule(AskedAgain.NONE, answered=True),
    }
)
"""Every cause."""

GONE = frozenset(cause for cause, rule in RULES.items() if rule.again is AskedAgain.GONE)
"""Causes of players that are gone: no connection, or a hosted seat without a pulse."""

ABSENCES = frozenset(cause for cause, rule in RULES.items() if not rule.answered)
"""Causes without an answer of the player."""
