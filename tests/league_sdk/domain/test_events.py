"""Events come back from JSON as they were, and a chain of records shows what was done to it."""

import dataclasses
import json
import types
import typing
from collections.abc import Mapping, Sequence
from enum import Enum

import pytest
from hypothesis import given
from hypothesis import strategies as st

from league_sdk.domain.events import (
    EVENT_TYPES,
    FORMAT_VERSION,
    GENESIS,
    LeagueCreated,
    LeagueStopped,
    MatchAssigned,
    MatchRecorded,
    RoundStarted,
    event_from_json,
    event_to_json,
    first_broken_link,
    seal,
)
from league_sdk.domain.evolution import fold
from league_sdk.domain.model import Cause, Fault, LeagueRules, MatchResult, ResultStatus
from league_sdk.domain.records.format_version import NewerRecords
from tests.requirements.marker import requirement

TEXT = st.text(max_size=8)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=5,
)
SCALARS = {
    str: TEXT,
    int: st.integers(),
    float: st.floats(allow_nan=False, allow_infinity=False),
    bool: st.booleans(),
    typing.Any: JSON,
    types.NoneType: st.none(),
}


def values(kind):
    """Anything of an annotated type."""
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if kind in SCALARS:
        return SCALARS[kind]
    if isinstance(kind, type) and issubclass(kind, Enum):
        return st.sampled_from(kind)
    if isinstance(kind, type) and dataclasses.is_dataclass(kind):
        hints = typing.get_type_hints(kind)
        fields = {field.name: values(hints[field.name]) for field in dataclasses.fields(kind)}
        known = {"format_version": st.integers(1, FORMAT_VERSION)} if "format_version" in fields else {}
        return st.builds(kind, **{**fields, **known})
    if origin in (tuple, Sequence):
        return st.lists(values(arguments[0]), max_size=3).map(tuple)
    if origin is Mapping:
        return st.dictionaries(values(arguments[0]), values(arguments[1]), max_size=3)
    assert origin is types.UnionType
    return st.one_of([values(arm) for arm in arguments])


ANY_EVENT = st.one_of([values(cls) for cls in EVENT_TYPES.values()])


@pytest.mark.parametrize("name", EVENT_TYPES)
def test_every_event_comes_back_from_json_as_it_was(name):
    @given(values(EVENT_TYPES[name]))
    def comes_back(event):
        text = json.dumps(event_to_json(event))
        assert event_from_json(name, json.loads(text)) == event

    comes_back()


def chain(events):
    records = []
    for sequence, event in enumerate(events, start=1):
        previous = records[-1].digest if records else GENESIS
        records.append(seal("summer", sequence, "2025-01-15T10:00:00.000Z", event, previous))
    return records


@given(st.lists(ANY_EVENT, max_size=5))
def test_a_chain_that_nobody_touched_holds_and_gives_its_events_back(events):
    records = chain(events)
    assert first_broken_link(records) is None
    assert [record.event for record in records] == events


def test_a_league_from_before_records_said_their_format_is_of_the_first_and_one_made_now_of_the_second():
    payload = event_to_json(LeagueCreated(LeagueRules("summer", "chess")))
    assert payload["format_version"] == FORMAT_VERSION == 2
    del payload["format_version"]
    old = event_from_json("LeagueCreated", payload)
    assert isinstance(old, LeagueCreated)
    assert (old.format_version, fold([old]).format_version) == (1, 1)


EVENTS = [
    LeagueCreated(LeagueRules("summer", "chess")),
    RoundStarted(1),
    MatchAssigned("R1M1", "REF01"),
    LeagueStopped("tea"),
]


@requirement("project-STATE-03")
@pytest.mark.parametrize("place", range(len(EVENTS)))
@pytest.mark.parametrize(
    "change",
    [
        {"league_id": "winter"},
        {"at": "2025-01-15T10:00:00.001Z"},
        {"type": "RoundCompleted"},
        {"payload": {"round_id": 7}},
        {"previous": "f" * 64},
        {"digest": "f" * 64},
        {"sequence": 9},
    ],
    ids=lambda change: next(iter(change)),
)
def test_a_record_that_was_changed_is_found(place, change):
    records = chain(EVENTS)
    records[place] = dataclasses.replace(records[place], **change)
    assert first_broken_link(records) == place + 1


@pytest.mark.parametrize("place", range(len(EVENTS)))
def test_a_changed_record_that_was_sealed_again_breaks_the_link_after_it(place):
    records = chain(EVENTS)
    old = records[place]
    records[place] = seal("summer", old.sequence, old.at, LeagueStopped("forged"), old.previous)
    # The end of a chain has no record after it: only whoever kept the last digest sees that it changed.
    assert first_broken_link(records) == (place + 2 if place + 1 < len(records) else None)


