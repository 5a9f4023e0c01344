"""Sitting out as the audit follows it: absences, beginnings, ends, forfeits."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import cast

from league_sdk.audit.pairings import Planned
from league_sdk.audit.table import TECHNICAL_LOSS
from league_sdk.json_value import Json
from league_sdk.names import listed

_REASONS = ("absent", "crashed", "overstepped", "operator")  # from the weakest
_ENDS: Mapping[str, Collection[str]] = {
    "absent": ("call", "probe", "new_version", "operator"),
    "crashed": ("new_version", "operator"),
    "overstepped": ("new_version", "operator"),
    "operator": ("operator",),
}
_NO_ANSWER = frozenset(("no_join", "no_move", "name_not_found", "connection_refused", "connection_dropped"))
_SETTLED = ("schedule", "bracket", "")  # these pair players that sit out too


@dataclass(slots=True)
class SittingOutRecords:
    """The players that sit out, and the absences that led to it."""

    reasons: dict[str, str] = field(default_factory=dict[str, str])
    absences: dict[str, list[str]] = field(default_factory=dict[str, list[str]])  # matches running, by player
    owed: dict[str, list[str]] = field(default_factory=dict[str, list[str]])  # absences of who has to sit out now
    # Number of the record, player, and reason; empty for an end.
    changes: list[tuple[int, str, str]] = field(default_factory=list[tuple[int, str, str]])
    rejoined: set[str] = field(default_factory=set[str])  # since the last round was complete
    defaults: set[str] = field(default_factory=set[str])  # matches lost by sitting out

    def begin(self, record: int, payload: Mapping[str, Json], limit: int) -> str:
        """Note that a player sits out; a sentence if that does not follow, else empty."""
        player, reason = payload["player_id"], payload["reason"]
        if reason not in _REASONS:
            return f"{player} sits out for {reason!r}, which is no reason"
        missed = self.owed.pop(player, None)
        known = self.reasons.get(player)
        self.reasons[player] = reason
        self.changes.append((record, player, reason))
        if known is not None and _REASONS.index(reason) <= _REASONS.index(known):
            return f"{player} sits out already: {known}"
        if reason == "absent" and missed != list(payload.get("matches", ())):
            return f"{player} sits out as absent, and its last {limit} matches don't show it"
        return ""

    def end(self, record: int, payload: Mapping[str, Json]) -> str:
        """Note that a player rejoins; a sentence if it may not, else empty."""
        player, by = payload["player_id"], payload["by"]
        reason = self.reasons.pop(player, None)
        self.changes.append((record, player, ""))
        self.rejoined.add(player)
        if reason is None:
            return f"{player} rejoins, and does not sit out"
        return "" if by in _ENDS[reason] else f"{player} sits out ({reason}), and rejoins by {by!r}"

    def leave(self, record: int, player: str) -> None:
        """Note that a player left the league."""
        if self.reasons.pop(player, None) is not None:
            self.changes.append((record, player, ""))

    def play(self, result: Mapping[str, Json], players: Iterable[str], limit: int, gone: Collection[str]) -> None:
        """Count the absences of a match that a referee has decided."""
        faults = cast(Sequence[Mapping[str, Json]], result["faults"])
        missing = {fault["player_id"] for fault in faults if _missed_every_try(fault)}
        for player in players:
            if player not in missing:
                self.absences.pop(player, None)
                continue
            own = self.absences.setdefault(player, [])
            own.append(result["match_id"])
            if limit and len(own) >= limit and player not in self.reasons and player not in gone:
                self.owed[player] = own[-limit:]

    def overdue(self, kind: Json) -> str:
        """A sentence on players that should sit out by now; else empty."""
        if not self.owed or kind == "PlayerSatOut":
            return ""
        told = f"{listed(sorted(self.owed))} should sit out by now: absent from too many matches running"
        self.owed.clear()
        return told

    def sitting(self, until: int | None) -> dict[str, str]:
        """The reason by player that sat out after a record, or after all."""
        state = {player: reason for by, player, reason in self.changes if until is None or by <= until}
        return {player: reason for player, reason in state.items() if reason}

    def pairing_faults(self, round_of: Mapping[str, Json], busy: Collection[str]) -> str:
        """A sentence on a round whose pairs were chosen against the rules; else empty."""
        if round_of.get("paired_by", "") in _SETTLED or round_of.get("game", 0) > 1:
            return ""
        paired = sorted({*busy} & self.reasons.keys())
        return f"{listed(paired)} sits out, and is in it" if paired else ""

    def overstepped(self, planned: Planned, result: Mapping[str, Json], *, under_way: bool) -> bool:
        """True for a match that its player lost by overstepping while it was under way."""
        reasons = {self.reasons[player] for player in planned.players if player in self.reasons}
        return under_way and reasons == {"overstepped"} and not result["referee_id"]

    def contradiction(
        self, planned: Planned, result: Mapping[str, Json], scoring: Mapping[str, Json], *, under_way: bool
    ) -> str:
        """A sentence on a forfeit that does not follow; else empty."""
        self.defaults.add(planned.match_id)
        sitting = [player for player in planned.players if player in self.reasons]
        if not sitting:
            return "it was not played, and no player of it sits out"
        others = [player for player in planned.players if player not in sitting]
        rest = len(planned.players) - 1
        gains = scoring["win"] * len(sitting) + scoring["draw"] * (len(others) - 1)
        last = len(others) + 1
        places = {**dict.fromkeys(others, 1), **dict.fromkeys(sitting, last)}
        expected: dict[str, Json] = {
            "round_id": planned.round_id,
            "players": list(planned.players),
            "status": TECHNICAL_LOSS,
            "winner": others[0] if len(others) == 1 else None,
            "score": {
                player: scoring["technical_loss"] * rest if player in sitting else gains for player in planned.players
            },
            "referee_id": "",
            "details": {"places": places} if rest > 1 else {},
        }
        wrong = [name for name, value in expected.items() if result[name] != value]
        faults = [
            (fault["player_id"], fault["cause"]) for fault in cast(Sequence[Mapping[str, Json]], result["faults"])
        ]
        wrong += [] if faults == [(player, "sits_out") for player in sitting] else ["faults"]
        wrong += [name for name in ("lifecycle", "transcript", "substituted") if result.get(name)]
        if result.get("not_played", False) == self.overstepped(planned, result, under_way=under_way):
            wrong.append("not_played")
        return f"{listed(sitting)} sits out, and its {', '.join(wrong)} say otherwise" if wrong else ""


def _missed_every_try(fault: Mapping[str, Json]) -> bool:
    """True for a fault without any answer of the player, as its tries tell."""
    told = fault["evidence"].get("earlier")
    tries = cast(list[Json], told) if isinstance(told, list) else []
    causes = [cast(Mapping[str, Json], each).get("cause") for each in tries if isinstance(each, dict)]
    return fault["cause"] in _NO_ANSWER and all(cause in _NO_ANSWER for cause in causes)
