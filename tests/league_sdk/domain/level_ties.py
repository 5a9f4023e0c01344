"""Leagues whose last ties are all level."""

from dataclasses import replace

from league_sdk.domain.commands import (
    AssignMatch,
    CloseRegistration,
    CompleteLeague,
    CompleteRound,
    PairRound,
    StartRound,
)
from league_sdk.domain.model import StageRules
from league_sdk.domain.progress import outcome_after, tournament_of
from league_sdk.plugins import stages_format
from tests.league_sdk.domain.season import Season, registered

KNOCKOUT = StageRules("knockout", {"extra_matches": 1})
GROUPS = (StageRules("groups", {"groups": 2}, advance=2), KNOCKOUT)


def draw(number: int) -> str:
    return f"{number:064x}"


def level(stages=(KNOCKOUT,), players=2, version=2, revealed=True, first=0, **rules) -> Season:
    """A league whose last ties are all level, up to its last round; each match reveals a draw, or none does."""
    season = registered(players, **rules, stages=stages)
    season.league = replace(season.league, format_version=version)
    used = stages_format(stages)
    season.do(CloseRegistration("operator", expected_rounds=used.expected_rounds(players)))
    season.league = replace(season.league, state="RUNNING")
    while (paired := used.next_round(tournament_of(season.league))) is not None:
        season.do(PairRound(paired))
        scheduled = season.league.rounds[-1]
        season.do(StartRound(scheduled.round_id))
        for place, fixture in enumerate(scheduled.fixtures):
            season.do(AssignMatch(fixture.match_id, "REF01"))
            told = {"draw": {"seed": draw(first + 10 * scheduled.round_id + place)}} if revealed else {}
            last = scheduled.stage == len(stages) - 1
            season.record(fixture.match_id, None if last else min(fixture.players), details=told)
        season.do(CompleteRound(scheduled.round_id, *outcome_after(season.league, used, scheduled.round_id)))
    season.do(CompleteLeague(*outcome_after(season.league, used, season.league.rounds_completed)))
    return season
