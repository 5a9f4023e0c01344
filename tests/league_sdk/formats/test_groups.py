"""Groups: dealt out along the seeding, a round-robin in each."""

from collections import Counter
from itertools import combinations

import pytest

from league_sdk.formats.groups import Groups
from league_sdk.tournament import FormatDoesNotFit
from tests.league_sdk.formats.simulation import pairings, played, strongest_wins


def test_groups_are_dealt_out_back_and_forth():
    assert Groups(2).pools([f"P{number}" for number in range(1, 8)]) == [
        ["P1", "P4", "P5"],
        ["P2", "P3", "P6", "P7"],
    ]


def test_everybody_meets_everybody_of_the_same_group():
    met = Counter(map(frozenset, pairings(played(Groups(2, 2), 7))))
    groups = Groups(2).pools([f"P{number:02d}" for number in range(1, 8)])
    assert met == Counter({frozenset(pair): 2 for group in groups for pair in combinations(group, 2)})


def test_the_winners_of_all_groups_rank_before_all_who_came_second():
    tournament = played(Groups(2), 6, strongest_wins)
    assert Groups(2).ranking(tournament) == (("P01", "P02"), ("P04", "P03"), ("P05", "P06"))


def test_groups_of_fewer_than_two_are_refused_with_what_fits():
    with pytest.raises(FormatDoesNotFit, match="at least 8 players, got 7; 7 players make up to 3 groups"):
        Groups(4).check(7)
