"""Round-robins of one and more cycles."""

from collections import Counter
from itertools import combinations

import pytest

from league_sdk.formats.round_robin import RoundRobin
from league_sdk.tournament import FormatDoesNotFit
from tests.league_sdk.formats.simulation import entrants, pairings, played

BERGER = {
    4: [{(1, 4), (2, 3)}, {(4, 3), (1, 2)}, {(2, 4), (3, 1)}],
    6: [
        {(1, 6), (2, 5), (3, 4)},
        {(6, 4), (5, 3), (1, 2)},
        {(2, 6), (3, 1), (4, 5)},
        {(6, 5), (1, 4), (2, 3)},
        {(3, 6), (4, 2), (5, 1)},
    ],
    8: [
        {(1, 8), (2, 7), (3, 6), (4, 5)},
        {(8, 5), (6, 4), (7, 3), (1, 2)},
        {(2, 8), (3, 1), (4, 7), (5, 6)},
        {(8, 6), (7, 5), (1, 4), (2, 3)},
        {(3, 8), (4, 2), (5, 1), (6, 7)},
        {(8, 7), (1, 6), (2, 5), (3, 4)},
        {(4, 8), (5, 3), (6, 2), (7, 1)},
    ],
}
"""The Berger tables of FIDE's Handbook C.05, annex 1: who meets whom in each round."""


def ours(count):
    """Our rounds, with the players numbered as Berger's tables have them."""
    still = count % 2 == 0  # the player who stands still is the last in Berger's tables and the first in ours
    number = {f"P{place:02d}": (place - 1 or count) if still else place for place in range(1, count + 1)}
    schedule = RoundRobin().schedule([entrant.player_id for entrant in entrants(count)]) or ()
    return {frozenset(frozenset(number[player] for player in seats) for seats in each.pairings) for each in schedule}


@pytest.mark.parametrize("count", [4, 6, 8])
def test_the_rounds_are_those_of_the_berger_tables_in_another_order(count):
    assert ours(count) == {frozenset(map(frozenset, each)) for each in BERGER[count]}


@pytest.mark.parametrize("count", range(3, 25))
def test_another_implementation_of_the_berger_tables_has_the_same_rounds(count):
    library = pytest.importorskip("caissify_pairings", reason="needs caissify-pairings")
    table = [
        library.generate_pairings(
            system="round_robin",
            players=[
                {"id": each, "name": str(each), "score": 0.0, "starting_number": each} for each in range(1, count + 1)
            ],
            previous_pairings=set(),
            round_number=number,
            total_rounds=count - 1 + count % 2,
        )
        for number in range(1, count + count % 2)
    ]
    pairs = {
        frozenset(frozenset((game["white_id"], game["black_id"])) for game in each if not game.get("bye"))
        for each in table
    }
    assert ours(count) == pairs


@pytest.mark.parametrize("count", [3, 5, 6, 8, 13, 24])
def test_seats_are_as_even_as_in_the_berger_tables(count):
    seats = Counter(first for first, _ in pairings(played(RoundRobin(), count)))
    assert set(seats.values()) <= {(count - 1) // 2, count // 2}


@pytest.mark.parametrize("cycles", [1, 2, 3])
@pytest.mark.parametrize("count", [2, 3, 4, 5, 8, 13])
def test_everybody_meets_everybody_once_a_cycle(count, cycles):
    met = Counter(map(frozenset, pairings(played(RoundRobin(cycles), count))))
    everybody = [entrant.player_id for entrant in entrants(count)]
    assert met == Counter({frozenset(pair): cycles for pair in combinations(everybody, 2)})


@pytest.mark.parametrize("count", [2, 3, 4, 5, 8, 13])
def test_the_second_cycle_swaps_the_seats(count):
    seats = Counter(pairings(played(RoundRobin(2), count)))
    assert all(seats[second, first] == 1 for first, second in seats)


def test_a_league_of_ten_thousand_is_refused_with_its_matches_and_a_better_format():
    with pytest.raises(FormatDoesNotFit, match=r"49,995,000 matches.*swiss"):
        RoundRobin().check(10_000)


def test_no_cycle_at_all_is_refused():
    with pytest.raises(FormatDoesNotFit, match="cycles is 0"):
        RoundRobin(0)
