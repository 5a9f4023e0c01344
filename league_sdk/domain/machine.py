"""A finite state machine as one table of data.

The table maps (state, trigger) to the next state, and is complete: other pairs are refused, states without a successor
are final, and the diagram in the documentation is drawn from it.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import Generic, TypeVar

from league_sdk.errors import InvalidState

State = TypeVar("State", bound=StrEnum)
Trigger = TypeVar("Trigger", bound=StrEnum)


class Machine(Generic[State, Trigger]):
    """The rules of one state machine; it has no current state, so all can share it.

    Raises ValueError if a state cannot be reached from `initial`.
    """

    def __init__(self, name: str, initial: State, table: Mapping[tuple[State, Trigger], State]) -> None:
        self.name = name
        self.initial = initial
        self.table = dict(table)
        self.states: tuple[State, ...] = tuple(type(initial))
        leaving = {state for state, _ in self.table}
        self.final: tuple[State, ...] = tuple(state for state in self.states if state not in leaving)
        unreachable = [state for state in self.states if state not in self._reachable()]
        if unreachable:
            raise ValueError(f"{name}: nothing leads from {initial} to {', '.join(unreachable)}")

    def next(self, state: State, trigger: Trigger) -> State:
        """The state that `trigger` leads to; InvalidState if the table has no such entry."""
        try:
            return self.table[state, trigger]
        except KeyError:
            allowed = self.allowed(state)
            raise InvalidState(
                f"{self.name}: {trigger} is not allowed in {state}; allowed: {', '.join(allowed) or 'nothing'}",
                state=str(state),
                trigger=str(trigger),
                allowed=[str(item) for item in allowed],
            ) from None

    def allowed(self, state: State) -> tuple[Trigger, ...]:
        """The triggers that `state` knows, in the table's order; empty for a final state."""
        return tuple(trigger for source, trigger in self.table if source == state)

    def mermaid(self) -> str:
        """The machine as a Mermaid `stateDiagram-v2`, ending in a newline."""
        lines = ["stateDiagram-v2", f"    [*] --> {self.initial}"]
        lines += [f"    {source} --> {target}: {trigger}" for (source, trigger), target in self.table.items()]
        lines += [f"    {state} --> [*]" for state in self.final]
        return "\n".join(lines) + "\n"

    def _reachable(self) -> set[State]:
        found = {self.initial}
        frontier = [self.initial]
        while frontier:
            here = frontier.pop()
            new = {target for (source, _), target in self.table.items() if source == here} - found
            found |= new
            frontier += new
        return found
