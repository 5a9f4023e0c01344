"""A test by betting, beside simulations of what it claims."""

from collections.abc import Callable
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from league_sdk.ratings.betting import BettingTest


def answered(draw: Callable[[], float], alpha: float, limit: int) -> tuple[int, int]:
    """The answer, and the number of observations that it took."""
    test = BettingTest(alpha)
    for number in range(1, limit + 1):
        test.add(draw())
        if test.over:
            return test.answer, number
    return 0, limit


@given(st.lists(st.floats(0, 1), max_size=60))
def test_the_two_directions_mirror_each_other(values: list[float]):
    test, mirrored = BettingTest(0.2), BettingTest(0.2)
    for value in values:
        test.add(value)
        mirrored.add(1 - value)
    assert test.answer == -mirrored.answer


@given(st.permutations([0.0, 0.25, 0.5, 0.75, 1.0, 1.0, 1.0, 1.0]))
def test_the_order_of_observations_is_nothing_to_the_answer(values: list[float]):
    test, sorted_ = BettingTest(0.5), BettingTest(0.5)
    for value, other in zip(values, sorted(values), strict=True):
        test.add(value)
        sorted_.add(other)
    assert test.answer == sorted_.answer


def test_nothing_is_known_without_observations_nor_from_draws():
    test = BettingTest(0.05)
    assert not test.over
    for _ in range(10_000):
        test.add(0.5)
    assert not test.over


def test_ten_wins_and_no_loss_are_an_answer():
    assert answered(lambda: 1.0, 0.05, 100) == (1, 10)
    assert answered(lambda: 0.0, 0.05, 100) == (-1, 10)


@pytest.mark.parametrize("draws", [0.8, pytest.param(0.0, marks=pytest.mark.slow)])
def test_equal_strategies_are_told_apart_no_more_often_than_claimed(draws: float):
    alpha, runs, random = 0.2, 150, Random(1)

    def equal() -> float:
        return 0.5 if random.random() < draws else float(random.random() < 0.5)

    wrong = sum(answered(equal, alpha, 300)[0] != 0 for _ in range(runs))
    # The error is at most alpha at any time; 0.2 + 3.3 standard errors.
    assert wrong / runs <= alpha + 3.3 * (alpha * (1 - alpha) / runs) ** 0.5


def test_a_lead_is_found_with_fewer_observations_where_most_are_draws():
    random = Random(2)

    def lead(draws: float) -> float:
        return 0.5 if random.random() < draws else float(random.random() < 0.75)

    found = [[answered(lambda share=share: lead(share), 0.05, 5000) for _ in range(12)] for share in (0.0, 0.8)]
    assert all(answer == 1 for each in found for answer, _ in each)
    without, with_draws = (sum(number for _, number in each) / len(each) for each in found)
    assert 30 < without < 100
    # The same lead among the decisive ones takes five times as many, and not the square of it.
    assert with_draws < 7 * without
