"""A knockout, followed by the audit with code of its own."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from league_sdk.audit.brackets import Bracket
from league_sdk.clock import HashRng
from league_sdk.domain.model import StageRules
from league_sdk.formats.knockout import Knockout
from league_sdk.testing.formats import random_result
from league_sdk.tournament import PlayedRound, Tournament
from tests.league_sdk.audit import leagues
from tests.league_sdk.formats.simulation import entrants, played, strongest_wins, won

OPTIONS = {"best_of": 1, "third_place": False, "double": False, "extra_matches": 4}


def told(tournament, options, ranking=None):
    """All that the audit says of a knockout."""
    left = {each.player_id: each.left_after for each in tournament.entrants if each.left_after is not None}
    bracket = Bracket(options, tournament.players, left)
    said = []
    for each in tournament.rounds:
        said += bracket.faults(each.paired.pairings, each.paired.byes)
        bracket.play([(result.seats, result.winner, result.void) for result in each.results])
    return [*said, *bracket.end(ranking)]


def honest(options, count, seed, leavers=0):
    """A knockout with results by chance, from which players leave."""
    knockout, rng = Knockout(**options), HashRng(seed)
    tournament = Tournament(entrants(count), seed=seed)
    while (paired := knockout.next_round(tournament)) is not None:
        results = tuple(random_result(seats, rng) for seats in paired.pairings)
        tournament = replace(tournament, rounds=(*tournament.rounds, PlayedRound(paired, results)))
        if leavers and rng.randint(0, 1):
            leavers -= 1
            place = rng.randint(0, count - 1)
            changed = list(tournament.entrants)
            if changed[place].active:
                changed[place] = replace(changed[place], left_after=len(tournament.rounds))
            tournament = replace(tournament, entrants=tuple(changed))
    return tournament, knockout.ranking(tournament)


@settings(max_examples=60)
@given(
    st.sampled_from([1, 2, 3]),
    st.booleans(),
    st.booleans(),
    st.integers(4, 17),
    st.integers(0, 9999),
    st.integers(0, 3),
)
def test_an_honest_knockout_holds(best_of, third_place, double, count, seed, leavers):
    options = {**OPTIONS, "best_of": best_of, "third_place": third_place and not double, "double": double}
    tournament, ranking = honest(options, count, str(seed), leavers)
    assert told(tournament, options, ranking) == []


def forged(number, *, pairings=None, winner=None):
    """A knockout of four that the strongest wins, with one round changed."""
    tournament = played(Knockout(), 4, strongest_wins)
    rounds = list(tournament.rounds)
    paired = rounds[number].paired if pairings is None else replace(rounds[number].paired, pairings=pairings)
    results = tuple(won(seats, winner if winner in seats else min(seats)) for seats in paired.pairings)
    rounds[number] = PlayedRound(paired, results)
    return replace(tournament, rounds=tuple(rounds))


@pytest.mark.parametrize(
    ("tournament", "said"),
    [
        (forged(1, pairings=(("P01", "P03"),)), "P03 plays on after losing"),
        (forged(1, pairings=()), "P01, P02 has not lost, and is left out"),
        (forged(0, winner="P04"), "P01 plays on after losing"),
        (
            forged(1, winner="P02"),
            "the ranking begins with P01, P02; by the bracket it is P02, P01",
        ),
    ],
    ids=["a loser in the final", "no final", "the loser continues", "the wrong champion"],
)
def test_a_forged_knockout_is_found(tournament, said):
    ranking = Knockout().ranking(played(Knockout(), 4, strongest_wins))
    assert said in told(tournament, OPTIONS, ranking)


def test_a_series_that_is_broken_off_or_does_not_swap_seats_is_found():
    tournament = played(Knockout(best_of=3), 2, strongest_wins)
    options = {**OPTIONS, "best_of": 3}
    assert told(tournament, options, (("P01",), ("P02",))) == []
    assert told(replace(tournament, rounds=tournament.rounds[:1]), options) == [
        "it is over while P01, P02 have not lost"
    ]
    same = tournament.rounds[0]
    assert told(replace(tournament, rounds=(same, same)), options) == ["P01 - P02 continues without swapping the seats"]


GROUPS_AND_KNOCKOUT = (StageRules("groups", {"groups": 2}, 4), StageRules("knockout", {"third_place": True}))
KNOCKOUTS = {
    "single": (6, (StageRules("knockout", {"best_of": 3}),)),
    "double": (5, (StageRules("knockout", {"double": True}),)),
    "after groups": (6, GROUPS_AND_KNOCKOUT),
}


@pytest.mark.parametrize(("players", "stages"), KNOCKOUTS.values(), ids=KNOCKOUTS)
def test_a_whole_league_with_a_knockout_holds(players, stages):
    assert leagues.look_at(leagues.league(players, stages=stages)).findings == []


@pytest.mark.parametrize(
    ("forge", "said"),
    [
        (lambda paired: paired.update(game=3), "its id is not that of game 3 of a series"),
        (lambda paired: paired["fixtures"][0].update(players=["P01", "P02"]), "did not meet in the round before"),
    ],
    ids=["number", "players"],
)
def test_a_forged_series_is_found_though_all_digests_fit(forge, said):
    records = leagues.league(4, stages=(StageRules("knockout", {"best_of": 3}),))
    number = leagues.number_of(records, "RoundPaired", "match 2")
    report = leagues.look_at(leagues.forged(records, number, lambda payload: forge(payload["round"])))
    assert any(said in found.message for found in report.findings)


def _swap_finalists(payload):
    payload["champions"] = payload["ranking"][1]
    payload["ranking"][:2] = payload["ranking"][1::-1]


@pytest.mark.parametrize("players", [4, 6])
def test_a_forged_champion_of_a_knockout_is_found_though_all_digests_fit(players):
    records = leagues.league(players, stages=(StageRules("knockout", {}),))
    report = leagues.look_at(leagues.forged(records, len(records), _swap_finalists))
    assert [found.kind for found in report.findings] == ["schedule"]
    assert "the ranking begins with" in report.findings[0].message


def test_a_forged_ranking_after_a_round_is_found_though_all_digests_fit():
    records = leagues.league(4, stages=(StageRules("knockout"),))
    number = leagues.number_of(records, "RoundCompleted")
    report = leagues.look_at(leagues.forged(records, number, lambda payload: payload["ranking"].reverse()))
    assert any("ranks before others, and is out" in found.message for found in report.findings)


@pytest.mark.parametrize("kind", ["RoundCompleted", "LeagueCompleted"])
def test_a_ranking_of_a_league_by_points_is_found_though_all_digests_fit(kind):
    records = leagues.league(4)
    ranking = [["P04", "P03", "P02", "P01"]]
    number = leagues.number_of(records, kind)
    forged = leagues.forged(records, number, lambda payload: payload.update(ranking=ranking))
    assert "round_robin ranks by points" in leagues.look_at(forged).findings[0].message


def test_a_loser_that_is_paired_on_is_found_though_all_digests_fit():
    records = leagues.league(4, stages=(StageRules("knockout", {"third_place": True}),))
    number = leagues.number_of(records, "RoundPaired", "Third place")

    def pair_winner_with_loser(payload):
        final, third = payload["round"]["fixtures"]
        final["players"][0], third["players"][0] = third["players"][0], final["players"][0]

    report = leagues.look_at(leagues.forged(records, number, pair_winner_with_loser))
    assert any("plays on after losing" in found.message for found in report.findings)
