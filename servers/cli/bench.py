"""`league bench`: speed of leagues beside the bare MCP SDK, or of one agent."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import typer

from servers.cli import common
from servers.cli.common import GameOption, JoinTimeout, JsonOption, MoveTimeout, PluginsOption, ResponseTimeout, misused

if TYPE_CHECKING:
    from league_sdk.testing.compliance import Timeouts
    from servers.bench.one_agent import Latencies

SIZES = (4, 10, 50, 100)
MOST_PROCESSES = 8

SizesOption: TypeAlias = Annotated[
    list[int] | None,
    typer.Option("--players", "-n", min=2, help="Players of a league. Repeatable. Default: 4, 10, 50, 100."),
]
AtOnce: TypeAlias = Annotated[
    int | None, typer.Option("--at-once", min=1, help="Concurrent matches. Default: 50; for a URL, 1.")
]
ProcessesOption: TypeAlias = Annotated[
    int | None, typer.Option("--processes", min=0, help="Processes for the players; 0 runs everything in this one.")
]
PerProcess: TypeAlias = Annotated[
    int | None,
    typer.Option("--agents-per-process", min=1, help="Players per process. Default: one, but at most 8 processes."),
]
ThinkTime: TypeAlias = Annotated[
    float, typer.Option("--think-time", min=0, help="Seconds that players take for a move.")
]
RoundsOption: TypeAlias = Annotated[
    int | None, typer.Option("--rounds", min=1, help="Stop each league after this many rounds. Default: play all.")
]
RemoteOption: TypeAlias = Annotated[
    list[str] | None, typer.Option("--remote", metavar="URL", help="A remote player. Repeatable.")
]
BareSeconds: TypeAlias = Annotated[
    float, typer.Option("--seconds", min=0, help="Seconds to measure the bare SDK after each league; 0 skips it.")
]
FolderOption: TypeAlias = Annotated[
    Path | None, typer.Option("--data", help="Folder to play in, which is kept. Default: a temporary one.")
]


def bench(
    url: Annotated[
        str | None, typer.Argument(metavar="[URL]", help="Measure one player, such as http://localhost:8101/mcp.")
    ] = None,
    players: SizesOption = None,
    referees: Annotated[int, typer.Option("--referees", min=1, help="Number of referees.")] = 2,
    at_once: AtOnce = None,
    processes: ProcessesOption = None,
    agents_per_process: PerProcess = None,
    think_time: ThinkTime = 0.0,
    rounds: RoundsOption = None,
    remote: RemoteOption = None,
    matches: Annotated[int, typer.Option("--matches", min=1, help="For a URL: matches to play with it.")] = 50,
    seconds: BareSeconds = 5.0,
    game: GameOption = None,
    tournament: Annotated[str | None, typer.Option("--format", help="Tournament format, such as swiss.")] = None,
    overlapping: Annotated[
        bool, typer.Option("--overlapping", help="Begin each match once both of its players are free.")
    ] = False,
    join_timeout: JoinTimeout = None,
    move_timeout: MoveTimeout = None,
    response_timeout: ResponseTimeout = None,
    data: FolderOption = None,
    plugins: PluginsOption = None,
    as_json: JsonOption = False,
) -> None:
    """Measure whole leagues on this machine and compare them with the bare MCP SDK.

    Each league is played over real sockets and processes, recorded and logged like any other. After each, the
    SDK alone calls an empty tool between two processes, with as many concurrent calls and messages of the same size.

    [bold]Examples[/bold]

      league bench                             leagues of 4, 10, 50 and 100
      league bench --players 100 --json
      league bench --players 10 --agents-per-process 1 --referees 5
      league bench --players 20 --think-time 1 --overlapping
      league bench --players 1000 --rounds 1
      league bench --players 1000 --format swiss
      league bench --players 4 --remote http://192.168.1.11:8101/mcp
      league bench http://localhost:8101/mcp   one player's latencies

    A player at a URL must not be registered in a league.

    Exit code: 0 measured, 1 a league did not complete or an agent is too slow, 2 the command is wrong or the agent
    cannot be reached.
    """
    if url is not None:
        timeouts = common.answer_timeouts(join_timeout, move_timeout, response_timeout)
        _one_agent(url, game, common.folders_of(plugins), matches, at_once or 1, timeouts, as_json=as_json)
        return
    if processes is not None and agents_per_process is not None:
        misused("give --processes or --agents-per-process, not both")
    options = {
        "game": game,
        "format": tournament,
        "overlapping": overlapping,
        "referees": referees,
        "at_once": at_once or 50,
        "think": think_time,
    }
    options |= {"rounds": rounds or 0, "remote": tuple(remote or ()), "bare_sec": seconds}
    _leagues(
        players or list(SIZES),
        as_json=as_json,
        data=data,
        processes=processes,
        agents_per_process=agents_per_process,
        **options,
    )


def process_size(players: int, processes: int | None, agents_per_process: int | None) -> int:
    if agents_per_process is not None:
        return agents_per_process
    return -(-players // (processes or min(players, MOST_PROCESSES)))


def _leagues(
    sizes: list[int],
    *,
    as_json: bool,
    data: Path | None,
    processes: int | None,
    agents_per_process: int | None,
    **options: Any,
) -> None:
    import anyio

    from servers.bench.hardware import machine
    from servers.bench.league_bench import BenchFailed, BenchSetup, play

    found: list[dict[str, Any]] = []
    for size in sizes:
        course = BenchSetup(
            players=size,
            agents_per_process=process_size(size, processes, agents_per_process),
            together=processes == 0,
            data=None if data is None else data / f"players-{size}",
            **options,
        )
        if not as_json:
            common.print_err(f"a league of {size} players…")
        try:
            season = anyio.run(play, course)
        except BenchFailed as error:
            common.print_err(f"league: {size} players: {error}")
            common.end(common.FAILED)
        found.append(season.as_json())
        if not as_json:
            _print_league(found[-1])
    if as_json:
        common.print_json({"machine": machine(), "leagues": found})
    elif len(found) > 1:
        _print_summary(found)


def _table(title: str, *headings: str) -> Any:
    from rich import box
    from rich.table import Table

    table = Table(title=title, title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False)
    for number, heading in enumerate(headings):
        table.add_column(heading, justify="left" if number == 0 else "right")
    return table


def _print_league(season: dict[str, Any]) -> None:
    """One league: its tools, its processes, and a line for the whole."""
    tools = _table(f"{season['players']} players", "tool", "calls", "p50 ms", "p95 ms", "p99 ms")
    for tool, row in season["tools"].items():
        tools.add_row(tool, str(row["calls"]), *(f"{row[name]:.1f}" for name in ("p50_ms", "p95_ms", "p99_ms")))
    processes = _table("", "process", "agents", "CPU s", "MB")
    for used in season["processes"]:
        first, count = used["agents"][0], len(used["agents"])
        processes.add_row(first, str(count), f"{used['cpu_sec']:.2f}", f"{used['memory_mb']:.0f}")
    common.out.print(tools)
    common.out.print(processes)
    _print_summary([season])
    if found := season.get("manager"):
        full, limit = found["full_at_matches_per_sec"], found["sdk_limit_matches_per_sec"]
        common.out.print(
            f"One core is full of the manager at {full} matches/s, and of the bare SDK with its calls at {limit}: "
            f"a share of {found['share_of_sdk_limit']}.",
            markup=False,
        )


def _print_summary(seasons: list[dict[str, Any]]) -> None:
    """Print a summary; the last two columns are shares of the bare SDK."""
    table = _table("", "players", "start s", "matches/s", "calls/s", "calls/match", "CPU ms/call", "of bare", "by CPU")
    for season in seasons:
        bare = "bare" in season
        table.add_row(
            str(season["players"]),
            f"{season['startup_sec']:.2f}",
            f"{season['matches_per_sec']:.1f}",
            f"{season['calls_per_sec']:.0f}",
            f"{season['calls_per_match']:.2f}",
            f"{season['cpu_ms_per_call']:.2f}",
            f"{season['share_of_bare']:.2f}" if bare else "-",
            f"{season['share_of_bare_by_cpu']:.2f}" if bare else "-",
        )
    common.out.print(table)


def _one_agent(
    url: str,
    game: str | None,
    folders: tuple[str, ...],
    matches: int,
    at_once: int,
    timeouts: "Timeouts",
    *,
    as_json: bool,
) -> None:
    import anyio

    from league_sdk.errors import PeerUnreachable
    from league_sdk.testing.compliance.check import game_of
    from servers.bench.one_agent import measure_agent

    common.check_endpoint(url)
    chosen = game_of(None if game is None else common.game_meant(game, folders))

    async def run() -> "Latencies":
        return await measure_agent(url, chosen, matches=matches, at_once=at_once, timeouts=timeouts)

    try:
        found = anyio.run(run)
    except PeerUnreachable as error:
        misused(str(error))
    document = found.as_json()
    if as_json:
        common.print_json(document)
    else:
        _print_agent(document)
    common.end(common.FAILED if found.late or found.refusals else 0)


def _print_agent(document: dict[str, Any]) -> None:
    table = _table(document["url"], "tool", "calls", "p50 ms", "p95 ms", "p99 ms", "deadline ms", "p99 of it")
    for tool, row in document["tools"].items():
        latencies = (f"{row[name]:.1f}" for name in ("p50_ms", "p95_ms", "p99_ms"))
        table.add_row(tool, str(row["calls"]), *latencies, f"{row['limit_ms']:.0f}", f"{row['share_of_limit']:.1%}")
    common.out.print(table)
    for refusal in document["refusals"]:
        common.print_err(f"league: {refusal}")
    common.out.print(f"{document['matches']} matches over {document['dialect']}", markup=False)
