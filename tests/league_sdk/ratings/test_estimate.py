import numpy as np
import pytest

from league_sdk.ratings.estimate import Estimate, by_strength


def estimate(ratings: list[float], errors: list[float]) -> Estimate:
    players = tuple(f"P{number}" for number in range(len(ratings)))
    matches = (10,) * len(ratings)
    return Estimate(players, np.array(ratings), np.diag(np.square(errors)), matches, matches)


def test_a_margin_is_the_quantile_of_the_normal_distribution_times_the_error():
    found = estimate([1600, 1400], [50, 100])
    assert found.margins().round(1).tolist() == [98.0, 196.0]
    assert found.margins(0.5).round(1).tolist() == [33.7, 67.4]


def test_the_probability_to_be_stronger_is_that_of_a_positive_difference():
    found = estimate([1600, 1500, 1500], [30, 40, 40])
    assert found.superiority.round(4).tolist() == [[0.5, 0.9772, 0.9772], [0.0228, 0.5, 0.5], [0.0228, 0.5, 0.5]]


def test_players_are_distinguishable_when_the_interval_of_their_difference_leaves_zero_out():
    found = estimate([1600, 1500], [30, 40])  # 100 ± 98
    assert found.distinguishable().tolist() == [[False, True], [True, False]]
    assert not found.distinguishable(0.97).any()


def test_a_player_far_ahead_has_one_possible_rank_and_equals_share_theirs():
    found = estimate([2500, 1500, 1500, 500], [20, 20, 20, 20])
    assert found.rank_intervals() == [(1, 1), (2, 3), (2, 3), (4, 4)]


def test_the_same_estimate_gives_the_same_rank_intervals():
    found = estimate([1520, 1500, 1490], [30, 30, 30])
    assert found.rank_intervals() == found.rank_intervals()


def test_equal_players_keep_the_order_in_which_they_are_given():
    assert by_strength(["b", "a", "c"], np.array([1.0, 1.0, 2.0])) == [2, 0, 1]


def test_the_quantile_of_a_certainty_is_infinite():
    assert estimate([1500], [1]).quantile(1.0) == pytest.approx(np.inf)
