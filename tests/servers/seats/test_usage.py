"""Counts of calls beyond a seat's bounds."""

from pathlib import Path

from league_sdk.clock import ManualClock
from servers.agent.seat_use import RECENT_SEC
from servers.seats.usage import ENDED_WAITS, SeatUsage


def test_a_client_whose_connection_breaks_now_and_then_overuses_nothing():
    clock = ManualClock()
    usage = SeatUsage(clock)
    for _ in range(10 * ENDED_WAITS.burst):
        usage.wait_ended("ada")
        clock.advance(2)
    assert usage.to_json()["ada"]["waits_ended"] == 10 * ENDED_WAITS.burst
    assert usage.recent() == []


def test_one_that_ends_wait_upon_wait_does_for_some_minutes():
    clock = ManualClock()
    usage = SeatUsage(clock)
    for _ in range(ENDED_WAITS.burst + 1):
        usage.wait_ended("mal")
    usage.wait_ended("ada")
    assert usage.recent() == ["mal"]
    clock.advance(RECENT_SEC)
    assert usage.recent() == []
    assert usage.to_json()["mal"]["overused_at"]


def test_an_overuse_is_told_of_once_and_is_known_after_a_restart(tmp_path: Path):
    clock, file, told = ManualClock(), tmp_path / "seat_usage.json", list[str]()
    usage = SeatUsage(clock, file, lambda seat, _: told.append(seat))
    for _ in range(3):
        usage.call_refused("mal")
        usage.connection_refused("mal")
    assert told == ["mal"]
    assert SeatUsage(clock, file).recent() == ["mal"]
    clock.advance(10)
    usage.call_refused("mal")
    assert SeatUsage(clock, file).to_json()["mal"]["calls_refused"] == 4


def test_a_damaged_file_begins_the_counts_anew(tmp_path: Path):
    file = tmp_path / "seat_usage.json"
    file.write_text('{"mal": {"unknown": 1}}')
    assert SeatUsage(ManualClock(), file).to_json() == {}
