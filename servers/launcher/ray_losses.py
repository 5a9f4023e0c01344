"""Losses of players in a Ray cluster, as the manager is told of them."""

from collections.abc import Callable
from typing import Any

import anyio

from servers.agent.place_reports import Loss

NODE_DIED = "node has died"
"""Part of Ray's message on a worker that was lost with its node."""
LOOKS, LOOK_SEC = 3, 1.0
"""Looks at a lost worker's node: Ray may hear of the worker's end before its node's."""


async def loss_of(error: Exception, node_alive: Callable[[], bool]) -> Loss:
    """The kind of a worker's loss: its node's, or its own."""
    if getattr(error, "preempted", False) or NODE_DIED in str(error):
        return Loss.NODE
    for _ in range(LOOKS):
        if not await anyio.to_thread.run_sync(node_alive):
            return Loss.NODE
        await anyio.sleep(LOOK_SEC)
    return Loss.OWN


class RayLosses:
    """Passes losses on to the manager's worker, also to one that comes later."""

    def __init__(self) -> None:
        self._lost: dict[str, Loss] = {}
        self._manager: Any = None

    def lead_by(self, manager: Any) -> None:
        """Tell another worker from now on; None while there is none."""
        self._manager = manager
        for name, loss in self._lost.items():
            self._tell(name, loss)

    def lost(self, name: str, loss: Loss) -> None:
        self._lost[name] = loss
        self._tell(name, loss)

    def back(self, name: str) -> None:
        """Note a player that has registered after a loss."""
        if self._lost.pop(name, None) is not None:
            self._tell(name, None)

    def _tell(self, name: str, loss: Loss | None) -> None:
        if self._manager is not None:
            self._manager.place_report.remote(name, loss)
