"""Known strengths are found again, and other programs find the same from the same results."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from league_sdk.ratings.bradley_terry import bradley_terry
from league_sdk.ratings.estimate import Estimate
from league_sdk.ratings.matches import RatedMatch
from tests.league_sdk.ratings.simulation import OUTCOMES, counted, simulated

COUNTS = {
    ("a", "b"): (30, 12, 8),
    ("a", "c"): (35, 10, 5),
    ("b", "c"): (22, 15, 13),
    ("c", "d"): (28, 9, 13),
    ("a", "d"): (40, 6, 4),
    ("b", "d"): (33, 9, 8),
}


def ratings(found: Estimate) -> dict[str, float]:
    return dict(zip(found.players, found.ratings.tolist(), strict=True))


def difference(found: Estimate, first: str, second: str) -> tuple[float, float]:
    """A difference of two ratings, and half of its 95 % interval."""
    one, other = found.players.index(first), found.players.index(second)
    spread = found.covariance[one, one] + found.covariance[other, other] - 2 * found.covariance[one, other]
    return float(found.ratings[one] - found.ratings[other]), float(np.sqrt(spread)) * found.quantile(0.95)


def test_without_draws_the_ratings_are_those_of_choix_and_evalica():
    found = bradley_terry(
        match for pair, (wins, _, losses) in COUNTS.items() for match in counted(*pair, wins, 0, losses)
    )
    # choix 0.4.1, opt_pairwise, and evalica 0.4.2, bradley_terry: both the same. Ours are a little nearer by the prior.
    assert ratings(found) == pytest.approx({"a": 1746.35, "b": 1526.68, "c": 1428.24, "d": 1298.73}, abs=0.5)
    assert found.draw_rate is None


def test_with_draws_the_ratings_are_those_of_evalica():
    found = bradley_terry(match for pair, counts in COUNTS.items() for match in counted(*pair, *counts))
    # evalica 0.4.2, newman, whose model of draws is Davidson's with twice the parameter; on the scale of the docstring.
    assert ratings(found) == pytest.approx({"a": 1685.47, "b": 1522.09, "c": 1450.83, "d": 1341.61}, abs=0.5)
    assert found.draw_rate == pytest.approx(0.2465, abs=0.001)
    assert found.matches == (150, 150, 150, 150)


@pytest.mark.parametrize(
    ("counts", "elo", "error"),
    [
        ((99, 104, 97), 2.3, 31.8),
        ((45, 18, 37), 27.9, 62.4),
        ((159, 41, 100), 69.2, 37.2),
        ((136, 32, 132), 4.6, 37.3),
    ],
    ids=str,
)
def test_two_players_have_the_difference_and_error_that_cutechess_prints(counts, elo, error):
    found, margin = difference(bradley_terry(counted("a", "b", *counts)), "a", "b")
    assert (found, margin) == (pytest.approx(elo, abs=0.2), pytest.approx(error, rel=0.01))


@pytest.mark.parametrize(("counts", "elo"), [((816, 1328, 670), 18.04), ((2740, 4825, 2611), 4.40)], ids=str)
def test_two_players_have_the_difference_that_fastchess_prints(counts, elo):
    # Its errors are of pairs of matches with one opening, and narrower than those of single matches.
    assert difference(bradley_terry(counted("a", "b", *counts)), "a", "b")[0] == pytest.approx(elo, abs=0.05)


def coverage(simulations: int, *, players: int, each: int, draws: float, advantage: float) -> tuple[float, float]:
    """The share of true strengths, and of true seat advantages, within their 95 % intervals."""
    random = np.random.default_rng(20261122)
    covered, seats = 0, 0
    for _ in range(simulations):
        strengths = random.normal(0, 120, players)
        strengths -= strengths.mean()
        found = bradley_terry(simulated(strengths, each, random, draws, advantage), seat_advantage=bool(advantage))
        true = np.array([strengths[int(player[1:])] for player in found.players])
        covered += int((np.abs(found.ratings - 1500 - true) <= found.margins()).sum())
        points, error = found.seat_advantage or (0.0, 0.0)
        seats += abs(points - advantage) <= error * found.quantile(0.95)
    return covered / simulations / players, seats / simulations


def test_intervals_cover_the_strengths_that_the_results_were_drawn_with():
    share, seats = coverage(150, players=4, each=10, draws=0.5, advantage=30)
    assert 0.91 < share < 0.98
    assert seats > 0.88


@pytest.mark.slow
@pytest.mark.parametrize(("players", "each", "draws"), [(4, 100, 0.5), (4, 10, 0.5), (8, 5, 0.5), (8, 5, 0.0)])
def test_in_a_thousand_simulations_95_percent_intervals_cover_93_to_97_percent(players, each, draws):
    share, seats = coverage(1000, players=players, each=each, draws=draws, advantage=30)
    assert 0.93 < share < 0.97
    assert 0.93 < seats < 0.97


def test_the_error_of_the_seat_advantage_counts_that_the_scale_is_an_estimate():
    # Of few matches with many draws, the scale is unsure; a resampled share of draws moves the advantage with it.
    results = [*counted("a", "b", 30, 8, 2), *counted("b", "a", 30, 8, 2)]
    points, error = bradley_terry(results, seat_advantage=True).seat_advantage or (0.0, 0.0)
    random = np.random.default_rng(20261123)
    resampled = [
        (
            bradley_terry(
                [results[index] for index in random.integers(80, size=80)], seat_advantage=True
            ).seat_advantage
            or (0,)
        )[0]
        for _ in range(300)
    ]
    assert points == pytest.approx(np.median(resampled), rel=0.1)
    assert error == pytest.approx(float(np.std(resampled)), rel=0.15)


def test_matches_that_share_their_chance_widen_the_errors_until_intervals_cover():
    random = np.random.default_rng(20261123)
    covered, naive = 0, 0
    for _ in range(150):
        strengths = random.normal(0, 120, 3)
        strengths -= strengths.mean()
        single = list(simulated(strengths, 40, random, 0.5))
        doubled = Counter((match, match) for match in single)  # a twin that always ends the same tells nothing
        found = bradley_terry([*single, *single], groups=doubled)
        true = np.array([strengths[int(player[1:])] for player in found.players])
        covered += int((np.abs(found.ratings - 1500 - true) <= found.margins()).sum())
        naive += int((np.abs(found.ratings - 1500 - true) <= bradley_terry([*single, *single]).margins()).sum())
    assert 0.92 < covered / 450 < 0.985
    assert naive / 450 < 0.9


def test_twins_of_matches_leave_the_errors_of_a_single_one_each():
    single = [match for pair, counts in COUNTS.items() for match in counted(*pair, *counts)]
    once = bradley_terry(single, groups=Counter((match,) for match in single))
    twice = bradley_terry([*single, *single], groups=Counter((match, match) for match in single))
    assert twice.margins() == pytest.approx(once.margins(), rel=0.03)
    assert once.margins() == pytest.approx(bradley_terry(single).margins(), rel=0.15)


def of_pairs(counts: tuple[int, ...]) -> Counter[tuple[RatedMatch, ...]]:
    """Pairs of matches of a and b by a's results: lost twice, lost and drew, won and lost, drew, won and drew, won."""
    won, drawn, lost = OUTCOMES
    kinds = ((lost, won), (lost, drawn), (won, won), (drawn, drawn), (won, drawn), (won, lost))
    pairs = [(RatedMatch(("a", "b"), one), RatedMatch(("b", "a"), other)) for one, other in kinds]
    return Counter(dict(zip(pairs, counts, strict=True)))


