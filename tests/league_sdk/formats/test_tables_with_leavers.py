"""Formats with a table that is settled beforehand, in tournaments that many players leave."""

from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from league_sdk.clock import HashRng
from league_sdk.formats.gauntlet import Gauntlet
from league_sdk.formats.groups import Groups
from league_sdk.formats.round_robin import RoundRobin
from league_sdk.testing.formats import random_result
from league_sdk.tournament import Entrant, Format, PlayedRound, Tournament


@pytest.mark.parametrize(
    "tournament_format",
    [
        RoundRobin(),
        RoundRobin(cycles=2),
        RoundRobin(best_of=2),
        Gauntlet(challengers=2),
        Groups(groups=2, cycles=2),
        Groups(groups=3),
    ],
    ids=repr,
)
@given(
    leaving=st.dictionaries(st.integers(0, 6), st.lists(st.integers(1, 9), max_size=3), max_size=5),
    players=st.integers(6, 9),
)
def test_no_round_is_empty_and_those_who_stay_meet_as_often_as_they_would(
    tournament_format: Format, leaving: dict[int, list[int]], players: int
):
    entrants = tuple(Entrant(f"P{seed:02d}", seed) for seed in range(1, players + 1))
    tournament = Tournament(entrants, seed="leaving")
    stayed = {
        pair: times
        for pair, times in meetings(tournament_format, tournament, {}).items()
        if not pair & {f"P{seed:02d}" for seeds in leaving.values() for seed in seeds}
    }
    met = meetings(tournament_format, tournament, leaving)
    assert {pair: met[pair] for pair in stayed} == stayed


def meetings(
    tournament_format: Format, tournament: Tournament, leaving: dict[int, list[int]]
) -> Counter[frozenset[str]]:
    """The number of meetings of each pair, when the players of these seeds leave before a round."""
    rng = HashRng("results")
    while True:
        number = len(tournament.rounds)
        tournament = replace(
            tournament,
            entrants=tuple(
                replace(entrant, left_after=number)
                if entrant.active and entrant.seed in leaving.get(number, ())
                else entrant
                for entrant in tournament.entrants
            ),
        )
        paired = tournament_format.next_round(tournament)
        if paired is None:
            return Counter(frozenset(result.seats) for played in tournament.rounds for result in played.results)
        assert paired.pairings
        assert not {player for seats in paired.pairings for player in seats} & tournament.left
        results = tuple(random_result(seats, rng) for seats in paired.pairings)
        tournament = replace(tournament, rounds=(*tournament.rounds, PlayedRound(paired, results)))
