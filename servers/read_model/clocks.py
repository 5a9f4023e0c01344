"""Times of a league, from its records."""

from dataclasses import dataclass, field, replace

from league_sdk.domain.events import Record
from league_sdk.domain.persistent import PersistentMap


@dataclass(frozen=True, slots=True)
class Clocks:
    """Times of a league: ISO 8601 in UTC; empty for what has not happened."""

    created: str = ""
    started: str = ""
    ended: str = ""
    last: str = ""  # the last record
    # round number to when it began
    rounds: PersistentMap[int, str] = field(default_factory=PersistentMap[int, str], repr=False)
    # match id to when it was given to the referee that has it now
    assigned: PersistentMap[str, str] = field(default_factory=PersistentMap[str, str], repr=False)
    # match id to when its result came, or it became void
    decided: PersistentMap[str, str] = field(default_factory=PersistentMap[str, str], repr=False)

    def after(self, record: Record) -> "Clocks":
        """The clocks after one more record."""
        # By its payload: making whole events of the records of a long league takes time that nobody has when it begins.
        at, payload = record.at, record.payload
        now = replace(self, last=at)
        match record.type:
            case "LeagueCreated":
                return replace(now, created=at)
            case "LeagueStarted":
                return replace(now, started=at)
            case "LeagueCompleted":
                return replace(now, ended=at)
            case "RoundStarted":
                return replace(now, rounds=self.rounds.set(payload["round_id"], at))
            case "MatchAssigned":
                return replace(now, assigned=self.assigned.set(payload["match_id"], at))
            case "MatchRecorded":
                return replace(now, decided=self.decided.set(payload["result"]["match_id"], at))
            case "MatchVoided":
                return replace(now, decided=self.decided.set(payload["match_id"], at))
            case _:
                return now
