"""Departures of a league as the audit follows them: removals and withdrawals."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import cast

from league_sdk.audit.pairings import Planned
from league_sdk.audit.table import TECHNICAL_LOSS
from league_sdk.json_value import Json
from league_sdk.names import listed


@dataclass(slots=True)
class Departures:
    """The agents that have left, and the matches owed to the last departure."""

    # Number of the record, and cause of the matches that come to nothing, by player.
    removed: dict[str, tuple[int, str]] = field(default_factory=dict[str, tuple[int, str]])
    withdrew: dict[str, int] = field(default_factory=dict[str, int])  # round by agent that left by itself
    expunged: dict[str, int] = field(default_factory=dict[str, int])  # record by player whose results count for nobody
    owed: dict[str, str] = field(default_factory=dict[str, str])  # cause by match still to be void, or lost
    leaving: str = ""  # who loses the matches that are owed; empty where they become void
    defaults: set[str] = field(default_factory=set[str])  # matches lost by a withdrawal

    def leave(self, record: int, player: str, cause: str, open_matches: Iterable[str], *, loses: bool) -> None:
        """Note a player's departure, and settle its matches."""
        self.removed[player] = record, cause
        self.leaving = player if loses else ""
        self.owed = dict.fromkeys(open_matches, cause)

    def mark(self, player: str) -> dict[str, Json]:
        """The fields of the standings that tell a departure."""
        withdrew: dict[str, Json] = {"withdrew": self.withdrew[player]} if player in self.withdrew else {}
        return {"removed": True, **withdrew, **({"expunged": True} if player in self.expunged else {})}

    def left(self, agent_id: str) -> bool:
        """True for an agent that was removed or withdrew."""
        return agent_id in self.removed or agent_id in self.withdrew

    def overdue(self, kind: Json) -> str:
        """A sentence about matches that should be settled by now; else empty."""
        if not self.owed or kind == ("MatchRecorded" if self.leaving else "MatchVoided"):
            return ""
        told = "player that withdrew should be lost" if self.leaving else "removed player should be void"
        matches = listed(list(self.owed))
        self.owed.clear()
        return f"{matches} of a {told} by now"

    def void(self, match_id: str) -> str | None:
        """The cause that a void match owes to a removal; None if it owes nothing."""
        return None if self.leaving else self.owed.pop(match_id, None)

    def lost(self, match_id: str) -> str | None:
        """The cause of a match lost by withdrawal; None if it has to be played."""
        cause = self.owed.pop(match_id, None) if self.leaving else None
        if cause is not None:
            self.defaults.add(match_id)
        return cause

    def contradiction(
        self, planned: Planned, result: Mapping[str, Json], scoring: Mapping[str, Json], cause: str
    ) -> str:
        """A sentence on fields that don't follow from the withdrawal; else empty."""
        leaving = self.leaving
        others = [player for player in planned.players if player != leaving]
        expected: dict[str, Json] = {
            "round_id": planned.round_id,
            "players": list(planned.players),
            "status": TECHNICAL_LOSS,
            "winner": others[0] if len(others) == 1 else None,
            "score": {
                player: scoring["technical_loss"] * len(others)
                if player == leaving
                else scoring["win"] + scoring["draw"] * (len(others) - 1)
                for player in planned.players
            },
            "referee_id": "",
            "reason": cause,
            "details": {"places": dict.fromkeys(others, 1) | {leaving: len(planned.players)}} if others[1:] else {},
        }
        wrong = [name for name, value in expected.items() if result[name] != value]
        faults = [
            (fault["player_id"], fault["cause"]) for fault in cast(Iterable[Mapping[str, Json]], result["faults"])
        ]
        wrong += [] if faults == [(leaving, "withdrew")] else ["faults"]
        wrong += [name for name in ("lifecycle", "transcript", "substituted") if result.get(name)]
        return f"{leaving} loses it by withdrawing, and its {', '.join(wrong)} say otherwise" if wrong else ""
