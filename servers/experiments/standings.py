"""Standings of an experiment, from its table of results."""

from collections import Counter
from dataclasses import dataclass, field

from servers.experiments.results import ResultsFolder


@dataclass(slots=True)
class StrategyScore:
    """Results of one player."""

    name: str
    won: int = 0
    drawn: int = 0
    lost: int = 0
    substituted: int = 0  # moves that were not the strategy's own
    faults: Counter[str] = field(default_factory=Counter[str])  # reasons for them: matches by the first one

    @property
    def matches(self) -> int:
        """All its matches."""
        return self.won + self.drawn + self.lost

    @property
    def score(self) -> float:
        """Share of its matches that it won, a draw being half of one."""
        return (self.won + self.drawn / 2) / self.matches if self.matches else 0.0


def standings(folder: ResultsFolder) -> list[StrategyScore]:
    """All players, the highest score first."""
    found = {name: StrategyScore(name) for name in folder.spec.players}
    for row in folder.rows():
        winner = row[4]
        for name, substituted, fault in zip(row[2:4], row[8:10], row[10:12], strict=True):
            standing = found[name]
            standing.drawn += not winner
            standing.won += winner == name
            standing.lost += winner not in ("", name)
            if fault:
                standing.substituted += int(substituted)
                standing.faults[fault] += 1
    return sorted(found.values(), key=lambda each: -each.score)
