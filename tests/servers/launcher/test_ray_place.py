import socket
import sys
from collections.abc import Generator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from threading import Thread
from types import SimpleNamespace
from typing import Any

import pytest

from league_sdk.domain.model import LeagueRules, Role
from league_sdk.settings import RetryPolicyConfig
from servers.agent.agent_spec import AgentSpec
from servers.agent.startup_status import Report
from servers.launcher import ray_cluster
from servers.launcher import ray_place as place_of_ray
from servers.launcher.plan import LaunchPlan
from servers.launcher.ray_cluster import is_ray
from servers.launcher.ray_place import (
    RayChild,
    _check_reachable,
    _free_name,
    _options,
    _patience,
    _rules_until_placed,
    ray_place,
)
from servers.launcher.run_options import PlanError
from tests.ports import free_base


def no_plan() -> LaunchPlan:
    raise AssertionError("nothing is planned where the league cannot be played")


@pytest.mark.parametrize("store", [None, "sqlite:////srv/league.db"])
def test_a_file_that_machines_cannot_share_is_refused_with_the_line_that_sets_up_a_database(store: str | None):
    told = r"each of the cluster's 2 machines.* 'docker run .*postgresql://league:PASSWORD@10\.0\.0\.1/league"
    with pytest.raises(PlanError, match=told):
        _check_reachable(store, ["10.0.0.1", "10.0.0.2"])
    with pytest.raises(PlanError, match="SQLite is a file of one"):
        _check_reachable(store, ["10.0.0.1"], outside=True)  # the command runs on a machine beside the cluster
    _check_reachable(store, ["10.0.0.1", "10.0.0.1"])


def test_a_manager_with_a_file_stays_on_the_head_where_the_file_is():
    manager = AgentSpec(Role.LEAGUE_MANAGER, "Manager", Path("/nowhere"), store_url="sqlite:////srv/league.db")
    assert _options(manager)["resources"] == {"node:__internal_head__": 0.001}
    assert "resources" not in _options(replace(manager, store_url="postgresql://league@db/league"))


def test_a_player_that_is_gone_is_waited_for_in_a_cluster_unless_the_pause_was_chosen():
    assert _patience(RetryPolicyConfig()) == {
        "retry_policy.backoff_base_sec": 30.0,
        "retry_policy.backoff_max_sec": 30.0,
    }
    assert _patience(RetryPolicyConfig(backoff_base_sec=5.0)) == {}


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


@pytest.mark.parametrize("place", ["ray://", "ray://10.0.0.1", "ray://:10001", "ray://10.0.0.1:port", "Ray"])
def test_an_address_that_ray_would_try_for_half_a_minute_is_refused_at_once(place: str):
    with pytest.raises(PlanError, match=f"--on '{place}': expected processes, ray, or ray://HOST:10001"):
        is_ray(place)
    assert is_ray("ray://[::1]:10001")


@pytest.mark.parametrize(("answer", "told"), [(b"", "timed out"), (b"HTTP/1.1 400 Bad Request\r\n", "no part of Ray")])
def test_an_address_of_something_else_than_ray_is_refused_within_seconds(monkeypatch, answer: bytes, told: str):
    without_ray(monkeypatch, lambda *_, **__: pytest.fail("Ray would try for minutes"))
    monkeypatch.setattr(ray_cluster, "ANSWER_SEC", 0.2)
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def serve() -> None:
            connection, _ = listener.accept()
            with connection, suppress(ConnectionResetError):
                connection.sendall(answer)
                connection.recv(100)
                connection.recv(100)  # until the other side gives up

        serving = Thread(target=serve)
        serving.start()
        address = f"ray://127.0.0.1:{listener.getsockname()[1]}"
        with (
            pytest.raises(PlanError, match=f"no Ray cluster answers at {address}: .*{told}"),
            ray_place(address, 1, "postgresql://league@db/league", no_plan, print),
        ):
            pass
        serving.join()


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


