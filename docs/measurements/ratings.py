"""Simulate results of known strengths, and put the figures into docs/how_to/rate_players.md.

    python -m docs.measurements.ratings

Takes some thirty minutes on two cores, most of them in choix and evalica. The seeds are fixed, so the figures come
again to the digit.
Needs the extra `analysis`, choix and evalica, which requirements/slow.txt pins.
"""

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from importlib import import_module
from math import log10, sqrt
from multiprocessing import get_context
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from docs.measurements.performance import BEGIN, END, table
from league_sdk.ratings.bradley_terry import PRIOR_ELO, bradley_terry
from league_sdk.ratings.estimate import ELO, Estimate, Vector
from league_sdk.ratings.matches import RatedMatch
from league_sdk.ratings.openskill import openskill
from tests.league_sdk.ratings.simulation import counted, simulated

PAGE = Path(__file__).resolve().parents[1] / "how_to" / "rate_players.md"
Z = 1.959964
"""Half the width of a 95 % interval, in standard errors."""
THEIR_Z = 1.957162
"""The same in cutechess, which approximates the quantile (Winitzki's inverse of the error function).

fastchess's `CI95ZSCORE` is the exact one: 0.14 % more."""
RESAMPLES = 100
"""Resamples of evalica's bootstrap, a tenth of its default, for the time that it takes."""
PRINTED = (
    ((99, 104, 97), "2.3 ± 31.8 (cutechess)"),
    ((159, 41, 100), "69.2 ± 37.2 (cutechess)"),
    ((816, 1328, 670), "18.04 (fastchess)"),
    ((2740, 4825, 2611), "4.40 (fastchess)"),
)
"""Wins, draws and losses with the Elo that other programs print; fastchess's errors are of pairs of games."""

Matches: TypeAlias = Sequence[RatedMatch]
Interval: TypeAlias = tuple[Vector, Vector]
"""Lower and upper bounds of the players' ratings around their mean, in Elo points."""


def around(ratings: Vector, margins: Vector) -> Interval:
    """Intervals of ratings around their mean."""
    return ratings - ratings.mean() - margins, ratings - ratings.mean() + margins


def by_number(found: Estimate) -> Interval:
    """An estimate of ours in the order of the players' numbers."""
    order = np.argsort(found.players)
    return around(found.ratings[order], found.margins()[order])


def decided(matches: Matches) -> list[tuple[int, int]]:
    """Winners and losers of matches without draws, by their numbers."""
    ordered = [match.players if match.places == (1, 2) else match.players[::-1] for match in matches]
    return [(int(winner[1:]), int(loser[1:])) for winner, loser in ordered]


def by_choix(matches: Matches) -> Interval:
    """The posterior distribution of choix by expectation propagation, with the prior of ours."""
    pairs = decided(matches)
    size = 1 + max(max(pair) for pair in pairs)
    mean, covariance = import_module("choix").ep_pairwise(size, pairs, (ELO / PRIOR_ELO) ** 2)
    centre = np.eye(size) - 1 / size
    return around(mean * ELO, Z * ELO * np.sqrt(np.diag(centre @ covariance @ centre)))


def by_evalica(matches: Matches) -> Interval:
    """Percentiles of evalica's bootstrap."""
    evalica: Any = import_module("evalica")
    winners, losers = zip(*decided(matches), strict=True)
    found = evalica.bootstrap(
        evalica.bradley_terry,
        winners,
        losers,
        [evalica.Winner.X] * len(winners),
        n_resamples=RESAMPLES,
        bootstrap_method="percentile",
        random_state=1,
    )
    drawn = ELO * np.log(found.distribution.sort_index(axis=1).to_numpy())
    low, high = np.percentile(drawn - drawn.mean(axis=1, keepdims=True), [2.5, 97.5], axis=0)
    return low, high


def elo_and_error(wins: int, draws: int, losses: int) -> tuple[float, float]:
    """Elo of two players and its error, as cutechess and fastchess compute them from single games."""
    n = wins + draws + losses
    score = (wins + draws / 2) / n
    squares = wins * (1 - score) ** 2 + draws * (0.5 - score) ** 2 + losses * score**2
    error = THEIR_Z * sqrt(squares) / n
    low, middle, high = (-400 * log10(1 / share - 1) for share in (score - error, score, score + error))
    return middle, (high - low) / 2


