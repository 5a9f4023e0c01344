"""The times of records: none should be earlier than its predecessor's."""

from collections.abc import Iterator, Sequence
from datetime import datetime

from league_sdk.audit.findings import DOUBTFUL, Finding
from league_sdk.audit.rows import Row
from league_sdk.json_value import Json


def backwards(rows: Sequence[Row]) -> Iterator[Finding]:
    """Records whose times run backwards, and those with an invalid time.

    A time that runs backwards is doubtful rather than changed: a machine whose clock is set back, or on which a league
    is resumed that ran elsewhere, writes such records honestly, and the records cannot tell the two apart.
    """
    before: datetime | None = None
    for row in rows:
        at = _time(row.at)
        if at is None:
            yield Finding("time", f"its time {row.at!r} is no time in UTC", row.place)
            continue
        if before is not None and at < before:
            seconds = (before - at).total_seconds()
            message = (
                f"its time {row.at} is {seconds:.3f} s before that of the record before it: the clock was set back, or"
            )
            yield Finding("time", f"{message} times were changed", row.place, severity=DOUBTFUL)
        before = at


def _time(told: Json) -> datetime | None:
    try:
        at = datetime.fromisoformat(told)
    except (ValueError, TypeError):
        return None
    return None if at.tzinfo is None else at