@requirement("project-STATE-03")
@pytest.mark.parametrize("place", range(len(EVENTS) - 1))
def test_a_record_that_was_removed_is_found(place):
    records = chain(EVENTS)
    del records[place]
    assert first_broken_link(records) == place + 1


@requirement("project-STATE-03")
def test_records_that_changed_places_are_found():
    records = chain(EVENTS)
    records[1], records[2] = records[2], records[1]
    assert first_broken_link(records) == 2


@requirement("project-STATE-03")
def test_an_inserted_record_is_found():
    records = chain(EVENTS)
    records.insert(2, seal("summer", 3, records[1].at, RoundStarted(2), records[1].digest))
    assert first_broken_link(records) == 4


def test_a_chain_that_was_sealed_anew_without_its_beginning_is_found():
    first = seal("summer", 2, "now", RoundStarted(1), GENESIS)
    assert first_broken_link([first]) == 1


def test_records_of_a_newer_format_are_refused():
    payload = {**event_to_json(LeagueCreated(LeagueRules("summer", "chess"))), "format_version": FORMAT_VERSION + 1}
    with pytest.raises(NewerRecords, match=f"of format {FORMAT_VERSION + 1}, .* reads formats up to {FORMAT_VERSION}"):
        event_from_json("LeagueCreated", payload)


def test_an_unknown_event_is_refused():
    with pytest.raises(ValueError, match="newer release: there is a LeagueExploded, unknown here"):
        event_from_json("LeagueExploded", {})


@pytest.mark.parametrize(
    ("name", "payload"),
    [
        ("RoundStarted", {}),
        ("RoundStarted", None),
        ("MatchRecorded", {"result": 5}),
        ("MatchRecorded", {"result": {"status": "LUCKY"}}),
        ("MatchRecorded", {"result": {"score": 5}}),
        ("ScheduleCreated", {"rounds": 5}),
    ],
)
def test_a_payload_that_does_not_fit_is_refused(name, payload):
    with pytest.raises(ValueError):
        event_from_json(name, payload)


def test_a_field_that_is_not_known_any_more_is_left_out():
    assert event_from_json("RoundStarted", {"round_id": 1, "mood": "good"}) == RoundStarted(1)


def test_the_same_event_has_the_same_digest_whatever_the_order_of_its_fields():
    one = seal("summer", 1, "now", RoundStarted(1), GENESIS)
    fields = dataclasses.asdict(one)
    assert fields["digest"] == seal("summer", 1, "now", event_from_json(one.type, one.payload), GENESIS).digest


def test_a_number_that_json_cannot_say_is_refused():
    with pytest.raises(ValueError, match="Out of range float"):
        seal("summer", 1, "now", MatchAssigned("R1M1", "REF01", attempt=float("nan")), GENESIS)  # type: ignore[arg-type]


class Words(str):
    """Text of a type of its own."""


def test_text_is_written_as_text_whatever_its_type():
    assert event_to_json(LeagueStopped(Words("tea"))) == {"reason": "tea"}
    assert seal("summer", 1, "now", LeagueStopped(Words("tea")), GENESIS) == seal(
        "summer", 1, "now", LeagueStopped("tea"), GENESIS
    )


def test_a_value_that_json_cannot_say_is_refused():
    with pytest.raises(TypeError, match="set is not JSON serializable"):
        seal("summer", 1, "now", LeagueStopped({"tea"}), GENESIS)  # type: ignore[arg-type]


def test_a_record_gives_back_its_event_with_all_that_is_inside():
    fault = Fault("P02", Cause.NO_MOVE, "move", "E001", 4, "silent", {"asked": [1, None, {"after": 0.5}]})
    result = MatchResult(
        "R1M1",
        1,
        ("P01", "P02"),
        ResultStatus.TECHNICAL_LOSS,
        "P01",
        {"P01": 3, "P02": 0},
        "REF01",
        faults=(fault,),
        transcript=({"sent": {"round_id": 1}},),
    )
    record = seal("summer", 1, "now", MatchRecorded(result), GENESIS)
    assert json.loads(json.dumps(record.payload)) == record.payload
    assert record.event == MatchRecorded(result)


def test_every_event_has_its_name_in_the_table():
    assert EVENT_TYPES["MatchRecorded"] is MatchRecorded
    assert all(name == cls.__name__ for name, cls in EVENT_TYPES.items())
