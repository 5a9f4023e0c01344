"""Specification of an agent to be started."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import anyio

from league_sdk.domain.model import LeagueRules, Role
from league_sdk.game import StrategyFunction


@dataclass(frozen=True, slots=True)
class AgentSpec:
    """All that is needed to start one agent, in this process or in another.

    Attributes:
        role: What it is.
        name: Its display name.
        workspace: Where it writes.
        config: The configuration folder, or None to find it.
        overrides: Values from the command line that win over the configuration, by dotted path.
        bind_host: The address to listen on.
        public_host: The host name in its endpoint.
        port: The port to listen on; 0 takes a free one.
        manager_url: The manager's endpoint; not for the manager itself.
        league_id: The league, where it is known beforehand.
        game_types: The games it is there for.
        operator_token: Opens the operator's tools.
        plugins: Folders with games and strategies of the user's.
        seed: Makes chance reproducible.
        rules: Manager only: the rules of a new league; None continues the one in the store.
        resume: Manager only: whether a league that was stopped is to continue.
        store_url: Manager only: where events are kept; None for the league's own file.
        invited: Manager only: name and endpoint of players that run elsewhere and do not register themselves.
        seats_url: Manager only: the endpoint of its host of seats; empty without one.
        roster: Manager only: the file of the class whose students have a join secret each.
        outbound: Player only: it asks for a hosted seat and does not listen.
        neighbours: Manager only: hosts with ports of agents that were started together with it.
        strategy: Player only: the name of its strategy.
        requirements: Player only: all that its node has to have, such as `gpu=1`; for places that choose a node.
        function: Player only: the strategy itself, when it has no name.
        max_concurrent_matches: Referee only.
        leave: Referee only: set when it is to withdraw; None for one that stays.
        stay: Whether it keeps serving after the league is over.
        stdio: Whether it also speaks MCP over standard input and output, and ends when that input does.
        patience: Seconds to look for a manager that is not there; None looks for ever.
        dialect: Referee and player only: how they and the manager speak to each other; found out when empty.
    """

    role: Role
    name: str
    workspace: Path
    config: Path | None = None
    overrides: Mapping[str, Any] = field(default_factory=dict[str, Any])
    bind_host: str = "127.0.0.1"
    public_host: str = "localhost"
    port: int = 0
    manager_url: str = ""
    league_id: str = ""
    game_types: tuple[str, ...] = ()
    operator_token: str | None = field(default=None, repr=False)
    plugins: tuple[str, ...] = ()
    seed: str | None = None
    rules: LeagueRules | None = None
    resume: bool = False
    store_url: str | None = field(default=None, repr=False)
    invited: tuple[tuple[str, str], ...] = ()
    neighbours: tuple[str, ...] = ()
    seats_url: str = ""
    outbound: bool = False
    roster: str = ""
    strategy: str = "random"
    requirements: tuple[str, ...] = ()
    function: StrategyFunction | None = None
    max_concurrent_matches: int | None = None
    leave: anyio.Event | None = field(default=None, compare=False, repr=False)
    stay: bool = False
    stdio: bool = False
    patience: float | None = None
    dialect: str = ""
