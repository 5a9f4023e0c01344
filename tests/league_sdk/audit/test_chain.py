"""The first record that was changed, removed, inserted or moved is named; a single flipped byte is enough."""

import json
import os
from dataclasses import replace
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from league_sdk.audit import Unreadable, audit, rows, rows_from_jsonl, to_jsonl
from league_sdk.audit import chain as chains
from league_sdk.audit.chain import digest_of, first_break
from league_sdk.domain.events import chain_digest
from tests.league_sdk.audit.leagues import LEAGUE, exported, games, league, look_at, resealed
from tests.requirements.marker import requirement

RECORDS = league(conduct={"R1M1": {"P01": "silent"}})
FILE = exported(RECORDS)
LINES = FILE.splitlines(keepends=True)
COUNT = len(RECORDS)
SOAK = "LEAGUE_SOAK" in os.environ

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


def chain(data):
    found = first_break(rows_from_jsonl(data), LEAGUE)
    assert found is not None
    return found


UNTOUCHED = {id(record): line for record, line in zip(RECORDS, LINES, strict=True)}


def as_lines(records):
    """An exported file; the lines of records that are as they were are taken from FILE."""
    return b"".join(UNTOUCHED.get(id(record)) or exported([record]) for record in records)


def test_records_that_are_as_they_were_have_the_lines_of_the_file():
    assert as_lines([replace(record) for record in RECORDS]) == as_lines(RECORDS) == FILE


def test_an_untouched_chain_holds():
    assert first_break(rows_from_jsonl(FILE), LEAGUE) is None


@given(st.text(), st.integers(1), st.dictionaries(st.text(), json_values, max_size=4))
def test_the_digest_is_the_one_that_the_league_seals_with(text, sequence, payload):
    row = replace(rows_from_jsonl(FILE)[0], league_id=text, sequence=sequence, at=text, type=text, payload=payload)
    try:
        expected = chain_digest(text, sequence, text, text, payload, row.previous)
    except UnicodeEncodeError:
        expected = None
    assert digest_of(row) == expected


@pytest.fixture
def remembered(monkeypatch):
    """Lines that are as they were are read once, and digested once: a flip costs what it has changed."""
    monkeypatch.setattr(rows, "_row_from_line", cache(rows._row_from_line))
    known = {id(row): (row, digest_of(row)) for row in rows_from_jsonl(FILE)}

    def digest(row):
        return known[id(row)][1] if id(row) in known else digest_of(row)

    monkeypatch.setattr(chains, "digest_of", digest)


@pytest.mark.parametrize("bit", range(8))
def test_no_byte_can_be_flipped_unnoticed(remembered, bit):
    """Every 32nd byte, in every bit."""
    for position in range(0, len(FILE), 8 if SOAK else 32):
        flipped = bytearray(FILE)
        flipped[position] ^= 1 << bit
        found = first_break(rows_from_jsonl(bytes(flipped)), LEAGUE)
        line = FILE.count(b"\n", 0, position) + 1
        assert found is not None, f"byte {position}, bit {bit}"
        assert found.record in (line, line - 1), f"byte {position}, bit {bit} is in line {line}, not {found}"


@requirement("project-LATER-01")
@settings(max_examples=3000 if SOAK else 80)
@given(st.data())
def test_no_byte_can_be_changed_to_another_unnoticed(data):
    position = data.draw(st.integers(0, len(FILE) - 1))
    value = data.draw(st.integers(0, 255).filter(lambda value: value != FILE[position]))
    changed = bytearray(FILE)
    changed[position] = value
    report = audit(rows_from_jsonl(bytes(changed)), games)
    assert not report.ok
    assert report.first_changed in (line := FILE.count(b"\n", 0, position) + 1, line - 1)


@settings(max_examples=2000 if SOAK else 60)
@given(st.data())
def test_no_byte_can_be_added_or_removed_unnoticed(data):
    position = data.draw(st.integers(0, len(FILE) - 1))
    more = data.draw(st.binary(max_size=2))
    changed = FILE[:position] + more + FILE[position + (0 if more else 1) :]
    assert not audit(rows_from_jsonl(changed), games).ok


