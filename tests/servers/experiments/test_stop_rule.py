"""Stop rules read results in the order of the batches, so that workers and interruptions change nothing."""

import pytest

from servers.experiments.batches import Batch
from servers.experiments.results import ResultsFolder
from servers.experiments.running import play_experiment
from servers.experiments.spec import ExperimentSpec
from servers.experiments.stop_rule import Comparison, StopRule, order_of

SPRT = ExperimentSpec("tic_tac_toe", ("always-b2", "random"), matches=4000, batch=50, sprt=(0, 40))
ORDERED = ExperimentSpec(
    "tic_tac_toe", ("random", "always-b2", "random"), matches=600, batch=50, until_ordered=0.9, seed="2"
)
SPECS = pytest.mark.parametrize("spec", [SPRT, ORDERED], ids=["sprt", "until ordered"])


def ignore(done: int) -> None:
    """Progress that nobody looks at."""


@pytest.fixture(scope="module")
def tables(tmp_path_factory) -> dict[str, bytes]:
    found: dict[str, bytes] = {}
    for spec in (SPRT, ORDERED):
        folder = ResultsFolder.create(tmp_path_factory.mktemp("whole"), spec)
        assert 0 < play_experiment(folder, 1, ignore) < spec.total
        found[spec.to_json()] = folder.table.read_bytes()
    return found


@pytest.fixture
def whole(spec, tables) -> bytes:
    return tables[spec.to_json()]


def rows_of(table: bytes) -> list[list[str]]:
    return [line.split(",") for line in table.decode().splitlines()[1:]]


@pytest.mark.parametrize("spec", [SPRT])
def test_an_experiment_stops_after_the_batch_in_which_its_test_decides(spec, whole, tmp_path):
    folder = ResultsFolder.create(tmp_path, spec)
    folder.table.write_bytes(whole)
    test = folder.rule().sprt
    assert test is not None
    assert test.accepted == "H1"
    assert test.seen.total() == len(rows_of(whole)) / 2
    folder.table.write_text("\n".join(whole.decode().splitlines()[: -spec.batch]) + "\n")
    before = folder.rule().sprt
    assert before is not None
    assert before.accepted == ""


@pytest.mark.parametrize("spec", [ORDERED])
def test_each_pair_stops_once_it_is_known_who_is_better_and_the_others_go_on(spec, whole, tmp_path):
    folder = ResultsFolder.create(tmp_path, spec)
    folder.table.write_bytes(whole)
    first, copies, second = folder.rule().comparisons()
    assert copies == Comparison(("random", "random 2"), "", 600)
    assert (first.better, second.better) == ("always-b2", "always-b2")
    assert first.matches + copies.matches + second.matches == len(rows_of(whole)) < spec.total
    played = [sum({*row[3:5]} == {"random", "always-b2"} for row in rows_of(whole))]
    assert played == [first.matches]
    assert order_of([first, copies, second]) == []


@SPECS
def test_one_that_has_ended_plays_nothing_more(spec, whole, tmp_path):
    folder = ResultsFolder.create(tmp_path, spec)
    folder.table.write_bytes(whole)
    assert play_experiment(folder, 1, ignore) == 0
    assert folder.table.read_bytes() == whole


@SPECS
@pytest.mark.parametrize("share", [0.0, 0.3, 0.99])
def test_an_interrupted_one_stops_at_the_same_place(spec, whole, tmp_path, share: float):
    folder = ResultsFolder.create(tmp_path, spec)
    folder.table.write_bytes(whole[: int(share * len(whole))])
    play_experiment(folder, 1, ignore)
    assert folder.table.read_bytes() == whole


@pytest.mark.slow
@SPECS
def test_workers_stop_at_the_same_place(spec, whole, tmp_path):
    folder = ResultsFolder.create(tmp_path, spec)
    play_experiment(folder, 2, ignore)
    assert folder.table.read_bytes() == whole


@SPECS
def test_progress_ends_at_the_total_although_matches_are_left_out(spec, tmp_path):
    folder = ResultsFolder.create(tmp_path, spec)
    told: list[int] = []
    play_experiment(folder, 1, told.append)
    assert told == sorted(told)
    assert told[-1] == spec.total


def test_a_sequential_test_of_players_that_remember_counts_repetitions():
    spec = ExperimentSpec("tic_tac_toe", ("random", "frequency"), matches=8, memory=True, sprt=(0, 100))
    rule = StopRule(spec)
    won = ["1", "1", "random", "frequency", "random"]
    lost = ["2", "1", "random", "frequency", "frequency"]
    for repetition in (1, 2):
        rule.read(Batch(repetition, (0, 1), 1, 8), [won] * 7 + [lost])
    assert rule.sprt is not None
    assert rule.sprt.seen == {0.875: 2}


def test_matches_of_players_that_remember_are_one_observation():
    spec = ExperimentSpec("tic_tac_toe", ("random", "frequency"), matches=4, memory=True, until_ordered=0.5)
    rule = StopRule(spec)
    (test,) = rule.tests.values()
    for repetition in range(1, 7):
        assert rule.wants(Batch(repetition, (0, 1), 1, 4))  # fewer than six observations, not than six times four
        rule.read(Batch(repetition, (0, 1), 1, 4), [["1", "1", "random", "frequency", "random"]] * 4)
    assert test.over
    assert list(rule.comparisons()) == [Comparison(("random", "frequency"), "random", 24)]


@pytest.mark.parametrize(
    ("better", "order"),
    [
        (("a", "a", "b"), ["a", "b", "c"]),
        (("a", "c", "b"), []),
        (("a", "a", ""), []),
        (("b", "c", "c"), ["c", "b", "a"]),
    ],
    ids=["whole", "a circle", "open", "reversed"],
)
def test_there_is_an_order_where_all_pairs_are_decided_and_form_no_circle(better: tuple[str, ...], order: list[str]):
    pairs = [("a", "b"), ("a", "c"), ("b", "c")]
    assert order_of([Comparison(pair, name, 2) for pair, name in zip(pairs, better, strict=True)]) == order
