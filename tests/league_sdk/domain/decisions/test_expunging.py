"""Results of players that leave before half of their matches are decided, in a league whose rules expunge them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from league_sdk.domain.commands import CloseRegistration, RemovePlayer, WithdrawAgent
from league_sdk.domain.decisions.replays import shares_of
from league_sdk.domain.evolution import fold
from league_sdk.domain.model import DepartedResults
from league_sdk.domain.progress import tournament_of
from league_sdk.domain.ranking.standings import table
from league_sdk.errors import InvalidState
from tests.league_sdk.domain.season import Season, registered, running
from tests.requirements.marker import requirement

RULE = DepartedResults.EXPUNGE_BELOW_HALF
LEAVE = {"removed": RemovePlayer("P01"), "withdrew": WithdrawAgent("P01")}


def left_after(rounds: int, how: str = "removed", rule: DepartedResults = RULE) -> Season:
    """A league of 5, of whom P01 has 4 matches and leaves after some rounds."""
    season = running(players=5, departed_results=rule)
    for number in range(1, rounds + 1):
        season.play_round(number)
    season.do(LEAVE[how])
    return season


def row(season: Season, player_id: str):
    return next(row for row in season.league.standings() if row.player_id == player_id)


@requirement("project-LEAVE-02")
@pytest.mark.parametrize("how", LEAVE)
def test_results_of_a_player_that_played_less_than_half_count_for_nobody(how):
    season = left_after(1, how)
    decided = [result for result in season.league.results.values() if "P01" in result.players and result.referee_id]
    assert len(decided) == 1
    assert (row(season, "P01").played, row(season, "P01").points, row(season, "P01").expunged) == (0, 0, True)
    assert "results expunged" in row(season, "P01").departure
    (opponent,) = set(decided[0].players) - {"P01"}
    others = [result for result in season.league.results.values() if "P01" not in result.players]
    assert row(season, opponent).played == sum(opponent in result.players for result in others)


@pytest.mark.parametrize("how", LEAVE)
def test_results_of_a_player_that_played_half_count(how):
    season = left_after(2, how)
    assert sum("P01" in result.players and bool(result.referee_id) for result in season.league.results.values()) == 2
    assert not row(season, "P01").expunged
    assert row(season, "P01").played == (2 if how == "removed" else 4)


@pytest.mark.parametrize("how", LEAVE)
def test_they_count_in_a_league_that_keeps_them(how):
    assert row(left_after(1, how, DepartedResults.KEEP), "P01").played == (1 if how == "removed" else 4)


def test_its_row_does_not_make_a_champion_of_others_by_its_results():
    season = left_after(1)
    for number in (2, 3, 4, 5):
        season.play_round(number)
    names = dict.fromkeys(season.league.players, "")
    without = [result for result in season.league.results.values() if "P01" not in result.players]
    points = {each.player_id: each.points for each in table(names, without)}
    assert {each.player_id: each.points for each in season.league.standings()} == points


def test_its_matches_are_void_for_formats_and_tie_breaks():
    season = left_after(1)
    told = [result for each in tournament_of(season.league).rounds for result in each.results]
    assert {result.void for result in told if "P01" in result.seats} == {True}
    assert {result.void for result in told if "P01" not in result.seats} == {False}


def test_its_matches_were_played_when_shares_of_replays_are_counted():
    season = left_after(1)
    assert shares_of(season.league) == {}


@pytest.mark.parametrize("rounds", [1, 2])
def test_void_matches_are_none_that_it_could_have_played(rounds):
    season = running(players=4, departed_results=RULE)
    season.do(RemovePlayer("P04"))
    for number in range(1, rounds + 1):
        season.play_round(number)
    season.do(RemovePlayer("P01"))
    decided = sum("P01" in result.players for result in season.league.results.values())
    assert row(season, "P01").expunged is (2 * decided < 2)


@given(st.dictionaries(st.sampled_from(["P01", "P02", "P03"]), st.integers(1, 5)))
def test_whoever_leaves_the_table_is_that_of_the_results_that_count(leaving: dict[str, int]):
    season = running(players=5, departed_results=RULE)
    for number in range(1, 6):
        for player_id, when in leaving.items():
            if when == number:
                season.do(RemovePlayer(player_id))
        season.play_round(number)
    league = fold(season.events)
    assert league.standings() == season.league.standings()
    counting = [result for result in league.results.values() if league.counts(result.players)]
    names = {player: agent.display_name for player, agent in league.players.items()}
    again = {each.player_id: (each.rank, each.points, each.played) for each in table(names, counting)}
    assert {each.player_id: (each.rank, each.points, each.played) for each in league.standings()} == again


def test_a_league_without_a_settled_schedule_is_refused():
    season = registered(players=4, departed_results=RULE)
    with pytest.raises(InvalidState, match="needs a schedule that is settled"):
        season.do(CloseRegistration("operator", expected_rounds=2))
