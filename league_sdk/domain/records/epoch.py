"""Epoch of a league's managers: each restore that leads begins a new one."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Epoch:
    """Epoch of a manager.

    Attributes:
        number: 0 until a league that was restored is led; one more with each that is.
        id: Random, so that two restores that lead are told apart; empty for number 0.
    """

    number: int = 0
    id: str = ""

    def admits(self, later: "Epoch") -> bool:
        """True if an agent that knows this epoch may follow a manager of `later`."""
        return later == self or later.number > self.number
