"""Stops an experiment of two strategies by a sequential test."""

import csv
from collections.abc import Iterable, Sequence

from league_sdk.ratings.sprt import Sprt
from servers.experiments.spec import ExperimentSpec


class StopRule:
    """Reads results in the order of the batches; without a test, it never stops.

    Attributes:
        test: The test, if the experiment has one.
    """

    def __init__(self, spec: ExperimentSpec) -> None:
        self.test = Sprt(elo0=spec.sprt[0], elo1=spec.sprt[1]) if spec.sprt else None
        self._first = spec.players[0]
        self._half = 0.0

    def after(self, rows: str) -> bool:
        """True to stop after this batch."""
        self.read(csv.reader(rows.splitlines()))
        return bool(self.test and self.test.accepted)

    def read(self, rows: Iterable[Sequence[str]]) -> "StopRule":
        """Take rows in; a pair ends with its even match."""
        for row in rows if self.test else ():
            score = 0.5 if not row[4] else float(row[4] == self._first)
            if int(row[1]) % 2 and self.test:
                self._half = score
            elif self.test:
                self.test.add((self._half + score) / 2)
        return self
