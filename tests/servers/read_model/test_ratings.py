from collections.abc import Sequence
from dataclasses import replace

import pytest

from game_rules.even_odd import EvenOdd
from league_sdk.domain.model import MatchResult, ResultStatus
from servers.read_model import ratings
from servers.read_model.ratings import LeagueRatings, league_ratings, rate
from tests.requirements.marker import requirement
from tests.servers.league_history import finished, under_way


def results(winners: str) -> Sequence[MatchResult]:
    """Matches of P01 and P02, won by one of them or drawn, as 1, 2 or `-`."""
    return [
        MatchResult(
            match_id=f"R{number}M1",
            round_id=number,
            referee_id="REF01",
            players=("P01", "P02"),
            status=ResultStatus.DRAW if winner == "-" else ResultStatus.WIN,
            winner=None if winner == "-" else f"P0{winner}",
            score={},
        )
        for number, winner in enumerate(winners, 1)
    ]


@requirement("001-FUT-08")
def test_a_player_that_wins_nearly_always_is_told_apart():
    found = rate(results("1" * 20 + "22"))
    assert found.players["P01"].rating > found.players["P02"].rating + 200
    assert found.players["P01"].not_distinguishable_from == ()
    assert found.remark == "Ratings: 0 of 1 pair of players are not distinguishable."
    assert found.json_of("P01")["rating_margin"] > 50
    assert found.json_of("P09") == {}


def test_equals_are_not_distinguishable_and_the_reason_is_said():
    found = rate(results("12-" * 4))
    assert found.players["P02"].not_distinguishable_from == ("P01",)
    assert "no two players are distinguishable: there are too few matches" in found.remark
    assert "no number of matches tells them apart" in rate(results("12-" * 4), chance=True).remark


def test_a_league_of_chance_says_that_nothing_can_be_told_apart_and_why():
    assert EvenOdd().pure_chance
    assert not EvenOdd(number_range_min=1, number_range_max=9).pure_chance
    found = league_ratings(finished(4).league, EvenOdd())
    assert len(found.players) == 4
    assert "o choice in this game is better than another" in found.remark


def test_a_difference_in_a_game_of_chance_is_called_luck():
    assert rate(results("1" * 20 + "22"), chance=True).remark.endswith("what differs is luck or faults.")


def test_before_three_matches_of_a_player_there_is_nothing_to_say():
    assert rate(results("12")) == LeagueRatings()
    assert league_ratings(under_way(4).league) == LeagueRatings()


def test_groups_that_never_met_are_named():
    others = [replace(each, players=("P11", "P12"), winner=None, status=ResultStatus.DRAW) for each in results("1212")]
    assert "2 groups of players never met" in rate([*results("1212"), *others]).remark


@pytest.mark.parametrize("missing", ["numpy", "scipy"])
def test_without_the_extra_one_line_names_what_installs_it(monkeypatch, missing):
    monkeypatch.setattr(ratings, "find_spec", lambda name: None if name == missing else object())
    found = rate(results("1212"))
    assert (found.players, found.remark) == (
        {},
        "Ratings with their errors need numpy and scipy: pip install 'mcp-agent-league[analysis]'",
    )


def test_a_great_league_is_left_to_the_command(monkeypatch):
    monkeypatch.setattr(ratings, "MOST_RATED", 1)
    assert rate(results("1212")).remark == "Ratings of more than 1 players: 'league ratings'."
