"""Two experiments side by side: differences of scores with their intervals."""

import math
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from servers.experiments.results import ResultsFolder

Z = 1.959964
"""Standard errors to either side of a 95 % interval."""
FEWEST = 3
"""Pairs of matches against each opponent below which there is no interval."""


@dataclass(slots=True)
class _Pairs:
    """Mean scores of pairs of matches against one opponent."""

    pairs: int = 0
    total: float = 0.0
    squares: float = 0.0

    def add(self, score: float) -> None:
        self.pairs += 1
        self.total += score
        self.squares += score * score

    @property
    def variance(self) -> float:
        spread = self.squares - self.total**2 / self.pairs
        return max(0.0, spread) / (self.pairs - 1) / self.pairs if self.pairs > 1 else math.inf


@dataclass(frozen=True, slots=True)
class Score:
    """A score as a share, with its standard error; None after too few matches."""

    matches: int
    score: float
    error: float | None


@dataclass(frozen=True, slots=True)
class Difference:
    """A strategy in two experiments."""

    name: str
    before: Score  # its score in the first one
    after: Score  # its score in the second one
    margin: float | None  # half the width of the 95 % interval of the difference; None after too few matches

    @property
    def difference(self) -> float:
        """The second score less the first."""
        return self.after.score - self.before.score

    @property
    def distinguishable(self) -> bool:
        """True if the interval leaves zero out."""
        return self.margin is not None and abs(self.difference) > self.margin


def scores(folder: ResultsFolder) -> dict[str, Score]:
    """Scores by strategy.

    Pairs of matches, and not matches, are independent; the error is that of a mean over fixed opponents, each with a
    variance of its own (a stratified sample: Cochran, Sampling Techniques, 5.3).
    """
    found = defaultdict[str, defaultdict[str, _Pairs]](lambda: defaultdict(_Pairs))
    begun = 0.0
    for row in folder.rows():
        first, second, winner = row[2:5]
        # The second match of a pair has the seats swapped.
        score = 0.5 if not winner else float(winner == (first if int(row[1]) % 2 else second))
        if int(row[1]) % 2:
            begun = score
        else:
            found[second][first].add((begun + score) / 2)
            found[first][second].add(1 - (begun + score) / 2)
    return {name: _score(list(by_opponent.values())) for name, by_opponent in found.items()}


def _score(parts: list[_Pairs]) -> Score:
    pairs = sum(part.pairs for part in parts)
    enough = all(part.pairs >= FEWEST for part in parts)
    error = math.sqrt(sum((part.pairs / pairs) ** 2 * part.variance for part in parts)) if enough else None
    return Score(2 * pairs, sum(part.total for part in parts) / pairs, error)


def compared(first: ResultsFolder, second: ResultsFolder) -> Iterator[Difference]:
    """The strategies that are in both, in the order of the first."""
    before, after = scores(first), scores(second)
    for name in first.spec.players:
        if name in before and name in after:
            one, two = before[name], after[name]
            known = one.error is not None and two.error is not None
            margin = Z * math.hypot(one.error or 0.0, two.error or 0.0) if known else None
            yield Difference(name, one, two, margin)
