import pytest

from servers.experiments.results import ResultsFolder
from servers.experiments.running import play_experiment
from servers.experiments.spec import ExperimentSpec
from servers.experiments.stop_rule import StopRule

SPEC = ExperimentSpec("tic_tac_toe", ("always-b2", "random"), matches=4000, batch=50, sprt=(0, 40))


def ignore(done: int) -> None:
    """Progress that nobody looks at."""


@pytest.fixture(scope="module")
def whole(tmp_path_factory) -> bytes:
    folder = ResultsFolder.create(tmp_path_factory.mktemp("whole"), SPEC)
    assert 0 < play_experiment(folder, 1, ignore) < SPEC.total
    return folder.table.read_bytes()


def test_an_experiment_stops_after_the_batch_in_which_its_test_decides(whole, tmp_path):
    folder = ResultsFolder.create(tmp_path, SPEC)
    folder.table.write_bytes(whole)
    rows = list(folder.rows())
    test, before = (StopRule(SPEC).read(rows[:end]).test for end in (len(rows), len(rows) - SPEC.batch))
    assert test is not None
    assert before is not None
    assert (test.accepted, before.accepted) == ("H1", "")
    assert sum(test.pairs) == len(rows) / 2
    assert play_experiment(folder, 1, ignore) == 0
    assert folder.table.read_bytes() == whole


@pytest.mark.parametrize("share", [0.0, 0.3, 0.99])
def test_an_interrupted_one_stops_at_the_same_place(whole, tmp_path, share: float):
    folder = ResultsFolder.create(tmp_path, SPEC)
    folder.table.write_bytes(whole[: int(share * len(whole))])
    play_experiment(folder, 1, ignore)
    assert folder.table.read_bytes() == whole


@pytest.mark.slow
def test_workers_stop_at_the_same_place(whole, tmp_path):
    folder = ResultsFolder.create(tmp_path, SPEC)
    play_experiment(folder, 2, ignore)
    assert folder.table.read_bytes() == whole
