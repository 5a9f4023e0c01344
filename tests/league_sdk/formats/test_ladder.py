"""The ladder: who is above whom after each round."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from league_sdk.formats.ladder import Ladder, places
from league_sdk.testing import check_format
from league_sdk.tournament import (
    ENDLESS,
    ByePoints,
    Entrant,
    FormatDoesNotFit,
    PairedRound,
    PairingResult,
    PlayedRound,
    Ranking,
    Tournament,
)
from tests.requirements.marker import requirement


def ladder_of(*names: str) -> Tournament:
    return Tournament(tuple(Entrant(name, seed) for seed, name in enumerate(names, start=1)))


def play(tournament: Tournament, ladder: Ladder, *winners: str) -> Tournament:
    """The next round, drawn but for the matches of these winners."""
    paired = ladder.next_round(tournament)
    assert paired is not None
    results = tuple(
        PairingResult(seats, dict.fromkeys(seats, 1), next((player for player in seats if player in winners), None))
        for seats in paired.pairings
    )
    rounds = (*tournament.rounds, PlayedRound(paired, results))
    return Tournament(tournament.entrants, rounds)


def test_it_keeps_what_every_format_promises():
    check_format(Ladder())
    check_format(Ladder(rounds=7))
    check_format(Ladder(endless=True))


@requirement("project-LEAVE-04")
def test_neighbours_meet_and_a_winner_from_below_takes_the_place_above():
    ladder, start = Ladder(rounds=9), ladder_of("A", "B", "C", "D", "E")
    first = play(start, ladder, "B", "C")
    assert {frozenset(seats) for seats in first.rounds[0].paired.pairings} == {frozenset("AB"), frozenset("CD")}
    assert first.rounds[0].paired.byes == ("E",)
    assert places(first) == ["B", "A", "C", "D", "E"]
    second = play(first, ladder, "C", "E")
    assert {frozenset(seats) for seats in second.rounds[1].paired.pairings} == {frozenset("AC"), frozenset("DE")}
    assert ladder.ranking(second) == (("B",), ("C",), ("A",), ("E",), ("D",))


def test_players_come_at_the_bottom_and_go_from_any_place():
    ladder = Ladder(rounds=9)
    first = play(ladder_of("A", "B", "C"), ladder, "B")
    assert ladder.late_entry(first) is ByePoints.NONE
    entrants = (Entrant("A", 1), Entrant("B", 2, left_after=1), Entrant("C", 3), Entrant("D", 4, joined_after=1))
    later = Tournament(entrants, first.rounds)
    assert places(later) == ["B", "A", "C", "D"]
    paired = ladder.next_round(later)
    assert paired is not None
    assert {frozenset(seats) for seats in paired.pairings} == {frozenset("CD")}
    assert paired.byes == ("A",)


@given(st.integers(2, 9), st.lists(st.sets(st.sampled_from("ABCDEFGHI")), max_size=6))
def test_nobody_is_lost_and_nobody_moves_more_than_a_place(players: int, rounds: list[set[str]]):
    tournament = ladder_of(*"ABCDEFGHI"[:players])
    for winners in rounds:
        before = places(tournament)
        tournament = play(tournament, Ladder(rounds=9), *winners)
        after = places(tournament)
        assert sorted(after) == sorted(before)
        assert all(abs(after.index(player) - before.index(player)) <= 1 for player in before)


def test_it_ends_after_its_rounds_and_takes_nobody_then():
    tournament, ladder = ladder_of("A", "B"), Ladder()
    for _ in range(2):
        tournament = play(tournament, ladder)
    assert ladder.next_round(tournament) is None
    assert ladder.late_entry(tournament) is None


@requirement("project-LEAVE-05")
@given(st.integers(2, 6), st.lists(st.sets(st.sampled_from("ABCDEFGHI")), max_size=8), st.integers(0, 8))
def test_a_known_ranking_saves_the_rounds_before_it_and_changes_nothing(players, rounds, known):
    ladder, entrants = Ladder(endless=True), [Entrant("ABCDEFGHI"[each], each + 1) for each in range(players)]
    tournament, rankings = Tournament(tuple(entrants)), list[Ranking]()
    for number, winners in enumerate(rounds, start=1):
        tournament = play(tournament, ladder, *winners)
        # Who comes within the round may be missing from the ranking that is on record.
        rankings.append(ladder.ranking(tournament))
        if len(entrants) < 9:
            entrants.append(Entrant("ABCDEFGHI"[len(entrants)], len(entrants) + 1, joined_after=number))
            tournament = Tournament(tuple(entrants), tournament.rounds)
    known = min(known, len(rounds))
    short = replace(tournament, ranked=(known, rankings[known - 1] if known else ()))
    assert places(short) == places(tournament)
    assert ladder.next_round(short) == ladder.next_round(tournament)


def test_an_endless_ladder_has_no_number_of_rounds():
    assert Ladder(endless=True).expected_rounds(4) == ENDLESS
    with pytest.raises(FormatDoesNotFit, match="an endless ladder has no number of them"):
        Ladder(rounds=3, endless=True)


@pytest.mark.parametrize("rounds", [-1, 1_000_001])
def test_a_number_of_rounds_that_cannot_be_is_refused(rounds):
    with pytest.raises(FormatDoesNotFit, match="a ladder has 1 to 1,000,000"):
        Ladder(rounds=rounds)


def _round(pairings: tuple[tuple[str, str], ...], *results: PairingResult, byes: tuple[str, ...] = ()) -> PlayedRound:
    return PlayedRound(PairedRound(pairings, byes, paired_by="ladder"), results)


def test_a_player_that_sits_out_is_not_paired_and_keeps_its_place_once_it_has_played():
    entrants = tuple(Entrant(player, seed) for seed, player in enumerate("ABCD", start=1))
    won = [PairingResult((one, other), {one: 3, other: 0}, one) for one, other in ("AB", "CD")]
    begun = Tournament(entrants, (_round((("A", "B"), ("C", "D")), *won),))
    resting = replace(begun, entrants=(*entrants[:1], replace(entrants[1], sitting_out=True), *entrants[2:]))
    paired = Ladder(9).next_round(resting)
    assert paired is not None
    assert (paired.pairings, paired.byes) == ((("C", "D"),), ("A",))
    after = replace(resting, rounds=(*resting.rounds, _round((("C", "D"),), won[1], byes=("A",))))
    assert places(after) == ["A", "B", "C", "D"]


def test_players_that_never_came_go_to_the_bottom_once_they_sit_out_and_start_there_when_they_rejoin():
    entrants = tuple(Entrant(player, seed) for seed, player in enumerate("ABCD", start=1))
    both = PairingResult(("A", "B"), {"A": 0, "B": 0}, None, frozenset("AB"))
    first = _round((("A", "B"), ("C", "D")), both, PairingResult(("C", "D"), {"C": 3, "D": 0}, "C"))
    second = _round((("D", "C"),), PairingResult(("D", "C"), {"C": 3, "D": 0}, "C"))
    begun = Tournament(entrants, (first, second))
    assert places(begun) == ["C", "D", "A", "B"]
    known = replace(
        begun,
        entrants=tuple(replace(each, has_played=each.player_id in "CD") for each in entrants),
        ranked=(1, (("A",), ("B",), ("C",), ("D",))),
    )
    assert places(known) == ["C", "D", "A", "B"], "the places of round 1 need not be worked out again"
    third = Ladder(9).next_round(begun)
    assert third is not None
    assert third.pairings == (("D", "C"), ("B", "A"))
