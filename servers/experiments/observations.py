"""Observations of an experiment: matches that only together are independent.

Both matches of a pair share their chance. Where players remember, so do all matches of two in a repetition. Scores and
their intervals are therefore those of means of such groups.
"""

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import TypeAlias

Outcome: TypeAlias = tuple[str, str, str]
"""First seat, second seat, and winner; no winner for a draw."""
Group: TypeAlias = tuple[Outcome, ...]

Z = NormalDist().inv_cdf(0.975)
"""Standard errors to either side of a 95 % interval."""
FEWEST = 3
"""Observations of two strategies below which there is no interval."""
HALF = 0.5
"""Weight of a further observation of the greatest possible variance: without it, a few equal ones would be certain."""


@dataclass(slots=True)
class MeanScore:
    """Mean score of a strategy against another one, by observations from 0 to 1."""

    observations: int = 0
    total: float = 0.0
    squares: float = 0.0

    def add(self, score: float, times: int = 1) -> None:
        self.observations += times
        self.total += times * score
        self.squares += times * score * score

    @property
    def mean(self) -> float:
        return self.total / self.observations

    def variance(self) -> float:
        """Of the mean, with two further observations, 0 and 1.

        They keep it above zero where all were alike (Agresti and Caffo 2000, The American Statistician 54, 280).
        """
        number, total = self.observations + 2, self.total + 1
        return max(0.0, self.squares + 1 - total**2 / number) / (number - 1) / number

    def interval(self) -> tuple[float, float] | None:
        """The 95 % interval; None after too few observations.

        That of Wilson 1927 (JASA 22, 209) for as many independent matches without draws as have the same variance, with
        Student's quantile (as Korn and Graubard 1998, Survey Methodology 24, 193, do with Clopper's and Pearson's).
        """
        if self.observations < FEWEST:
            return None
        number, mean = self.observations, min(1.0, max(0.0, self.mean))
        greatest = mean * (1 - mean)
        spread = max(0.0, self.squares - self.total**2 / number) + HALF * greatest
        matches = greatest * number * (number - 1 + HALF) / spread if spread > 0 else float(number)
        return wilson(mean, matches, student(number - 1))


def mean_scores(groups: Mapping[Group, int]) -> dict[tuple[str, str], MeanScore]:
    """Mean scores by strategy and opponent."""
    found = defaultdict[tuple[str, str], MeanScore](MeanScore)
    for group, times in groups.items():
        one, other, _ = group[0]
        score = sum(0.5 if not winner else float(winner == one) for _, _, winner in group) / len(group)
        found[one, other].add(score, times)
        found[other, one].add(1 - score, times)
    return dict(found)


def wilson(score: float, matches: float, quantile: float = Z) -> tuple[float, float]:
    """The interval of a share of independent matches (Wilson 1927, JASA 22, 209)."""
    spread = quantile * quantile / matches
    middle = (score + spread / 2) / (1 + spread)
    half = math.sqrt(spread * (score * (1 - score) + spread / 4)) / (1 + spread)
    return max(0.0, middle - half), min(1.0, middle + half)


def student(freedom: float) -> float:
    """Student's quantile of 97.5 %, within 1 % from two degrees of freedom on.

    By Abramowitz and Stegun, 26.7.5.
    """
    terms = (
        (Z**3 + Z) / 4,
        (5 * Z**5 + 16 * Z**3 + 3 * Z) / 96,
        (3 * Z**7 + 19 * Z**5 + 17 * Z**3 - 15 * Z) / 384,
        (79 * Z**9 + 776 * Z**7 + 1482 * Z**5 - 1920 * Z**3 - 945 * Z) / 92160,
    )
    return Z + sum(term / freedom**power for power, term in enumerate(terms, 1))


def combined(parts: Sequence[tuple[float, int]]) -> float:
    """Half the width of the 95 % interval of a sum.

    From the variances of its parts and the numbers of their observations. The degrees of freedom are Satterthwaite's
    (1946, Biometrics Bulletin 2, 110).
    """
    total = sum(variance for variance, _ in parts)
    freedom = total**2 / sum(variance**2 / (number - 1) for variance, number in parts)
    return student(freedom) * math.sqrt(total)
