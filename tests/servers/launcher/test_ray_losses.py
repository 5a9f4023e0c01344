from types import SimpleNamespace
from typing import Any

import pytest

from servers.agent.place_reports import Loss
from servers.launcher import ray_losses
from servers.launcher.ray_losses import RayLosses, loss_of


class Preempted(Exception):
    """Stands in for Ray's error on a worker whose node an autoscaler took away."""

    preempted = True


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ray_losses, "LOOK_SEC", 0.0)


@pytest.mark.parametrize(
    "error", [Exception("The actor died because its node has died. Node Id: 5"), Preempted()], ids=["lost", "preempted"]
)
@pytest.mark.anyio
async def test_a_worker_that_died_with_its_node_is_the_nodes_loss(error: Exception):
    assert await loss_of(error, lambda: True) is Loss.NODE


@pytest.mark.parametrize("text", ["worker process exit", "killed due to the node running low on memory"])
@pytest.mark.anyio
async def test_a_worker_that_ended_on_a_node_that_lives_is_its_own_loss(text: str):
    assert await loss_of(Exception(text), lambda: True) is Loss.OWN


@pytest.mark.anyio
async def test_a_node_that_is_reported_lost_after_its_worker_is_found():
    looks = iter([True, False])
    assert await loss_of(Exception("worker process exit"), lambda: next(looks)) is Loss.NODE


class Worker:
    """Keeps what a manager's worker is told."""

    def __init__(self) -> None:
        self.told: list[tuple[str, Loss | None]] = []
        self.place_report: Any = SimpleNamespace(remote=lambda name, loss: self.told.append((name, loss)))


def test_a_manager_that_was_started_again_hears_of_losses_before_it_but_not_of_those_that_are_over():
    losses, first, second = RayLosses(), Worker(), Worker()
    losses.lead_by(first)
    losses.lost("Ada", Loss.NODE)
    losses.lead_by(None)
    losses.lost("Bob", Loss.OWN)
    losses.back("Ada")
    losses.back("Cyd")
    losses.lead_by(second)
    assert first.told == [("Ada", Loss.NODE)]
    assert second.told == [("Bob", Loss.OWN)]
