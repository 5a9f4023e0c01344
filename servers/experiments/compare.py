"""Two experiments side by side: differences of scores with their intervals."""

import math
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from servers.experiments.observations import FEWEST, MeanScore, combined, mean_scores
from servers.experiments.results import ResultsFolder
from servers.experiments.standings import ExperimentStandings


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


@dataclass(frozen=True, slots=True)
class Sample:
    """A strategy's score, with the variances behind it."""

    score: Score
    parts: list[tuple[float, int]]  # variance of the mean against each opponent, and number of its observations


def samples(folder: ResultsFolder) -> dict[str, Sample]:
    """Scores by strategy.

    Observations, and not matches, are independent; the error is that of a mean over fixed opponents, each with a
    variance of its own (a stratified sample: Cochran, Sampling Techniques, 5.3).
    """
    standings = ExperimentStandings(folder)
    found = defaultdict[str, list[MeanScore]](list)
    for (name, _), mean in mean_scores(standings.groups).items():
        found[name].append(mean)
    return {name: _sample(parts, standings.scores[name].matches) for name, parts in found.items()}


def _sample(opponents: list[MeanScore], matches: int) -> Sample:
    number = sum(each.observations for each in opponents)
    score = sum(each.total for each in opponents) / number
    if any(each.observations < FEWEST for each in opponents):
        return Sample(Score(matches, score, None), [])
    parts = [((each.observations / number) ** 2 * each.variance(), each.observations) for each in opponents]
    return Sample(Score(matches, score, math.sqrt(sum(variance for variance, _ in parts))), parts)


def compared(first: ResultsFolder, second: ResultsFolder) -> Iterator[Difference]:
    """The strategies that are in both, in the order of the first."""
    before, after = samples(first), samples(second)
    for name in first.spec.players:
        if name in before and name in after:
            one, two = before[name], after[name]
            margin = combined([*one.parts, *two.parts]) if one.parts and two.parts else None
            yield Difference(name, one.score, two.score, margin)
