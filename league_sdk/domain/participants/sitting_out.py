"""Sitting out: an entry stays in the league, and its matches are not played.

One mechanism for every cause. `SittingOutReason` says why, `LIFTED_BY` who may end it. Formats that choose the pairs of
a round leave such a player out; a match that is settled beforehand is a forfeit that is *not played*: it brings the
points of a technical loss, and tie-breaks and ratings leave it out.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import cast

from league_sdk.domain.matches.causes import ABSENCES
from league_sdk.domain.model import Fault, MatchResult
from league_sdk.json_value import Json


class SittingOutReason(StrEnum):
    """Reasons for sitting out, from the weakest: a later one replaces an earlier one."""

    ABSENT = "absent"
    """It missed every try of one call in several matches running."""
    CRASHED = "crashed"
    OVERSTEPPED = "overstepped"
    """It used more than it was allowed."""
    OPERATOR = "operator"

    def outweighs(self, other: "SittingOutReason") -> bool:
        """True if it replaces `other`."""
        order = tuple(SittingOutReason)
        return order.index(self) > order.index(other)


class LiftedBy(StrEnum):
    """The ends of sitting out."""

    CALL = "call"
    """An authenticated call of the player's own."""
    PROBE = "probe"
    """The player's answer to a notice of the league."""
    NEW_VERSION = "new_version"
    OPERATOR = "operator"


LIFTED_BY: Mapping[SittingOutReason, frozenset[LiftedBy]] = MappingProxyType(
    {
        SittingOutReason.ABSENT: frozenset({LiftedBy.CALL, LiftedBy.PROBE, LiftedBy.NEW_VERSION, LiftedBy.OPERATOR}),
        SittingOutReason.CRASHED: frozenset({LiftedBy.NEW_VERSION, LiftedBy.OPERATOR}),
        SittingOutReason.OVERSTEPPED: frozenset({LiftedBy.NEW_VERSION, LiftedBy.OPERATOR}),
        SittingOutReason.OPERATOR: frozenset({LiftedBy.OPERATOR}),
    }
)
"""The ends of sitting out, by its reason."""


@dataclass(frozen=True, slots=True)
class SittingOut:
    """The state of a player that sits out.

    Attributes:
        reason: The reason.
        detail: More about it, for a person; may be empty.
        after_round: The number of rounds that had begun.
    """

    reason: SittingOutReason
    detail: str = ""
    after_round: int = 0


def is_absence(fault: Fault) -> bool:
    """True if the player missed every try of the call: it gave no answer at all.

    A referee that knows only the required fields tells the last try alone.
    """
    earlier = fault.evidence.get("earlier")
    tries = cast(list[Json], earlier) if isinstance(earlier, list | tuple) else []
    causes = [cast(Mapping[str, Json], each).get("cause") for each in tries if isinstance(each, Mapping)]
    return fault.cause in ABSENCES and all(cause in ABSENCES for cause in causes)


def absences_after(absences: Mapping[str, tuple[str, ...]], result: MatchResult) -> Mapping[str, tuple[str, ...]]:
    """The matches that each player was absent from, running, after one more result.

    A match in which it was there starts the count anew. One that the league decided without a referee tells nothing.
    """
    if not result.referee_id:
        return absences
    missing = {fault.player_id for fault in result.faults if is_absence(fault)}
    there = [player for player in result.players if player not in missing and player in absences]
    if not missing and not there:
        return absences
    kept = {player: matches for player, matches in absences.items() if player not in there}
    return kept | {player: (*absences.get(player, ()), result.match_id) for player in missing}