def test_a_stage_that_lost_its_format_is_a_finding_and_ends_no_audit():
    changed = FILE.replace(b'"format":', b'"fomat":', 1)
    assert changed != FILE
    assert not audit(rows_from_jsonl(changed), games).ok


def test_a_changed_record_is_named(remembered):
    for number in range(1, COUNT + 1):
        record = json.loads(LINES[number - 1])
        record["payload"]["extra"] = True
        changed = json.dumps(record, separators=(",", ":")).encode() + b"\n"
        found = chain(b"".join([*LINES[: number - 1], changed, *LINES[number:]]))
        assert found.record == number
        assert found.message == "was changed: its content does not have the digest that it carries", number


def test_a_changed_record_with_a_digest_that_fits_is_named_by_the_one_after_it(remembered):
    for number in range(1, COUNT):
        record = replace(RECORDS[number - 1], at="2030-01-01T00:00:00.000Z")
        previous = RECORDS[number - 2].digest if number > 1 else RECORDS[0].previous
        digest = chain_digest(record.league_id, number, record.at, record.type, record.payload, previous)
        found = chain(as_lines([*RECORDS[: number - 1], replace(record, digest=digest), *RECORDS[number:]]))
        assert found.record == number
        assert f"record {number + 1} was written after another one" in found.message, number


def renumbered(records):
    return [replace(record, sequence=place) for place, record in enumerate(records, start=1)]


def test_a_removed_record_is_named(remembered):
    for number in range(1, COUNT):
        rest = [record for record in RECORDS if record.sequence != number]
        for forged in (rest, renumbered(rest)):
            found = chain(as_lines(forged))
            assert (found.record, "was removed" in found.message) == (number, True)


def test_several_removed_records_are_named():
    found = chain(b"".join(LINES[:4] + LINES[9:]))
    assert (found.record, found.message) == (
        5,
        "was removed: records 5 to 9 cannot be found, and record 10 stands in its place",
    )


def test_an_inserted_record_is_named(remembered):
    for number in range(1, COUNT + 1):
        before = RECORDS[number - 2] if number > 1 else None
        fields = {"sequence": number, "at": "2025-01-15T10:00:00.000Z", "previous": RECORDS[number - 1].previous}
        inserted = replace(before or RECORDS[0], **fields)
        digest = chain_digest(LEAGUE, number, inserted.at, inserted.type, inserted.payload, inserted.previous)
        more = [*RECORDS[: number - 1], replace(inserted, digest=digest), *RECORDS[number - 1 :]]
        for forged in (more, renumbered(more)):
            found = chain(as_lines(forged))
            assert found.record == number
            assert "was inserted" in found.message, number


def test_an_inserted_record_without_a_digest_of_its_own_is_named():
    forged = [*RECORDS[:5], replace(RECORDS[5], at="2030-01-01T00:00:00.000Z"), *RECORDS[5:]]
    found = chain(exported(forged))
    assert (found.record, "was inserted" in found.message) == (6, True)


def test_a_moved_record_is_named(remembered):
    for number in range(1, COUNT):
        other = [*RECORDS[: number - 1], RECORDS[number], RECORDS[number - 1], *RECORDS[number + 1 :]]
        for forged in (other, renumbered(other)):
            found = chain(as_lines(forged))
            assert (found.record, "was moved" in found.message) == (number, True)


def test_a_first_record_that_points_to_one_before_it_is_named():
    forged = replace(RECORDS[0], previous="1" * 64)
    digest = chain_digest(LEAGUE, 1, forged.at, forged.type, forged.payload, forged.previous)
    found = chain(exported([replace(forged, digest=digest), *RECORDS[1:]]))
    assert (found.record, "there is none" in found.message) == (1, True)


