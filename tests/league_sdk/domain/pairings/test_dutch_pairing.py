"""FIDE's Dutch system: the same pairings as another implementation, and what happens where it cannot pair."""

import random

import pytest

from league_sdk.domain.pairings import dutch_pairing
from league_sdk.formats.swiss import Swiss
from league_sdk.tournament import ByePoints, FormatDoesNotFit, PairedRound, PlayedRound, Tournament
from tests.league_sdk.formats.simulation import drawn, entrants, played, strongest_wins

pytest.importorskip("py4swiss", reason="needs the extra swiss")


def test_two_implementations_pair_alike_and_neither_breaks_an_absolute_rule():
    comparison = pytest.importorskip("tests.benchmarks.swiss_pairings", reason="needs caissify-pairings")
    tallies = {name: comparison.Tally() for name in comparison.PAIRERS}
    rng = random.Random("a short comparison")
    for number in range(15):
        players = rng.randint(5, 12)
        rounds = rng.randint(3, max(3, players // 2))
        comparison.compare(players, rounds, str(number), list(comparison.PAIRERS), tallies)
    assert {name: (tally.violations, tally.uneven) for name, tally in tallies.items()} == dict.fromkeys(
        tallies, ([], 0)
    )
    same, rounds = tallies["caissify-pairings"].same, tallies["caissify-pairings"].rounds
    assert rounds[True] > 10 < rounds[False]
    assert same[False] / rounds[False] > 0.95
    assert same[True] / rounds[True] > 0.75  # the two choose differently who has the bye


def test_the_first_seat_of_the_first_board_is_drawn_by_lot_from_the_seed():
    firsts = {played(Swiss(1, "dutch"), 8, seed=str(seed)).rounds[0].paired.pairings[0] for seed in range(20)}
    assert firsts == {("P01", "P05"), ("P05", "P01")}


def test_a_league_may_give_any_points_for_a_result():
    tournament = Tournament(entrants(8), win=20, draw=7)
    first = Swiss(3, "dutch").next_round(tournament)
    assert first is not None
    results = tuple(strongest_wins(seats, None) for seats in first.pairings)
    second = Swiss(3, "dutch").next_round(Tournament(entrants(8), (PlayedRound(first, results),), win=20, draw=7))
    assert second is not None
    assert all((one <= "P04") == (other <= "P04") for one, other in second.pairings)


def test_a_player_that_has_left_is_not_paired_and_its_opponents_are_still_known():
    tournament = played(Swiss(2, "dutch"), 7)
    gone = Tournament(
        tuple(
            type(each)(each.player_id, each.seed, 2 if each.player_id == "P03" else None)
            for each in tournament.entrants
        ),
        tournament.rounds,
        tournament.seed,
    )
    third = Swiss(3, "dutch").next_round(gone)
    assert third is not None
    assert sorted(player for seats in third.pairings for player in seats) == ["P01", "P02", "P04", "P05", "P06", "P07"]
    assert third.byes == ()


def test_a_round_without_a_dutch_pairing_is_paired_by_matching_and_says_so():
    # A can only meet D, and B only C; but B and C both had the first seat twice.
    first = PairedRound((("P02", "P01"), ("P03", "P05")), ("P04",), ByePoints.WIN)
    second = PairedRound((("P03", "P01"), ("P02", "P04")), ("P05",), ByePoints.WIN)
    rounds = tuple(PlayedRound(each, tuple(map(drawn, each.pairings))) for each in (first, second))
    field = tuple(type(each)(each.player_id, each.seed, 2 if each.seed == 5 else None) for each in entrants(5))
    third = Swiss(3, "dutch").next_round(Tournament(field, rounds))
    assert third is not None
    assert third.title == "No Dutch pairing: by matching"
    assert {frozenset(seats) for seats in third.pairings} == {frozenset({"P01", "P04"}), frozenset({"P02", "P03"})}


def test_more_players_than_it_takes_are_refused_with_the_pairing_that_takes_them():
    with pytest.raises(FormatDoesNotFit, match=r"takes up to 200 players, got 201; pairing=matching"):
        Swiss(pairing="dutch").check(201)


def test_without_the_library_it_says_how_to_install_it(monkeypatch):
    monkeypatch.setattr(dutch_pairing, "find_spec", lambda name: None)
    with pytest.raises(FormatDoesNotFit, match=r'pip install "mcp-agent-league\[swiss\]"'):
        Swiss(pairing="dutch")


def test_a_pairing_that_there_is_not_is_refused():
    with pytest.raises(FormatDoesNotFit, match="it is matching or dutch"):
        Swiss(pairing="duch")
