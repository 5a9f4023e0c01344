"""The formats of a league, from the command line and from its file."""

from pathlib import Path

import pytest

from league_sdk.domain.model import OnBadMove, StageRules
from league_sdk.plugins import BrokenPlugin, UnknownPlugin
from league_sdk.settings import LeagueConfig, Workspace
from servers.launcher.league_stages import league_stages, league_tie_breaks, on_bad_move, with_total_rounds
from servers.launcher.run_options import PlanError, RunOptions
from tests.requirements.marker import requirement

WORKSPACE = Workspace(Path("unused"))


def config(**fields):
    return LeagueConfig.model_validate({"league_id": "cup", "game_type": "fingers", **fields})


def asked(name=None, **options):
    return RunOptions(WORKSPACE, format=name, format_options=options)


def test_a_league_is_a_single_round_robin_by_default():
    assert league_stages(asked(), config(), 4) == (StageRules(),)


@pytest.mark.parametrize("place", ["format", "schedule.algorithm"])
def test_the_file_names_a_format_with_its_options(place):
    schedule = {"options": {"rounds": 2}}
    cup = (
        config(schedule={**schedule, "algorithm": "swiss"})
        if "." in place
        else config(format="swiss", schedule=schedule)
    )
    assert league_stages(asked(), cup, 8) == (StageRules("swiss", {"rounds": 2}),)


def test_options_alone_change_those_of_the_file():
    cup = config(format="swiss", schedule={"options": {"rounds": 2}})
    assert league_stages(asked(rounds=3), cup, 8) == (StageRules("swiss", {"rounds": 3}),)


def test_a_format_of_the_command_line_replaces_that_of_the_file():
    assert league_stages(asked("knockout"), config(format="swiss"), 8) == (StageRules("knockout"),)


def test_groups_of_the_command_line_are_followed_by_a_knockout():
    assert league_stages(asked("groups", groups=2), config(), 8) == (
        StageRules("groups", {"groups": 2}, 4),
        StageRules("knockout"),
    )


def test_stages_of_the_file_come_one_after_the_other():
    stages = [{"format": "swiss", "options": {"rounds": 2}, "advance": 4}, {"format": "knockout"}]
    assert league_stages(asked(), config(schedule={"stages": stages}), 8) == (
        StageRules("swiss", {"rounds": 2}, 4),
        StageRules("knockout"),
    )


@pytest.mark.parametrize(
    ("options", "players", "told"),
    [
        (asked("swiss", rounds=9), 16, r"9 rounds are too many for a Swiss tournament of 16 players"),
        (asked("knockout", third_place=True), 3, r"at least 4 players, got 3"),
        (asked(), 10_000, r"49,995,000 matches; it takes up to 2,000 players\. The format swiss"),
    ],
    ids=["rounds", "third place", "size"],
)
def test_a_format_that_does_not_fit_is_refused_with_what_fits(options, players, told):
    with pytest.raises(PlanError, match=told):
        league_stages(options, config(), players)


def test_an_unknown_format_is_told_those_that_are_known():
    with pytest.raises(UnknownPlugin, match=r"no format 'swis'; did you mean swiss"):
        league_stages(asked("swis"), config(), 4)


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"cycle": 2}, r"no option 'cycle'; did you mean cycles"),
        ({"cycles": "two"}, r"cycles is 'two', expected a whole number"),
        ({"cycles": 0}, r"cycles is 0"),
    ],
    ids=["unknown", "kind", "value"],
)
def test_an_option_that_is_not_the_formats_own_is_named(options, told):
    with pytest.raises(BrokenPlugin, match=told):
        league_stages(asked("round_robin", **options), config(), 4)


def test_a_format_recommends_tie_breaks_to_a_league_that_names_none():
    swiss = league_stages(asked("swiss"), config(), 8)
    assert league_tie_breaks((), config(), swiss)[:2] == ("points", "buchholz_cut_1")
    round_robin = league_tie_breaks((), config(), (StageRules(),))
    assert round_robin == ("points", "wins", "draws", "head_to_head", "player_id")
    equal = league_tie_breaks(("wins", "draws", "head_to_head"), config(), (StageRules(),))
    assert equal == ("points", "wins", "draws", "head_to_head")


def test_a_list_that_is_named_wins_over_a_recommendation():
    own = config(format="swiss", scoring={"tiebreakers": ["points", "wins"]})
    assert league_tie_breaks((), own, own.stages) == ("points", "wins")
    assert league_tie_breaks(("koya", "wins"), own, own.stages) == ("points", "koya", "wins")
    assert league_tie_breaks(("wins", "points"), own, own.stages) == ("wins", "points")


def test_points_by_series_rank_before_all_others():
    cup = config(scoring={"points_by": "series"})
    series = league_stages(asked("swiss", best_of=3), cup, 8)
    assert league_tie_breaks((), cup, series)[:3] == ("series_points", "points", "buchholz_cut_1")
    assert league_tie_breaks(("wins", "series_points"), cup, series) == ("series_points", "points", "wins")


