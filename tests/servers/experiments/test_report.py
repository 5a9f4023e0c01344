import re
from html import unescape
from statistics import fmean, quantiles

import pytest
from hypothesis import given
from hypothesis import strategies as st

from servers.experiments.charts import Box, boxes, convergence, ladder
from servers.experiments.observations import wilson
from servers.experiments.report import box_of, figures_of, render
from servers.experiments.results import ResultsFolder
from servers.experiments.running import play_experiment
from servers.experiments.spec import ExperimentSpec

SPEC = ExperimentSpec("rock_paper_scissors", ("random", "always-rock", "frequency"), matches=20)


@pytest.fixture(scope="module")
def page(tmp_path_factory) -> str:
    folder = ResultsFolder.create(tmp_path_factory.mktemp("report"), SPEC)
    play_experiment(folder, 1, lambda done: None)
    return "".join(render(folder))


def test_the_report_has_every_strategy_in_table_heat_map_and_charts(page):
    assert page.count("<svg") == 3
    for part in ("standings", "scores", "ratings", "payoffs", "convergence"):
        assert f'id="{part}"' in page
        assert f'href="#{part}"' in page
    for name in SPEC.strategies:
        assert page.count(f">{name}<") >= 5
    assert "60 of 60 matches" in page


def test_scores_in_the_heat_map_complement_each_other(page):
    found = [int(score) for score in re.findall(r"<b>(\d+)%</b>", page)]
    assert len(found) == 6
    assert sum(found) == pytest.approx(300, abs=3)
    lows_and_highs = re.findall(r"(\d+)% to (\d+)%", page)
    assert all(int(low) <= score <= int(high) for score, (low, high) in zip(found, lows_and_highs, strict=True))


def test_a_score_on_the_way_is_one_against_the_same_opponents(tmp_path):
    spec = ExperimentSpec("rock_paper_scissors", ("always-rock", "always-paper", "always-scissors"), matches=130)
    folder = ResultsFolder.create(tmp_path / "circle", spec)
    play_experiment(folder, 1, lambda done: None)
    found = figures_of(folder)
    assert (found.matches[0], found.matches[-1]) == (2, 130)
    assert {score for scores in found.scores.values() for score in scores} == {0.5}


def test_the_report_asks_for_nothing_from_outside_and_runs_no_script(page):
    assert "<script" not in page
    assert "default-src 'none'" in unescape(page)
    assert not re.search(r'(?:src|href)="(?!#)', page)


def test_an_experiment_without_results_has_a_report_that_says_so(tmp_path):
    page = "".join(render(ResultsFolder.create(tmp_path, SPEC)))
    assert page.count("No matches yet.") == 2
    assert "0 of 60 matches" in page


@given(score=st.floats(0, 1), matches=st.integers(1, 10_000))
def test_a_wilson_interval_holds_its_score_and_stays_between_0_and_1(score: float, matches: int):
    low, high = wilson(score, matches)
    assert 0 <= low <= score + 1e-9
    assert score - 1e-9 <= high <= 1
    assert low < high


def test_where_one_chance_decides_both_matches_of_a_pair_an_interval_is_that_of_the_pairs(tmp_path):
    spec = ExperimentSpec("even_odd", ("always-even", "always-odd"), matches=200)
    folder = ResultsFolder.create(tmp_path, spec)
    play_experiment(folder, 1, lambda done: None)
    cell = figures_of(folder).heat[0][1]
    assert cell is not None
    assert cell.interval == pytest.approx(wilson(cell.score, 100), abs=0.01)


def test_a_repetition_of_players_that_remember_is_one_observation(tmp_path):
    for repetitions, known in ((2, False), (3, True)):
        spec = ExperimentSpec(
            "rock_paper_scissors", ("random", "frequency"), matches=20, memory=True, repetitions=repetitions
        )
        folder = ResultsFolder.create(tmp_path / f"{repetitions}", spec)
        play_experiment(folder, 1, lambda done: None)
        found = figures_of(folder)
        cell = found.heat[0][1]
        assert cell is not None
        assert (cell.interval is not None) == (found.rows[0]["margin"] is not None) == known
        assert ("few</span>" in "".join(render(folder))) != known


def test_a_wilson_interval_is_that_of_the_textbooks():
    # Newcombe 1998, Statistics in Medicine 17, 857, table I, method 3.
    assert wilson(81 / 263, 263) == pytest.approx((0.2553, 0.3662), abs=5e-5)
    assert wilson(0, 20) == pytest.approx((0, 0.1611), abs=5e-5)


@given(payoffs=st.lists(st.integers(-5, 5), min_size=3))
def test_a_box_has_the_quartiles_of_all_payoffs(payoffs: list[int]):
    found = box_of("Ada", payoffs)
    ordered = sorted(payoffs)
    assert (found.numbers[0], found.numbers[4]) == (ordered[0], ordered[-1])
    # Our quartiles are values that occurred; those of the library lie between the same two neighbours.
    for own, theirs in zip(found.numbers[1:4], quantiles(payoffs, n=4, method="inclusive"), strict=True):
        below = max(value for value in ordered if value <= theirs)
        above = min(value for value in ordered if value >= theirs)
        assert below <= own <= above
    assert found.mean == pytest.approx(fmean(payoffs))


def test_names_become_no_markup():
    name = "<b>&amp;"
    row = {"name": name, "rating": 1500, "margin": None}
    for chart in (ladder([row]), boxes([Box(name, (0, 0, 0, 0, 0), 0)]), convergence([1], {name: [0.5]})):
        assert "<b>" not in chart
        assert "&lt;b&gt;&amp;amp;" in chart
