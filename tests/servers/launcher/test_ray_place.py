import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from league_sdk.domain.model import Role
from servers.agent.agent_spec import AgentSpec
from servers.agent.startup_status import Report
from servers.launcher import ray_place as place_of_ray
from servers.launcher.plan import LaunchPlan
from servers.launcher.ray_cluster import is_ray
from servers.launcher.ray_place import RayChild, _check_reachable, _free_name, _options, ray_place
from servers.launcher.run_options import PlanError
from tests.ports import free_base


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


def without_ray(monkeypatch: pytest.MonkeyPatch, init: Any) -> None:
    """Stand in for the library; `init` is its connection."""
    monkeypatch.setitem(sys.modules, "ray", SimpleNamespace(init=init))
    monkeypatch.setitem(sys.modules, "ray._private.worker", SimpleNamespace())


@pytest.mark.parametrize("scheme", ["", "ray://"])
def test_where_no_cluster_listens_it_is_said_at_once_and_ray_is_not_left_to_try_for_minutes(monkeypatch, scheme: str):
    without_ray(monkeypatch, lambda *_, **__: pytest.fail("Ray would try for minutes"))
    address = f"{scheme}127.0.0.1:{free_base()}"
    monkeypatch.setenv("RAY_ADDRESS", address)
    with (
        pytest.raises(PlanError, match=f"no Ray cluster answers at {address}: .* 'ray start --head'"),
        ray_place(address if scheme else "ray", 1, "postgresql://league@db/league", no_plan, print),
    ):
        pass


def test_where_ray_finds_no_cluster_on_this_machine_the_message_says_how_to_start_one(monkeypatch):
    def no_cluster(*_: object, **__: object) -> None:
        raise ConnectionError("Could not find any running Ray instance.")

    without_ray(monkeypatch, no_cluster)
    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    with (
        pytest.raises(PlanError, match=r"no Ray cluster answers at auto: Could not find any .*'ray start --head'"),
        ray_place("ray", 1, "postgresql://league@db/league", no_plan, print),
    ):
        pass


@pytest.mark.parametrize(
    "store",
    ["postgresql://u@localhost/x", "postgresql://u@/x", "postgresql://u@/x?host=/tmp", "postgresql://u@[::1]/x"],
)
def test_a_database_that_each_machine_would_look_for_on_itself_is_refused(store: str):
    with pytest.raises(PlanError, match=r"each of the cluster's 2 machines .* --store"):
        _check_reachable(store, ["10.0.0.1", "10.0.0.2"])
    _check_reachable(store, ["10.0.0.1", "10.0.0.1"])


@pytest.mark.parametrize("store", ["postgresql://u@db/x", "postgresql://u@/x?host=10.0.0.9"])
def test_a_database_with_an_address_is_taken(store: str):
    _check_reachable(store, ["10.0.0.1", "10.0.0.2"])


@pytest.mark.anyio
async def test_an_agent_for_which_no_node_has_room_says_what_it_waits_for_and_then_gives_up(monkeypatch):
    monkeypatch.setattr(place_of_ray, "NOTE_SEC", 0.0)
    monkeypatch.setattr(place_of_ray, "PLACE_SEC", 0.0)
    ray = SimpleNamespace(
        wait=lambda refs, timeout: ([], refs),
        available_resources=lambda: {"CPU": 0.25},
        exceptions=SimpleNamespace(RayActorError=KeyError, ActorUnavailableError=KeyError),
    )
    actor = SimpleNamespace(address=SimpleNamespace(remote=lambda: "a reference"))
    shipping: Any = SimpleNamespace(ray=ray)
    child = RayChild(shipping, actor, AgentSpec(Role.REFEREE, "Rhea", Path("/nowhere")), "referee-rhea")
    child.tell((0, AgentSpec(Role.REFEREE, "Rhea", Path("/nowhere"))))
    heard: list[Report] = []
    assert await child.reports(heard.append) == 1
    assert [report["report"]["kind"] for report in heard] == ["note", "note", "failed"]
    text = heard[-1]["report"]["text"]
    assert text.startswith("waiting for a node with 0.5 CPU or its process there; 0.25 CPU are free in the cluster")
    assert text.endswith("add nodes, or choose fewer agents")


def test_a_player_is_placed_by_all_that_it_needs():
    needed = ("gpu=0.5", "pip=numpy==2.1", "pip=torch", "resource.team_a=1")
    options = _options(AgentSpec(Role.PLAYER, "Ada", Path("/nowhere"), requirements=needed))
    assert options == {
        "num_cpus": 0.1,
        "max_concurrency": 1000,
        "scheduling_strategy": "SPREAD",
        "num_gpus": 0.5,
        "resources": {"team_a": 1.0},
        "runtime_env": {"pip": ["numpy==2.1", "torch"]},
    }
    options = _options(AgentSpec(Role.PLAYER, "Ada", Path("/nowhere"), requirements=("label.zone=eu",)))
    assert options["label_selector"] == {"zone": "eu"}
    assert "scheduling_strategy" not in options  # Ray takes one of both


def test_a_worker_beside_one_of_the_same_name_has_a_folder_of_its_own():
    assert _free_name("player-ada", set()) == "player-ada"
    assert _free_name("player-ada", {"player-ada", "player-ada-2"}) == "player-ada-3"
