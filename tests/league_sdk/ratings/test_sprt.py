import random
from collections import Counter

import pytest

from league_sdk.ratings.sprt import PAIR_SCORES, Sprt


def of_pairs(counts: list[int]) -> Counter[float]:
    """Pairs by their scores 0, 1/4, 1/2, 3/4 and 1."""
    return Counter(dict(zip(PAIR_SCORES, counts, strict=True)))


@pytest.mark.parametrize(
    ("pairs", "leads", "ratio"),
    [
        # The logistic pentanomial cases of fastchess's own tests (app/tests/sprt_test.cpp).
        ([223, 9863, 20279 + 1000, 10037, 246], (0.5, 2.5), -3.07),
        ([871, 26175, 55003 + 980, 26678, 821], (0, 2), -4.98),
    ],
)
def test_the_ratio_is_that_of_fastchess(pairs: list[int], leads: tuple[float, float], ratio: float):
    assert Sprt(*leads, seen=of_pairs(pairs)).ratio == pytest.approx(ratio, rel=0.01)


def test_swapped_sides_swap_the_hypotheses():
    pairs = [10, 20, 50, 35, 15]
    assert Sprt(-5, 5, seen=of_pairs(pairs)).ratio == pytest.approx(-Sprt(-5, 5, seen=of_pairs(pairs[::-1])).ratio)
    assert Sprt(-5, 5, seen=of_pairs([10, 20, 50, 20, 10])).ratio == pytest.approx(0, abs=1e-9)


def test_the_bounds_are_walds():
    assert Sprt(0, 10).bounds == pytest.approx((-2.944, 2.944), abs=5e-4)
    assert Sprt(0, 10, alpha=0.1, beta=0.2).bounds == pytest.approx((-1.504, 2.079), abs=5e-4)


def test_wrong_decisions_are_as_rare_as_promised():
    chance, wrong = random.Random(1), 0
    for number in range(100):
        truth = number % 2
        test, score = Sprt(0, 100), 1 / (1 + 10 ** (-100 * truth / 400))
        while not test.accepted:
            for _ in range(10):
                test.add(((chance.random() < score) + (chance.random() < score)) / 2)
        wrong += test.accepted != f"H{truth}"
    assert wrong <= 11  # of 100 at 5 %


def test_nothing_is_decided_before_there_are_pairs():
    assert (Sprt(0, 10).accepted, Sprt(0, 10).ratio) == ("", pytest.approx(0, abs=0.01))
    with pytest.raises(ValueError, match="below"):
        Sprt(10, 0)
