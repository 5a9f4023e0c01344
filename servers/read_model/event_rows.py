"""Row of the table of events: text, and lines of the league log."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

from league_sdk.domain.league import League
from servers.read_model.spans import EventText

LogLine: TypeAlias = tuple[str, str, dict[str, Any]]
"""A line of the league log: event type, level and details."""


@dataclass(frozen=True, slots=True)
class EventRow:
    """One kind of event: its text, and its lines of the league log."""

    text: Callable[[League, Any], EventText | None]
    log: Callable[[League, Any], list[LogLine]]


def info(event_type: str, **details: Any) -> list[LogLine]:
    return [(event_type, "INFO", details)]


def warning(event_type: str, **details: Any) -> list[LogLine]:
    return [(event_type, "WARNING", details)]
