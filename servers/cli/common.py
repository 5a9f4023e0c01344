"""Options, consoles and error messages shared by the commands."""

import json
import os
import shlex
import signal
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn, TypeAlias

import typer
from rich.console import Console

from league_sdk import plugins
from league_sdk.dialect import PUSH, SPELLINGS
from league_sdk.domain.events import EVENT_TYPES, Record, first_broken_link
from league_sdk.domain.league import League, fold
from league_sdk.domain.records.format_version import NewerRecords, check_readable
from league_sdk.errors import InvalidEndpoint
from league_sdk.game import Game
from league_sdk.names import SAFE, game_type, is_safe_name
from league_sdk.settings import ConfigLoader, Workspace, find_workspace, read_secret
from servers.agent import event_store
from servers.agent.manager_lock import manager_at
from servers.agent.security import scheme
from servers.launcher.plan import others_than
from servers.launcher.run_options import PlanError, elsewhere
from servers.read_model.text import legible

if TYPE_CHECKING:
    from league_sdk.testing.compliance import Timeouts

SECRET_SETTINGS = frozenset({"security.join_secret", "security.referee_secret"})
FAILED = 1
MISUSED = 2
INTERRUPTED = 130
ENDED_BY: Mapping[signal.Signals, str] = {signal.SIGINT: "you", signal.SIGTERM: "SIGTERM"}
"""The signals that end a command in order, and where they come from as people know it."""

out = Console(highlight=False, emoji=False)
err = Console(stderr=True, highlight=False, emoji=False)

DataOption: TypeAlias = Annotated[
    Path | None,
    typer.Option("--data", help="Folder for data/ and logs/. Default: LEAGUE_DATA, the checkout, or ./league-data."),
]
ConfigOption: TypeAlias = Annotated[
    Path | None,
    typer.Option("--config", help="Folder with the configuration. Default: LEAGUE_CONFIG, ./config, or the built-in."),
]
SetOption: TypeAlias = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="KEY=VALUE", help="Override a setting by its dotted path: limits.queue_capacity=50."),
]
ClassOption: TypeAlias = Annotated[
    bool,
    typer.Option("--class", help="Only the students of 'league class create' join, each with the secret on the card."),
]
TitleOption: TypeAlias = Annotated[
    str | None, typer.Option("--title", help="The league's name for people, on pages and reports.")
]
DeadlineOption: TypeAlias = Annotated[
    str | None,
    typer.Option("--registration-deadline", help="When registration closes, in UTC: 2036-05-01T09:00:00Z."),
]
JsonOption: TypeAlias = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")]


def _game_type(name: str | None) -> str | None:
    return name and game_type(name)


GameOption: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--game", callback=_game_type, help="The game, such as tic_tac_toe or openspiel:chess; see 'league games'."
    ),
]
SeedOption: TypeAlias = Annotated[
    str | None, typer.Option("--seed", help="Make all random draws reproducible: same seed, same league.")
]
PluginsOption: TypeAlias = Annotated[
    list[Path] | None, typer.Option("--plugins", help="Folder with your own games and strategies. Repeatable.")
]
StoreOption: TypeAlias = Annotated[
    str | None,
    typer.Option("--store", help="Event store: sqlite:///FILE or postgresql://… Default: the data folder."),
]
ManagerOption: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--manager",
        envvar="LEAGUE_MANAGER",
        help="The league manager's endpoint. Default: as configured, http://localhost:8000/mcp.",
    ),
]
TokenOption: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--operator-token",
        envvar="LEAGUE_OPERATOR_TOKEN",
        help="Token for the operator's tools. Default: the one that the league manager wrote to the data folder.",
    ),
]
LeagueArgument: TypeAlias = Annotated[
    str | None, typer.Argument(metavar="[LEAGUE]", help="The league's id. Default: the most recent one.")
]
LeagueOption: TypeAlias = Annotated[
    str | None, typer.Option("--league", help="The league's id. Default: the most recent one.")
]
TlsCert: TypeAlias = Annotated[
    Path | None, typer.Option("--tls-cert", help="Serve HTTPS with this certificate (PEM), and --tls-key.")
]
TlsKey: TypeAlias = Annotated[
    Path | None, typer.Option("--tls-key", help="The certificate's private key (PEM), without a passphrase.")
]
TlsCa: TypeAlias = Annotated[
    Path | None, typer.Option("--tls-ca", help="CA certificates to trust for https (PEM). Default: the system's.")
]


