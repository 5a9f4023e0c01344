import sys

import numpy as np
import pytest

from league_sdk.ratings.bradley_terry import bradley_terry
from league_sdk.ratings.matches import RatedMatch
from league_sdk.ratings.openskill import openskill
from tests.league_sdk.ratings.simulation import simulated

STRENGTHS = (1650, 1550, 1450, 1350)


def drawn(seed: int, each: int, strengths: tuple[float, ...] = STRENGTHS) -> list[RatedMatch]:
    """Matches of all pairs in a random order."""
    random = np.random.default_rng(seed)
    matches = list(simulated(strengths, each, random))
    random.shuffle(matches)
    return matches


def coverage(simulations: int, each: int) -> float:
    covered = 0
    for seed in range(simulations):
        estimate = openskill(drawn(seed, each))
        truth = np.array([STRENGTHS[int(player[1:])] for player in estimate.players])
        covered += int((np.abs(estimate.ratings - truth) <= estimate.margins()).sum())
    return covered / simulations / len(STRENGTHS)


def test_strengths_are_found_within_their_errors():
    assert coverage(20, 40) >= 0.9


@pytest.mark.slow
@pytest.mark.parametrize("each", [5, 25, 100])
def test_in_a_thousand_simulations_95_percent_intervals_cover_at_least_95_percent(each: int):
    assert coverage(1000, each) >= 0.95


def test_the_order_is_that_of_bradley_and_terry():
    matches = drawn(1, 100)
    one, other = openskill(matches), bradley_terry(matches)
    assert one.players == other.players
    assert one.ratings == pytest.approx(other.ratings, abs=40)
    assert one.matches == other.matches
    assert one.parts == (frozenset(one.players),)


def test_matches_of_three_are_rated_by_their_places():
    estimate = openskill([RatedMatch(("A", "B", "C"), (1, 2, 3)), RatedMatch(("C", "A", "B"), (3, 1, 1))] * 20)
    assert estimate.players == ("A", "B", "C")
    assert estimate.ratings.mean() == pytest.approx(1500)


def test_players_that_never_met_are_in_different_parts():
    estimate = openskill([RatedMatch(("A", "B"), (1, 2)), RatedMatch(("C", "D"), (1, 2))])
    assert {"".join(sorted(part)) for part in estimate.parts} == {"AB", "CD"}


def test_no_match_and_no_library_are_errors(monkeypatch):
    with pytest.raises(ValueError, match="no rated matches"):
        openskill([])
    monkeypatch.setitem(sys.modules, "openskill.models", None)
    with pytest.raises(ModuleNotFoundError):
        openskill([RatedMatch(("A", "B"), (1, 2))])
