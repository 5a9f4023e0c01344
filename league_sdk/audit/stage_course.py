"""The stages of a recorded league, as the rules of their formats see them."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias, cast

from league_sdk.audit.table import Decided
from league_sdk.json_value import Json

Groups: TypeAlias = list[list[str]]
"""Players from the best to the last; those who share a rank are in one group."""


@dataclass(frozen=True, slots=True)
class StageRound:
    """A round that was paired."""

    number: int  # in the league
    paired_by: int  # number of the record that paired it
    pairings: Sequence[tuple[str, ...]]
    byes: Sequence[str]
    results: Sequence[Decided | None]  # in the order of the pairings; None: void or open
    game: int = 0
    points: Mapping[str, int] = field(default_factory=dict[str, int])  # league points got in it, byes included
    resting: Collection[str] = ()  # who sat out with a reason, and is not in it


@dataclass(frozen=True, slots=True)
class ExpectedRound:
    """A round as its format pairs it."""

    pairings: Sequence[tuple[str, ...]]
    byes: Sequence[str]


@dataclass(frozen=True, slots=True)
class StageCourse:
    """A stage as it was known at some record."""

    options: Mapping[str, Json]
    players: Sequence[str]  # by seed
    rounds: Sequence[StageRound]
    left: Mapping[str, int]  # rounds of the stage that had been paired, by player that has left
    missed: Mapping[str, int]  # rounds before it entered, by player; absent: none
    seed: str
    lots_from_draws: bool = False
    scoring: Mapping[str, int] = field(default_factory=dict[str, int])
    sitting_out: Collection[str] = ()  # at the end of these rounds
    memo: dict[str, Any] = field(default_factory=dict[str, Any], compare=False)  # what rules know of earlier rounds

    def gone(self, complete: int) -> set[str]:
        """The players that left before the round after `complete` was paired."""
        return {player for player, left in self.left.items() if left <= complete}

    def there(self, complete: int) -> list[str]:
        """The players that the round after `complete` can have."""
        resting = self.rounds[complete].resting if complete < len(self.rounds) else self.sitting_out
        gone = {*self.gone(complete), *resting}
        return [player for player in self.players if player not in gone and self.missed.get(player, 0) <= complete]

    @property
    def starters(self) -> int:
        """The number of players that were there from the start."""
        return sum(not self.missed.get(player) for player in self.players)

    def option(self, name: str, default: int = 0) -> int:
        """A whole number among the options."""
        value = self.options.get(name, default)
        if not isinstance(value, int):
            raise TypeError(f"its option {name} is {value!r}")
        return int(value)


def draw_seed(match: Decided | None) -> str:
    """The seed of a match's draw; empty where it was not revealed."""
    reveal = match.result["details"].get("draw") if match is not None else None
    seed = cast("Mapping[str, Json]", reveal).get("seed") if isinstance(reveal, Mapping) else None
    return seed if isinstance(seed, str) else ""


def advanced_of(payload: Mapping[str, Json]) -> list[tuple[str, str, str]]:
    """Winner, loser and rule of the ties that a record says were level."""
    told = cast(Sequence[Mapping[str, Json]], payload.get("advanced", ()))
    return [(str(each["player_id"]), str(each["over"]), str(each["by"])) for each in told]
