"""Reports of a launcher's place on the agents that it lost."""

from collections.abc import Collection
from enum import StrEnum

import anyio


class Loss(StrEnum):
    """Ends of an agent before its league's, as its place reports them."""

    NODE = "node"
    """The machine was lost, with all that was there."""
    OWN = "own"
    """Its process ended: an exit, a signal, the end of its memory."""


class PlaceReports:
    """All that was reported since its manager was started."""

    def __init__(self) -> None:
        self._losses: list[tuple[str, Loss]] = []
        self._away: set[str] = set()
        self._changed = anyio.Event()

    def lost(self, name: str, loss: Loss) -> None:
        """Note the loss of an agent, by its display name."""
        self._losses.append((name, loss))
        if loss is Loss.NODE:
            self._away.add(name)
        else:
            self._away.discard(name)
        self._tell()

    def back(self, name: str) -> None:
        """Note an agent that was started again, or is not waited for any more."""
        self._away.discard(name)
        self._tell()

    @property
    def number(self) -> int:
        """The number of losses until now."""
        return len(self._losses)

    def since(self, number: int, name: str) -> Loss | None:
        """An agent's last loss after the first so many."""
        return next((loss for whose, loss in reversed(self._losses[number:]) if whose == name), None)

    def away(self, names: Collection[str]) -> set[str]:
        """Those of some agents whose machine was lost, and that are not back."""
        return self._away.intersection(names)

    async def next(self) -> None:
        """Wait for the next report."""
        await self._changed.wait()

    def _tell(self) -> None:
        self._changed.set()
        self._changed = anyio.Event()
