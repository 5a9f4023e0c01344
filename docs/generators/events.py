"""Write docs/reference/events.md from the classes of the events."""

import dataclasses
import typing
from pathlib import Path
from typing import Any

from docs.generators.tables import parts, plain_type, table
from league_sdk.domain.events import EVENT_TYPES, Record

TARGET = Path(__file__).resolve().parents[1] / "reference" / "events.md"

HEAD = """\
# Events

Made by `docs/generators/events.py` from `league_sdk/domain/events.py`; change that, not this page.

What happened in a league is an append-only list of events, and nothing else: the state of a league is what they add up
to. `league audit --export FILE` writes them, one JSON object per line.
"""


def render() -> str:
    """The page as Markdown."""
    hints = typing.get_type_hints(Record)
    about = parts(Record)[1]["Attributes"]
    record = [(f"`{name}`", plain_type(hints[name]), text) for name, text in about.items()]
    pages = [HEAD, "## A record\n", "Each event is stored in one of these.\n", table(("field", "type", "what"), record)]
    pages.append("## The events\n")
    pages += [_section(event, "###") for event in EVENT_TYPES.values()]
    pages.append("## What is in them\n")
    pages += [_section(kind, "###") for kind in _inside()]
    return "\n".join(pages)


def _inside() -> list[type]:
    """Every dataclass that an event has in it, at whatever depth, in the order of their use."""
    found: dict[type, None] = {}
    waiting: list[Any] = list(EVENT_TYPES.values())
    while waiting:
        kind = waiting.pop(0)
        for annotation in typing.get_type_hints(kind).values():
            for inner in (annotation, *typing.get_args(annotation)):
                if dataclasses.is_dataclass(inner) and isinstance(inner, type) and inner not in found:
                    found[inner] = None
                    waiting.append(inner)
    return list(found)


def _section(kind: type, level: str) -> str:
    text, sections = parts(kind)
    about = sections.get("Attributes", {})
    hints = typing.get_type_hints(kind)
    rows = [
        (f"`{field.name}`", plain_type(hints[field.name]), about.get(field.name, ""))
        for field in dataclasses.fields(kind)
    ]
    fields = table(("field", "type", "what"), rows) if rows else "No fields.\n"
    return f"{level} {kind.__name__}\n\n{text}\n\n{fields}"