def test_points_by_series_are_refused_where_a_pairing_is_a_single_match():
    cup = config(scoring={"points_by": "series"})
    with pytest.raises(PlanError, match=r"points_by series needs pairings of several matches: --best-of 3"):
        league_tie_breaks((), cup, (StageRules(),))


def test_a_misspelt_tie_break_is_refused_with_what_is_meant():
    with pytest.raises(PlanError, match="--tie-breaks: unknown tie-breaker 'bucholz'; did you mean buchholz"):
        league_tie_breaks(("bucholz",), config(), ())


def test_goal_difference_is_refused_for_a_game_without_scores():
    with pytest.raises(PlanError, match=r"goal_difference .* tic_tac_toe has none but who won"):
        league_tie_breaks(("goal_difference",), config(game_type="tic_tac_toe"), ())
    named = league_tie_breaks(("goal_difference",), config(game_type="rock_paper_scissors"), ())
    assert named == ("points", "goal_difference")


def above(*paths):
    """The settings that come from the command line."""
    return lambda path: path in paths


def test_the_rounds_of_the_file_are_those_of_a_format_that_takes_them():
    for cup in (config(format="swiss", total_rounds=3), config(format="swiss", schedule={"total_rounds": 3})):
        assert league_stages(asked(), cup, 8) == (StageRules("swiss", {"rounds": 3}),)
        assert league_stages(asked(rounds=2), cup, 8) == (StageRules("swiss", {"rounds": 2}),)
        assert league_stages(asked("swiss"), cup, 8) == (StageRules("swiss"),)


def test_the_rounds_of_the_file_do_not_limit_a_format_that_has_as_many_as_its_players_make():
    assert league_stages(asked(), config(schedule={"total_rounds": 3}), 10) == (StageRules(),)


@pytest.mark.parametrize("place", ["total_rounds", "schedule.total_rounds"])
def test_rounds_of_the_command_line_are_played_or_refused(place):
    cup = config(total_rounds=3)
    assert league_stages(asked(), cup, 4, above(place)) == (StageRules(),)
    with pytest.raises(PlanError, match="total_rounds is 3; 10 players play 9 rounds in round_robin"):
        league_stages(asked(), cup, 10, above(place))
    assert league_stages(asked("swiss"), cup, 10, above(place)) == (StageRules("swiss", {"rounds": 3}),)
    with pytest.raises(PlanError, match="total_rounds is 3, and the option rounds of swiss is 2: set one of them"):
        league_stages(asked("swiss", rounds=2), cup, 10, above(place))


def test_a_manager_that_waits_for_players_takes_the_rounds_or_refuses_them():
    swiss, chosen = (StageRules("swiss"),), above("schedule.total_rounds")
    assert with_total_rounds(swiss, config(total_rounds=3), None, (), chosen) == (StageRules("swiss", {"rounds": 3}),)
    assert with_total_rounds(swiss, config(total_rounds=3), None, (), above("format")) == swiss
    with pytest.raises(PlanError, match="total_rounds is 3; the rounds of round_robin follow from its players"):
        with_total_rounds((StageRules(),), config(total_rounds=3), None, (), chosen)


@requirement("project-RUN-08")
def test_rounds_can_overlap_only_where_the_schedule_is_settled():
    cup = config(schedule={"rounds": "overlapping"})
    assert league_stages(asked(cycles=2), cup, 8) == (StageRules("round_robin", {"cycles": 2}),)
    for name, players in ("swiss", 8), ("knockout", 8), ("ladder", 8), ("groups", 8), ("round_robin", 200):
        told = "overlapping needs a schedule that is settled .* Such formats are gauntlet, groups, round_robin$"
        with pytest.raises(PlanError, match=told):
            league_stages(asked(name), cup, players)


@requirement("project-LEAVE-02")
def test_results_can_be_expunged_only_where_the_schedule_is_settled():
    cup = config(scoring={"departed_results": "expunge_below_half"})
    assert league_stages(asked(cycles=2), cup, 8) == (StageRules("round_robin", {"cycles": 2}),)
    for name, players in ("swiss", 8), ("knockout", 8), ("groups", 8), ("round_robin", 200):
        with pytest.raises(PlanError, match="needs a schedule that is settled before the first round"):
            league_stages(asked(name), cup, players)


@pytest.mark.parametrize(
    ("named", "format_name", "roster", "asked"),
    [
        (None, "round_robin", False, None),
        (None, "round_robin", True, OnBadMove.TELL),
        (None, "ladder", False, OnBadMove.TELL),
        ("substitute", "ladder", True, OnBadMove.SUBSTITUTE),
        ("tell", "swiss", False, OnBadMove.TELL),
    ],
)
def test_classes_and_ladders_are_told_of_bad_moves_unless_the_file_says_otherwise(named, format_name, roster, asked):
    chosen = config(on_bad_move=named)
    assert on_bad_move(chosen, (StageRules(format_name),), roster=roster) is asked
