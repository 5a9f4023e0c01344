"""The rules of every tournament format, in one table, as the audit checks them.

A format of this package is a row; one without a row stands under "Not checked". What a row says is written from the
documentation of its format and shares no code with it.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TypeAlias

from league_sdk.audit.brackets import knockout_advanced, knockout_ranking, knockout_rounds, next_of_knockout
from league_sdk.audit.deals import next_of_tables, tables_rounds
from league_sdk.audit.ladders import ladder_ranking, ladder_rounds, next_of_ladder
from league_sdk.audit.settled_rounds import Table, gauntlet, groups, next_settled, pools, round_robin
from league_sdk.audit.stage_course import ExpectedRound, Groups, StageCourse
from league_sdk.audit.swiss_rounds import swiss_end, swiss_faults, swiss_rounds

Rounds: TypeAlias = Callable[[StageCourse, int], int]


def _no_faults(_course: StageCourse, _complete: int) -> Iterator[str]:
    return iter(())


def _no_end(_course: StageCourse) -> str:
    return ""


def _nobody(_course: StageCourse, _complete: int) -> list[tuple[str, str, str]]:
    return []


@dataclass(frozen=True, slots=True)
class FormatRules:
    """The rules of a format.

    Attributes:
        rounds: The number of rounds that it expects for so many players.
        next: The round after so many complete ones, seats and byes included; None leaves that to `faults` and `end`.
        faults: Contradictions of a round whose pairings have no single answer.
        end: A sentence if it ends too early or too late; empty otherwise.
        ranking: Its own ranking after so many rounds; None where points and tie-breaks rank.
        pools: The players by group, where each group is ranked by itself, and its winners come first.
        advanced: Who advanced from level ties: winner, loser and rule.
        bye_points: The worth of a bye.
        paired_by: The base of its pairings, as rounds say it.
        series: True if a pairing may be a series of matches, which `rounds` counts one by one and `next` as one.
    """

    rounds: Rounds
    next: Callable[[StageCourse, int], ExpectedRound | None] | None = None
    faults: Callable[[StageCourse, int], Iterator[str]] = _no_faults
    end: Callable[[StageCourse], str] = _no_end
    ranking: Callable[[StageCourse, int], Groups] | None = None
    pools: Callable[[StageCourse], list[list[str]]] | None = None
    advanced: Callable[[StageCourse, int], list[tuple[str, str, str]]] = _nobody
    bye_points: str = "none"
    paired_by: str = "schedule"
    series: bool = False

    @property
    def bracket(self) -> bool:
        """True where players advance from ties."""
        return self.advanced is not _nobody


def _length(table: Callable[[StageCourse], Table]) -> Rounds:
    def rounds(course: StageCourse, players: int) -> int:
        places = [str(place) for place in range(players)]
        return len(table(replace(course, players=places))) * course.option("best_of", 1)

    return rounds


FORMATS: Mapping[str, FormatRules] = {
    "round_robin": FormatRules(_length(round_robin), next_settled(round_robin), series=True),
    "groups": FormatRules(_length(groups), next_settled(groups), pools=pools),
    "gauntlet": FormatRules(_length(gauntlet), next_settled(gauntlet)),
    "swiss": FormatRules(
        swiss_rounds, None, swiss_faults, swiss_end, bye_points="win", paired_by="points", series=True
    ),
    "knockout": FormatRules(
        knockout_rounds,
        next_of_knockout,
        ranking=knockout_ranking,
        advanced=knockout_advanced,
        paired_by="bracket",
    ),
    "ladder": FormatRules(ladder_rounds, next_of_ladder, ranking=ladder_ranking, paired_by="ladder"),
    "tables": FormatRules(tables_rounds, next_of_tables, paired_by="tables"),
}
