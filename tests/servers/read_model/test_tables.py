"""Cross-table and standings by round, against what follows from the results one by one."""

from dataclasses import replace

from hypothesis import given, settings

from league_sdk.domain.commands import EnterPlayer
from league_sdk.domain.league import fold
from league_sdk.domain.ranking.standings import Verdict, table, verdict
from servers import read_model
from tests.league_sdk.domain.season import Season, agent, registered, running
from tests.league_sdk.domain.test_endless import begun, play
from tests.servers.read_model.leagues import seasons


@settings(max_examples=25)
@given(seasons())
def test_the_standings_after_a_round_are_those_of_the_results_until_then(season: Season):
    league = season.league
    names = {player.agent_id: player.display_name for player in league.players.values()}
    tables = read_model.by_round(league)
    assert [each.round_id for each in tables] == list(range(1, league.rounds_started + 1))
    for each in tables:
        until_then = [result for result in league.results.values() if result.round_id <= each.round_id]
        assert each.rows == table(names, until_then, league.rules.tiebreakers)
    if tables:
        assert tables[-1].rows == tuple(replace(row, removed=False, sitting_out="") for row in league.standings())
        assert [each.complete for each in tables].count(True) == league.rounds_completed


@settings(max_examples=25)
@given(seasons())
def test_what_was_computed_before_is_what_would_be_computed_anew(season: Season):
    known: tuple[read_model.RoundTable, ...] = ()
    for length in range(1, len(season.events) + 1):
        known = read_model.by_round(fold(season.events[:length]), known)
    assert known == read_model.by_round(season.league)


@settings(max_examples=25)
@given(seasons())
def test_the_series_are_the_columns_of_the_tables(season: Season):
    tables = read_model.by_round(season.league)
    for line in read_model.series(tables):
        for place, each in enumerate(tables):
            row = next(row for row in each.rows if row.player_id == line.player_id)
            assert (row.points, row.rank) == (line.points[place], line.ranks[place])


@settings(max_examples=25)
@given(seasons())
def test_the_cross_table_says_who_beat_whom(season: Season):
    league = season.league
    found = read_model.cross_table(league)
    assert found.rows == league.standings()
    for row in league.players:
        for column in league.players:
            expected = [
                fixture.match_id
                for scheduled in league.rounds
                for fixture in scheduled.fixtures
                if row != column and {row, column} <= set(fixture.players)
            ]
            cells = found.between(row, column)
            assert [cell.match_id for cell in cells] == expected
            for cell in cells:
                result = league.results.get(cell.match_id)
                assert cell.verdict == (None if result is None else verdict(result, row))
                assert cell.points == (None if result is None else result.score[row])
                assert cell.void == (cell.match_id in league.voided)


@settings(max_examples=25)
@given(seasons())
def test_the_cells_of_a_row_add_up_to_the_standings(season: Season):
    found = read_model.cross_table(season.league)
    for row in found.rows:
        cells = [cell for other in found.rows for cell in found.between(row.player_id, other.player_id)]
        decided = [cell for cell in cells if cell.verdict is not None]
        assert len(decided) == row.played
        assert sum(cell.points or 0 for cell in decided) == row.points
        assert sum(cell.verdict is Verdict.WIN for cell in decided) == row.wins


def test_a_league_in_registration_has_nobody_to_meet():
    league = registered(3).league
    assert read_model.cross_table(league).cells == {}
    assert read_model.by_round(league) == ()
    assert read_model.series(()) == ()


def test_the_overview_counts():
    season = running(4)
    assert read_model.overview(season.league).current_round == 0
    season.play_round(1)
    seen = read_model.overview(season.league)
    assert (seen.players, seen.referees, seen.total_rounds, seen.total_matches) == (4, 2, 3, 6)
    assert (seen.current_round, seen.rounds_completed, seen.decided, seen.under_way) == (1, 1, 2, 0)
    season.play_round(2)
    season.play_round(3)
    assert seen.champions == ()


@settings(max_examples=25)
@given(seasons())
def test_champions_are_the_best_of_those_who_stayed(season: Season):
    seen = read_model.overview(season.league)
    assert tuple(row.player_id for row in seen.champions) == season.league.champions
    staying = [row for row in season.league.standings() if row.player_id not in season.league.removed]
    assert all(row.rank == staying[0].rank and not row.removed for row in seen.champions)
    assert seen.removed == seen.players - len(staying)
    assert seen.decided + seen.voided + seen.under_way <= seen.total_matches


def test_tables_of_a_ladder_keep_what_was_computed_when_players_enter():
    season = begun()
    for _ in range(4):
        play(season)
    before = read_model.by_round(season.league)
    for name in ("Late", "Later"):
        season.do(EnterPlayer(agent(name), "none"))
    entered = read_model.by_round(season.league, before)
    assert [table.rows for table in entered] == [table.rows for table in read_model.by_round(season.league)]
    assert entered[0].tally is before[0].tally
    play(season)
    again = read_model.by_round(season.league, entered)
    assert [table.rows for table in again] == [table.rows for table in read_model.by_round(season.league)]
