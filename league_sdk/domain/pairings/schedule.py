"""Rounds of a league out of pairings, and a referee for each match."""

from collections.abc import Sequence
from itertools import chain, count
from typing import Any, NamedTuple

from league_sdk.domain.model import Fixture, LeagueRules, Round, StageRules
from league_sdk.domain.pairings.circle_method import circle_round, circle_rounds
from league_sdk.domain.pairings.fixtures import Fixtures
from league_sdk.tournament import PairedRound, paired_round


def as_round(number: int, paired: PairedRound) -> Round:
    """Round `number`, from 1, with its matches numbered in the order of the pairings."""
    fixtures: Sequence[Fixture] = Fixtures(number, tuple(chain.from_iterable(paired.pairings)), paired.game)
    if any(len(seats) != 2 for seats in paired.pairings):
        ids = (f"R{number}M{place}" + (f"G{paired.game}" if paired.game > 1 else "") for place in count(1))
        fixtures = tuple(
            Fixture(match_id, number, seats) for match_id, seats in zip(ids, paired.pairings, strict=False)
        )
    return Round(
        number,
        fixtures,
        paired.byes,
        paired.bye_points.value,
        paired.title,
        paired.stage,
        paired.game,
        paired.paired_by,
    )


def continues(rounds: Sequence[Round], paired: PairedRound) -> bool:
    """True unless a round continues series that the rounds before are not of."""
    if paired.game < 2:
        return True
    if len(rounds) < paired.game - 1 or rounds[-1].game not in (0, paired.game - 1):
        return False
    return {frozenset(fixture.players) for fixture in rounds[-1].fixtures} >= set(map(frozenset, paired.pairings))


class SeriesGame(NamedTuple):
    """The place of a match in its series; None for a single match."""

    series_id: str | None = None  # the id of the first match
    game: int | None = None  # from 1


SINGLE = SeriesGame()


def series_games(rounds: Sequence[Round], round_id: int) -> dict[str, SeriesGame]:
    """Places of a round's matches in their series; empty for single matches."""
    scheduled = rounds[round_id - 1]
    if not scheduled.game:
        return {}
    first = {frozenset(fixture.players): fixture.match_id for fixture in rounds[round_id - scheduled.game].fixtures}
    return {
        fixture.match_id: SeriesGame(first[frozenset(fixture.players)], scheduled.game)
        for fixture in scheduled.fixtures
    }


def all_series_games(rounds: Sequence[Round]) -> dict[str, SeriesGame]:
    """Places of all matches in their series; empty for single matches."""
    games = (series_games(rounds, scheduled.round_id) for scheduled in rounds)
    return {match_id: game for of_round in games for match_id, game in of_round.items()}


def told_format(rules: LeagueRules, scheduled: Round) -> dict[str, Any]:
    """Format, stage and base of pairings of a round; empty for the default format."""
    if rules.stages == (StageRules(),) or not scheduled.paired_by:
        return {}
    stage = rules.stages[scheduled.stage]
    return {"format": stage.format, "stage": scheduled.stage + 1, "paired_by": scheduled.paired_by}


def round_robin(players: Sequence[str]) -> tuple[Round, ...]:
    """All rounds in which every pair of players meets once.

    The players are in the order of their seeding. Raises ValueError for fewer than two, or if one is named twice.
    """
    if len(players) < 2:
        raise ValueError(f"a schedule needs at least 2 players, got {len(players)}")
    if len(set(players)) != len(players):
        raise ValueError("a schedule needs every player once, but some are named twice")
    return tuple(
        as_round(step + 1, paired_round(players, circle_round(players, step)))
        for step in range(circle_rounds(len(players)))
    )


def spread(rounds: Sequence[Round], referees: Sequence[str], before: int = 0) -> dict[str, str]:
    """Referee id by match id, in turn: even within one overall and in each round.

    `before` is the number of matches of earlier rounds. Raises ValueError without referees.
    """
    if not referees:
        raise ValueError("a schedule needs at least 1 referee, got 0")
    matches = (fixture.match_id for scheduled in rounds for fixture in scheduled.fixtures)
    return {match_id: referees[index % len(referees)] for index, match_id in enumerate(matches, start=before)}


def matches_before(rounds: Sequence[Round]) -> dict[str, tuple[str, ...]]:
    """Each match's predecessors: the last matches of its players in rounds before."""
    last: dict[str, str] = {}
    before: dict[str, tuple[str, ...]] = {}
    for fixture in (fixture for scheduled in rounds for fixture in scheduled.fixtures):
        before[fixture.match_id] = tuple(last[player] for player in fixture.players if player in last)
        last.update(dict.fromkeys(fixture.players, fixture.match_id))
    return before