def _dialect(text: str | None) -> str | None:
    if text is not None and (text not in SPELLINGS or PUSH in text):
        raise typer.BadParameter("use mcp or jsonrpc, or league.v2 or league.v1, or both, such as jsonrpc/league.v1")
    return text


DialectOption: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--dialect",
        metavar="DIALECT",
        callback=_dialect,
        help="Protocol spoken with the manager: mcp or jsonrpc, and league.v2 or league.v1, such as "
        "jsonrpc/league.v1. Default: detected.",
    ),
]
HostOption: TypeAlias = Annotated[
    str | None, typer.Option("--host", help="Address to listen on; 0.0.0.0 for every interface. Default: loopback.")
]
JoinTimeout: TypeAlias = Annotated[
    float | None, typer.Option("--join-timeout", help="Seconds a player has to accept an invitation.")
]
MoveTimeout: TypeAlias = Annotated[
    float | None, typer.Option("--move-timeout", help="Seconds a player has for a move.")
]
ResponseTimeout: TypeAlias = Annotated[
    float | None, typer.Option("--response-timeout", help="Seconds for any other answer.")
]


def workspace_of(data: Path | None) -> Workspace:
    return find_workspace(data, os.environ, Path.cwd())


def overrides_of(settings: Sequence[str] | None, **named: Any) -> dict[str, Any]:
    """Settings from the command line, by dotted path."""
    overrides = {name.replace("__", "."): value for name, value in named.items() if value is not None}
    for text in settings or ():
        key, equals, value = text.partition("=")
        if not equals or not key:
            raise PlanError(f"--set {text!r}: expected KEY=VALUE, such as timeouts.move_timeout_sec=3")
        if key.strip() in SECRET_SETTINGS:
            variable = f"LEAGUE_{key.strip().upper().replace('.', '__')}"
            raise PlanError(
                f"--set {key.strip()}: others on this machine can read it on a command line; set {variable}"
            )
        overrides[key.strip()] = _value(value.strip())
    return overrides