@pytest.mark.parametrize(
    ("counts", "elo", "error"),
    [
        # The pentanomial cases of fastchess's own tests (app/tests/elo_test.cpp), which ask for 1 %.
        ((34, 54, 31, 32, 64, 75), 55.58, 27.65),
        ((332, 433, 457, 41, 333, 334), -8.64, 10.33),
        ((7895, 8757, 5485, 200, 568, 9999), -21.04, 2.95),
    ],
    ids=str,
)
def test_pairs_of_matches_have_the_difference_and_error_that_fastchess_prints(counts, elo, error):
    pairs = of_pairs(counts)
    found = difference(bradley_terry([match for pair in pairs.elements() for match in pair], groups=pairs), "a", "b")
    assert found == (pytest.approx(elo, rel=0.005), pytest.approx(error, rel=0.01))


def balanced(simulations: int, pairs: int) -> tuple[float, float]:
    """Share of intervals of equal players that hold their strength, where the seat decides; mean half width."""
    random = np.random.default_rng(20261123)
    covered, margins = 0, list[float]()
    for _ in range(simulations):
        # The first seat wins with 0.8 and draws with 0.15.
        drawn = Counter(zip(*random.choice(3, (2, pairs), p=[0.8, 0.15, 0.05]).tolist(), strict=True))
        groups = {
            (RatedMatch(("a", "b"), OUTCOMES[one]), RatedMatch(("b", "a"), OUTCOMES[other])): times
            for (one, other), times in drawn.items()
        }
        found = bradley_terry([match for pair, n in groups.items() for match in pair * n], groups=groups)
        covered += abs(found.ratings[0] - 1500) <= found.margins()[0]
        margins.append(found.margins()[0])
    return covered / simulations, float(np.mean(margins))


def test_where_the_seat_decides_pairs_tell_more_than_matches_and_intervals_still_cover():
    share, margin = balanced(300, 100)
    assert 0.92 < share < 0.98
    assert margin < 0.65 * bradley_terry(counted("a", "b", 85, 30, 85)).margins()[0]


@pytest.mark.slow
@pytest.mark.parametrize("pairs", [30, 100, 300])
def test_in_a_thousand_simulations_intervals_of_balanced_pairs_cover_93_to_97_percent(pairs):
    assert 0.93 < balanced(1000, pairs)[0] < 0.97


def test_groups_of_a_player_that_won_every_match_leave_its_error_wide():
    won = counted("a", "b", 50, 0, 0)
    grouped = bradley_terry(won, groups=Counter(zip(won, won, strict=True)))
    assert grouped.margins() == pytest.approx(bradley_terry(won).margins(), rel=0.1)


