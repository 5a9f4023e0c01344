"""Records of a league's lead, as the audit judges them."""

from dataclasses import replace
from typing import Any

import pytest

from league_sdk.domain.events import Record
from tests.league_sdk.audit.leagues import league, look_at, resealed

RECORDS = league()
HALF = len(RECORDS) // 2
MADE = ("MadeReadOnly", {"reason": "restored", "manager": ""})
BEGUN = ("EpochBegun", {"number": 1, "id": "random"})


def with_events(place: int, *added: tuple[str, dict[str, Any]]) -> list[Record]:
    """The records of a league with others in their middle."""
    made = [replace(RECORDS[place - 1], type=kind, payload=payload) for kind, payload in added]
    return resealed([*RECORDS[:place], *made, *RECORDS[place:]])


def test_a_league_that_was_restored_and_led_on_is_sound_and_both_are_noted():
    report = look_at(with_events(HALF, MADE, BEGUN))
    assert report.findings == []
    notes = [note for note in report.notes if f"record {HALF + 1}:" in note or f"record {HALF + 2}:" in note]
    assert ["restored" in notes[0], "in epoch 1: records that an older one may have added" in notes[1]] == [True, True]


def test_an_archived_league_is_sound():
    archived = ("MadeReadOnly", {"reason": "archived", "manager": ""})
    assert look_at(with_events(len(RECORDS), archived)).findings == []


def test_the_plan_of_a_run_is_sound():
    assert look_at(with_events(1, ("RunPlanned", {"plan": {"shared": {}}}))).findings == []


@pytest.mark.parametrize(
    ("records", "message"),
    [
        (with_events(HALF, MADE), "was added to records that were restored, and read-only"),
        (with_events(HALF, BEGUN), "epoch 1 begins after epoch 0, and the records are led"),
        (with_events(HALF, MADE, ("EpochBegun", {"number": 2, "id": "random"})), "epoch 2 begins after epoch 0"),
        (with_events(HALF, ("MadeReadOnly", {"reason": "mood", "manager": ""}), BEGUN), "the reason is 'mood'"),
    ],
    ids=["nobody began an epoch", "not read-only", "an epoch is left out", "an unknown reason"],
)
def test_a_lead_that_no_manager_recorded_is_a_finding(records, message):
    assert any(message in found.message for found in look_at(records).findings)