def lead(wins: int, draws: int, losses: int) -> tuple[float, float]:
    """The same two figures from the ratings of ours."""
    found = bradley_terry(counted("a", "b", wins, draws, losses))
    covariance = found.covariance
    sign = 1 if found.players[0] == "a" else -1
    spread = covariance[0, 0] + covariance[1, 1] - 2 * covariance[0, 1]
    return sign * float(found.ratings[0] - found.ratings[1]), Z * sqrt(spread)


METHODS: Sequence[tuple[str, Callable[[Matches], Interval]]] = (
    ("`league ratings`", lambda matches: by_number(bradley_terry(matches))),
    ("`league ratings --model openskill`", lambda matches: by_number(openskill(matches))),
    (f"evalica, `bootstrap` with {RESAMPLES} resamples", by_evalica),
    ("choix, `ep_pairwise`", by_choix),
)
"""Methods of the table; the slowest stand last, and begin first."""
EACH = (25, 5)
"""Matches of a pair in each order of the seats."""


def coverage(intervals: Callable[[Matches], Interval], simulations: int, each: int) -> tuple[float, float]:
    """Share of the true strengths of four players within their intervals, and half of the intervals' mean width."""
    random = np.random.default_rng(20261123)
    inside, half = list[float](), list[float]()
    for _ in range(simulations):
        strengths = random.normal(0, 120, 4)
        strengths -= strengths.mean()
        matches = list(simulated(strengths, each, random))
        random.shuffle(matches)
        low, high = intervals(matches)
        inside.append(sum(a <= true <= b for a, true, b in zip(low, strengths, high, strict=True)) / 4)
        half.append(float(np.mean(high - low)) / 2)
    return float(np.mean(inside)), float(np.mean(half))


def share_inside(simulated_row: tuple[int, int, int]) -> str:
    """A figure of the table: of a method by its place, matches a pair and seat, and simulations."""
    place, each, simulations = simulated_row
    share, half = coverage(METHODS[place][1], simulations, each)
    return f"{share:.1%} (± {half:.0f})"


def of_two(figures: Callable[[int, int, int], tuple[float, float]], simulations: int, matches: int) -> str:
    """Share of true differences of two players within their intervals, with draws."""
    random = np.random.default_rng(20261123)
    inside = 0
    for _ in range(simulations):
        true = random.normal(0, 120)
        results = simulated([true / 2, -true / 2], matches // 2, random, 0.5)
        scores = [
            0.5 if match.places == (1, 1) else float(match.players[match.places.index(1)] == "P0") for match in results
        ]
        found, error = figures(scores.count(1.0), scores.count(0.5), scores.count(0.0))
        inside += abs(found - true) <= error
    return f"{inside / simulations:.1%}"


def measured(simulations: int = 1000, run: Callable[..., Iterable[str]] = map) -> dict[str, str]:
    """The tables by their names, of so many simulations; `run` may be a pool's `map`."""
    simulated_rows = [(place, each, simulations) for place in reversed(range(len(METHODS))) for each in EACH]
    shares = dict(zip(simulated_rows, run(share_inside, simulated_rows), strict=True))
    rows = [
        [name, str(simulations), *(shares[place, each, simulations] for each in reversed(EACH))]
        for place, (name, _) in enumerate(METHODS)
    ]
    pairs = [
        [name, str(simulations), *(of_two(figures, simulations, matches) for matches in (100, 400))]
        for name, figures in (("`league ratings`", lead), ("cutechess's and fastchess's formula", elo_and_error))
    ]
    same = [
        [
            " / ".join(map(str, counts)),
            printed,
            *("{:.2f} ± {:.2f}".format(*figures(*counts)) for figures in (elo_and_error, lead)),
        ]
        for counts, printed in PRINTED
    ]
    return {
        "coverage": table(["intervals by", "simulations", "10 matches a pair", "50 matches a pair"], rows),
        "two players": table(["two players, with draws", "simulations", "100 matches", "400 matches"], pairs),
        "printed": table(["won / drawn / lost", "printed", "its formula", "`league ratings`"], same),
    }


def main() -> None:
    """Write the tables between their marks."""
    with ProcessPoolExecutor(mp_context=get_context("spawn")) as pool:
        tables = measured(run=pool.map)
    text = PAGE.read_text("utf-8")
    for name, found in tables.items():
        begin, end = BEGIN.format(name), END.format(name)
        before, rest = text.split(begin)
        text = f"{before}{begin}\n{found}\n{end}{rest.split(end)[1]}"
    PAGE.write_text(text, "utf-8")


if __name__ == "__main__":
    main()
