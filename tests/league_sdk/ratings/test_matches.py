from dataclasses import replace

import pytest

from league_sdk.domain.model import MatchResult, ResultStatus
from league_sdk.ratings.matches import RatedMatch, rated_matches

WON = MatchResult("R1M1", 1, ("P01", "P02"), ResultStatus.WIN, "P02", {"P01": 0, "P02": 3}, "REF01")
DRAWN = replace(WON, status=ResultStatus.DRAW, winner=None)
TECHNICAL = replace(WON, status=ResultStatus.TECHNICAL_LOSS, winner="P01")
BOTH_LOST = replace(TECHNICAL, winner=None)


def test_a_winner_has_the_first_place_and_a_draw_shares_it():
    assert [match.places for match in rated_matches([WON, DRAWN])] == [(2, 1), (1, 1)]


def test_technical_losses_count_unless_they_are_left_out():
    assert list(rated_matches([WON, TECHNICAL])) == [
        RatedMatch(("P01", "P02"), (2, 1)),
        RatedMatch(("P01", "P02"), (1, 2)),
    ]
    assert list(rated_matches([WON, TECHNICAL], technical_losses=False)) == [RatedMatch(("P01", "P02"), (2, 1))]


def test_a_match_that_both_lost_says_nothing_about_their_strength():
    assert list(rated_matches([BOTH_LOST])) == []


@pytest.mark.parametrize(
    ("players", "places"), [(("P01",), (1,)), (("P01", "P01"), (1, 2)), (("P01", "P02"), (1,)), ((), ())]
)
def test_a_match_needs_different_players_and_a_place_for_each(players, places):
    with pytest.raises(ValueError, match="two or more different players"):
        RatedMatch(players, places)
