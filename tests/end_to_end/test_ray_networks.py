"""Leagues in a Ray cluster whose nodes are machines of a network: lost, cut off from one another, or far away.

Every node is a network namespace with an address of its own. Whatever happens, each match has one result, no player is
blamed, since none is away for longer than a referee tries to reach it, and the audit finds nothing.
"""

import asyncio
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.end_to_end.program_harness import until
from tests.end_to_end.test_ray import BRIEF, PATIENT, STUBBORN, gated
from tests.network_namespaces import Node
from tests.servers.ray_machines import RayMachines, ray_machines

pytestmark = [pytest.mark.slow, pytest.mark.postgres, pytest.mark.xdist_group("ray")]
NAMES = ("Ada", "Bob", "Cyd", "Dan", "Eve", "Fay", "Gus", "Hal")
FIRST, LAST = 4, 28  # results of round 1, and of all rounds


class ClusterLeague:
    """A league of eight that stops in round 2, where four matches are open."""

    def __init__(self, cluster: RayMachines) -> None:
        self.cluster = cluster
        crew = ("--referees", "2:3", "--agents-per-process", 4)
        kept = ("--league-id", "cup", "--store", cluster.store)
        players = gated(cluster.head.harness, NAMES)
        self.command = cluster.league("run", "--on", "ray", *kept, *players, *crew, *BRIEF, *PATIENT)
        until(lambda: len(self.of_type("MatchAssigned")) == 2 * FIRST or self.command.over, "round 2 is under way")

    def of_type(self, kind: str) -> list[dict[str, Any]]:
        return [record for record in self.cluster.records("cup") if record["type"] == kind]

    def again(self) -> list[dict[str, Any]]:
        """Matches that were given out more than once."""
        return [record for record in self.of_type("MatchAssigned") if record["attempt"] > 1]

    @property
    def leading(self) -> Node:
        """The manager's machine."""
        return until(self.cluster.manager, "the manager is connected to the database")

    def referees_elsewhere(self) -> Node:
        """A machine that has a referee, and is not the manager's."""
        machines = {self.cluster.of(record["referee"]["endpoint"]) for record in self.of_type("RefereeRegistered")}
        return next(node for node in self.cluster.nodes if node in machines - {self.leading})

    def open_gate(self) -> None:
        """Let the players continue."""
        (self.cluster.head.harness.folder / "open").touch()

    def ends_well(self) -> None:
        """Nothing is lost, doubled or misattributed."""
        self.open_gate()
        assert self.command.end(300) == 0, self.command.out + self.command.err
        results = [record["result"] for record in self.of_type("MatchRecorded")]
        assert self.of_type("LeagueCompleted")
        assert Counter(Counter(result["match_id"] for result in results).values()) == {1: LAST}
        assert [fault for result in results for fault in result["faults"]] == []
        audit = self.cluster.head.harness.run("audit", "cup", "--store", self.cluster.store_here)
        assert audit.end() == 0, audit.out + audit.err


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[RayMachines]:
    """A cluster whose head has no room for agents, so that each of them can be lost with its node."""
    with ray_machines(tmp_path, 0, 3, 3) as made:
        yield made


@pytest.mark.parametrize("lose", [Node.unplug, Node.lose_power], ids=["its link is down", "its processes are killed"])
def test_a_league_goes_on_when_its_managers_machine_is_lost(cluster: RayMachines, lose: Callable[[Node], None]):
    league = ClusterLeague(cluster)
    lost = league.leading
    lose(lost)
    league.command.says(r"Central League Manager was ended by signal 9; it is started again \(1 of 10\)")
    until(lambda: cluster.manager() not in (None, lost), "the manager lives on the machine that is left")
    league.ends_well()


def test_a_partition_that_is_shorter_than_a_heartbeat_costs_nothing(cluster: RayMachines):
    league = ClusterLeague(cluster)
    manager, referees = league.leading, league.referees_elsewhere()
    manager.partition(referees)
    asyncio.run(asyncio.sleep(STUBBORN["heartbeat_interval_sec"] / 2))
    manager.heal(referees)
    league.ends_well()
    assert league.again() == []


def test_a_match_behind_a_longer_partition_is_played_again_and_counts_once(cluster: RayMachines):
    league = ClusterLeague(cluster)
    manager, referees = league.leading, league.referees_elsewhere()
    manager.partition(referees)
    again = until(league.again, "a match of a referee that is cut off is given to another one")
    manager.heal(referees)
    league.ends_well()
    assert all("stopped answering" in record["reason"] for record in again)


def test_a_league_outlasts_a_restart_of_its_database(cluster: RayMachines):
    league = ClusterLeague(cluster)
    cluster.stop_database()
    league.open_gate()
    cluster.start_database()
    league.ends_well()
    assert league.again() == []
