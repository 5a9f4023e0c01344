from importlib import import_module

import pytest

from servers.experiments.results import ResultsFolder
from servers.experiments.running import play_experiment
from servers.experiments.spec import make_spec
from servers.launcher.run_options import PlanError
from tests.ports import free_base
from tests.servers.ray_nodes import ray_nodes

pytestmark = pytest.mark.xdist_group("ray")  # servers of Ray's clients count their ports from 23000, in every cluster

SPEC = make_spec({"game": "even_odd", "strategies": ["random", "mirror", "frequency"], "matches": 60, "batch": 10})


def ignore(done: int) -> None:
    """Progress that nobody looks at."""


def test_an_unknown_place_is_refused_with_those_that_there_are(tmp_path):
    with pytest.raises(PlanError, match="expected processes, ray, or ray://HOST:10001"):
        play_experiment(ResultsFolder.create(tmp_path, SPEC), 1, ignore, "kubernetes")


class Interrupted(Exception):
    """Ends a run in the middle."""


@pytest.mark.slow
def test_a_cluster_that_loses_a_node_gives_the_same_bytes_as_one_process(tmp_path):
    alone, together = (ResultsFolder.create(tmp_path / name, SPEC) for name in ("alone", "together"))
    play_experiment(alone, 1, ignore)

    def interrupt(done: int) -> None:
        if done >= 40:
            raise Interrupted

    with ray_nodes(1, 1) as cluster:
        import_module("ray").shutdown()  # the experiment connects by itself
        with pytest.raises(Interrupted):
            play_experiment(together, 1, interrupt, "ray")

        lost: list[int] = []

        def lose_a_node(done: int) -> None:
            if done >= 60 and not lost:
                lost.append(done)
                cluster.lose_last()

        assert play_experiment(together, 1, lose_a_node, "ray") == SPEC.total - 40
    assert lost
    assert together.table.read_bytes() == alone.table.read_bytes()


@pytest.mark.slow
def test_a_cluster_reached_from_outside_gives_the_same_bytes_as_one_process(tmp_path, monkeypatch):
    pytest.importorskip("grpc", reason="Ray's client needs grpcio: requirements/slow.txt has it")
    alone, outside = (ResultsFolder.create(tmp_path / name, SPEC) for name in ("alone", "outside"))
    play_experiment(alone, 1, ignore)
    port = free_base()
    with ray_nodes(0, 1, ray_client_server_port=port):
        import_module("ray").shutdown()
        monkeypatch.delenv("RAY_ADDRESS")
        assert play_experiment(outside, 1, ignore, f"ray://127.0.0.1:{port}") == SPEC.total
    assert outside.table.read_bytes() == alone.table.read_bytes()


def test_a_game_for_more_than_two_is_refused_with_the_league_that_plays_it():
    with pytest.raises(PlanError, match=r"is for 3 to 8 players, and .*--format tables --format-option seats=3"):
        make_spec({"game": "lowest_unique_number", "strategies": ["random", "mirror"], "matches": 2})
