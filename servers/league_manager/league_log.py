"""The league log: the lines of stored events."""

from collections.abc import Sequence

from league_sdk.domain.events import Record
from league_sdk.domain.league import League
from league_sdk.ports import Journal
from servers.read_model import brief
from servers.read_model.event_text import log_lines


def log_records(journal: Journal, league: League, records: Sequence[Record]) -> None:
    """Write the lines of each record to the league log."""
    for record in records:
        for event_type, level, details in log_lines(league, brief(record).event):
            journal.event(event_type, level, **details)
