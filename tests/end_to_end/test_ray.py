"""A whole league in a Ray cluster of two nodes on this machine, with its records in PostgreSQL."""

import re
import shlex
from pathlib import Path

import pytest

from tests.end_to_end.program_harness import QUICK, program_harness
from tests.servers.ray_nodes import ray_nodes

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("ray")]
PATIENCE = 240.0
"""Seconds for a league: Ray starts a process of its own for each worker."""


def test_a_league_in_a_cluster_is_played_to_its_champion_and_passes_the_audit(tmp_path: Path, postgres_url: str):
    with ray_nodes(2, 2), program_harness(tmp_path) as place:
        league = place.start("run", "--on", "ray", "--players", 4, "--referees", 2, "--store", postgres_url, *QUICK)
        assert league.end(PATIENCE) == 0, league.err
        assert "6 matches, 3 rounds" in league.out
        audit = place.run("audit", "--store", postgres_url)
        assert audit.end() == 0, audit.err + audit.out
        place.empty()


def test_ctrl_c_ends_a_league_in_a_cluster_and_it_is_resumed_there(tmp_path: Path, postgres_url: str):
    with ray_nodes(2, 2) as cluster, program_harness(tmp_path) as place:
        slowly = ("--set", "league.schedule.match_delay_sec=2")
        league = place.start("run", "--on", "ray", "--store", postgres_url, "--players", 4, *slowly, *QUICK)
        league.says("round 1 of 3 complete")
        league.interrupt()
        assert league.end(PATIENCE) == 130, league.err
        assert actors(cluster) == []
        (line,) = re.findall(r"league (resume .*--on ray)", league.out + league.err)
        resumed = place.start(*shlex.split(line))
        assert resumed.end(PATIENCE) == 0, resumed.err
        assert "6 matches, 3 rounds" in resumed.out
        place.empty()


def actors(cluster: object) -> list[str]:
    """The live actors of the cluster."""
    import importlib

    ray = importlib.import_module("ray")
    ray.init(cluster.address, log_to_driver=False, logging_level="ERROR")  # type: ignore[attr-defined]
    try:
        states = importlib.import_module("ray._private.state").actors()
        return [found["ActorClassName"] for found in states.values() if found["State"] == "ALIVE"]
    finally:
        ray.shutdown()
