"""The league's own parts, whose failures are never a player's.

What a match does when one of them fails, and the bound of that, is this one table; `docs/explanation/blame.md` shows
it with the test of each row. A new part is a row, and a setback or an abort that names it.
"""

from enum import Enum


class OwnPart(Enum):
    """A part of the league itself.

    Attributes:
        text: Its name in a sentence.
        then: Consequence for a match under way.
        bound: Limit of that, after which the match is void and the part named.
    """

    SEATS = (
        "the seats process",
        "the match waits at its referee and goes on from its last turn; else it is played again",
        "`timeouts.seats_away_sec` (60 s) at each of `max_attempts` (5) referees",
    )
    MANAGER = (
        "the league manager",
        "the match goes on at its referee, which keeps the report until the manager is back",
        "none: without a manager there is no league; `league resume` continues it",
    )
    REFEREE = (
        "the referee",
        "the match is played again, by another referee if there is one",
        "`max_attempts` (5)",
    )
    NODE = (
        "a machine that its cluster reports lost",
        "the match is played again once its players are back, for which it waits three minutes",
        "`max_attempts` (5); the last one is decided as it is reported",
    )
    LAUNCHER = (
        "the launcher",
        "the match goes on while its referee lives; `league resume` has the others played again",
        "`max_attempts` (5)",
    )

    def __init__(self, text: str, then: str, bound: str) -> None:
        self.text = text
        self.then = then
        self.bound = bound

    @property
    def key(self) -> str:
        """Its name on the wire."""
        return self.name.lower()
