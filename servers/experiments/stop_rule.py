"""Ends the matches of two strategies once a sequential test has decided."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import fmean
from typing import Protocol

from league_sdk.ratings.betting import BettingTest
from league_sdk.ratings.sprt import Sprt
from servers.experiments.batches import Batch
from servers.experiments.spec import ExperimentSpec

Pairing = tuple[int, int]


class SequentialTest(Protocol):
    """A sequential test of scores from 0 to 1."""

    def add(self, value: float, /) -> None: ...
    @property
    def over(self) -> bool: ...


@dataclass(frozen=True, slots=True)
class Comparison:
    """The answer for two strategies so far."""

    pair: tuple[str, str]
    better: str  # the name of the better one; empty while that is open
    matches: int  # the number of their matches

    @property
    def worse(self) -> str:
        """The name of the other one, once the better one is known."""
        first, second = self.pair
        return second if self.better == first else first


class StopRule:
    """Reads results in the order of the batches.

    Attributes:
        sprt: The test of two strategies by `sprt`, if the experiment has one.
        tests: All tests by pairing.
    """

    def __init__(self, spec: ExperimentSpec) -> None:
        self.sprt = Sprt(elo0=spec.sprt[0], elo1=spec.sprt[1]) if spec.sprt else None
        pairings = list(combinations(range(len(spec.strategies)), 2))
        self._order: Mapping[Pairing, BettingTest] = {}
        if spec.until_ordered:
            alpha = (1 - spec.until_ordered) / len(pairings)
            self._order = {pairing: BettingTest(alpha) for pairing in pairings}
        self.tests: Mapping[Pairing, SequentialTest] = {(0, 1): self.sprt} if self.sprt else self._order
        self._matches = dict.fromkeys(pairings, 0)
        self._names = spec.players
        self._together = spec.together

    def wants(self, batch: Batch) -> bool:
        """True unless the question that a batch would answer is decided."""
        test = self.tests.get(batch.pairing)
        return test is None or not test.over

    def read(self, batch: Batch, rows: Iterable[Sequence[str]]) -> None:
        """Take in the rows of a batch."""
        test = self.tests.get(batch.pairing)
        if test is None:
            return
        first = self._names[batch.pairing[0]]
        scores = [0.5 if not row[4] else float(row[4] == first) for row in rows]
        self._matches[batch.pairing] += len(scores)
        for start in range(0, len(scores), self._together):
            test.add(fmean(scores[start : start + self._together]))

    def comparisons(self) -> Iterator[Comparison]:
        """The answers that `until_ordered` asks for, pairing by pairing."""
        for (one, other), test in self._order.items():
            names, answer = (self._names[one], self._names[other]), test.answer
            better = names[answer < 0] if answer else ""
            yield Comparison(names, better, self._matches[one, other])


def order_of(comparisons: Sequence[Comparison]) -> list[str]:
    """Names, the best first; empty while a pair is open or answers form a circle."""
    names = sorted({name for comparison in comparisons for name in comparison.pair})
    beaten = {name: sum(comparison.better == name for comparison in comparisons) for name in names}
    found = sorted(names, key=lambda name: -beaten[name])
    whole = sorted(beaten.values()) == list(range(len(names))) and all(comparison.better for comparison in comparisons)
    return found if whole else []
