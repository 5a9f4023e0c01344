"""Specification of an agent to be started."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import anyio

from league_sdk.domain.model import LeagueRules, OnBadMove, Role
from league_sdk.game import StrategyFunction
from servers.agent.place_reports import PlaceReports


@dataclass(frozen=True, slots=True)
class AgentSpec:
    """All that is needed to start one agent, in this process or in another."""

    role: Role
    name: str
    workspace: Path
    config: Path | None = None  # the configuration folder, or None to find it
    # values from the command line that win over the configuration, by dotted path
    overrides: Mapping[str, Any] = field(default_factory=dict[str, Any])
    bind_host: str = "127.0.0.1"
    public_host: str = "localhost"  # the host name in its endpoint
    port: int = 0  # the port to listen on; 0 takes a free one
    manager_url: str = ""  # the manager's endpoint; not for the manager itself
    league_id: str = ""  # the league, where it is known beforehand
    game_types: tuple[str, ...] = ()  # the games it is there for
    operator_token: str | None = field(default=None, repr=False)  # opens the operator's tools
    token_kept: bool = False  # manager only: whether the operator's token was in a secret file before this start
    # referee and player only: the token that it registers with; its own, or a new one, when empty
    auth_token: str = field(default="", repr=False)
    plugins: tuple[str, ...] = ()  # folders with games and strategies of the user's
    seed: str | None = None  # makes chance reproducible
    rules: LeagueRules | None = None  # manager only: the rules of a new league; None continues the one in the store
    resume: bool = False  # manager only: whether a league that was stopped is to continue
    # manager only: where events are kept; None for the league's own file
    store_url: str | None = field(default=None, repr=False)
    # manager only: name and endpoint of players that run elsewhere and do not register themselves
    invited: tuple[tuple[str, str], ...] = ()
    # manager only: role and name of agents that are started together with it
    expected: tuple[tuple[Role, str], ...] = ()
    # manager only: the plan that all were started by, as it is recorded; empty without one
    plan: Mapping[str, Any] = field(default_factory=dict[str, Any], repr=False)
    neighbours: tuple[str, ...] = ()  # manager only: hosts with ports of agents that were started together with it
    # whether agents of somebody else are to come: guests, seats, a class, invited ones
    strangers: bool = False
    seats_url: str = ""  # manager only: the endpoint of its host of seats; empty without one
    outbound: bool = False  # player only: it asks for a hosted seat and does not listen
    roster: str = ""  # manager only: the file of the class whose students have a join secret each
    strategy: str = "random"  # player only: the name of its strategy
    # player only: all that its node has to have, such as `gpu=1`; for places that choose a node
    requirements: tuple[str, ...] = ()
    function: StrategyFunction | None = None  # player only: the strategy itself, when it has no name
    on_bad_move: OnBadMove | None = (
        None  # player only: what it does where the referee does not say; None for the setting
    )
    time_limit: float | None = None  # player only: seconds of its strategy for a move; None for the setting
    max_concurrent_matches: int | None = None  # referee only
    # referee only: set when it is to withdraw; None for one that stays
    leave: anyio.Event | None = field(default=None, compare=False, repr=False)
    # manager only: reports of a place that loses agents with their machines; None for one that does not
    place_reports: PlaceReports | None = field(default=None, compare=False, repr=False)
    stay: bool = False  # whether it keeps serving after the league is over
    stdio: bool = False  # whether it also speaks MCP over standard input and output, and ends when that input does
    patience: float | None = None  # seconds to look for a manager that is not there; None looks for ever
    dialect: str = ""  # referee and player only: how they and the manager speak to each other; found out when empty
