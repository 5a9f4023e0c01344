"""Pairings of several matches, in rounds of their own, with points by match or by series."""

from dataclasses import replace
from itertools import pairwise

import pytest

from league_sdk.clock import HashRng
from league_sdk.domain.pairings.series import by_series
from league_sdk.domain.pairings.unplayed_rounds import NumberedRound
from league_sdk.formats.round_robin import RoundRobin
from league_sdk.formats.swiss import Swiss
from league_sdk.tournament import ByePoints, FormatDoesNotFit, PairedRound, PairingResult, PlayedRound, SeriesPoints
from league_sdk.tournament import Tournament as Played
from tests.league_sdk.formats.simulation import by_chance, drawn, entrants, strongest_wins, won

AB = ("A", "B")
WORTH = SeriesPoints()


def course(tournament_format, count, result=strongest_wins, worth: SeriesPoints | None = WORTH, leaves_after=None):
    """A tournament to its end; the first player leaves after so many rounds."""
    rng, tournament = HashRng("seed"), Played(entrants(count), seed="seed", by_series=worth)
    while (paired := tournament_format.next_round(tournament)) is not None:
        results = tuple(result(seats, rng) for seats in paired.pairings)
        tournament = replace(tournament, rounds=(*tournament.rounds, PlayedRound(paired, results)))
        if len(tournament.rounds) == leaves_after:
            first, *rest = tournament.entrants
            tournament = replace(tournament, entrants=(replace(first, left_after=leaves_after), *rest))
    return tournament


def block(*results: PairingResult):
    """A series of A and B as rounds."""
    return [
        NumberedRound(game, PlayedRound(PairedRound((result.seats,), game=game), (result,)))
        for game, result in enumerate(results, start=1)
    ]


@pytest.mark.parametrize("made", [RoundRobin(best_of=4), Swiss(2, best_of=4)], ids=lambda made: made.name)
def test_points_by_match_play_all_matches_of_a_series_and_swap_the_seats(made):
    rounds = course(made, 4, worth=None).rounds
    assert [each.paired.game for each in rounds] == [1, 2, 3, 4] * (made.expected_rounds(4) // 4)
    for before, after in pairwise(rounds):
        if after.paired.game > 1:
            assert after.paired.pairings == tuple(seats[::-1] for seats in before.paired.pairings)


@pytest.mark.parametrize("made", [RoundRobin(best_of=3), Swiss(2, best_of=3)], ids=lambda made: made.name)
def test_points_by_series_end_a_series_that_is_decided(made):
    assert [each.paired.game for each in course(made, 4).rounds] == [1, 2] * (made.expected_rounds(4) // 3)


def test_only_the_series_that_are_open_go_on():
    def result(seats, rng):
        return drawn(seats) if "P04" in seats else strongest_wins(seats, rng)

    second, third = course(RoundRobin(best_of=3), 4, result).rounds[1:3]
    assert len(second.paired.pairings) == 2
    assert [set(seats) for seats in third.paired.pairings] == [{"P03", "P04"}]
    assert third.paired.byes == ("P01", "P02")
    assert third.paired.title == "match 3"


@pytest.mark.parametrize(("worth", "paid"), [(None, 2), (WORTH, 1)], ids=["by match", "by series"])
def test_a_bye_is_worth_as_many_wins_as_a_series_can_be(worth, paid):
    rounds = course(Swiss(2, best_of=2), 5, drawn_always, worth).rounds[:2]
    assert sum(each.paired.bye_points is ByePoints.WIN for each in rounds) == paid
    assert rounds[0].paired.byes == rounds[1].paired.byes


def drawn_always(seats, _rng):
    return drawn(seats)


def test_a_series_ends_with_a_player_that_leaves():
    later = course(RoundRobin(best_of=3), 4, leaves_after=1).rounds[1:]
    assert all("P01" not in seats for each in later for seats in each.paired.pairings)
    assert [len(each.paired.pairings) for each in later] == [1] * 5


@pytest.mark.parametrize("seed", range(5))
def test_a_swiss_tournament_of_series_has_no_rematch_beside_them(seed):
    tournament = course(Swiss(3, best_of=2), 6 + seed, by_chance)
    met = [frozenset(pair) for each in tournament.rounds if each.paired.game == 1 for pair in each.paired.pairings]
    assert len(set(met)) == len(met)


@pytest.mark.parametrize(
    ("results", "points"),
    [
        ([won(AB, "A"), won(AB, "B"), won(AB, "B")], {"A": 0, "B": 3}),
        ([won(AB, "A"), won(AB, "B")], {"A": 1, "B": 1}),
        ([drawn(AB), won(AB, "A")], {"A": 3, "B": 0}),
        ([PairingResult(AB), won(AB, "B")], {"A": 0, "B": 3}),
        ([PairingResult(AB, {"A": 0, "B": 0}, forfeits=frozenset(AB))], {"A": 0, "B": 0}),
        ([PairingResult(AB)], {}),
    ],
    ids=["won 2:1", "level", "draw counts a half", "a void match", "both forfeit", "all void"],
)
def test_a_series_is_won_by_more_matches(results, points):
    (merged,) = by_series(block(*results), WORTH)
    assert [dict(result.points) for result in merged.played.results] == [points]


def test_a_series_that_goes_on_counts_as_it_stands():
    first, second = block(won(AB, "A"), won(AB, "B"))
    merged = by_series([first, second._replace(complete=False)], WORTH)
    assert [(each.number, each.complete) for each in merged] == [(1, False)]


@pytest.mark.parametrize("made", [RoundRobin, Swiss], ids=lambda made: made.name)
def test_a_series_without_a_match_is_refused(made):
    with pytest.raises(FormatDoesNotFit, match="a series has 1 match or more"):
        made(best_of=0)


def test_players_cannot_enter_between_the_matches_of_a_series():
    with pytest.raises(FormatDoesNotFit, match="best_of 1 takes late_entry_points"):
        Swiss(best_of=2, late_entry_points="draw")
