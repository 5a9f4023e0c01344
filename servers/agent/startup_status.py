"""Status reports of an agent to its starter: one JSON object per line."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeAlias

from league_sdk.domain.events import Record

Report: TypeAlias = Mapping[str, Any]
"""`kind` says what it is: `listening`, `waiting`, `registered`, `record`, `match`, `waits`, `note` or `failed`."""

ReportTo: TypeAlias = Callable[[Report], None]


def listening(endpoint: str) -> Report:
    """The agent can be called at `endpoint`."""
    return {"kind": "listening", "endpoint": endpoint}


def waiting(text: str) -> Report:
    return {"kind": "waiting", "text": text}


def registered(agent_id: str, league_id: str) -> Report:
    return {"kind": "registered", "agent_id": agent_id, "league_id": league_id}


def recorded(record: Record, *, replayed: bool = False) -> Report:
    """An event was stored; `replayed`, when that was before the agent started."""
    return {
        "kind": "record",
        "replayed": replayed,
        "record": {
            "league_id": record.league_id,
            "sequence": record.sequence,
            "at": record.at,
            "type": record.type,
            "payload": dict(record.payload),
            "previous": record.previous,
            "digest": record.digest,
        },
    }


def all_recorded(report: ReportTo, records: Iterable[Record], *, replayed: bool = False) -> None:
    """Tell of several events, in order."""
    for record in records:
        report(recorded(record, replayed=replayed))


def match_news(text: str) -> Report:
    """Report of a match result to the one who plays it."""
    return {"kind": "match", "text": text}


def waits(lines: Iterable[tuple[str, str]]) -> Report:
    """All that matches wait for now: sentences, and the ends of the time that runs."""
    return {"kind": "waits", "lines": [list(line) for line in lines]}


def note(text: str) -> Report:
    return {"kind": "note", "text": text}


def failed(text: str) -> Report:
    """The agent cannot continue; the text says why and what to do."""
    return {"kind": "failed", "text": text}
