"""Reasons for the order of the standings, in words."""

from league_sdk.domain.commands import CloseRegistration, CompleteLeague, CompleteRound, RemovePlayer, StartLeague
from league_sdk.domain.model import DepartedResults, LeagueRules
from league_sdk.domain.ranking.standing import Standing
from league_sdk.domain.ranking.standings import ranked_as
from servers.read_model.ranking import counted_lines, deciding_line, number, reason_lines, tie_break_columns, value_of
from servers.read_model.tables import by_round
from servers.read_model.text import mark_of
from tests.league_sdk.domain.season import first_round, registered, running

ROWS = (
    Standing(1, "P03", "", points=6, tie_breaks={"buchholz": 14}),
    Standing(2, "P07", "", points=6, tie_breaks={"buchholz": 12}, decided_by="buchholz"),
    Standing(2, "P01", "", points=6, tie_breaks={"buchholz": 12}),
    Standing(4, "P02", "", points=1, tie_breaks={"buchholz": 20}, decided_by="points"),
)


def test_each_pair_of_neighbours_has_its_reason():
    assert reason_lines(ROWS) == [
        "P03 before P07: Buchholz 14 against 12",
        "P07 and P01: equal in everything that ranks",
        "P01 before P02: points 6 against 1",
    ]
    assert reason_lines(ROWS[:1]) == []


def test_a_formats_own_ranking_is_the_reason_for_its_order():
    rows = ranked_as(ROWS[:2], [["P07"], ["P03"]])
    assert reason_lines(rows) == ["P07 before P03: the ranking of the tournament's format"]


def test_it_is_said_against_whom_results_of_a_removed_player_count():
    season = registered(5, 1)
    season.do(CloseRegistration("operator"))
    season.do(StartLeague())
    season.play_round(1)
    assert counted_lines(season.league) == []
    gone = season.league.rounds[0].fixtures[0].players[0]
    (other,) = set(season.league.rounds[0].fixtures[0].players) - {gone}
    season.do(RemovePlayer(gone, "enough"))
    assert counted_lines(season.league) == [
        f"{gone} was removed: its results against {other} count, 3 matches of it are void."
    ]


def test_it_is_said_that_results_of_a_player_count_for_nobody():
    season = registered(5, 1, departed_results=DepartedResults.EXPUNGE_BELOW_HALF)
    season.do(CloseRegistration("operator"))
    season.do(StartLeague())
    season.play_round(1)
    gone, other = season.league.rounds[0].fixtures[0].players
    tables = by_round(season.league)
    season.do(RemovePlayer(gone))
    assert counted_lines(season.league) == [
        f"{gone} left before half of its matches were decided: its results count for nobody. "
        f"Its opponents, with their results that count: {other} (0)."
    ]
    assert mark_of(season.league, gone) == "removed, results expunged"
    assert by_round(season.league, tables) == by_round(season.league)
    assert {row.player_id: row.points for row in by_round(season.league)[-1].rows}[other] == 0


def test_a_league_has_a_column_for_each_tie_break_that_no_row_counts():
    rules = LeagueRules("cup", "chess", tiebreakers=("points", "buchholz", "wins", "head_to_head"))
    assert [tie.abbreviation for tie in tie_break_columns(rules).values()] == ["BH", "DE"]
    assert [number(value_of(ROWS[0], name)) for name in ("points", "buchholz", "head_to_head")] == ["6", "14", ""]


def test_a_tie_break_that_decides_the_champion_is_said():
    drawn = first_round(2, 1, tiebreakers=("points", "player_id"))
    assert deciding_line(drawn.league) == ""
    drawn.record("R1M1")
    drawn.do(CompleteRound(1))
    drawn.do(CompleteLeague())
    assert deciding_line(drawn.league) == "P01 before P02: player id 1 against 2"
    assert deciding_line(running(2, 1, tiebreakers=("points", "player_id")).play().league) == ""
