"""Gauntlets: the challengers meet everybody else, who do not meet each other."""

from collections import Counter

import pytest

from league_sdk.formats.gauntlet import Gauntlet
from league_sdk.tournament import FormatDoesNotFit
from tests.league_sdk.formats.simulation import pairings, played


@pytest.mark.parametrize(("challengers", "count"), [(1, 6), (2, 7), (5, 7)])
def test_challengers_meet_all_others_once_a_cycle(challengers, count):
    met = Counter(map(frozenset, pairings(played(Gauntlet(challengers, 2), count))))
    players = [f"P{number:02d}" for number in range(1, count + 1)]
    assert met == Counter(
        {frozenset((one, other)): 2 for one in players[:challengers] for other in players[challengers:]}
    )


def test_the_second_cycle_swaps_the_seats():
    seats = Counter(pairings(played(Gauntlet(1, 2), 5)))
    assert all(seats[second, first] == 1 for first, second in seats)


def test_a_challenger_needs_an_opponent():
    with pytest.raises(FormatDoesNotFit, match="3 challengers needs more players than these, got 3"):
        Gauntlet(3).check(3)
