import random

import pytest

from servers.experiments.batches import COLUMNS
from servers.experiments.compare import compared, samples
from servers.experiments.results import ResultsFolder
from servers.experiments.spec import ExperimentSpec


def folder_of(path, seed: int, chance: float, pairs: int = 60) -> ResultsFolder:
    """An experiment in which `one` wins each match with this chance, both of a pair alike."""
    draw = random.Random(seed)
    folder = ResultsFolder.create(path, ExperimentSpec("even_odd", ("one", "two"), matches=2 * pairs))
    lines = [",".join(COLUMNS)]
    for match in range(1, 2 * pairs + 1, 2):
        winner = "one" if draw.random() < chance else "two"
        lines += [f"1,{match},one,two,{winner},0,0,1,0,0,,", f"1,{match + 1},two,one,{winner},0,0,1,0,0,,"]
    folder.table.write_text("\n".join(lines) + "\n")
    return folder


def test_scores_add_up_and_have_the_error_of_independent_pairs(tmp_path):
    found = samples(folder_of(tmp_path / "a", 1, 0.6))
    one, two = found["one"].score, found["two"].score
    assert one.score + two.score == pytest.approx(1)
    assert one.error == pytest.approx((one.score * (1 - one.score) / 59) ** 0.5, rel=0.02)
    assert one.matches == 120


def test_the_interval_of_a_difference_holds_the_true_one_as_often_as_it_says(tmp_path):
    held = 0
    for number in range(200):
        one = folder_of(tmp_path / f"{number}a", 2 * number, 0.4)
        two = folder_of(tmp_path / f"{number}b", 2 * number + 1, 0.6)
        first = next(compared(one, two))
        assert first.margin is not None
        held += abs(first.difference - 0.2) <= first.margin
    assert 182 <= held <= 199


def test_two_folders_are_compared_side_by_side(league, tmp_path):
    folder_of(tmp_path / "a", 1, 0.2)
    folder_of(tmp_path / "b", 2, 0.8)
    folder_of(tmp_path / "c", 3, 0.2)
    rows = league("experiment", "compare", "a", "b", "--json").json["strategies"]
    assert [(row["name"], row["apart"]) for row in rows] == [("one", True), ("two", True)]
    assert rows[0]["difference"] > 0.3
    assert "not distinguishable" not in league("experiment", "compare", "a", "b").out
    assert "not distinguishable" in league("experiment", "compare", "a", "c").out


def test_three_pairs_that_were_all_won_are_not_certain(tmp_path):
    few, many = folder_of(tmp_path / "a", 1, 1.0, pairs=3), folder_of(tmp_path / "b", 2, 0.8)
    first = next(compared(few, many))  # three of three are no rare thing where the chance is 0.8
    assert not first.distinguishable
    assert next(compared(folder_of(tmp_path / "c", 3, 1.0), many)).distinguishable


def test_the_interval_holds_the_true_difference_of_few_pairs_too(tmp_path):
    held = 0
    for number in range(300):
        one = folder_of(tmp_path / f"{number}a", 2 * number, 0.8, pairs=6)
        two = folder_of(tmp_path / f"{number}b", 2 * number + 1, 0.8, pairs=6)
        first = next(compared(one, two))
        assert first.margin is not None
        held += abs(first.difference) <= first.margin
    assert held >= 0.93 * 300


def test_too_few_matches_have_no_interval(league, tmp_path):
    folder_of(tmp_path / "a", 1, 0.5, pairs=2)
    folder_of(tmp_path / "b", 2, 0.5)
    assert "too few matches" in league("experiment", "compare", "a", "b").out


def test_experiments_that_share_no_strategy_are_not_compared(league, tmp_path):
    folder_of(tmp_path / "a", 1, 0.5)
    ResultsFolder.create(tmp_path / "b", ExperimentSpec("even_odd", ("three", "four")))
    assert "no strategy has matches in both" in league("experiment", "compare", "a", "b").err
    assert league("experiment", "compare", "a", "nowhere").code == 2
