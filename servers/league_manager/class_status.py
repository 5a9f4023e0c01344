"""The students of a league's class, for its operator."""

from pathlib import Path

from league_sdk.clock import Clock
from league_sdk.json_value import Json
from servers.agent.class_roster import ClassRoster
from servers.league_manager.ledger import Ledger
from servers.league_manager.refused_registrations import RefusedRegistrations
from servers.read_model.class_rows import class_rows, refusal_words, summary


class ClassStatus:
    """Answers from the class's file as it is now: checks and cards change meanwhile."""

    def __init__(self, roster: Path, ledger: Ledger, clock: Clock, refusals: RefusedRegistrations) -> None:
        self._roster = ClassRoster(roster)
        self._ledger = ledger
        self._clock = clock
        self._refusals = refusals

    def as_json(self) -> dict[str, Json]:
        """The rows of `league class status`; RosterError where there is no class."""
        now = self._clock.now()
        rows = class_rows(self._roster.students, self._ledger.league, now)
        refused = [refusal_words(each.name, each.reason, each.at, rows, now) for each in self._refusals.latest]
        return {"summary": summary(rows), "students": [row.as_json() for row in rows], "refused": [*refused]}