@pytest.mark.parametrize("number", [1, 2, COUNT // 2, COUNT - 1])
def test_records_cut_off_at_the_end_are_found_by_the_head_digest(number):
    cut = RECORDS[:number]
    assert look_at(cut, head=RECORDS[number - 1].digest).ok
    report = look_at(cut, head=RECORDS[-1].digest)
    assert [found.kind for found in report.findings] == ["chain"]
    assert "cut off" in report.findings[0].message


def test_records_cut_off_at_the_end_leave_a_league_that_is_not_complete():
    report = look_at(RECORDS[:-1])
    assert (report.ok, report.complete) == (True, False)
    assert "--head" in report.notes[0]


def test_a_log_that_has_grown_still_holds_the_head_digest_that_was_kept():
    report = look_at(RECORDS, head=RECORDS[9].digest)
    assert report.ok
    assert "record 10" in report.notes[0]


def test_a_log_written_anew_does_not_hold_the_head_digest_that_was_kept():
    anew = league(seed="8")
    assert look_at(anew).ok
    assert not look_at(anew, head=RECORDS[-1].digest).ok


def test_a_record_of_another_league_is_named():
    stranger = replace(RECORDS[4], league_id="winter")
    found = chain(exported([*RECORDS[:4], stranger, *RECORDS[5:]]))
    assert (found.record, "league 'winter'" in found.message) == (5, True)


def test_the_league_has_to_be_the_one_that_is_asked_for():
    assert not audit(rows_from_jsonl(FILE), games, league_id="winter").ok


def test_a_file_without_its_last_line_end_is_found():
    report = audit(rows_from_jsonl(FILE[:-1]), games)
    assert report.first_changed == COUNT
    assert "cut off" in report.findings[0].message


def test_an_empty_file_is_no_log():
    with pytest.raises(Unreadable, match="no record"):
        rows_from_jsonl(b"")


def test_no_records_at_all_are_a_finding():
    assert not audit([], games, league_id=LEAGUE).ok


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"7",
        b"[]",
        b"{}",
        b"nonsense",
        b"\xff\xfe",
        b'{"league_id":NaN}',
        b"[" * 5000,
        LINES[1].rstrip().replace(b'"sequence":2', b'"sequence":1e999'),
        LINES[1].rstrip().replace(b'"sequence":2', b'"sequence":' + b"2" * 5000),
        LINES[1].rstrip().replace(b'"sequence":2', b'"sequence":2.0'),
        LINES[1].rstrip().replace(b'"sequence":2', b'"sequence":true'),
        LINES[1].rstrip().replace(b'"sequence":2', b'"sequence":{}'),
        LINES[1].rstrip().replace(b'"at":"2025', b'"at":"\\ud800'),
        LINES[1].rstrip().replace(b'"previous":', b'"previous":null,"previous":'),
        LINES[1].rstrip() + b" ",
    ],
    ids=lambda line: str(line[:12]),
)
def test_whatever_stands_in_a_line_is_a_finding_and_no_crash(line):
    changed = b"".join([LINES[0], line + b"\n", *LINES[2:]])
    assert changed != FILE
    report = audit(rows_from_jsonl(changed), games)
    assert report.first_changed == 2


def test_the_same_json_in_other_bytes_is_found():
    changed = FILE.replace(b"\\u00c4", b"\\u00C4", 1)
    assert json.loads(changed.splitlines()[3]) == json.loads(LINES[3])
    report = audit(rows_from_jsonl(changed), games)
    assert report.first_changed == 4
    assert "not written as an export writes it" in report.findings[0].message


@settings(max_examples=1000 if SOAK else 10)
@given(json_values)
@pytest.mark.parametrize("number", [1, 5, 9, 13, COUNT])
def test_whatever_stands_in_a_payload_is_a_finding_and_no_crash(number, value):
    forged = resealed([replace(r, payload=value) if r.sequence == number else r for r in RECORDS])
    assert not audit(rows_from_jsonl(to_jsonl(rows_from_jsonl(exported(forged)))), games).ok


def test_a_damaged_record_is_not_exported():
    with pytest.raises(Unreadable, match="record 2 is damaged"):
        to_jsonl(rows_from_jsonl(b"".join([LINES[0], b"nonsense\n", *LINES[2:]])))


def test_what_is_exported_is_what_was_read():
    assert to_jsonl(rows_from_jsonl(FILE)) == FILE
