"""Standings of an experiment: scores, ratings with errors, substituted moves."""

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from itertools import combinations, repeat
from statistics import fmean
from typing import Any

from servers.experiments.observations import Group, Outcome
from servers.experiments.results import ResultsFolder

FEWEST_PAIRS = 3
"""Equal pairs of matches of two strategies from which on they count as always the same."""


@dataclass(slots=True)
class StrategyScore:
    """Results of one strategy."""

    name: str
    won: int = 0
    drawn: int = 0
    lost: int = 0
    substituted: int = 0  # moves that were not the strategy's own
    faults: Counter[str] = field(default_factory=Counter[str])  # reasons for them: matches by the first one
    seconds: list[float] = field(default_factory=list[float])  # means of a move, by match, in leagues
    tokens: int | None = None  # of language models; None if nothing is known
    cost_usd: float | None = None

    @property
    def matches(self) -> int:
        return self.won + self.drawn + self.lost

    @property
    def score(self) -> float:
        """Share of its matches that it won, a draw being half of one."""
        return (self.won + self.drawn / 2) / self.matches if self.matches else 0.0

    def add_costs(self, seconds: str, tokens: str, cost: str) -> None:
        """Add time and cost of a match in a league; empty where not known."""
        if seconds:
            self.seconds.append(float(seconds))
        if tokens:
            self.tokens = (self.tokens or 0) + int(tokens)
        if cost:
            self.cost_usd = (self.cost_usd or 0.0) + float(cost)


class ExperimentStandings:
    """All results of an experiment, added up.

    Attributes:
        scores: Results by strategy.
        outcomes: Number of matches by first seat, second seat and winner; no winner for a draw.
        groups: Number of observations, such as pairs of matches with the same chance, by the outcomes of their matches.
    """

    def __init__(self, folder: ResultsFolder) -> None:
        self.scores = {name: StrategyScore(name) for name in folder.spec.players}
        self.outcomes = Counter[Outcome]()
        self.groups = Counter[Group]()
        self._ways = defaultdict[tuple[str, str], set[tuple[str, ...]]](set)  # how the matches of two seats went
        begun, size = list[Outcome](), folder.spec.together
        for row in folder.rows():
            first, second, winner = row[2:5]
            self.outcomes[first, second, winner] += 1
            begun.append((first, second, winner))
            if len(begun) == size:
                self.groups[tuple(begun)] += 1
                begun.clear()
            if len(self._ways[first, second]) < 2:
                self._ways[first, second].add(tuple(row[4:8]))
            for name, substituted, fault in zip((first, second), row[8:10], row[10:12], strict=True):
                if fault:
                    self.scores[name].substituted += int(substituted)
                    self.scores[name].faults[fault] += 1
            for name, *costs in zip((first, second), row[12:14], row[14:16], row[16:18], strict=False):
                self.scores[name].add_costs(*costs)
        for (first, second, winner), count in self.outcomes.items():
            for name in (first, second):
                score = self.scores[name]
                score.drawn += count * (not winner)
                score.won += count * (winner == name)
                score.lost += count * (winner not in ("", name))

    def rows(self, confidence: float = 0.95) -> list[dict[str, Any]]:
        """One JSON object a strategy, the best first; no ratings without scipy."""
        rated = {row["name"]: row for row in self._ratings(confidence)}
        rows = [
            {
                "name": score.name,
                "matches": score.matches,
                "won": score.won,
                "drawn": score.drawn,
                "lost": score.lost,
                "score": round(score.score, 6),
                **{key: rated.get(score.name, {}).get(key) for key in RATED},
                "substituted": score.substituted,
                "faults": dict(score.faults),
                "move_seconds": round(fmean(score.seconds), 4) if score.seconds else None,
                "tokens": score.tokens,
                "cost_usd": score.cost_usd if score.cost_usd is None else round(score.cost_usd, 6),
            }
            for score in self.scores.values()
        ]
        return sorted(rows, key=lambda row: (-(row["rating"] or 0), -row["score"]))

    def _ratings(self, confidence: float) -> list[dict[str, Any]]:
        try:
            from league_sdk.ratings.bradley_terry import bradley_terry
            from league_sdk.ratings.matches import RatedMatch
        except ModuleNotFoundError:
            return []

        def rated(outcome: Outcome) -> RatedMatch:
            first, second, winner = outcome
            return RatedMatch((first, second), (1 if winner in ("", first) else 2, 1 if winner in ("", second) else 2))

        if not self.outcomes:
            return []
        matches = (match for outcome, times in self.outcomes.items() for match in repeat(rated(outcome), times))
        groups = {tuple(map(rated, group)): times for group, times in self.groups.items()}
        return bradley_terry(matches, groups=groups).rows(confidence)

    def always_the_same(self) -> list[tuple[str, str]]:
        """Pairs of strategies whose matches all went one way in either seat.

        To repeat them tells nothing.
        """
        played = Counter[tuple[str, str]]()
        for (first, second, _), count in self.outcomes.items():
            played[first, second] += count
        return [
            pair
            for pair in combinations(self.scores, 2)
            if all(
                played[seats] >= FEWEST_PAIRS and len(self._ways[seats]) == 1 for seats in (pair, (pair[1], pair[0]))
            )
        ]


COSTS = (
    ("move_seconds", "s/move", "{:.3f}"),
    ("tokens", "tokens", "{:,}"),
    ("cost_usd", "US$", "{:.4f}"),
)
"""Columns of leagues, where something is known: key, heading and format."""
RATED = ("rating", "margin", "rank_interval", "not_distinguishable_from")
