"""Options of the commands that start a league."""

from dataclasses import dataclass
from typing import Annotated, ClassVar

import typer

from league_sdk.domain.model import PointsBy
from servers.cli import common
from servers.launcher.supervisor import RESTARTS

On = Annotated[
    str,
    typer.Option(
        "--on",
        metavar="PLACE",
        help="Run agents as processes of this machine, or in a Ray cluster: ray, ray://HOST:10001.",
    ),
]
PortBase = Annotated[
    int | None,
    typer.Option(
        "--port-base", min=0, max=65535, help="The manager's port; the others are relative to it. 0 picks free ports."
    ),
]
Open = Annotated[
    bool, typer.Option("--open", help="Open the league's page in a browser. On a terminal, serve it until Ctrl-C.")
]
Seats = Annotated[
    bool, typer.Option("--seats", help="Offer seats to players that can't be called: 'league player --outbound'.")
]
LeagueFile = Annotated[
    str | None, typer.Option("--league", help="A configured league's id, or the path of a league file.")
]
LeagueId = Annotated[
    str | None, typer.Option("--league-id", help="The new league's id. Default: the configured one, numbered.")
]
Rounds = Annotated[int | None, typer.Option("--rounds", min=1, help="Rounds of a swiss tournament.")]


@dataclass(frozen=True, slots=True)
class WhoPlays:
    """Options for players and referees."""

    panel: ClassVar = "Players and referees"
    players: Annotated[
        int | None,
        typer.Option(
            "--players",
            "-n",
            min=1,
            help="Total number of players, including --player and --guests; the registry of agents supplies the rest. "
            "Default: as many as those name; without --player, as configured.",
        ),
    ] = None
    player: Annotated[
        list[str] | None,
        typer.Option(
            "--player",
            help="A player: name=Ada,strategy=frequency, or the URL of a remote agent. On Ray also gpu=1, "
            "resource.NAME=1, label.NAME=VALUE, pip=PACKAGE. Repeatable.",
        ),
    ] = None
    guests: Annotated[int, typer.Option("--guests", min=0, help="Number of players that register by themselves.")] = 0
    seats: Seats = False
    with_class: common.ClassOption = False
    referees: Annotated[
        str | None,
        typer.Option(
            "--referees",
            metavar="NUMBER|MIN:MAX",
            help="Number of referees; with MIN:MAX as many as the open matches of a round need.",
        ),
    ] = None


@dataclass(frozen=True, slots=True)
class WhatIsPlayed:
    """Options for the game, the tournament and the league's names."""

    panel: ClassVar = "Game and tournament"
    game: common.GameOption = None
    format_name: Annotated[
        str | None,
        typer.Option(
            "--format",
            help="The tournament format: round_robin, swiss, knockout, groups (then a knockout), gauntlet, ladder; "
            "tables for games of three or more players.",
        ),
    ] = None
    rounds: Rounds = None
    cycles: Annotated[
        int | None, typer.Option("--cycles", min=1, help="How often each pair meets, with seats swapped each time.")
    ] = None
    best_of: Annotated[
        int | None,
        typer.Option("--best-of", min=1, help="Matches of a series, seats swapped: round_robin, swiss, knockout."),
    ] = None
    points_by: Annotated[
        PointsBy | None,
        typer.Option(
            "--points-by", help="What earns points in a pairing of several matches: each of them, or the series."
        ),
    ] = None
    format_options: Annotated[
        list[str] | None,
        typer.Option("--format-option", help="An option of the format, such as third_place=true. Repeatable."),
    ] = None
    tie_breaks: Annotated[
        str | None,
        typer.Option("--tie-breaks", help="Tie-breaks for players with equal points, in order, such as buchholz,wins."),
    ] = None
    league: LeagueFile = None
    league_id: LeagueId = None
    title: common.TitleOption = None
    deadline: common.DeadlineOption = None
    seed: common.SeedOption = None


@dataclass(frozen=True, slots=True)
class AddressesAndLimits:
    """Options for addresses and time limits."""

    panel: ClassVar = "Addresses and time limits"
    port_base: PortBase = None
    host: common.HostOption = None
    join_timeout: common.JoinTimeout = None
    move_timeout: common.MoveTimeout = None
    response_timeout: common.ResponseTimeout = None


@dataclass(frozen=True, slots=True)
class Place:
    """Options for the place of the agents."""

    panel: ClassVar = "Where agents run"
    on: On = "processes"
    processes: Annotated[
        bool, typer.Option("--processes/--in-process", help="One process per agent, or all agents on one event loop.")
    ] = True
    agents_per_process: Annotated[
        int, typer.Option("--agents-per-process", min=1, help="Players per process, each with its own address.")
    ] = 1
    restarts: Annotated[
        int, typer.Option("--restarts", min=0, help="Maximum restarts of an agent that was killed or crashed.")
    ] = RESTARTS
    detach: Annotated[
        bool, typer.Option("--detach", help="Run the league in the background; see 'league attach' and 'league stop'.")
    ] = False


@dataclass(frozen=True, slots=True)
class DataAndSettings:
    """Options for folders, the store and settings."""

    panel: ClassVar = "Data and settings"
    data: common.DataOption = None
    config: common.ConfigOption = None
    store: common.StoreOption = None
    plugins: common.PluginsOption = None
    settings: common.SetOption = None


@dataclass(frozen=True, slots=True)
class Display:
    """Options for what is shown."""

    panel: ClassVar = "What is shown"
    as_json: common.JsonOption = False
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Show the result only.")] = False
    verbose: Annotated[
        bool,
        typer.Option("--verbose", "-v", help="Print the whole traceback of a game that raised."),
    ] = False
    open_page: Open = False
