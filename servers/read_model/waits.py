"""Waits of matches under way, and the sentence on each."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from league_sdk.clock import to_record_time
from league_sdk.domain.league import League
from league_sdk.domain.matches.own_parts import OwnPart
from league_sdk.names import joined
from servers.read_model.text import name_of, printable

MOST_LINES = 12
"""Waits that are told one by one."""
SAME_SEC = 1.0
"""Two looks at one wait find ends that are less apart."""


@dataclass(frozen=True, slots=True)
class Wait:
    """Players of a match that have not answered, or a part of the league that hasn't."""

    match_id: str
    players: tuple[str, ...] = ()  # their ids
    move: bool = True  # true for a move, false for the answer to an invitation
    attempt: int = 1  # the number of the attempt that runs
    attempts: int = 1  # the number of attempts at most
    until: str = ""  # end of the attempt by the manager's clock, ISO 8601; empty between two attempts
    part: str = ""  # the part of the league that it waits for; empty when it waits for the players

    def like(self, other: "Wait") -> bool:
        """True for the same wait, seen by another look."""
        try:
            apart = datetime.fromisoformat(self.until) - datetime.fromisoformat(other.until)
        except ValueError:
            return self == other
        return replace(self, until="") == replace(other, until="") and abs(apart.total_seconds()) < SAME_SEC


@dataclass(frozen=True, slots=True)
class WaitLine:
    """A wait as a sentence, without the seconds that are left."""

    text: str
    until: str = ""  # as in `Wait`
    left_sec: int | None = None  # seconds left when it was sent to somebody with another clock

    def at(self, now: datetime) -> str:
        """The sentence with the seconds that are left."""
        left = seconds_left(self.until, now)
        return self.text if left is None else f"{self.text}, {left} s left"

    def by(self, now: datetime) -> "WaitLine":
        """The same by the clock of a reader that gets it now."""
        if self.left_sec is None:
            return self
        return replace(self, until=to_record_time(now + timedelta(seconds=self.left_sec)))


def seconds_left(until: str, now: datetime) -> int | None:
    """Seconds until a time, none below 0; None for no time."""
    try:
        return max(0, math.ceil((datetime.fromisoformat(until) - now).total_seconds()))
    except (ValueError, TypeError, OverflowError):
        return None


def wait_text(league: League, wait: Wait) -> str:
    """A wait as `R2M3 waits for TeX: move, attempt 2 of 4`."""
    if wait.part == OwnPart.REFEREE.key:
        referee = league.assignments[wait.match_id].referee_id if wait.match_id in league.assignments else ""
        return f"{wait.match_id} waits for its referee, {name_of(league, referee)}, which does not answer"
    names = joined([_name(league, player) for player in wait.players])
    if wait.part:
        part = next((each.text for each in OwnPart if each.key == wait.part), "a part of the league")
        return f"{wait.match_id} waits for {part} to reach {names}"
    asked = "move" if wait.move else "answer to the invitation"
    begins = "" if wait.until else ", which begins soon"
    return f"{wait.match_id} waits for {names}: {asked}, attempt {wait.attempt} of {wait.attempts}{begins}"


def wait_lines(league: League, waits: Sequence[Wait]) -> tuple[WaitLine, ...]:
    """The sentences on waits; of many, the first ones and the number of the others."""
    lines = [WaitLine(wait_text(league, wait), wait.until) for wait in waits[:MOST_LINES]]
    more = len(waits) - len(lines)
    return (*lines, *([WaitLine(f"and {more} more")] if more else []))


def _name(league: League, player: str) -> str:
    known = league.players.get(player)
    return player if known is None else printable(known.display_name)