def _value(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


def tls_overrides(cert: Path | None, key: Path | None, ca: Path | None) -> dict[str, str | None]:
    """The TLS options as settings; the configuration supplies the others."""
    files = {"security__tls_cert": cert, "security__tls_key": key, "security__tls_ca": ca}
    return {name: None if path is None else str(path.expanduser().absolute()) for name, path in files.items()}


def manager_url_of(loader: ConfigLoader, given: str | None) -> str:
    """The league manager's endpoint: as given, as registered elsewhere, or here."""
    if given:
        return endpoint_of(
            given, f"--manager {given!r} is no URL; name its endpoint, such as http://localhost:8000/mcp"
        )
    system, known = loader.load_system(), loader.load_agents().league_manager.endpoint
    network = system.network
    if elsewhere(known, network):
        return endpoint_of(known, f"league_manager.endpoint {known!r} of the agents' registry cannot be called")
    return f"{scheme(system.security)}://{network.base_host}:{network.league_manager_port}/mcp"


def endpoint_of(url: str, otherwise: str) -> str:
    from league_sdk.net.endpoints import read_endpoint

    try:
        return read_endpoint(url).url
    except InvalidEndpoint as error:
        raise PlanError(f"{otherwise} ({error.message})") from error


def data_flag(workspace: Workspace) -> str:
    """The --data option that a command needs here; empty where it needs none."""
    root = workspace.root.absolute()
    return "" if workspace_of(None).root.absolute() == root else f" --data {shlex.quote(str(root))}"


def folders_of(given: Sequence[Path] | None) -> tuple[str, ...]:
    """Plug-in folders as absolute paths."""
    return tuple(str(folder.expanduser().absolute()) for folder in given or ())


def games_of(name: str | None, folders: tuple[str, ...]) -> list[Game[Any]]:
    """The named game, else all installed ones."""
    return [game_meant(name, folders)] if name else list(plugins.games(folders).values())


def game_meant(name: str, folders: tuple[str, ...]) -> Game[Any]:
    """The game that a typed name means, such as `chess` for `openspiel:chess`."""
    return plugins.game(plugins.full_game_type(name, folders), folders)


def league_id_of(workspace: Workspace, league_id: str | None) -> str:
    if league_id is not None and not is_safe_name(league_id):
        raise PlanError(f"{league_id!r} cannot be the id of a league: use {SAFE}")
    found = league_id or workspace.latest_league()
    if found is None:
        raise PlanError(
            f"there is no league in {workspace.root}; play one with 'league run', or name its folder with --data"
        )
    return found


def read_league(
    workspace: Workspace, league_id: str | None, config: Path | None = None, store: str | None = None
) -> tuple[League, list[Record]]:
    """A league as it is stored, and its records."""
    found = league_id_of(workspace, league_id)
    records = read_records(workspace, found, config, store)
    if not records:
        raise no_records(workspace, found)
    return fold(record.event for record in records), records


def no_records(workspace: Workspace, league_id: str) -> PlanError:
    return PlanError(
        f"there are no records of league {league_id!r} in {workspace.root}{others_than(workspace, league_id)}"
    )


def read_records(
    workspace: Workspace, league_id: str, config: Path | None = None, store: str | None = None
) -> list[Record]:
    """The records of a league; none when nothing has happened in it yet."""
    records = event_store.read_records(workspace, league_id, store_of(workspace, league_id, config, store))
    broken = first_broken_link(records)
    if broken is not None:
        raise PlanError(f"the log of league {league_id!r} was changed: record {broken} does not fit the chain")
    try:
        check_readable(records, EVENT_TYPES)
    except NewerRecords as error:
        raise PlanError(f"league {league_id!r} cannot be read: {error}") from error
    return records


def store_of(workspace: Workspace, league_id: str, config: Path | None, store: str | None) -> str | None:
    """The store URL of a league; None for the league's own file."""
    configured = None if store else ConfigLoader(config).load_system().store_url
    return event_store.checked(store or event_store.remembered(workspace, league_id) or configured)


def operator_token(workspace: Workspace, league_id: str | None, given: str | None) -> str:
    if given:
        return given
    found = league_id_of(workspace, league_id)
    token = read_secret(workspace.operator_token_file(found))
    if token is None:
        raise PlanError(
            f"the operator's token of league {found!r} is not in {workspace.root}: give it with --operator-token, "
            "or name the manager's folder with --data"
        )
    return token


def outbound_line(manager_url: str) -> str:
    """The command of a player that cannot be called."""
    return f"From behind a router, players join with: league player --name NAME --manager {manager_url} --outbound"


def control_command(workspace: Workspace, league_id: str, action: str) -> str:
    """A shell command for an operator's command to a running league."""
    return f"league control {action} --league {league_id}{data_flag(workspace)}"


def led_already(workspace: Workspace, league_id: str, endpoint: str) -> PlanError:
    """The error for resuming a league that has a live manager."""
    lines = [f"{manager_at(endpoint)} is running {league_id}, so it cannot be resumed here."]
    if endpoint:
        page = f"{endpoint.removesuffix('mcp')}operator"
        lines[0] += f" If it is paused, press 'Resume' at {page}, or run"
        lines.append(f"  {control_command(workspace, league_id, 'resume')}")
    return PlanError("\n".join([*lines, "To resume it here instead, stop that manager first."]))


def print_json(value: Mapping[str, Any]) -> None:
    sys.stdout.write(json_text(value, indent=2) + "\n")


def json_text(value: Mapping[str, Any], indent: int | None = None) -> str:
    """Readable JSON, with terminal control characters escaped."""
    text = json.dumps(value, indent=indent, ensure_ascii=False)
    return "".join(c if c.isprintable() or c == "\n" else json.dumps(c)[1:-1] for c in text)


def check_endpoint(url: str) -> None:
    """Refuse a URL that is no agent's endpoint."""
    from league_sdk.net.endpoints import is_endpoint

    if not is_endpoint(url):
        misused(f"{url!r} is no URL; name the agent's endpoint, such as http://localhost:8101/mcp")


def answer_timeouts(join: float | None, move: float | None, response: float | None) -> "Timeouts":
    """Time limits of a checked agent; those not given keep the protocol's defaults."""
    from league_sdk.testing.compliance import Timeouts

    given = {"join": join, "move": move, "response": response}
    return Timeouts(**{name: limit for name, limit in given.items() if limit is not None})


def misused(text: str) -> NoReturn:
    """Report a mistake in the command, and end it."""
    print_err(f"league: {text}")
    end(MISUSED)


def print_out(text: str, style: str | None = None) -> None:
    """A line on standard output, as it is."""
    out.print(text, style=style, markup=False, soft_wrap=True)


def print_err(text: str) -> None:
    """A line for the person, on standard error."""
    err.print(legible(text), markup=False, soft_wrap=True)


def warn(loader: ConfigLoader) -> None:
    """Print warnings about the configuration, such as a misspelt variable."""
    for warning in loader.warnings:
        print_err(f"league: warning: {warning}")


def end(code: int) -> NoReturn:
    raise typer.Exit(code)
