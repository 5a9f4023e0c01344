"""Words for sitting out, its reasons and its ends."""

from collections.abc import Mapping

from league_sdk.domain.sitting_out import LiftedBy, SittingOutReason

SITTING_OUT: Mapping[SittingOutReason, str] = {
    SittingOutReason.ABSENT: ", absent",
    SittingOutReason.CRASHED: " since it crashed",
    SittingOutReason.OVERSTEPPED: " since it used more than it may",
    SittingOutReason.OPERATOR: ", by the operator",
}
"""The words behind "sits out", by its reason."""

REJOINED: Mapping[LiftedBy, str] = {
    LiftedBy.CALL: ": it called the league",
    LiftedBy.PROBE: ": it answers again",
    LiftedBy.NEW_VERSION: ", in a new version",
    LiftedBy.OPERATOR: ", by the operator",
}
"""The words behind "plays again", by the end of sitting out."""
