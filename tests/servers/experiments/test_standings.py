import pytest

from servers.experiments.results import ResultsFolder
from servers.experiments.running import play_experiment
from servers.experiments.spec import ExperimentSpec
from servers.experiments.standings import ExperimentStandings


def played(path, game: str, *strategies: str, matches: int = 100) -> ExperimentStandings:
    folder = ResultsFolder.create(path, ExperimentSpec(game, strategies, matches=matches))
    play_experiment(folder, 1, lambda done: None)
    return ExperimentStandings(folder)


def test_a_stronger_strategy_is_told_apart_and_two_copies_of_one_are_not(tmp_path):
    rows = played(tmp_path, "tic_tac_toe", "random", "always-b2", "random", matches=200).rows()
    assert rows[0]["name"] == "always-b2"
    assert rows[0]["not_distinguishable_from"] == []
    assert [row["not_distinguishable_from"] for row in rows[1:]] == [[rows[2]["name"]], [rows[1]["name"]]]
    assert all(row["margin"] > 0 for row in rows)


def test_where_one_chance_decides_both_matches_of_a_pair_the_errors_are_wider(tmp_path):
    standings = played(tmp_path, "even_odd", "always-even", "always-odd", matches=200)
    assert sum(standings.groups.values()) == 100
    # The number is even or odd in both, so that the pair is won twice by one.
    assert all(one[2] == other[2] for one, other in standings.groups)
    wide = standings.rows()[0]["margin"]
    standings.groups.clear()
    assert wide == pytest.approx(standings.rows()[0]["margin"] * 2**0.5, rel=0.05)


def test_scores_add_up(tmp_path):
    standings = played(tmp_path, "even_odd", "random", "always-even", "alternating", matches=20)
    rows = standings.rows()
    assert all(row["won"] + row["drawn"] + row["lost"] == row["matches"] == 40 for row in rows)
    assert sum(row["won"] for row in rows) == sum(row["lost"] for row in rows)
    assert sum(row["score"] for row in rows) == pytest.approx(1.5)
    assert sum(standings.outcomes.values()) == 60


def test_strategies_without_chance_in_a_game_without_it_are_named(tmp_path):
    standings = played(tmp_path, "rock_paper_scissors", "always-rock", "always-paper", "random", matches=10)
    assert standings.always_the_same() == [("always-rock", "always-paper")]


def test_a_table_without_results_has_no_ratings(tmp_path):
    folder = ResultsFolder.create(tmp_path, ExperimentSpec("even_odd", ("random", "random")))
    rows = ExperimentStandings(folder).rows()
    assert [(row["matches"], row["score"], row["rating"]) for row in rows] == [(0, 0, None)] * 2