def test_without_rays_client_the_message_has_the_line_that_installs_it(monkeypatch):
    def no_client(*_: object, **__: object) -> None:
        raise ValueError("Ray Client requires pip package `ray[client]`. If you installed the minimal Ray, reinstall.")

    without_ray(monkeypatch, no_client)
    monkeypatch.setattr(ray_cluster, "_knock", lambda address: None)
    with (
        pytest.raises(
            PlanError, match=r"needs Ray's client: pip install 'ray\[client\]', or run .* --on ray on a node"
        ),
        ray_place("ray://127.0.0.1:10001", 1, "postgresql://league@db/league", no_plan, print),
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


class NotSetUp(Exception):
    """Stands in for Ray's error of packages that a node could not install."""


class Answer:
    """Stands in for a reference to a worker's address: it never comes, or what is raised does."""

    def __init__(self, error: Exception | None) -> None:
        self.ready, self._error = error is not None, error

    def __await__(self) -> Generator[None, None, str]:
        yield from ()
        if self._error is not None:
            raise self._error
        return "10.0.0.1"


async def without_a_place(
    spec: AgentSpec, monkeypatch: pytest.MonkeyPatch, error: Exception | None = None
) -> list[Any]:
    """All reports of an agent that gets no place."""
    monkeypatch.setattr(place_of_ray, "NOTE_SEC", 0.0)
    monkeypatch.setattr(place_of_ray, "PLACE_SEC", 0.0)
    monkeypatch.setattr(place_of_ray, "PACKAGES_SEC", 0.0)
    ray = SimpleNamespace(
        wait=lambda refs, timeout: (refs, []) if refs[0].ready else ([], refs),
        available_resources=lambda: {"CPU": 0.25},
        exceptions=SimpleNamespace(
            RayActorError=KeyError, ActorUnavailableError=KeyError, RuntimeEnvSetupError=NotSetUp
        ),
    )
    actor = SimpleNamespace(address=SimpleNamespace(remote=lambda: Answer(error)))
    shipping: Any = SimpleNamespace(ray=ray)
    child = RayChild(shipping, actor, spec, "a-worker")
    child.tell((0, spec))
    heard: list[Report] = []
    assert await child.reports(heard.append) == 1
    return [(report["report"]["kind"], report["report"]["text"]) for report in heard]


@pytest.mark.anyio
async def test_an_agent_for_which_no_node_has_room_says_what_it_waits_for_and_then_gives_up(monkeypatch):
    heard = await without_a_place(AgentSpec(Role.REFEREE, "Rhea", Path("/nowhere")), monkeypatch)
    assert [kind for kind, _ in heard] == ["note", "failed"]
    text = heard[-1][1]
    assert text.startswith(
        "waiting for a node with 0.5 CPU or for its process to start there; 0.25 CPU are free in the"
    )
    assert text.endswith("add nodes, or choose fewer agents")


@pytest.mark.anyio
async def test_a_player_with_packages_says_that_it_waits_for_them_too(monkeypatch):
    needed = ("label.zone=eu", "pip=numpy==2.1", "pip=torch")
    ada = AgentSpec(Role.PLAYER, "Ada", Path("/nowhere"), requirements=needed)
    (_, text), (_, end) = await without_a_place(ada, monkeypatch)
    assert text.startswith(
        "waiting for a node with 0.1 CPU and label.zone=eu, for numpy==2.1, torch to be installed there,"
    )
    assert end == f"{text}; add such a node, or leave the requirement out"


@pytest.mark.anyio
async def test_packages_that_cannot_be_installed_end_the_run_with_the_reason_of_pip(monkeypatch):
    ada = AgentSpec(Role.PLAYER, "Ada", Path("/nowhere"), requirements=("pip=numpy==99",))
    heard = await without_a_place(
        ada, monkeypatch, NotSetUp("Traceback\nERROR: No matching distribution for numpy==99.\n")
    )
    assert heard == [
        (
            "failed",
            "numpy==99 could not be installed on a node: No matching distribution for numpy==99. "
            "Ray tries the same packages again after ten minutes",
        )
    ]


@pytest.mark.anyio
async def test_a_node_that_lacks_what_ray_installs_packages_with_is_told_the_line_that_brings_it(monkeypatch):
    ada = AgentSpec(Role.PLAYER, "Ada", Path("/nowhere"), requirements=("pip=numpy",))
    failure = NotSetUp(
        "ModuleNotFoundError\nRuntimeError: Please install virtualenv `python -m pip install virtualenv`"
    )
    ((_, text),) = await without_a_place(ada, monkeypatch, failure)
    assert "Ray needs virtualenv there: pip install 'mcp-agent-league[ray]' on every node" in text


def test_registration_lasts_until_all_players_have_had_their_time_for_a_place_unless_its_time_was_chosen():
    bob = AgentSpec(Role.PLAYER, "Bob", Path("/nowhere"))
    ada = replace(bob, name="Ada", requirements=("pip=numpy",))
    rules = LeagueRules("l", "even_odd")
    assert _rules_until_placed(rules, [bob]).registration_timeout_sec == 180
    assert _rules_until_placed(rules, [bob, ada]).registration_timeout_sec == 660
    chosen = replace(rules, registration_timeout_sec=5.0)
    assert _rules_until_placed(chosen, [bob, ada]) == chosen


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
