"""The feed of a league: a public one, and one for its operator."""

from dataclasses import dataclass, field, replace

from league_sdk.domain.events import Record
from league_sdk.domain.league import League
from servers.read_model.event_text import event_text
from servers.read_model.spans import TextSpan


@dataclass(frozen=True, slots=True)
class FeedEntry:
    """Something that happened."""

    sequence: int  # the number of its record
    at: str  # ISO 8601 in UTC
    kind: str  # as of `EventText`
    text: str  # the sentence; it may hold what agents said
    # the same in parts; empty where it came from elsewhere
    spans: tuple[TextSpan, ...] = field(default=(), compare=False)


def feed_entry(league: League, record: Record) -> FeedEntry | None:
    """The feed's entry of a record, or None; the league may be further on already."""
    told = event_text(league, record.event)
    if told is None:
        return None
    spans = told.sentence
    return FeedEntry(record.sequence, record.at, told.kind, "".join(span.text for span in spans), spans)


def operator_entry(league: League, record: Record) -> FeedEntry | None:
    """The operator's feed entry: with agents' ids and reasons kept from the public."""
    told = event_text(league, record.event)
    return None if told is None else FeedEntry(record.sequence, record.at, told.kind, told.line)


def brief(record: Record) -> Record:
    """A record without transcripts and the whole schedule, which the feed ignores."""
    match record.type:
        case "MatchRecorded":
            whole = record.payload["result"]
            result = {name: value for name, value in whole.items() if name not in _LEFT_OUT}
            places = {"places": whole["details"]["places"]} if "places" in whole.get("details", {}) else {}
            return replace(record, payload={"result": {**result, "details": places}})
        case "ScheduleCreated":
            return replace(record, payload={**record.payload, "rounds": []})
        case _:
            return record


_LEFT_OUT = frozenset(("details", "faults", "lifecycle", "transcript"))
