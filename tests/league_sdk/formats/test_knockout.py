"""Knockouts: brackets, ties of several matches, a third place, a second chance, and players who leave."""

from dataclasses import replace

import pytest

from league_sdk.fairness import lot
from league_sdk.formats.knockout import Knockout
from league_sdk.tournament import Advanced, FormatDoesNotFit, PlayedRound, TieDecision, Tournament
from tests.league_sdk.formats.simulation import drawn, entrants, pairings, played, strongest_wins, won


def ranking(knockout, tournament):
    ranked = knockout.ranking(tournament)
    assert ranked is not None
    return ranked


def titles(tournament):
    return [each.paired.title for each in tournament.rounds]


def test_eight_players_play_to_the_final_by_their_seeding():
    tournament = played(Knockout(), 8, strongest_wins)
    assert titles(tournament) == ["Quarter-finals", "Semi-finals", "Final"]
    assert [frozenset(seats) for seats in tournament.rounds[0].paired.pairings] == [
        frozenset(pair) for pair in [("P01", "P08"), ("P04", "P05"), ("P02", "P07"), ("P03", "P06")]
    ]
    assert ranking(Knockout(), tournament) == (("P01",), ("P02",), ("P04", "P03"), ("P08", "P05", "P07", "P06"))


def test_while_it_goes_on_those_who_are_still_in_rank_first_by_the_stage_they_have_reached():
    tournament = played(Knockout(best_of=3), 8, strongest_wins)
    rounds = tournament.rounds

    def after(*number):
        return ranking(Knockout(best_of=3), replace(tournament, rounds=tuple(number)))

    assert after() == (tuple(tournament.players),)
    assert after(rounds[0]) == (tuple(tournament.players),)
    assert after(*rounds[:2]) == (("P01", "P02", "P03", "P04"), ("P08", "P05", "P07", "P06"))
    level = tuple(won(seats, max(seats) if "P04" in seats else min(seats)) for seats in rounds[1].paired.pairings)
    one_more = after(rounds[0], PlayedRound(rounds[1].paired, level))
    assert one_more == (("P01", "P02", "P03"), ("P04", "P05"), ("P08", "P07", "P06"))


def test_in_a_double_knockout_the_unbeaten_rank_before_the_others_who_are_still_in():
    final = Knockout(double=True)
    tournament = played(final, 4, strongest_wins)
    assert ranking(final, replace(tournament, rounds=tournament.rounds[:1])) == (("P01", "P02"), ("P03", "P04"))
    after_two = ranking(final, replace(tournament, rounds=tournament.rounds[:2]))
    assert after_two[0] == ("P01",)
    assert after_two[-1] == ("P04",)


def test_byes_go_to_the_top_of_the_seeding():
    first = played(Knockout(), 6, strongest_wins).rounds[0].paired
    assert first.byes == ("P01", "P02")
    assert len(first.pairings) == 2


def test_a_match_for_third_place_is_played_beside_the_final():
    tournament = played(Knockout(third_place=True), 4, strongest_wins)
    assert titles(tournament) == ["Semi-finals", "Final and Third place"]
    assert ranking(Knockout(third_place=True), tournament) == (("P01",), ("P02",), ("P03",), ("P04",))


def test_a_series_ends_as_soon_as_it_is_decided_and_swaps_the_seats():
    tournament = played(Knockout(best_of=5), 2, strongest_wins)
    assert pairings(tournament) == [("P01", "P02"), ("P02", "P01"), ("P01", "P02")]
    assert titles(tournament) == ["Final, match 1", "Final, match 2", "Final, match 3"]


def test_a_level_tie_is_played_on_and_then_decided_by_lots():
    tournament = played(Knockout(extra_matches=2), 2, lambda seats, _rng: drawn(seats))
    assert len(tournament.rounds) == 3
    champion = ranking(Knockout(extra_matches=2), tournament)[0]
    assert champion in {("P01",), ("P02",)}
    by_seed = {ranking(Knockout(extra_matches=2), replace(tournament, seed=str(number)))[0] for number in range(20)}
    assert by_seed == {("P01",), ("P02",)}


