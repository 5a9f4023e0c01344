"""Words for sitting out, its reasons and its ends."""

from collections.abc import Mapping

from league_sdk.domain.participants.sitting_out import LiftedBy, SittingOutReason

SITTING_OUT: Mapping[SittingOutReason, str] = {
    SittingOutReason.ABSENT: ", absent",
    SittingOutReason.CRASHED: " since it crashed",
    SittingOutReason.OVERSTEPPED: " since it used more than it may",
    SittingOutReason.OPERATOR: ", by the operator",
}
"""The words behind "sits out", by its reason."""

UNTIL_REJOIN: Mapping[SittingOutReason, str] = {
    SittingOutReason.ABSENT: "It plays again once it calls the league, or answers; the league asks it every round.",
    SittingOutReason.CRASHED: "It plays again in a new version, or when the operator lets it.",
    SittingOutReason.OVERSTEPPED: "It plays again in a new version, or when the operator lets it.",
    SittingOutReason.OPERATOR: "It plays again when the operator lets it.",
}
"""The end of sitting out, in a sentence, by its reason."""

WHY: Mapping[SittingOutReason, str] = {
    SittingOutReason.ABSENT: "it answered no try of a call in several matches running",
    SittingOutReason.CRASHED: "it crashed",
    SittingOutReason.OVERSTEPPED: "it used more than it may",
    SittingOutReason.OPERATOR: "by the operator",
}
"""The reasons, in a clause."""

REJOINED: Mapping[LiftedBy, str] = {
    LiftedBy.CALL: ": it called the league",
    LiftedBy.PROBE: ": it answers again",
    LiftedBy.NEW_VERSION: ", in a new version",
    LiftedBy.OPERATOR: ", by the operator",
}
"""The words behind "plays again", by the end of sitting out."""
