"""Independent auditor: recomputes a league from its raw records.

It imports neither the league's logic, nor its protocol, nor its stores. Digests, chance, draws, points and standings
are written a second time, from their documentation; only the rules of the game are shared, through the `Game` port.
"""

from league_sdk.audit.auditor import audit
from league_sdk.audit.findings import Finding, Report
from league_sdk.audit.newer import newer
from league_sdk.audit.rows import Row, Unreadable, rows_from_columns, rows_from_jsonl, to_jsonl
from league_sdk.audit.sqlite import rows_from_sqlite

__all__ = [
    "Finding",
    "Report",
    "Row",
    "Unreadable",
    "audit",
    "newer",
    "rows_from_columns",
    "rows_from_jsonl",
    "rows_from_sqlite",
    "to_jsonl",
]
