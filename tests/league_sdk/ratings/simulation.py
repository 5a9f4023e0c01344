"""Results of players whose strengths are known."""

from collections.abc import Iterator, Sequence
from itertools import permutations

import numpy as np

from league_sdk.ratings.estimate import ELO
from league_sdk.ratings.matches import RatedMatch

OUTCOMES = ((1, 2), (1, 1), (2, 1))


def simulated(
    strengths: Sequence[float], each: int, random: np.random.Generator, draws: float = 0.0, advantage: float = 0.0
) -> Iterator[RatedMatch]:
    """Matches of every ordered pair; `draws` is Davidson's parameter, strengths and advantage are in Elo points."""
    for first, second in permutations(range(len(strengths)), 2):
        lead = (strengths[first] - strengths[second] + advantage) / ELO / (2 / (2 + draws))
        odds = np.array([np.exp(lead / 2), draws, np.exp(-lead / 2)])
        for outcome in random.choice(3, size=each, p=odds / odds.sum()):
            yield RatedMatch((f"P{first}", f"P{second}"), OUTCOMES[outcome])


def counted(first: str, second: str, wins: int, draws: int, losses: int) -> list[RatedMatch]:
    """Matches of two players with so many results, from the side of the first."""
    counts = zip(OUTCOMES, (wins, draws, losses), strict=True)
    return [RatedMatch((first, second), places) for places, count in counts for _ in range(count)]
