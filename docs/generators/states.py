"""Write docs/states.md from the tables of the state machines."""

from pathlib import Path
from typing import Any

from league_sdk.domain.lifecycles import AGENT, LEAGUE, MATCH, PLAYER_MATCH
from league_sdk.domain.machine import Machine

TARGET = Path(__file__).resolve().parents[1] / "states.md"

HEAD = """# States

Every lifecycle in a league is a table of states and triggers (`league_sdk/domain/lifecycles.py`). What a table does
not have is refused with E008, `INVALID_STATE`, whose context names the state, the trigger and what is allowed.

This page is written by `docs/generators/states.py` from those tables; a test fails when it is out of date.
"""

SECTIONS: list[tuple[str, Machine[Any, Any], str]] = [
    (
        "A league",
        LEAGUE,
        """Kept by the league manager. STOPPED is a pause: the league continues in the state that it was stopped in,
which is why there is one `resume_…` for each. A league whose manager died was never stopped; it is resumed where it
stands.""",
    ),
    (
        "A match",
        MATCH,
        """Kept by its referee. `decide` is the game's verdict, `forfeit` a technical loss. A game of many moves goes
round COLLECTING_CHOICES and RESOLVING; a game may show RESOLVING under a name of its own (Even/Odd: DRAWING_NUMBER).
An aborted match has no result and is played again.""",
    ),
    (
        "A player in a match",
        PLAYER_MATCH,
        """Kept by the player, once for every match. Repeated invitations and calls are what a lost answer brings;
the result may come at any time, twice, or without an invitation that was seen.""",
    ),
    (
        "An agent",
        AGENT,
        """Every referee and player, from its start to its end. A peer that stops answering is SUSPENDED until it
answers again or has failed too often.""",
    ),
]


def render() -> str:
    """The whole page."""
    return "\n".join([HEAD, *(_section(*section) for section in SECTIONS)])


def _section(title: str, machine: Machine[Any, Any], text: str) -> str:
    rows = [f"| {source} | `{trigger}` | {target} |" for (source, trigger), target in machine.table.items()]
    table = "\n".join(["| state | trigger | next state |", "| --- | --- | --- |", *rows])
    ends = ", ".join(machine.final) or "none"
    return f"## {title}\n\n{text}\n\nFinal: {ends}.\n\n```mermaid\n{machine.mermaid()}```\n\n{table}\n"
