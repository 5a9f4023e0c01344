"""Estimated strengths with their uncertainty, and figures derived from them."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import log
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import norm

Vector = NDArray[np.float64]

ELO = 400 / log(10)
"""Points on the Elo scale per natural unit: a lead of 400 points means odds of ten to one (Elo 1978, 8.4)."""
MEAN = 1500.0
"""The mean rating of all players."""
FEWEST = 3
"""Rated matches of a player, or groups of them that share a cause, below which no interval is given."""
SAMPLES = 10_000
"""Draws from the joint distribution of all strengths from which the intervals of ranks are read."""


@dataclass(frozen=True)
class Estimate:
    """Strengths of players on the Elo scale, as a joint normal distribution.

    Attributes:
        players: Player ids, the strongest first.
        ratings: Shape (n,): their ratings in Elo points; the mean of all players is 1500.
        covariance: Shape (n, n): covariance of the ratings in squared Elo points.
        matches: The number of rated matches of each player.
        observations: The number of each player's groups of matches that share a cause; of matches without groups.
        parts: Groups of players that no chain of matches connects; ratings of different parts cannot be compared.
        seat_advantage: The advantage of the first seat in Elo points, with its standard error; None if not estimated.
        draw_rate: Probability of a draw between equal players; None if the model has no draws.
        direct: Shape (n, n): greatest probability of so one-sided direct matches if both were equal, for pairs of whom
            one never won; 1 elsewhere. Their normal distribution says little, since the curvature fades the further
            they are apart (Hauck and Donner 1977, JASA 72, 851). None if the model has none.
    """

    players: tuple[str, ...]
    ratings: Vector
    covariance: Vector
    matches: tuple[int, ...]
    observations: tuple[int, ...]
    parts: tuple[frozenset[str], ...] = ()
    seat_advantage: tuple[float, float] | None = None
    draw_rate: float | None = None
    direct: Vector | None = None

    @cached_property
    def standard_errors(self) -> Vector:
        """Shape (n,): standard error of each rating, in Elo points."""
        return np.sqrt(np.diag(self.covariance))

    def margins(self, confidence: float = 0.95) -> Vector:
        """Shape (n,): half the width of each rating's confidence interval, in Elo points."""
        return self.standard_errors * self.quantile(confidence)

    @staticmethod
    def quantile(confidence: float) -> float:
        """Half the width of a confidence interval in standard errors."""
        return float(norm.ppf((1 + confidence) / 2))

    @cached_property
    def superiority(self) -> Vector:
        """Shape (n, n): probability that the row's player is stronger."""
        variances = np.diag(self.covariance)
        spread = np.sqrt(np.maximum(variances[:, None] + variances[None, :] - 2 * self.covariance, 1e-12))
        probability = norm.cdf((self.ratings[:, None] - self.ratings[None, :]) / spread)
        np.fill_diagonal(probability, 0.5)
        return probability

    def distinguishable(self, confidence: float = 0.95) -> NDArray[np.bool_]:
        """Shape (n, n): True where a difference's interval leaves zero out.

        Also where the direct matches of two are too one-sided for equal players.
        """
        apart: NDArray[np.bool_] = np.abs(self.superiority - 0.5) > confidence / 2
        return apart if self.direct is None else apart | (self.direct <= 1 - confidence)

    def rank_intervals(self, confidence: float = 0.95, seed: int = 0) -> list[tuple[int, int]]:
        """The best and the worst rank, from 1, that each player may have."""
        random = np.random.default_rng(seed)
        drawn: Vector = random.multivariate_normal(self.ratings, self.covariance, SAMPLES, method="eigh")
        ranks = np.argsort(np.argsort(-drawn, axis=1), axis=1) + 1
        tail = (1 - confidence) / 2
        low, high = np.quantile(ranks, [tail, 1 - tail], axis=0, method="nearest")
        if self.direct is not None:  # in order of strength: all before a player are stronger
            apart = self.direct <= 1 - confidence
            low, high = (
                np.maximum(low, 1 + np.tril(apart).sum(1)),
                np.minimum(high, len(ranks[0]) - np.triu(apart).sum(1)),
            )
        return [(int(best), int(worst)) for best, worst in zip(low, high, strict=True)]

    def rows(self, confidence: float = 0.95) -> list[dict[str, Any]]:
        """One JSON object a player, the strongest first.

        Returns:
            `rank` from 1, `name`, `rating` and `margin` in whole Elo points (the margin is None after fewer than three
            independent ones), `rank_interval` as the best and the worst rank, `matches`, and `not_distinguishable_from`
            with the names of others.
        """
        columns = zip(
            self.players,
            self.ratings,
            self.margins(confidence),
            self.rank_intervals(confidence),
            self.matches,
            self.observations,
            self.distinguishable(confidence),
            strict=True,
        )
        return [
            {
                "rank": rank,
                "name": name,
                "rating": round(float(rating)),
                "margin": round(float(margin)) if observations >= FEWEST else None,
                "rank_interval": list(ranks),
                "matches": matches,
                "not_distinguishable_from": [
                    other for other, apart in zip(self.players, apart, strict=True) if other != name and not apart
                ],
            }
            for rank, (name, rating, margin, ranks, matches, observations, apart) in enumerate(columns, 1)
        ]


def by_strength(players: Sequence[str], ratings: Vector) -> list[int]:
    """Indices of players, the strongest first; equals in the order given."""
    return sorted(range(len(players)), key=lambda index: (-ratings[index], index))
