"""Play three statistical studies, and put their figures into docs/explanation/studies.md.

    python -m docs.measurements.studies

Takes some two minutes. The seeds are fixed, so the figures come again to the digit. Needs the extra `analysis`.
"""

import csv
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from statistics import fmean
from typing import Any

from scipy import stats

from docs.measurements.performance import BEGIN, END, table
from league_sdk import Experiment, plugins
from servers.experiments.match_loop import Contestant, play

PAGE = Path(__file__).resolve().parents[1] / "explanation" / "studies.md"

SWEEPS: Sequence[tuple[str, str, Mapping[str, Any], Sequence[str], Sequence[int]]] = (
    ("pattern", "rock_paper_scissors", {"rounds": 100}, ("frequency", "ucb1", "thompson"), (1, 2, 3, 4)),
    ("mcts", "tic_tac_toe", {}, ("minimax-1000",), (10, 30, 100, 300)),
    ("minimax", "tic_tac_toe", {}, ("random",), (10, 100, 1000)),
)
"""Strategies with a number in their name: game, its options, opponents, and the numbers."""


def pair_scores(matches: Sequence[Mapping[str, str]], name: str) -> list[float]:
    """Mean scores of a strategy in successive pairs of matches, which share chance and swap the seats."""
    scores = [0.5 if not row["winner"] else float(row["winner"] == name) for row in matches]
    return [fmean(pair) for pair in zip(scores[::2], scores[1::2], strict=True)]


def played(game: str, strategies: Sequence[str], matches: int, **more: Any) -> list[dict[str, str]]:
    """The matches of an experiment."""
    with tempfile.TemporaryDirectory() as folder:
        results = Experiment(game, strategies, matches=matches, **more).run(Path(folder) / "x")
        with results.table.open(encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))


def interval(scores: Sequence[float]) -> str:
    """The mean with its 95 % interval by Student's t."""
    mean, error = fmean(scores), float(stats.sem(scores))
    half = float(stats.t.ppf(0.975, len(scores) - 1)) * error
    return f"{mean:.1%} ± {half:.1%}"


def told(p: float, equals: str = "") -> str:
    """A p-value."""
    return "< 0.001" if p < 0.001 else f"{equals}{p:.3f}"


def sensitivity(matches: int) -> str:
    """Each strategy's score by its parameter, and Welch's test between neighbours, corrected by Holm."""
    rows: list[list[str]] = []
    for strategy, game, options, opponents, numbers in SWEEPS:
        found = {number: scores_of(f"{strategy}-{number}", game, options, opponents, matches) for number in numbers}
        tests = [welch(found[low], found[high]) for low, high in pairwise(numbers)]
        for number, p in zip(numbers, [None, *holm(tests)], strict=True):
            against = ", ".join(f"`{name}`" for name in opponents)
            rows.append(
                [f"`{strategy}-{number}`", against, interval(found[number]), "" if p is None else told(p)],
            )
    return table(["strategy", "against", "score", "p, against the line above"], rows)


def scores_of(name: str, game: str, options: Mapping[str, Any], opponents: Sequence[str], matches: int) -> list[float]:
    """Pair scores of a strategy against each of its opponents, by a seed of its own."""
    return [
        score
        for opponent in opponents
        for score in pair_scores(played(game, (name, opponent), matches, options=options, seed=name), name)
    ]


def welch(one: Sequence[float], other: Sequence[float]) -> float:
    """The p-value of Welch's test that two means are equal."""
    return float(stats.ttest_ind(one, other, equal_var=False).pvalue)


def holm(found: Sequence[float]) -> list[float]:
    """P-values corrected for their number (Holm 1979, Scandinavian Journal of Statistics 6, 65)."""
    order = sorted(range(len(found)), key=found.__getitem__)
    corrected, least = [0.0] * len(found), 0.0
    for rank, place in enumerate(order):
        least = max(least, min(1.0, found[place] * (len(found) - rank)))
        corrected[place] = least
    return corrected


def drawn_numbers(matches: int) -> str:
    """The numbers that Even/Odd draws, and the chi-squared test that all are equally probable."""
    game, strategy = plugins.game("even_odd"), plugins.strategy("random")
    seats = [Contestant(player, player, strategy) for player in ("P01", "P02")]
    seen = Counter[int]()
    for number in range(matches):
        match = play(game, seats, seed="1", chance=f"study:{number}", match_id=f"R{number + 1}M1")
        seen[int(match.outcome.details["drawn_number"])] += 1
    counts = [seen[value] for value in range(1, 11)]
    found = stats.chisquare(counts)
    rows = [["drawn", *map(str, counts)]]
    statistic = f"χ² = {float(found.statistic):.2f} with 9 degrees of freedom, p {told(float(found.pvalue), '= ')}"
    return f"{table(['number', *map(str, range(1, 11))], rows)}\n\n{statistic}"


def homogeneity(matches: int) -> Iterator[str]:
    """For two games, wins and losses of strategies, and the chi-squared test that all have the same share."""
    strategies = ("random", "alternating", "frequency", "pattern", "mirror")
    for game in ("even_odd", "rock_paper_scissors"):
        won, lost = Counter[str](), Counter[str]()
        for place, name in enumerate(strategies):
            # Each strategy has matches of its own: counted from both sides, one match would stand in two rows.
            for row in played(game, (name, "frequency"), matches, seed=f"{place}", paired=False):
                won[name] += row["winner"] == name
                lost[name] += row["winner"] not in ("", name)
        counts = [[won[name] for name in strategies], [lost[name] for name in strategies]]
        found: Any = stats.chi2_contingency(counts)
        rows = [[word, *map(str, line)] for word, line in zip(("won", "lost"), counts, strict=True)]
        statistic = (
            f"χ² = {found.statistic:.2f} with {found.dof} degrees of freedom, p {told(float(found.pvalue), '= ')}"
        )
        headings = ["against `frequency`", *(f"`{name}`" for name in strategies)]
        yield f"`{game}`:\n\n{table(headings, rows)}\n\n{statistic}"


def lead(matches: int) -> str:
    """Student's test on pairs of matches, beside one that needs no normal distribution."""
    rows: list[list[str]] = []
    for name in ("always-b2", "alternating"):
        scores = pair_scores(played("tic_tac_toe", (name, "random"), matches), name)
        student = stats.ttest_1samp(scores, 0.5)
        above, below = sum(score > 0.5 for score in scores), sum(score < 0.5 for score in scores)
        sign = stats.binomtest(above, above + below)
        pairs = f"{above} / {len(scores) - above - below} / {below}"
        rows.append(
            [
                f"`{name}`",
                interval(scores),
                pairs,
                f"{float(student.statistic):.2f}",
                told(float(student.pvalue)),
                told(sign.pvalue),
            ]
        )
    return table(["against `random`", "score", "pairs won / even / lost", "t", "p", "p of the sign test"], rows)


def measured(matches: int) -> dict[str, str]:
    """The tables by their names; larger with more matches."""
    return {
        "sensitivity": sensitivity(matches),
        "numbers": drawn_numbers(100 * matches),
        "homogeneity": "\n\n".join(homogeneity(10 * matches)),
        "lead": lead(4 * matches),
    }


def main() -> None:
    """Write the tables between their marks."""
    text = PAGE.read_text("utf-8")
    for name, found in measured(100).items():
        begin, end = BEGIN.format(name), END.format(name)
        before, rest = text.split(begin)
        text = f"{before}{begin}\n{found}\n{end}{rest.split(end)[1]}"
    PAGE.write_text(text, "utf-8")


if __name__ == "__main__":
    main()
