from itertools import combinations
from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st

from league_sdk.rematch_shares import LEVEL, at_least, shares
from tests.requirements.marker import requirement


@given(st.integers(1, 12), st.data())
def test_the_tail_is_that_of_all_ways_to_mark_matches(total: int, data: st.DataObject):
    own, marked = data.draw(st.integers(0, total)), data.draw(st.integers(0, total))
    hits = data.draw(st.integers(0, min(own, marked)))
    ways = [sum(place < own for place in chosen) for chosen in combinations(range(total), marked)]
    assert at_least(hits, own, marked, total) == pytest.approx(sum(way >= hits for way in ways) / comb(total, marked))


def league(players: int) -> dict[str, tuple[str, str]]:
    names = [f"P{number:02d}" for number in range(1, players + 1)]
    return {f"R1M{number}": pair for number, pair in enumerate(combinations(names, 2), 1)}


def of(players: int, replays: dict[str, int], voids: tuple[str, ...] = ()):
    sides = league(players)
    begun = dict.fromkeys((player for pair in sides.values() for player in pair), players - 1)
    touched = {match_id: pair for match_id, pair in sides.items() if match_id in replays or match_id in voids}
    return shares(begun, len(sides), replays, voids, touched)


def test_replays_and_voids_are_counted_for_both_players():
    found = of(4, {"R1M1": 3}, ("R1M1", "R1M2"))
    assert {player: (one.replays, one.voids, one.affected) for player, one in found.items()} == {
        "P01": (3, 2, 2),
        "P02": (3, 1, 1),
        "P03": (0, 1, 1),
    }
    assert found["P01"].sentence == "P01: 2 of 3 matches were played again or are void (replays: 3, void: 2)"


@requirement("project-TRUST-07")
def test_a_player_whose_every_loss_is_undone_stands_out_and_its_opponents_do_not():
    sore = {match_id: 1 for match_id, pair in league(12).items() if "P12" in pair and pair[0] <= "P07"}
    found = of(12, sore)
    assert [player for player, one in found.items() if one.unlikely] == ["P12"]
    assert found["P12"].probability == pytest.approx(comb(11, 7) / comb(66, 7))
    assert found["P12"].sentence.endswith(", which chance alone would give it once in 2,400,000 leagues")


def test_a_referee_that_dies_makes_nobody_stand_out():
    assert not any(one.unlikely for one in of(12, dict.fromkeys(list(league(12))[::3], 1)).values())


def test_in_a_small_league_nothing_can_be_that_unlikely():
    all_of_one = {match_id: 1 for match_id, pair in league(4).items() if "P04" in pair}
    found = of(4, all_of_one)
    assert found["P04"].probability == pytest.approx(1 / 20)
    assert found["P04"].probability * 4 > LEVEL
    assert not found["P04"].unlikely
