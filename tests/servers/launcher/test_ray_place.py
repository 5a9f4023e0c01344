import sys

import pytest

from servers.launcher.plan import LaunchPlan
from servers.launcher.ray_cluster import is_ray
from servers.launcher.ray_place import ray_place
from servers.launcher.run_options import PlanError


def no_plan() -> LaunchPlan:
    raise AssertionError("nothing is planned where the league cannot be played")


@pytest.mark.parametrize("store", [None, "sqlite:////srv/league.db"])
def test_a_file_that_nodes_cannot_share_is_refused_with_the_store_that_they_can(store: str | None):
    with pytest.raises(PlanError, match="--store postgresql://"), ray_place("ray", 1, store, no_plan, print):
        pass


def test_without_ray_the_message_has_the_line_that_installs_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    with (
        pytest.raises(PlanError, match=r"pip install 'mcp-agent-league\[ray\]'"),
        ray_place("ray", 1, "postgresql://league@db/league", no_plan, print),
    ):
        pass


def test_a_place_is_processes_or_ray():
    assert (is_ray("processes"), is_ray("ray"), is_ray("ray://10.0.0.1:10001")) == (False, True, True)
    with pytest.raises(PlanError, match="expected processes, ray"):
        is_ray("moon")
