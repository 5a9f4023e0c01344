"""The Swiss system: its absolute rules over many simulated tournaments, and the quality of its pairings."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from league_sdk.formats.swiss import Swiss
from league_sdk.tournament import FormatDoesNotFit, Tournament
from tests.league_sdk.formats.simulation import by_chance, entrants, pairings, played, strongest_wins

fields = st.integers(2, 40).flatmap(lambda count: st.tuples(st.just(count), st.integers(1, (count + 1) // 2)))


@given(fields, st.integers(0, 10_000))
def test_nobody_meets_twice_and_everybody_plays_every_round_but_for_one_bye(field, seed):
    count, rounds = field
    tournament = played(Swiss(rounds), count, seed=str(seed))
    assert len(tournament.rounds) == rounds
    met = Counter(map(frozenset, pairings(tournament)))
    assert max(met.values()) == 1
    byes = Counter(player for each in tournament.rounds for player in each.paired.byes)
    assert max(byes.values(), default=0) <= 1
    assert [len(each.paired.byes) for each in tournament.rounds] == [count % 2] * rounds


@given(fields, st.integers(0, 10_000))
def test_nobody_has_a_seat_more_than_two_times_more_than_the_other(field, seed):
    count, rounds = field
    if rounds > count // 3:  # beyond that, seats give way to the rule against rematches
        rounds = max(1, count // 3)
    balance = Counter()
    for first, second in pairings(played(Swiss(rounds), count, seed=str(seed))):
        balance[first] += 1
        balance[second] -= 1
    assert all(abs(surplus) <= 2 for surplus in balance.values())


def test_the_first_round_lets_the_upper_half_meet_the_lower_one():
    first = played(Swiss(3), 8).rounds[0].paired
    assert set(map(frozenset, first.pairings)) == {
        frozenset(pair) for pair in [("P01", "P05"), ("P02", "P06"), ("P03", "P07"), ("P04", "P08")]
    }


def test_winners_meet_winners():
    second = played(Swiss(3), 8, strongest_wins).rounds[1].paired
    assert {frozenset(seats) <= {"P01", "P02", "P03", "P04"} for seats in second.pairings} == {True, False}
    assert all(len({player <= "P04" for player in seats}) == 1 for seats in second.pairings)


def test_players_of_like_scores_meet():
    tournament = played(Swiss(9), 200, by_chance)
    points, apart = Counter(), []
    for each in tournament.rounds:
        apart += [abs(points[first] - points[second]) for first, second in each.paired.pairings]
        for result in each.results:
            points.update(result.points)
    assert sum(gap == 0 for gap in apart) / len(apart) > 0.9
    assert max(apart) <= 3


def test_a_bye_is_worth_a_win_and_goes_to_the_last():
    tournament = played(Swiss(2), 5, strongest_wins)
    assert tournament.rounds[0].paired.byes == ("P05",)
    assert tournament.points()["P05"] >= 3


def test_more_rounds_than_can_do_without_a_rematch_are_refused_with_what_fits():
    with pytest.raises(FormatDoesNotFit, match=r"9 rounds are too many.*16 players.*8 are certain.*round_robin has 15"):
        Swiss(9).check(16)


def test_without_a_number_it_takes_as_many_rounds_as_single_out_a_winner():
    assert [Swiss().expected_rounds(count) for count in (2, 8, 16, 30, 1000)] == [1, 3, 4, 5, 10]


@pytest.mark.parametrize(("players", "upper"), [(161, 82), (160, 80), (30, 16), (5, 4)])
def test_acceleration_lends_points_to_the_upper_half_rounded_up_to_an_even_number(players, upper):
    # FIDE Handbook C.04.5.1, with its example of 161 players.
    tournament = Tournament(entrants(players))
    lent = [Swiss(3, accelerated=True)._lent(tournament, seed, 0) for seed in range(1, players + 1)]
    assert lent == [3] * upper + [0] * (players - upper)


def test_acceleration_lends_a_win_in_three_of_nine_rounds_and_a_draw_in_the_next_two():
    # FIDE Handbook C.04.5.1, with its example of nine rounds.
    tournament = Tournament(entrants(20))
    lent = [Swiss(9, accelerated=True)._lent(tournament, 1, complete) for complete in range(9)]
    assert lent == [3, 3, 3, 1, 1, 0, 0, 0, 0]


@pytest.mark.parametrize("pairing", ["matching", "dutch"])
def test_accelerated_halves_meet_within_themselves_in_the_first_round(pairing):
    if pairing == "dutch":
        pytest.importorskip("py4swiss", reason="needs the extra swiss")
    first = played(Swiss(3, pairing, accelerated=True), 16, strongest_wins).rounds[0].paired
    assert all((one <= "P08") == (other <= "P08") for one, other in first.pairings)
    assert frozenset({"P01", "P05"}) in set(map(frozenset, first.pairings))
