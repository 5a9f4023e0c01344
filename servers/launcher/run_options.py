"""Options of a run, before they are a plan."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import anyio

from league_sdk.clock import to_wire_time
from league_sdk.domain.league import League
from league_sdk.errors import InvalidEndpoint, LeagueError
from league_sdk.names import display_name
from league_sdk.ports import NotThisDialect
from league_sdk.settings import NetworkConfig, Workspace, utc_moment
from servers.launcher.requirements import PlanError, checked_requirements, is_requirement

LONGEST_TITLE = 128
INTRODUCTION_SEC = 3.0
"""Limit of asking servers elsewhere for their names; silent ones are known by their addresses."""


@dataclass(frozen=True, slots=True)
class PlayerSpec:
    """A player as it was asked for."""

    name: str = ""
    strategy: str = ""
    url: str = ""  # the endpoint of an agent that runs elsewhere; empty for one of ours
    introduced: str = ""  # how that agent's server introduces itself; stands in for a name
    requirements: tuple[str, ...] = ()  # all that its node has to have, such as `gpu=1`, checked

    @classmethod
    def parse(cls, text: str) -> "PlayerSpec":
        """Read `name=Ada,strategy=frequency`, `name=Ada,url=http://…`, or a bare URL."""
        if text.startswith(("http://", "https://")):
            return cls(url=_callable(text, text))
        known = ("name", "strategy", "url")
        values: dict[str, str] = {}
        required: list[str] = []
        for part in text.split(","):
            key, equals, value = part.partition("=")
            if is_requirement(key.strip()):
                required.append(part.strip())
                continue
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
        if values.get("url") and required:
            raise PlanError(f"--player {text!r}: an agent that runs elsewhere has its place; leave {required[0]} out")
        return cls(**values, requirements=checked_requirements(required))


def _callable(url: str, text: str) -> str:
    from league_sdk.net.endpoints import read_endpoint  # the HTTP client, which most commands do without

    try:
        return read_endpoint(url).url
    except InvalidEndpoint as error:
        raise PlanError(
            f"--player {text!r}: expected the URL of an agent, such as http://localhost:8101/mcp; {error.message}"
        ) from error


def elsewhere(endpoint: str, here: NetworkConfig) -> str:
    """A registered endpoint on another machine; empty for one on this machine."""
    host = urlsplit(endpoint).hostname or ""
    return "" if host in ("", "localhost", "127.0.0.1", "::1", here.base_host) else endpoint


async def introduced(players: Sequence[PlayerSpec], authorities: Path | None = None) -> tuple[PlayerSpec, ...]:
    """These players, with the names that servers elsewhere introduce themselves by."""
    from clients.unforeseen import (
        unforeseen_as_error,  # the HTTP client and the SDK, which most leagues' starters do without
    )
    from league_sdk.transports.http import open_http, server_name

    names: dict[str, str] = {}

    async with open_http(authorities=authorities) as http:

        async def ask(url: str) -> None:
            try:
                with anyio.move_on_after(INTRODUCTION_SEC), unforeseen_as_error(url):
                    names[url] = display_name(await server_name(url, http))
            except InvalidEndpoint as error:
                names[url] = ""
                refused.append(error.message)
            except (LeagueError, NotThisDialect, ValueError):
                names[url] = ""

        refused: list[str] = []
        async with anyio.create_task_group() as tasks:
            for url in {player.url for player in players if player.url}:
                tasks.start_soon(ask, url)
    if refused:
        raise PlanError(f"--player: {'; '.join(refused)}")
    return tuple(replace(player, introduced=names.get(player.url, "")) for player in players)


def named(title: str | None, deadline: str | None) -> dict[str, str | None]:
    """The rules of a league's name and deadline, checked."""
    if title is not None and not (0 < len(title) <= LONGEST_TITLE and title.isprintable()):
        raise PlanError(f"--title: expected one line of at most {LONGEST_TITLE} visible characters")
    if deadline is not None:
        try:
            utc_moment(deadline)
        except ValueError as error:
            raise PlanError(f"--registration-deadline {deadline!r}: expected {error}") from error
    return {"display_name": title, "registration_deadline": deadline}


def check_deadline(deadline: str | None, now: datetime) -> None:
    """Refuse a deadline of registration that is past."""
    if deadline is not None and datetime.fromisoformat(deadline) <= now:
        raise PlanError(
            f"registration would close at {deadline}, and it is {to_wire_time(now)} already: name a later time with "
            "--registration-deadline, or in schedule.registration_deadline of the league's file"
        )


def refuse_cancelled(league: League) -> None:
    """Refuse to continue a league that was cancelled."""
    if league.cancelled:
        raise PlanError(f"league {league.league_id!r} was {league.stop_reason}; start a new one with 'league run'")


@dataclass(frozen=True, slots=True)
class RunOptions:
    """Options of a run; None or empty is left to the configuration."""

    workspace: Workspace
    config: Path | None = None
    # settings from the command line, by dotted path
    overrides: Mapping[str, Any] = field(default_factory=dict[str, Any])
    league: str | None = None  # a league's configured id, or the path of its file
    game: str | None = None
    format: str | None = None
    format_options: Mapping[str, Any] = field(default_factory=dict[str, Any])
    tie_breaks: tuple[str, ...] = ()  # ranking criteria, the strongest first
    count: int | None = None  # how many players the league has, guests and those that are named among them
    # players by name; the rest of `count`, without guests, comes from the registry
    players: tuple[PlayerSpec, ...] = ()
    guests: int = 0  # how many of the players register by themselves
    seats: bool = False  # offer seats to players that cannot be called
    roster: str = ""  # the file of the class whose students are the guests; empty for none
    referees: int | None = None  # how many referees; the fewest with `most_referees`
    most_referees: int | None = None  # how many at a time, as matches are open
    league_id: str | None = None  # the id of the new league; the configured one, numbered, without it
    # rules that win over the configuration: the league's name and deadline
    rules: Mapping[str, str | None] = field(default_factory=dict[str, str | None])
    seed: str | None = None  # makes everything that is left to chance reproducible
    port_base: int | None = None  # The manager's port; the others are relative to it. 0 picks free ports.
    bind_host: str | None = None
    store_url: str | None = None
    plugins: tuple[str, ...] = ()