def test_fewer_than_three_groups_count_as_so_many_matches_and_have_no_margin():
    group = tuple(counted("a", "b", 30, 0, 10))
    found = bradley_terry([*group, *group], groups={group: 2})
    assert found.observations == (2, 2)
    assert [row["margin"] for row in found.rows()] == [None, None]
    assert not found.distinguishable().any()
    assert bradley_terry(group * 2).distinguishable()[0, 1]


def test_long_groups_that_each_share_a_cause_are_no_more_than_so_many_observations():
    random = np.random.default_rng(20261123)
    covered = 0
    for _ in range(400):
        # In each of five groups of forty matches one player has most of them, by chance.
        shares = random.choice([0.3, 0.7], 5)
        groups = Counter(tuple(counted("a", "b", wins, 0, 40 - wins)) for wins in random.binomial(40, shares).tolist())
        found = bradley_terry([match for group, n in groups.items() for match in group * n], groups=groups)
        covered += abs(found.ratings[0] - 1500) <= found.margins()[0]
    assert 0.92 < covered / 400 < 0.985


results = st.lists(
    st.tuples(st.permutations(["a", "b", "c", "d"]).map(lambda order: tuple(order[:2])), st.sampled_from(OUTCOMES)),
    min_size=1,
    max_size=40,
).map(lambda drawn: [RatedMatch(players, places) for players, places in drawn])


@settings(deadline=None)
@given(results, st.randoms())
def test_the_order_of_the_results_does_not_matter(matches, random):
    shuffled = matches[:]
    random.shuffle(shuffled)
    assert ratings(bradley_terry(shuffled)) == pytest.approx(ratings(bradley_terry(matches)), abs=1e-6)


@settings(deadline=None)
@given(results)
def test_names_do_not_matter(matches):
    names = {"a": "z", "b": "y", "c": "x", "d": "w"}
    renamed = [RatedMatch(tuple(names[player] for player in match.players), match.places) for match in matches]
    found = ratings(bradley_terry(matches))
    assert ratings(bradley_terry(renamed)) == pytest.approx({names[p]: r for p, r in found.items()}, abs=1e-3)


@settings(deadline=None)
@given(results)
def test_ratings_have_the_mean_1500_and_finite_errors(matches):
    found = bradley_terry(matches, seat_advantage=True)
    assert found.ratings.mean() == pytest.approx(1500)
    assert np.isfinite(found.margins()).all()
    assert sum(found.matches) == 2 * len(matches)


def test_more_results_of_the_same_kind_narrow_the_interval():
    few, many = (difference(bradley_terry(counted("a", "b", 6 * n, 2 * n, 3 * n)), "a", "b")[1] for n in (1, 100))
    assert many == pytest.approx(few / 10, rel=0.05)


def test_a_player_that_won_every_match_has_a_finite_rating():
    found = bradley_terry(counted("a", "b", 50, 0, 0))
    assert 1700 < found.ratings[0] < 2500
    assert found.distinguishable()[0, 1]


@pytest.mark.parametrize("matches", range(1, 30))
def test_one_sided_results_tell_equal_players_apart_in_no_more_than_5_percent(matches):
    found = bradley_terry(counted("A", "B", matches, 0, 0))
    assert found.direct is not None
    both_ways = 2 * 0.5**matches
    assert found.direct[0, 1] == pytest.approx(min(1.0, both_ways))
    assert found.distinguishable()[0, 1] == (both_ways <= 0.05)
    assert found.rank_intervals()[0] == ((1, 1) if both_ways <= 0.05 else (1, 2))


def test_of_matches_in_groups_the_groups_count():
    pair = RatedMatch(("A", "B"), (1, 2)), RatedMatch(("B", "A"), (2, 1))
    for groups, apart in ((5, False), (6, True)):
        found = bradley_terry([*pair] * groups, groups={pair: groups})
        assert found.distinguishable()[0, 1] == apart


def test_draws_are_half_a_win_when_one_player_never_won():
    assert bradley_terry(counted("A", "B", 20, 10, 0)).distinguishable()[0, 1]
    assert not bradley_terry(counted("A", "B", 2, 28, 0)).distinguishable()[0, 1]


def test_a_direct_result_that_contradicts_all_others_decides_nothing():
    others = [*counted("B", "C", 40, 0, 2), *counted("C", "A", 40, 0, 2)]
    found = bradley_terry([*counted("A", "B", 7, 0, 0), *others])
    assert found.players.index("B") < found.players.index("A")
    assert found.direct is not None
    assert (found.direct == 1).all()


def test_players_that_no_chain_of_matches_connects_are_told():
    found = bradley_terry([*counted("a", "b", 3, 1, 2), *counted("c", "d", 1, 0, 0), *counted("d", "e", 1, 0, 0)])
    assert set(found.parts) == {frozenset("ab"), frozenset("cde")}


def test_no_match_and_a_match_of_three_are_refused():
    with pytest.raises(ValueError, match="no rated matches"):
        bradley_terry([])
    with pytest.raises(ValueError, match="matches of two players"):
        bradley_terry([RatedMatch(("a", "b", "c"), (1, 2, 3))])
