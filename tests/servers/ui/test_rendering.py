"""Values in words."""

from typing import Any

import pytest

from servers.ui.rendering import percent, seconds, value


@pytest.mark.parametrize(
    ("data", "shown"),
    [
        ("even", "even"),
        (7, "7"),
        (True, "true"),
        (["OXX", "XOO"], "OXX, XOO"),
        ({"P01": ["a2", "b1"], "P02": ["b2"]}, "P01: a2, b1; P02: b2"),
        ({"deep": [["a", 1]]}, 'deep: ["a", 1]'),
    ],
)
def test_what_a_game_says_is_shown_without_brackets(data: Any, shown: str):
    assert value(data) == shown


@pytest.mark.parametrize(
    ("number", "shown"),
    [
        (None, "\N{EN DASH}"),
        (0, "0 ms"),
        (0.0055, "5.5 ms"),
        (0.9996, "1000 ms"),
        (1, "1 s"),
        (12.25, "12.3 s"),
        (30, "30 s"),
        (1234, "1230 s"),
    ],
)
def test_a_duration_has_three_digits(number: float | None, shown: str):
    assert seconds(number) == shown


@pytest.mark.parametrize(("share", "shown"), [(0, "0 %"), (0.2121, "21.21 %"), (0.6667, "66.67 %"), (1, "100 %")])
def test_a_win_rate_has_the_digits_of_every_other_view(share: float, shown: str):
    assert percent(share) == shown
