"""Records of a newer release, which this audit can't judge."""

from collections.abc import Sequence
from contextlib import suppress

from league_sdk.audit.chain import first_break
from league_sdk.audit.course import EVENT_TYPES
from league_sdk.audit.findings import MALFORMED
from league_sdk.audit.rows import Row
from league_sdk.json_value import Json
from league_sdk.release import release

READS = 2
"""The last version of the records' format that this audit knows."""


def newer(rows: Sequence[Row], league_id: str) -> str:
    """A sentence about records of a newer release; empty without any.

    Records that don't fit their chain were changed, and say nothing of a release.
    """
    if not rows or first_break(rows, league_id) is not None:
        return ""
    version: Json = 1
    with suppress(*MALFORMED):
        version = rows[0].payload["format_version"]
    version = version if isinstance(version, int) else 1
    unknown = next((row for row in rows if row.type not in EVENT_TYPES), None)
    if version <= READS and unknown is None:
        return ""
    why = "they say so themselves" if unknown is None else f"record {unknown.place} is a {unknown.type}, unknown here"
    return (
        f"the records were written by a newer release: {why}. They are of format {version}, and this release "
        f"({release()}) audits formats up to {READS}; update it to the release that wrote them"
    )