def level(draws, players=2, seed="open"):
    """A final that stays level, whose matches revealed these draws; an empty one was not revealed."""
    knockout = Knockout(extra_matches=len(draws) - 1)
    tournament = played(knockout, players, lambda seats, _rng: drawn(seats), seed)
    rounds = tuple(
        PlayedRound(each.paired, tuple(replace(result, draw=draw) for result in each.results))
        for each, draw in zip(tournament.rounds, draws, strict=True)
    )
    return knockout, replace(tournament, rounds=rounds, lots_from_draws=True)


def test_before_the_last_reveal_of_a_tie_nobody_can_compute_its_lots():
    # All that is known before it is the same: the league's id, its players, and the draws of the matches before.
    winners = {ranking(*level(["a" * 64, f"{last:064x}"]))[0] for last in range(20)}
    assert winners == {("P01",), ("P02",)}


def test_lots_follow_from_the_draws_alone_so_that_anyone_can_draw_them_again():
    draws = ["a" * 64, "", "b" * 64]
    lots = {player: lot(player, ["a" * 64, "b" * 64]) for player in ("P01", "P02")}
    for seed in ("one", "other"):
        knockout, tournament = level(draws, seed=seed)
        assert ranking(knockout, tournament)[0] == (min(lots, key=lots.__getitem__),)
        (tie,) = knockout.bracket(tournament)
        assert tie.by is TieDecision.LOTS


def test_where_no_draw_was_revealed_the_higher_seed_advances_by_rule():
    knockout, tournament = level(["", ""])
    for entered in (tournament.entrants, tournament.entrants[::-1]):
        turned = replace(tournament, entrants=entered)
        higher, other = turned.players
        assert ranking(knockout, turned) == ((higher,), (other,))
        assert knockout.advanced(turned) == (Advanced(higher, other, "seed", "Final"),)


def test_a_double_knockout_lets_a_loser_come_back():
    final = Knockout(double=True)
    tournament = played(final, 4, strongest_wins)
    assert titles(tournament) == [
        "Upper semi-finals",
        "Upper final and Lower round 1",
        "Lower round 2",
        "Final",
    ]
    assert ranking(final, tournament) == (("P01",), ("P02",), ("P03",), ("P04",))


def test_the_final_of_a_double_knockout_is_played_again_when_the_unbeaten_player_loses_it():
    # P02 loses the upper final, comes back through the lower bracket, and wins everything after that.
    def result(seats, _rng):
        later["P02"] += "P02" in seats
        return won(seats, "P02" if "P02" in seats and later["P02"] != 2 else min(seats))

    later = {"P02": 0}
    tournament = played(Knockout(double=True), 4, result)
    assert titles(tournament)[-2:] == ["Final", "Second final"]
    assert ranking(Knockout(double=True), tournament)[:2] == (("P02",), ("P01",))


def test_who_leaves_gives_the_opponent_a_walkover():
    start = Tournament(entrants(4))
    semis = Knockout().next_round(start)
    assert semis is not None
    after = replace(start, rounds=(PlayedRound(semis, tuple(won(seats, min(seats)) for seats in semis.pairings)),))
    gone = replace(after, entrants=(replace(after.entrants[0], left_after=1), *after.entrants[1:]))
    assert Knockout().next_round(gone) is None
    assert ranking(Knockout(), gone)[0] == ("P02",)


def test_a_player_who_leaves_later_keeps_what_it_has_won():
    tournament = played(Knockout(), 4, strongest_wins)
    gone = replace(tournament, entrants=(replace(tournament.entrants[0], left_after=2), *tournament.entrants[1:]))
    assert ranking(Knockout(), gone) == ranking(Knockout(), tournament)


@pytest.mark.parametrize(
    ("options", "players", "needed"),
    [
        ({"third_place": True}, 3, "at least 4 players, got 3"),
        ({"double": True}, 2, "at least 3 players, got 2"),
        ({}, 1, "at least 2 players, got 1"),
    ],
)
def test_too_few_players_are_refused(options, players, needed):
    with pytest.raises(FormatDoesNotFit, match=needed):
        Knockout(**options).check(players)


@pytest.mark.parametrize("options", [{"best_of": 0}, {"extra_matches": -1}, {"double": True, "third_place": True}])
def test_options_that_make_no_sense_are_refused(options):
    with pytest.raises(FormatDoesNotFit):
        Knockout(**options)
