"""Text of events of a league's lead: token, plan, read-only records, epoch."""

from collections.abc import Mapping

from league_sdk.domain import events
from league_sdk.domain.league import League
from servers.read_model.event_rows import EventRow, info, warning
from servers.read_model.spans import EventText, say

_READ_ONLY = {"restored": "these records were restored from a backup", "archived": "the records were archived"}


def _token_changed(_: League, event: events.OperatorTokenChanged) -> EventText | None:
    if event.how == "kept":
        return None
    under = "under the one before" if event.how == "rotated" else "without the one before"
    return say("league", f"the operator's token was changed {under}; agents register again")


def _made_read_only(_: League, event: events.MadeReadOnly) -> EventText:
    return say("league", f"{_READ_ONLY[event.reason]}, and no manager leads them until the operator says so")


def _epoch_begun(_: League, event: events.EpochBegun) -> EventText:
    return say("league", f"epoch {event.number} begins: older managers of this league lead it no more")


LEADERSHIP: Mapping[type, EventRow] = {
    events.OperatorTokenChanged: EventRow(
        _token_changed, lambda _, e: warning("OPERATOR_TOKEN_CHANGED", how=e.how, digest=e.digest)
    ),
    events.RunPlanned: EventRow(lambda _league, _event: None, lambda _league, _event: info("RUN_PLANNED")),
    events.MadeReadOnly: EventRow(
        _made_read_only, lambda _, e: warning("MADE_READ_ONLY", reason=e.reason, manager=e.manager)
    ),
    events.EpochBegun: EventRow(_epoch_begun, lambda _, e: warning("EPOCH_BEGUN", number=e.number, id=e.id)),
}
