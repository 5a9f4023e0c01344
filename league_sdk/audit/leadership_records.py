"""Operator's token, plan, read-only records and epochs of a recorded league."""

from league_sdk.audit.recorded_league import Payload, RecordedLeague
from league_sdk.audit.rows import Row

_ANYTIME = ("MadeReadOnly", "EpochBegun")
_WITHOUT_PROOF = "the operator's token was changed without the one before: whoever did it could write to the store"


def overdue(recorded: RecordedLeague, row: Row) -> str:
    """The fault of a record that was added to read-only ones; empty without."""
    if not recorded.read_only or row.type in _ANYTIME:
        return ""
    return f"{row.type} was added to records that were {recorded.read_only}, and read-only"


def operator_token_changed(recorded: RecordedLeague, row: Row, payload: Payload) -> None:
    how = payload["how"]
    if how not in ("kept", "rotated", "lost") or not payload["digest"]:
        raise ValueError(f"the operator's token is changed, and its digest or how ({how!r}) is none of a manager's")
    if how == "kept" and recorded.operator_digest:
        recorded.fault("course", "the operator's token is recorded as if none had been before", row)
    if how == "lost":
        recorded.notes.append(f"record {row.place}: {_WITHOUT_PROOF}")
    recorded.operator_digest = payload["digest"]


def run_planned(recorded: RecordedLeague, _row: Row, payload: Payload) -> None:
    recorded.plan = payload["plan"]


def made_read_only(recorded: RecordedLeague, row: Row, payload: Payload) -> None:
    if payload["reason"] not in ("restored", "archived"):
        raise ValueError(f"the records are read-only, and the reason is {payload['reason']!r}")
    recorded.read_only = payload["reason"]
    recorded.notes.append(f"record {row.place}: the records were {recorded.read_only}, and are read-only from there on")


def epoch_begun(recorded: RecordedLeague, row: Row, payload: Payload) -> None:
    number = payload["number"]
    if number != recorded.epoch + 1 or not payload["id"] or not recorded.read_only:
        told = f"epoch {number} begins after epoch {recorded.epoch}, and the records are {recorded.read_only or 'led'}"
        recorded.fault("course", told, row)
    recorded.epoch, recorded.read_only = number, ""
    recorded.notes.append(
        f"record {row.place}: the operator let a manager lead again, in epoch {number}: records that an older one may "
        "have added elsewhere are not in this league"
    )
