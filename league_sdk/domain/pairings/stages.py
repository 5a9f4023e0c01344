"""Tournaments of several stages, such as groups and then a knockout."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from league_sdk.tournament import (
    Advanced,
    ByePoints,
    Format,
    FormatDoesNotFit,
    PairedRound,
    Ranking,
    Tournament,
)


@dataclass(frozen=True, slots=True)
class FormatStage:
    """A format, and the number of players that advance from it."""

    format: Format
    advance: int = 0  # the number of players who advance to the next stage; the last stage has no use for it


@dataclass(frozen=True, slots=True)
class Stages(Format):
    """Formats one after the other, each seeded by the ranking of the one before."""

    name: ClassVar[str] = "stages"
    description: ClassVar[str] = "Several formats one after the other."

    stages: tuple[FormatStage, ...]

    def __post_init__(self) -> None:
        for number, stage in enumerate(self.stages[:-1], start=1):
            if stage.advance < 2:
                raise FormatDoesNotFit(
                    f"from stage {number} ({stage.format.name}) {stage.advance} advance; the next needs 2 or more"
                )

    @property
    def table_sizes(self) -> range:
        """Those that every stage can play."""
        sizes = [stage.format.table_sizes for stage in self.stages]
        return range(max(size.start for size in sizes), min(size.stop for size in sizes))

    def check(self, players: int) -> None:
        """Refuse options that any stage refuses, and stages that pass on too many."""
        for number, stage in enumerate(self.stages, start=1):
            stage.format.check(players)
            if stage.advance > players:
                raise FormatDoesNotFit(
                    f"stage {number} ({stage.format.name}) has {players} players, of whom {stage.advance} advance"
                )
            players = stage.advance

    def expected_rounds(self, players: int) -> int:
        """Those of all stages."""
        fields = [players, *(stage.advance for stage in self.stages[:-1])]
        return sum(stage.format.expected_rounds(field) for stage, field in zip(self.stages, fields, strict=True))

    def schedule(self, players: Sequence[str]) -> tuple[PairedRound, ...] | None:
        """That of the only stage, if there is but one."""
        return self.stages[0].format.schedule(players) if len(self.stages) == 1 else None

    def next_round(self, tournament: Tournament) -> PairedRound | None:
        """The next round of the stage under way, or the first of the one after it."""
        current = tournament.rounds[-1].paired.stage if tournament.rounds else 0
        for number in range(current, len(self.stages)):
            paired = self.stages[number].format.next_round(self._part(tournament, number))
            if paired is not None:
                return replace(paired, stage=number)
        return None

    def late_entry(self, tournament: Tournament) -> ByePoints | None:
        """As the first stage says; None in a later one."""
        later = tournament.rounds and tournament.rounds[-1].paired.stage
        return None if later else self.stages[0].format.late_entry(tournament)

    def ranking(self, tournament: Tournament) -> Ranking | None:
        """The ranking of the last stage, then those who did not get so far."""
        reached = tournament.rounds[-1].paired.stage if tournament.rounds else 0
        if not reached:
            return self.stages[0].format.ranking(self._part(tournament, 0))
        groups: list[tuple[str, ...]] = []
        placed: set[str] = set()
        for number in range(reached, -1, -1):
            for group in self._ranked(tournament, number):
                rest = tuple(player for player in group if player not in placed)
                placed.update(rest)
                groups += [rest] if rest else []
        return tuple(groups)

    def advanced(self, tournament: Tournament) -> tuple[Advanced, ...]:
        """Those of every stage that has begun."""
        return tuple(each for used, part in self.begun(tournament) for each in used.advanced(part))

    def begun(self, tournament: Tournament) -> list[tuple[Format, Tournament]]:
        """Each stage that has begun: its format, and its part of the tournament."""
        reached = tournament.rounds[-1].paired.stage if tournament.rounds else 0
        return [(self.stages[number].format, self._part(tournament, number)) for number in range(reached + 1)]

    def _part(self, tournament: Tournament, number: int) -> Tournament:
        """A stage as a tournament of its own."""
        if len(self.stages) == 1:
            return replace(tournament, seed=f"{tournament.seed}|{number}")
        before = sum(played.paired.stage < number for played in tournament.rounds)
        rounds = tuple(played for played in tournament.rounds if played.paired.stage == number)
        entrants = tournament.entrants
        if number:
            known = {entrant.player_id: entrant for entrant in entrants}
            ranked = [player for group in self._ranked(tournament, number - 1) for player in group]
            qualified = [player for player in ranked if _since(known[player].left_after, before) != 0]
            entrants = tuple(
                replace(known[player], seed=seed, left_after=_since(known[player].left_after, before), joined_after=0)
                for seed, player in enumerate(qualified[: self.stages[number - 1].advance], start=1)
            )
        seed = f"{tournament.seed}|{number}"
        return replace(tournament, entrants=entrants, rounds=rounds, seed=seed, ranked=(0, ()))

    def _ranked(self, tournament: Tournament, number: int) -> Ranking:
        part = self._part(tournament, number)
        ranking = self.stages[number].format.ranking(part)
        if ranking is None and tournament.rank is not None:
            ranking = tournament.rank(part.players, part.rounds)
        return ranking or tuple((player,) for player in part.players)


def _since(left_after: int | None, before: int) -> int | None:
    """The rounds of a stage that were paired when a player left."""
    return None if left_after is None else max(0, left_after - before)
