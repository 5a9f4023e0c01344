"""Sentences on what matches under way wait for."""

from datetime import UTC, datetime

import pytest

from servers.read_model.snapshot import from_json, snapshot, to_json
from servers.read_model.waits import Wait, WaitLine, seconds_left, wait_lines, wait_text
from tests.servers.league_history import under_way

NOW = datetime(2025, 1, 15, 10, 0, tzinfo=UTC)
SOON = "2025-01-15T10:00:17.200Z"


@pytest.mark.parametrize(
    ("wait", "told"),
    [
        (Wait("R1M1", ("P02",), True, 2, 4, SOON), "R1M1 waits for Player 2: move, attempt 2 of 4"),
        (Wait("R1M1", ("P02",), True, 2, 4), "R1M1 waits for Player 2: move, attempt 2 of 4, which begins soon"),
        (
            Wait("R1M1", ("P01", "P02"), False, 1, 4, SOON),
            "R1M1 waits for Player 1 and Player 2: answer to the invitation, attempt 1 of 4",
        ),
        (Wait("R1M1", ("P02",), part="seats"), "R1M1 waits for the seats process to reach Player 2"),
        (Wait("R1M1", part="referee"), "R1M1 waits for its referee, Referee 1 (REF01), which does not answer"),
        (Wait("R1M1", ("P09",), part="a part of tomorrow"), "R1M1 waits for a part of the league to reach P09"),
    ],
)
def test_a_wait_is_a_sentence(wait: Wait, told: str):
    assert wait_text(under_way(4).league, wait) == told


def test_the_seconds_that_are_left_are_never_below_zero():
    assert WaitLine("it waits", SOON).at(NOW) == "it waits, 18 s left"
    assert WaitLine("it waits").at(NOW) == "it waits"
    assert seconds_left("2025-01-15T09:00:00Z", NOW) == 0
    assert seconds_left("soon", NOW) is None


def test_of_many_waits_the_first_are_told_and_the_others_counted():
    lines = wait_lines(under_way(4).league, [Wait("R1M1", ("P02",))] * 15)
    assert (len(lines), lines[-1].text) == (13, "and 3 more")


def test_a_reader_counts_by_its_own_clock():
    history = under_way(2)
    line = WaitLine("R1M1 waits for Player 2", "1999-01-01T00:00:00.000Z", 18)
    shown = from_json(to_json(snapshot(history.league, 1, [], [line])))
    assert [each.by(NOW).at(NOW) for each in shown.waits] == ["R1M1 waits for Player 2, 18 s left"]
