"""A test by betting of whether a mean is above or below one half.

A gambler who stakes b on each observation x in [0, 1] multiplies the capital by 1 + b(x - 1/2). Where the mean is not
above one half, the capital does not grow on average, and ever exceeds 1/alpha with a probability of at most alpha
(Ville 1939). So one may look after every observation, and stop as soon as it does. The capital is divided among stakes
of all sizes, since the best one depends on the unknown mean (Waudby-Smith and Ramdas 2024, JRSS B 86, 1, section 4).
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from math import exp, log, log1p

STAKES = tuple(1.98 * 2 ** (-half / 2) for half in range(21))
"""From nearly all, which proves a lead without a loss, to 0.002, which proves one of a thousandth."""


@dataclass
class BettingTest:
    """A test of two hypotheses at once: a mean above one half, and one below.

    Attributes:
        alpha: Greatest probability of a wrong answer; half of it in each direction.
        seen: Number of observations by value.
    """

    alpha: float
    seen: Counter[float] = field(default_factory=Counter[float])

    def add(self, value: float) -> None:
        """Count an observation from 0 to 1."""
        self.seen[value] += 1

    @property
    def answer(self) -> int:
        """1 if the mean is above one half, -1 if it is below, 0 while that is open."""
        needed = log(2 / self.alpha)
        above, below = (_capital([(sign * (x - 0.5), times) for x, times in self.seen.items()]) for sign in (1, -1))
        return (above >= needed) - (below >= needed)

    @property
    def over(self) -> bool:
        """True once there is an answer."""
        return self.answer != 0


def _capital(gains: Sequence[tuple[float, int]]) -> float:
    """The logarithm of the capital, from gains per stake and their numbers."""
    stakes = [sum(times * log1p(stake * gain) for gain, times in gains) for stake in STAKES]
    most = max(stakes)
    return most + log(sum(exp(each - most) for each in stakes) / len(stakes))
