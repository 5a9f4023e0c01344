"""Evidence that a referee leaves of a match: commitment, reveal, transcript."""

from collections.abc import Iterator, Mapping, Sequence
from typing import cast

from league_sdk.audit.findings import CHANGED, DOUBTFUL, Finding
from league_sdk.audit.recorded_league import Payload, RecordedLeague
from league_sdk.audit.rows import Row
from league_sdk.audit.table import TECHNICAL_LOSS, Decided
from league_sdk.json_value import Json
from league_sdk.names import listed

SINCE: Mapping[str, int] = {
    "AgentsExpected": 2,
    "DrawCommitted": 2,
}
"""The first version of the format that has a type of event, where today's release adds none to leagues before it.

Orders of the operator are not among them: a league of format 1 that today's release resumes takes them too.
"""
_GONE = ("name_not_found", "connection_refused", "connection_dropped")
OMITTED = "its referee left the evidence out, since the report with it was refused"


def committed(recorded: RecordedLeague, row: Row, payload: Payload) -> None:
    """Take the event of a commitment: one for each attempt, before its result."""
    match_id, attempt, commitment = payload["match_id"], payload["attempt"], payload["commitment"]
    if not isinstance(commitment, str) or not commitment:
        raise TypeError("a commitment has to be text")
    if recorded.assigned.get(match_id, ("", 0))[1] != attempt:
        recorded.fault("draw", f"a draw of attempt {attempt!r} is committed to, which was not assigned", row, match_id)
    elif match_id in recorded.decided or match_id in recorded.void:
        recorded.fault("draw", "its draw is committed to after it was decided", row, match_id)
    elif (match_id, attempt) in recorded.commitments:
        recorded.fault("draw", "its draw is committed to a second time", row, match_id)
    else:
        recorded.commitments[match_id, attempt] = commitment


def evidence_findings(recorded: RecordedLeague, match: Decided) -> Iterator[Finding]:
    """Compare a match with its commitment, and doubt what nothing is shown of."""
    told = [*_draw(recorded, match), *_loss(recorded, match), *_gone(recorded, match)]
    for kind, message, severity in told:
        yield Finding(kind, message, match.record, match.match_id, severity)


def _draw(recorded: RecordedLeague, match: Decided) -> Iterator[tuple[str, str, str]]:
    commitment = recorded.commitments.get((match.match_id, match.result["attempt"]))
    if commitment is None:
        return
    reveal, details = match.result["details"].get("draw"), match.result["details"]
    published = [entry["draw_commitment"] for entry in _entries(match) if entry.get("draw_commitment") is not None]
    if isinstance(reveal, Mapping):
        published.append(cast(Mapping[str, Json], reveal).get("commitment"))
    elif details.get("evidence_omitted"):
        yield "draw", f"its referee committed to a draw and revealed none: {OMITTED}", DOUBTFUL
    else:
        yield "draw", "its referee committed to a draw, and revealed none", CHANGED
    if any(shown != commitment for shown in published):
        yield "draw", "its referee had committed to another draw before the players were invited", CHANGED


def _loss(recorded: RecordedLeague, match: Decided) -> Iterator[tuple[str, str, str]]:
    """Doubt a technical loss that only its referee's word speaks for."""
    referee = match.result["referee_id"]
    if recorded.format_version < 2 or match.status != TECHNICAL_LOSS or _entries(match) or not referee:
        return
    blamed = [player for player in match.players if player in match.guilty]
    message = f"{listed(blamed)} lost it by {referee}'s word alone: it has no transcript"
    if match.result["details"].get("evidence_omitted"):
        message += f"; {OMITTED}"
    for player in blamed:
        if elsewhere := _answered_in(recorded, match, player):
            message += f"; {player} answered meanwhile in {listed(elsewhere)}"
    yield "blame", message, DOUBTFUL


def _gone(recorded: RecordedLeague, match: Decided) -> Iterator[tuple[str, str, str]]:
    """Look for the match in which a player was gone that was given one try alone."""
    for fault in cast(Sequence[Mapping[str, Json]], match.result["faults"]):
        player, named = fault["player_id"], fault["evidence"].get("gone_in")
        if named is None:
            continue
        before = [
            other
            for other in recorded.decided.values()
            if other.record < match.record and player in other.players and other.result["referee_id"]
        ]
        last = before[-1] if before else None
        if last is None or last.match_id != named or not _was_gone(last, player):
            message = (
                f"{player} had one try, since it was gone at its last match, {named}: the record doesn't show that"
            )
            yield "blame", message, CHANGED


def _was_gone(match: Decided, player: Json) -> bool:
    faults = cast(Sequence[Mapping[str, Json]], match.result["faults"])
    return any(fault["player_id"] == player and fault["cause"] in _GONE for fault in faults)


def _answered_in(recorded: RecordedLeague, match: Decided, player: str) -> list[str]:
    """Other matches in which a player answered while this one lasted."""
    since, until = recorded.assigned_at.get(match.match_id, ""), match.at
    return [
        other.match_id
        for other in recorded.decided.values()
        if other.match_id != match.match_id and player in other.players
        if any(
            entry.get("from") == player and "error_code" not in entry and since <= str(entry.get("timestamp")) <= until
            for entry in _entries(other)
        )
    ]


def _entries(match: Decided) -> list[Mapping[str, Json]]:
    return [entry for entry in match.result["transcript"] if isinstance(entry, Mapping)]
