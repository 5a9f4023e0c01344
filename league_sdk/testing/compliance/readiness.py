"""Looks at an agent's own word on whether it can be checked, where it gives one."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import anyio
import httpx2

from league_sdk import plugins
from league_sdk.game import Game
from league_sdk.json_value import Json
from league_sdk.testing.compliance.responses import as_object

LOOK_SEC = 3.0
"""Seconds for the answer; an agent without such a page says so at once."""
_MEMBER_STATES = frozenset({"REGISTERED", "ACTIVE", "SUSPENDED"})
_ROLES = {"player": "player", "referee": "referee", "league_manager": "manager"}
"""Roles as `--role` takes them, by the word that agents use."""


class NotToBeChecked(Exception):
    """The agent cannot be checked as it is; the message says why, and what to do."""


@dataclass(frozen=True, slots=True)
class Readiness:
    """An agent's answer at `/readyz`; all empty for one that has no such page."""

    role: str = ""
    state: str = ""
    waits: bool = False  # for its registration

    def refuse(self, url: str, role: str, *, alone: bool) -> None:
        """Refuse an agent of another role, and a player that is not free to be checked.

        A player `alone` is one that will not register with the check.

        Raises:
            NotToBeChecked: It is.
        """
        if self.role and self.role != role:
            raise NotToBeChecked(f"{url} is a {self.role}, not a {role}: add --role {self.role}")
        if role != "player" or not alone:
            return
        if self.waits:
            raise NotToBeChecked(
                f"the player at {url} waits for its league manager, and answers nobody before it has registered: start "
                "it without one (league player --standalone, or Player(manager='')), or let it register with the "
                "check: --manager-port 8000, and for the player the manager http://localhost:8000/mcp"
            )
        if self.state in _MEMBER_STATES:
            raise NotToBeChecked(
                f"the player at {url} is in a league, which the check does not disturb: check a second one, started at "
                "another port without a league manager"
            )


def refuse_other_game(url: str, listed: Sequence[Mapping[str, Any]], game: Game[Any]) -> None:
    """Refuse a player whose tools are those of another game that is installed.

    Raises:
        NotToBeChecked: They are.
    """
    offered = {str(tool.get("name")) for tool in listed}
    spec = game.move_spec
    if not offered or offered & {spec.tool, *spec.tool_aliases}:
        return
    others = sorted(name for name, each in plugins.games().items() if each.move_spec.tool in offered)
    if others:
        games = " or ".join(f"--game {name}" for name in others)
        raise NotToBeChecked(f"the player at {url} does not play {game.name}: it has no tool {spec.tool}. Try {games}")


async def readiness_of(client: httpx2.AsyncClient, url: str) -> Readiness:
    """Ask an agent how it is; nothing is known of one that answers otherwise."""
    try:
        with anyio.fail_after(LOOK_SEC):
            answer = await client.get(httpx2.URL(url).join("/readyz"), headers={"connection": "close"})
        said: Json = answer.json()
    except (TimeoutError, httpx2.HTTPError, httpx2.InvalidURL, ValueError):
        return Readiness()
    told: Any = as_object(said)
    return Readiness(
        role=_ROLES.get(str(told.get("role")), ""),
        state=str(told.get("state", "")),
        waits=as_object(told.get("checks")).get("registered", "ok") != "ok",
    )
