"""Stages as they are drawn: brackets with their matches, tables of rounds, cross-tables by group."""

from itertools import pairwise

from league_sdk import plugins
from league_sdk.domain.model import StageRules
from league_sdk.tournament import RoundView
from servers.read_model import StageView, stage_views
from tests.servers.ui.report.leagues import tournament

GAME = plugins.game("tic_tac_toe")


def shown(players: int, *stages: StageRules, rounds: int | None = None) -> tuple[StageView, ...]:
    league = tournament(GAME, players, stages, rounds).league
    return stage_views(league, plugins.stages_format(stages))


def test_a_bracket_has_all_its_ties_from_the_first_round_on():
    (stage,) = shown(6, StageRules("knockout", {"third_place": True}), rounds=0)
    assert stage.view is RoundView.BRACKET
    assert [(column.title, len(column.ties), column.joins) for column in stage.lanes[""]] == [
        ("Quarter-finals", 4, 0),
        ("Semi-finals", 2, 2),
        ("Final", 1, 2),
    ]
    assert [column.title for column in stage.lanes["Third place"]] == ["Third place"]
    byes = [each.tie for each in stage.lanes[""][0].ties if each.tie.settled and None in each.tie.players]
    assert [tie.winner for tie in byes] == ["P01", "P02"]


def test_a_tie_has_its_matches_the_one_under_way_included():
    (stage,) = shown(4, StageRules("knockout", {"best_of": 3}), rounds=1)
    assert [each.legs for each in stage.lanes[""][0].ties] == [("R1M1", "R2M1G2"), ("R1M2", "R2M2G2")]


def test_the_winner_of_each_tie_is_in_the_next_column():
    league = tournament(GAME, 8, (StageRules("knockout"),)).league
    (stage,) = stage_views(league, plugins.stages_format((StageRules("knockout"),)))
    columns = stage.lanes[""]
    for before, after in pairwise(columns):
        winners = [each.tie.winner for each in before.ties]
        assert winners == [player for each in after.ties for player in each.tie.players]
    assert (columns[-1].ties[0].tie.winner,) == league.champions


def test_the_two_parts_of_a_double_knockout_are_lanes_of_their_own():
    (stage,) = shown(8, StageRules("knockout", {"double": True}), rounds=2)
    assert list(stage.lanes) == ["", "Lower bracket"]
    assert [column.joins for column in stage.lanes["Lower bracket"]] == [0, 1, 2, 1]


def test_groups_have_a_table_each_and_the_stage_after_them_its_own_picture():
    stages = shown(8, StageRules("groups", {"groups": 2}, 4), StageRules("knockout"))
    assert [stage.view for stage in stages] == [RoundView.CROSS_TABLE, RoundView.BRACKET]
    assert [(group.title, len(group.rows)) for group in stages[0].groups] == [("Group 1", 4), ("Group 2", 4)]
    assert all(row.played == 3 for group in stages[0].groups for row in group.rows)


def test_of_a_few_against_all_only_the_few_are_columns():
    (stage,) = shown(8, StageRules("gauntlet", {"challengers": 2}))
    (group,) = stage.groups
    assert sorted(row.player_id for row in group.columns) == ["P01", "P02"]
    assert len(group.rows) == 8


def test_a_round_that_a_player_sits_out_is_a_bye():
    stages = (StageRules("swiss", {"rounds": 2}),)
    league = tournament(GAME, 5, stages).league
    (stage,) = stage_views(league, plugins.stages_format(stages))
    cells = stage.cells(league, league.players)
    for place, scheduled in enumerate(league.rounds):
        assert [player for player in cells if cells[player][place].bye] == list(scheduled.byes)
    assert all(cell.bye or cell.match for row in cells.values() for cell in row)


def test_a_league_whose_format_is_not_installed_is_a_table_of_rounds():
    league = tournament(GAME, 4, (StageRules("knockout"),)).league
    (stage,) = stage_views(league, None)
    assert stage.view is RoundView.ROUNDS
    assert len(stage.rounds) == len(league.rounds)


def test_a_table_of_rounds_has_the_last_hundred():
    (stage,) = shown(4, StageRules("ladder", {"endless": True}), rounds=103)
    last = stage.rounds[-1].round_id
    assert [each.round_id for each in stage.rounds] == list(range(last - 99, last + 1))
    assert stage.left_out == last - 100
