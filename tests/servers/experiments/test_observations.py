"""Intervals of scores hold the true one as often as they say, whatever matches of a pair share."""

from math import exp, sqrt
from random import Random

import pytest
from scipy import stats

from servers.experiments.observations import FEWEST, Group, MeanScore, combined, mean_scores, student

WON, DRAWN, LOST = ("a", "b", "a"), ("a", "b", ""), ("a", "b", "b")


def of(scores: list[float]) -> MeanScore:
    found = MeanScore()
    for score in scores:
        found.add(score)
    return found


def covered(draw: Random, pairs: int, *, win: float, drawn: float, alike: float, seat: float, runs: int) -> float:
    """Share of intervals that hold the true score; `alike` of the pairs end twice the same, `seat` is an advantage."""

    def chances(advantage: float) -> list[float]:
        odds = [win * exp(advantage / 2), drawn, (1 - win - drawn) * exp(-advantage / 2)]
        return [each / sum(odds) for each in odds]

    def pair() -> float:
        first, second = (draw.choices((1, 0.5, 0), chances(advantage))[0] for advantage in (seat, -seat))
        return first if draw.random() < alike else (first + second) / 2

    true = sum(chance[0] + chance[1] / 2 for chance in (chances(seat), chances(-seat))) / 2
    held = 0
    for _ in range(runs):
        interval = of([pair() for _ in range(pairs)]).interval()
        assert interval is not None
        held += interval[0] <= true <= interval[1]
    return held / runs


@pytest.mark.parametrize("pairs", [10, 100])
@pytest.mark.parametrize(
    "chances",
    [
        {"win": 0.5, "drawn": 0.0, "alike": 0.0, "seat": 0.0},
        {"win": 0.5, "drawn": 0.0, "alike": 1.0, "seat": 0.0},
        {"win": 0.6, "drawn": 0.2, "alike": 0.5, "seat": 0.0},
        {"win": 0.4, "drawn": 0.2, "alike": 0.0, "seat": 3.0},
    ],
    ids=["independent", "both alike", "half of them alike", "the seat decides"],
)
def test_an_interval_holds_the_true_score_as_often_as_it_says(pairs, chances):
    share = covered(Random(1), pairs, runs=600, **chances)
    assert share > 0.925  # 0.95 less 2.8 standard errors
    assert pairs < 100 or share < 0.98


def test_few_equal_observations_are_not_certain_and_fewer_have_no_interval():
    assert of([0.5] * (FEWEST - 1)).interval() is None
    low, high = of([0.5] * 3).interval() or (0, 0)
    assert high - low > 0.4
    low, high = of([1.0] * 10).interval() or (0, 0)
    assert high == pytest.approx(1)
    assert 0.6 < low < 0.75  # ten of ten: Clopper and Pearson have 0.69


def test_an_interval_mirrors_that_of_the_opponent_and_does_not_look_at_the_order():
    groups: dict[Group, int] = {(WON, ("b", "a", "a")): 5, (DRAWN, ("b", "a", "")): 3, (LOST, ("b", "a", "a")): 2}
    found = mean_scores(groups)
    assert found["a", "b"].mean == pytest.approx(0.75)
    low, high = found["a", "b"].interval() or (0, 0)
    assert found["b", "a"].interval() == (pytest.approx(1 - high), pytest.approx(1 - low))
    assert mean_scores(dict(reversed(groups.items())))["a", "b"].interval() == (pytest.approx(low), pytest.approx(high))


@pytest.mark.parametrize("freedom", [2, 2.5, 3, 5, 9, 30, 1000])
def test_the_quantile_is_students(freedom: float):
    assert student(freedom) == pytest.approx(float(stats.t.ppf(0.975, freedom)), rel=0.01)


def test_a_sum_of_one_part_has_students_interval_and_of_two_welchs():
    assert combined([(0.04, 6)]) == pytest.approx(0.2 * float(stats.t.ppf(0.975, 5)), rel=1e-3)
    one, two = [0.1, 0.5, 0.9, 0.7], [0.2, 0.4, 0.3, 0.3, 0.6]
    welch = stats.ttest_ind(one, two, equal_var=False).confidence_interval()
    variances = [(float(stats.sem(each)) ** 2, len(each)) for each in (one, two)]
    assert combined(variances) == pytest.approx((welch.high - welch.low) / 2, rel=1e-3)
    assert sqrt(sum(variance for variance, _ in variances)) < combined(variances)
