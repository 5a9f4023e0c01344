"""How values are put into words."""

from typing import Any

import pytest

from servers.web.rendering import value


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
