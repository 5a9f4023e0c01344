"""Raw records, not trusted yet: columns of a table, or lines of a file.

An exported file has one record a line: a JSON object with the fields of `FIELDS` in that order, ASCII only, no spaces,
ended by a line feed. That form is checked too, so that no byte can change unnoticed: JSON could say the same in other
bytes.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import cast

from league_sdk.json_value import Json

FIELDS = ("league_id", "sequence", "at", "type", "payload", "previous", "digest")
TEXTS = ("league_id", "at", "type", "previous", "digest")
RECORDED = "MatchRecorded"


class Unreadable(Exception):
    """The input cannot be read as records at all; the message says why."""


@dataclass(frozen=True, slots=True)
class Row:
    """A record as found, unchecked."""

    place: int  # from 1
    league_id: Json = None
    sequence: Json = None
    at: Json = None
    type: Json = None
    payload: Json = None
    previous: Json = None
    digest: Json = None
    flaw: str | None = None  # in its written form


_ENCODER = json.JSONEncoder(separators=(",", ":"), allow_nan=False)


def compact(value: Json) -> str:
    """JSON as records are stored: ASCII, no spaces, keys in their order."""
    return _ENCODER.encode(value)


def parsed(text: str | bytes) -> Json:
    """Parse strict JSON; ValueError if it is invalid or nested too deeply."""
    try:
        return json.loads(text, parse_constant=_refuse)
    except RecursionError as error:
        raise ValueError("nested too deep") from error


def _refuse(name: str) -> Json:
    raise ValueError(f"{name} is not JSON")


def rows_from_columns(columns: Iterable[Mapping[str, Json]]) -> list[Row]:
    """Rows of the table of events, in order; the payload column as its text."""
    return [_row_from_columns(place, row) for place, row in enumerate(columns, start=1)]


def _row_from_columns(place: int, row: Mapping[str, Json]) -> Row:
    values = {name: row.get(name) for name in FIELDS if name != "payload"}
    text, payload, flaw = row.get("payload"), None, None
    try:
        if not isinstance(text, str):
            raise ValueError("is not text")
        payload = parsed(text)
        if compact(payload) != text:
            flaw = "the payload is not written as the store writes it"
    except ValueError as error:
        flaw = f"the payload cannot be read: {error}"
    if flaw is None and row.get("recorded_match") != _recorded(row.get("type"), payload):
        flaw = f"its column recorded_match is {row.get('recorded_match')!r}, which is not what the payload says"
    return Row(place, payload=payload, flaw=_column_flaw(values) or flaw, **values)


def _column_flaw(values: Mapping[str, Json]) -> str | None:
    for name in TEXTS:
        if not isinstance(values[name], str):
            return f"its column {name} is not text"
    return None if type(values["sequence"]) is int else "its column sequence is not a whole number"


def _recorded(kind: Json, payload: Json) -> Json:
    """The match that a row is the only result of."""
    if kind != RECORDED or not isinstance(payload, Mapping):
        return None
    result = cast(Mapping[str, Json], payload).get("result")
    return cast(Mapping[str, Json], result).get("match_id") if isinstance(result, Mapping) else None


def rows_from_jsonl(data: bytes) -> list[Row]:
    """The records in an exported file's content; Unreadable if it is empty."""
    if not data:
        raise Unreadable("there is no record in it")
    lines = data.split(b"\n")
    last = lines.pop()
    rows = [_row_from_line(place, line) for place, line in enumerate(lines, start=1)]
    if last:
        place = len(rows) + 1
        rows.append(Row(place, flaw="the line is cut off: it has no end") if rows else _row_from_line(place, last))
    return rows


def _row_from_line(place: int, line: bytes) -> Row:
    try:
        found = parsed(line)
    except ValueError as error:
        return Row(place, flaw=f"the line is not JSON: {error}")
    if not isinstance(found, dict):
        return Row(place, flaw="the line is not a JSON object")
    values = cast(dict[str, Json], found)
    flaw = None
    if tuple(values) != FIELDS:
        flaw = f"the line does not have the fields {', '.join(FIELDS)}, in this order"
    elif _written(values) != line:
        flaw = "the line is not written as an export writes it"
    return Row(place, flaw=flaw, **{name: values.get(name) for name in FIELDS})


def _written(values: Json) -> bytes | None:
    try:
        return compact(values).encode()
    except ValueError:
        return None


def to_jsonl(rows: Iterable[Row]) -> bytes:
    """Records in the form of an exported file; Unreadable if one is damaged."""
    lines: list[str] = []
    for row in rows:
        if row.flaw is not None:
            raise Unreadable(f"record {row.place} is damaged: {row.flaw}")
        lines.append(compact({name: getattr(row, name) for name in FIELDS}) + "\n")
    return "".join(lines).encode()
