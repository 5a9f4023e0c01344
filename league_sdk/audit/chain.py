"""The hash chain: every record carries its predecessor's digest and its own.

    digest = SHA-256 of the JSON array [league_id, sequence, at, type, payload, previous]

written with sorted keys, without spaces, in UTF-8, and given in lower-case hexadecimal. The first record's `previous`
is 64 zeros.
"""

import hashlib
import json
from collections.abc import Iterable, Iterator, Sequence

from league_sdk.audit.findings import CHAIN, Finding
from league_sdk.audit.rows import Row
from league_sdk.json_value import Json

BEFORE_THE_FIRST = "0" * 64
_NEAR = 64  # range of numbers that are tried to find a misnumbered record's true number
_ENCODER = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def digest_of(row: Row) -> str | None:
    """A record's correct digest; None if its content cannot be hashed."""
    return next(_digests(row, [row.sequence]), None)


def _digests(row: Row, numbers: Iterable[Json]) -> Iterator[str]:
    """A record's digest under each of these numbers, encoding the rest once."""
    try:
        before = hashlib.sha256(f"[{_text(row.league_id)},".encode())
        after = f",{_text([row.at, row.type, row.payload, row.previous])[1:]}".encode()
        for number in numbers:
            whole = before.copy()
            whole.update(_text(number).encode() + after)
            yield whole.hexdigest()
    except (TypeError, ValueError):  # a UnicodeEncodeError is a ValueError
        return


def _text(value: Json) -> str:
    return str(value) if type(value) is int else _ENCODER.encode(value)


def first_break(rows: Sequence[Row], league_id: str) -> Finding | None:
    """The first record that was changed, removed, inserted or moved; else None."""
    previous = BEFORE_THE_FIRST
    for number, row in enumerate(rows, start=1):
        if row.flaw is not None:
            return _found(number, f"was changed: {row.flaw}")
        if row.league_id != league_id:
            return _found(number, f"was changed: it is of league {row.league_id!r}, not {league_id!r}")
        if type(row.sequence) is int and row.sequence == number and row.previous == previous:
            if row.digest != digest_of(row):
                return _changed(rows, number)
        else:
            return _out_of_place(rows, number, row)
        previous = str(row.digest)
    return None


def _changed(rows: Sequence[Row], number: int) -> Finding:
    """Explain a record whose content does not match its digest."""
    row = rows[number - 1]
    if number < len(rows):
        follower = rows[number]
        if _true_number(follower) == number and follower.previous == row.previous:
            return _found(number, "was inserted: the record that was written with this number follows it")
    return _found(number, "was changed: its content does not have the digest that it carries")


def _out_of_place(rows: Sequence[Row], number: int, row: Row) -> Finding:
    """Explain a record that does not continue the one before it."""
    written_as = _true_number(row)
    if written_as is None:
        return _found(number, "was changed: its content does not have the digest that it carries")
    if written_as != number:
        return _moved(rows, number, written_as)
    if number == 1:
        return _found(1, "was changed: it points back to a record before it, and there is none")
    return _found(number - 1, f"was changed: record {number} was written after another one, and says so")


def _moved(rows: Sequence[Row], number: int, written_as: int) -> Finding:
    if written_as < number:
        return _found(written_as, f"was inserted: records {written_as} and {number} were both written with its number")
    rest = rows[number:]
    if any(_true_number(row) == number for row in rest):
        return _found(number, f"was moved: record {written_as} stands in its place")
    missing = f"record {number}" if written_as == number + 1 else f"records {number} to {written_as - 1}"
    return _found(number, f"was removed: {missing} cannot be found, and record {written_as} stands in its place")


def _true_number(row: Row) -> int | None:
    """The number under which a record was written, by its digest; None if changed."""
    if row.flaw is not None or type(row.sequence) is not int:
        return None
    near = [row.sequence + sign * step for step in range(_NEAR) for sign in (1, -1)]
    pairs = zip(near, _digests(row, near), strict=False)
    return next((number for number, digest in pairs if row.digest == digest), None)


def _found(number: int, message: str) -> Finding:
    return Finding(CHAIN, message, record=number)
