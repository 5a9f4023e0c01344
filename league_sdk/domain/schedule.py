"""Rounds of a league out of pairings, and a referee for each match."""

from collections.abc import Sequence
from itertools import chain

from league_sdk.domain.circle_method import circle_round, circle_rounds
from league_sdk.domain.fixtures import Fixtures
from league_sdk.domain.model import Round
from league_sdk.tournament import PairedRound, paired_round


def as_round(number: int, paired: PairedRound) -> Round:
    """Round `number`, from 1, with its matches numbered in the order of the pairings."""
    fixtures = Fixtures(number, tuple(chain.from_iterable(paired.pairings)))
    return Round(number, fixtures, paired.byes, paired.bye_points.value, paired.title, paired.stage)


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


def spread(rounds: Sequence[Round], referees: Sequence[str], only: int | None = None) -> dict[str, str]:
    """Referee id by match id, in turn: even within one overall and in each round.

    `only` limits it to one round. Raises ValueError without referees.
    """
    if not referees:
        raise ValueError("a schedule needs at least 1 referee, got 0")
    before = 0 if only is None else sum(len(scheduled.fixtures) for scheduled in rounds[: only - 1])
    chosen = rounds if only is None else rounds[only - 1 : only]
    matches = (fixture.match_id for scheduled in chosen for fixture in scheduled.fixtures)
    return {match_id: referees[index % len(referees)] for index, match_id in enumerate(matches, start=before)}
