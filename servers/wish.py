"""What the user asked for, before it is a plan."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from league_sdk.errors import InvalidEndpoint
from league_sdk.settings import Workspace


class PlanError(Exception):
    """What was asked for cannot be; the message says why and what can."""


@dataclass(frozen=True, slots=True)
class Seated:
    """A player as it was asked for.

    Attributes:
        name: Its display name.
        strategy: The strategy's name.
        url: The endpoint of an agent that runs elsewhere; empty for one of ours.
    """

    name: str = ""
    strategy: str = ""
    url: str = ""

    @classmethod
    def parse(cls, text: str) -> "Seated":
        """Read `name=Ada,strategy=frequency`, `name=Ada,url=http://…`, or a bare URL.

        Raises:
            PlanError: It is none of these.
        """
        if text.startswith(("http://", "https://")):
            return cls(url=_callable(text, text))
        known = {item.name for item in fields(cls)}
        values: dict[str, str] = {}
        for part in text.split(","):
            key, equals, value = part.partition("=")
            if not equals or key.strip() not in known or not value.strip():
                raise PlanError(
                    f"--player {text!r}: expected name=…,strategy=… or name=…,url=http://… or the URL of an agent"
                )
            values[key.strip()] = value.strip()
        if values.get("strategy") and values.get("url"):
            raise PlanError(
                f"--player {text!r}: an agent that runs elsewhere has its own strategy; leave strategy= out"
            )
        if values.get("url"):
            values["url"] = _callable(values["url"], text)
        return cls(**values)


def _callable(url: str, text: str) -> str:
    from league_sdk.net.endpoints import read_endpoint  # the HTTP client, which most commands do without

    try:
        return read_endpoint(url).url
    except InvalidEndpoint as error:
        raise PlanError(
            f"--player {text!r}: expected the URL of an agent, such as http://localhost:8101/mcp; {error.message}"
        ) from error


@dataclass(frozen=True, slots=True)
class Wish:
    """What the user asked for; None or empty is left to the configuration.

    Attributes:
        workspace: Where to write.
        config: The configuration folder.
        overrides: Settings from the command line, by dotted path.
        league: A league's configured id, or the path of its file.
        game: The game.
        count: How many players the league has, guests and those that are named among them.
        players: Players by name; the rest of `count`, without guests, comes from the registry.
        guests: How many of the players register by themselves.
        referees: How many referees.
        seed: Makes everything that is left to chance reproducible.
        port_base: The manager's port; all others move with it. 0 takes any free ports.
        bind_host: The address to listen on.
        store_url: Where events are kept.
        plugins: Folders with games and strategies.
    """

    workspace: Workspace
    config: Path | None = None
    overrides: Mapping[str, Any] = field(default_factory=dict[str, Any])
    league: str | None = None
    game: str | None = None
    count: int | None = None
    players: tuple[Seated, ...] = ()
    guests: int = 0
    referees: int | None = None
    seed: str | None = None
    port_base: int | None = None
    bind_host: str | None = None
    store_url: str | None = None
    plugins: tuple[str, ...] = ()
