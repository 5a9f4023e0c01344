"""An experiment as one self-contained HTML file, made of the live page's styles."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from itertools import pairwise
from typing import Any

from markupsafe import Markup

from league_sdk.release import release
from servers.experiments.charts import Box, boxes, convergence, ladder
from servers.experiments.observations import MeanScore, mean_scores
from servers.experiments.results import ResultsFolder
from servers.experiments.standings import COSTS, ExperimentStandings
from servers.experiments.stop_rule import order_of
from servers.ui.csp import own_policy
from servers.ui.rendering import drawn, parts

CHECKPOINTS = 60
"""Points of a line in the chart of convergence, about."""


@dataclass(frozen=True, slots=True)
class Figures:
    """The numbers behind the charts of an experiment."""

    standings: ExperimentStandings  # all results, added up
    rows: list[dict[str, Any]]  # the standings, the best first
    heat: list[list["PairScore | None"]]  # score of each row's strategy against each column's; None without matches
    boxes: list[Box]  # payoffs of each strategy; empty without matches
    matches: list[int]  # of each pairing, at some 60 points on the way
    scores: dict[str, list[float]]  # score so far of each strategy at these points

    @property
    def rated(self) -> bool:
        """True with ratings, which need matches and scipy."""
        return self.rows[0]["rating"] is not None


@dataclass(frozen=True, slots=True)
class PairScore:
    """A score between two strategies, with its 95 % interval."""

    score: float
    interval: tuple[float, float] | None  # None after too few matches
    won: int
    drawn: int
    lost: int

    @property
    def tone(self) -> int:
        return round(self.score * 10)


def figures_of(folder: ResultsFolder) -> Figures:
    standings = ExperimentStandings(folder)
    rows = standings.rows()
    payoffs, matches, scores = _course(folder)
    means = mean_scores(standings.groups)
    heat = [[_cell(standings, means, row["name"], other["name"]) for other in rows] for row in rows]
    boxes = [box_of(row["name"], payoffs[row["name"]]) for row in rows] if matches else []
    return Figures(standings, rows, heat, boxes, matches, scores)


def render(folder: ResultsFolder) -> Iterator[str]:
    """The file, part by part; the experiment may still be running."""
    found = figures_of(folder)
    style = "".join(
        (files("servers.ui") / "static" / name).read_text("utf-8") for name in ("page.css", "charts.css", "report.css")
    )
    comparisons = list(folder.rule().comparisons())
    return parts(
        "experiment",
        {
            "spec": folder.spec,
            "played": sum(found.standings.outcomes.values()),
            "rows": found.rows,
            "rated": found.rated,
            "heat": found.heat,
            "costs": [cost for cost in COSTS if any(row[cost[0]] is not None for row in found.rows)],
            "same": found.standings.always_the_same(),
            "order": order_of(comparisons),
            "comparisons": comparisons,
            "ladder": drawn(ladder(found.rows)) if found.rated else "",
            "boxes": drawn(boxes(found.boxes)) if found.boxes else "",
            "convergence": drawn(convergence(found.matches, found.scores)) if found.matches else "",
            "style": Markup(style),  # noqa: S704 - ours
            "policy": own_policy("", style),
            "version": release(),
        },
    )


def _cell(
    standings: ExperimentStandings, means: Mapping[tuple[str, str], MeanScore], name: str, other: str
) -> PairScore | None:
    won, drawn_, lost = (
        sum(standings.outcomes[first, second, winner] for first, second in ((name, other), (other, name)))
        for winner in (name, "", other)
    )
    matches = won + drawn_ + lost
    if name == other or not matches:
        return None
    interval = means.get((name, other), MeanScore()).interval()
    return PairScore((won + drawn_ / 2) / matches, interval, won, drawn_, lost)


def _course(folder: ResultsFolder) -> tuple[dict[str, Counter[float]], list[int], dict[str, list[float]]]:
    """Payoffs by strategy, and scores after so many matches of each pairing."""
    names = folder.spec.players
    payoffs = {name: Counter[float]() for name in names}
    halves = defaultdict[tuple[str, str], bytearray](bytearray)  # a pairing's results: half points of its first name
    for row in folder.rows():
        first, second, winner = row[2:5]
        for name, payoff in zip((first, second), row[5:7], strict=True):
            payoffs[name][float(payoff)] += 1
        one, other = sorted((first, second))
        halves[one, other].append(1 if not winner else 2 * (winner == one))
    longest = max(map(len, halves.values()), default=0)
    every = max(1, longest // CHECKPOINTS)
    matches = sorted({*range(every, longest + 1, every), longest} - {0})
    points, played = dict.fromkeys(names, 0.0), dict.fromkeys(names, 0)
    scores = {name: list[float]() for name in names}
    for before, now in pairwise((0, *matches)):
        for (one, other), results in halves.items():
            part = results[before:now]
            for name, won in ((one, sum(part)), (other, 2 * len(part) - sum(part))):
                points[name] += won / 2
                played[name] += len(part)
        for name in names:
            scores[name].append(points[name] / max(1, played[name]))
    return payoffs, matches, scores


def box_of(name: str, payoffs: Iterable[float]) -> Box:
    """The five numbers of payoffs, or of a counter of them."""
    ordered = sorted(Counter(payoffs).items())
    total = sum(count for _, count in ordered)
    numbers = [_quantile(ordered, share * (total - 1)) for share in (0, 0.25, 0.5, 0.75, 1)] if total else [0.0] * 5
    least, low, median, high, most = numbers
    mean = sum(value * count for value, count in ordered) / total if total else 0.0
    return Box(name, (least, low, median, high, most), mean)


def _quantile(ordered: Sequence[tuple[float, int]], place: float) -> float:
    """The value at a place in sorted values with their counts, from 0."""
    seen = 0
    for value, count in ordered:
        seen += count
        if seen > place:
            return value
    return ordered[-1][0]
