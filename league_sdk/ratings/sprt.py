"""The sequential probability ratio test on pairs of matches.

A pair of matches with the seats swapped scores 0, 1/4, 1/2, 3/4 or 1; such a pair, and not a match, is what is
independent of the others. The test is the generalized one: the log-likelihood ratio of the most likely distributions of
pairs whose expected scores are those of `elo1` and of `elo0` (Van den Bergh, "Comments on normalized Elo", proposition
1.1; Wald 1945 has the bounds). fastchess calls it the pentanomial test with the logistic model.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from math import log

PAIR_SCORES = (0.0, 0.25, 0.5, 0.75, 1.0)
UNSEEN = 1e-3
"""Count in place of 0, so that every likelihood is finite."""


@dataclass
class Sprt:
    """A test of one strategy against another.

    Attributes:
        elo0: The lead in Elo points under the hypothesis H0.
        elo1: The lead under H1, greater than `elo0`.
        alpha: Probability to accept H1 where H0 holds.
        beta: Probability to accept H0 where H1 holds.
        seen: Number of observations by mean score: of pairs, or of longer series that only together are independent.
    """

    elo0: float
    elo1: float
    alpha: float = 0.05
    beta: float = 0.05
    seen: Counter[float] = field(default_factory=Counter[float])

    def __post_init__(self) -> None:
        if not self.elo0 < self.elo1:
            raise ValueError(f"elo0 has to be below elo1, got {self.elo0:g} and {self.elo1:g}")

    def add(self, score: float) -> None:
        """Count a pair, or a longer series, by its mean score."""
        self.seen[score] += 1

    @property
    def bounds(self) -> tuple[float, float]:
        """The ratios at which H0 and H1 are accepted."""
        return log(self.beta / (1 - self.alpha)), log((1 - self.beta) / self.alpha)

    @property
    def ratio(self) -> float:
        """The logarithm of the likelihood ratio so far."""
        counts = {score: self.seen[score] or UNSEEN for score in {*PAIR_SCORES, *self.seen}}
        lower, upper = (_likeliest(counts, 1 / (1 + 10 ** (-elo / 400))) for elo in (self.elo0, self.elo1))
        return sum(count * log(upper[score] / lower[score]) for score, count in sorted(counts.items()))

    @property
    def accepted(self) -> str:
        """`H0`, `H1`, or empty while the test continues."""
        low, high = self.bounds
        ratio = self.ratio
        return "H1" if ratio >= high else "H0" if ratio <= low else ""

    @property
    def over(self) -> bool:
        """True once a hypothesis is accepted."""
        return bool(self.accepted)


def _likeliest(counts: Mapping[float, float], score: float) -> dict[float, float]:
    """The most likely distribution with an expected score, by bisection."""
    total = sum(counts.values())
    low, high = -1 / (1 - score), 1 / score
    for _ in range(100):
        middle = (low + high) / 2
        slope = sum(n * (each - score) / (1 + middle * (each - score)) for each, n in counts.items())
        low, high = (middle, high) if slope > 0 else (low, middle)
    return {each: n / total / (1 + low * (each - score)) for each, n in counts.items()}
