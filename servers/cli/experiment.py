"""`league experiment`: many matches of strategies, and who is better."""

import webbrowser
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from time import monotonic
from typing import Annotated, Any, TypeAlias

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from league_sdk.plugins import full_game_type
from servers.cli import common, output
from servers.cli.common import GameOption, JsonOption, PluginsOption, err, out
from servers.cli.experiment_audit import FolderArgument, audit
from servers.cli.experiment_summary import (
    differences_table,
    order_text,
    remarks,
    sprt_text,
    standings_table,
)
from servers.cli.run_arguments import On
from servers.launcher.ray_cluster import is_ray
from servers.launcher.run_options import PlanError

experiment = typer.Typer(
    help="Play many matches between strategies or agents, and say who is better.",
    no_args_is_help=True,
    rich_markup_mode="rich",
)
WorkersOption: TypeAlias = Annotated[
    int, typer.Option("--workers", min=1, help="Worker processes; the results do not depend on them.")
]
EngineOption: TypeAlias = Annotated[
    str | None, typer.Option("--engine", help="direct, without agents, or league, over MCP. Default: direct.")
]
MemoryOption: TypeAlias = Annotated[
    bool | None,
    typer.Option(
        "--memory/--no-memory", help="Let players remember earlier matches of their pairing. Default: no memory."
    ),
]
UntilOrderedOption: TypeAlias = Annotated[
    float | None,
    typer.Option(
        "--until-ordered",
        metavar="P",
        help="Stop a pair once its order is known; P is the confidence in the whole order.",
    ),
]


@experiment.command()
def run(
    file: Annotated[
        Path | None, typer.Argument(metavar="[FILE]", help="The experiment as TOML; options replace its fields.")
    ] = None,
    game: GameOption = None,
    option: Annotated[
        list[str] | None, typer.Option("--option", metavar="KEY=VALUE", help="An option of the game. Repeatable.")
    ] = None,
    strategy: Annotated[
        list[str] | None,
        typer.Option("--strategy", "-s", help="A strategy that takes part; see 'league strategies'. Repeatable."),
    ] = None,
    matches: Annotated[
        int | None, typer.Option("--matches", help="Matches per pair of strategies, an even number. Default: 200.")
    ] = None,
    repetitions: Annotated[
        int | None, typer.Option("--repetitions", help="Number of times to play the whole experiment. Default: 1.")
    ] = None,
    seed: Annotated[str | None, typer.Option("--seed", help="Same seed, same results. Default: 1.")] = None,
    memory: MemoryOption = None,
    sprt: Annotated[
        str | None,
        typer.Option("--sprt", metavar="ELO0,ELO1", help="Stop a pair once a sequential test has decided."),
    ] = None,
    until_ordered: UntilOrderedOption = None,
    engine: EngineOption = None,
    workers: WorkersOption = 1,
    on: On = "processes",
    folder: Annotated[
        Path | None, typer.Option("--output", "-o", help="Folder for the results. Default: experiments/NAME.")
    ] = None,
    plugins: PluginsOption = None,
    report: Annotated[bool | None, typer.Option("--report", help="Write the HTML report at the end.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Play every pair of strategies against each other.

    Matches come in pairs: both have the same chance, with the seats swapped.
    The results are rows of matches.csv in the experiment's folder. 'league
    experiment resume' continues an interrupted run.

    [bold]Examples[/bold]

      league experiment run --game tic_tac_toe -s random -s always-b2
      league experiment run x.toml --workers 2 --report
      league experiment run x.toml --on ray
      league experiment run x.toml --sprt 0,20 --matches 100000
      league experiment run x.toml --until-ordered 0.95 --matches 100000
      league experiment run --game tic_tac_toe -s random -s http://localhost:8101/mcp --engine league
      league experiment run x.toml --seed 2 --output experiments/second

    A table named sweep in the file plays every combination of its values.

    Exit code: 0 played to the end, 2 it cannot be played, 130 after Ctrl-C.
    """
    given: dict[str, Any] = {
        "game": game and full_game_type(game, common.folders_of(plugins)),
        "strategies": strategy,
        "matches": matches,
        "repetitions": repetitions,
        "seed": seed,
        "memory": memory,
        "engine": engine,
        "sprt": None if sprt is None else _leads(sprt),
        "until_ordered": until_ordered,
        "options": common.overrides_of(option) if option else None,
        "plugins": list(common.folders_of(plugins)) if plugins else None,
        "report": report,
    }
    is_ray(on)
    _run(file, {name: value for name, value in given.items() if value is not None}, folder, workers, on, as_json)


def _run(
    file: Path | None, chosen: Mapping[str, Any], folder: Path | None, workers: int, on: str, as_json: bool
) -> None:
    from servers.experiments.results import ResultsFolder
    from servers.experiments.spec import make_spec, read_spec
    from servers.experiments.sweep import SWEEP, make_sweep

    fields = read_spec(file) if file else {}
    if twice := [name for name in chosen if name in fields.get(SWEEP, ())]:
        common.misused(f"--{twice[0]}: the sweep in {file} has values for it")
    fields |= chosen
    path = folder or Path("experiments") / (file.stem if file else str(fields.get("game")))
    with_report = fields.pop("report", False)
    if fields.get(SWEEP):
        _play_all(path, folders := make_sweep(path, fields), workers, on, as_json)
    else:
        _play((folders := [ResultsFolder.create(path, make_spec(fields))])[0], workers, on, as_json)
    for each in folders if with_report else ():
        _write_report(each, target := each.path / "report.html")
        common.print_err(f"the report is in {target}")


def _leads(text: str) -> list[float]:
    try:
        return [float(each) for each in text.split(",")]
    except ValueError:
        common.misused(f"--sprt {text!r}: two leads in Elo points, such as 0,20")


@experiment.command()
def resume(
    folder: FolderArgument, workers: WorkersOption = 1, on: On = "processes", as_json: JsonOption = False
) -> None:
    """Continue an interrupted experiment.

    Nothing is lost but the batch that was under way, and nothing is played
    twice: the table becomes the same, to the byte, as without interruption.

    [bold]Examples[/bold]

      league experiment resume experiments/tic_tac_toe
      league experiment resume experiments/tic_tac_toe --workers 2

    Exit code: 0 played to the end, 1 rows are missing, stand twice or were changed, 2 there is no experiment,
    130 after Ctrl-C.
    """
    from servers.experiments.sweep import opened

    found = opened(folder)
    if [each.path for each in found] != [folder]:
        _play_all(folder, found, workers, on, as_json)
        return
    _play(found[0], workers, on, as_json)


experiment.command()(audit)


@experiment.command()
def compare(
    first: Annotated[Path, typer.Argument(metavar="FIRST", help="The folder of one experiment.")],
    second: Annotated[Path, typer.Argument(metavar="SECOND", help="The folder of the other.")],
    as_json: JsonOption = False,
) -> None:
    """Compare two experiments, strategy by strategy.

    Shows the score of each strategy in both, and the difference with its 95 %
    interval. An interval that contains zero means not distinguishable. It
    assumes independent experiments: give them different seeds.

    [bold]Examples[/bold]

      league experiment compare experiments/before experiments/after
      league experiment compare experiments/before experiments/after --json

    Exit code: 0 compared, 2 there is no experiment, or no strategy in both.
    """
    from servers.experiments.compare import compared
    from servers.experiments.results import ResultsFolder

    found = list(compared(ResultsFolder.open(first), ResultsFolder.open(second)))
    if not found:
        raise PlanError(f"no strategy has matches in both {first} and {second}")
    if as_json:
        rows = [asdict(each) | {"difference": each.difference, "apart": each.distinguishable} for each in found]
        common.print_json({"first": str(first), "second": str(second), "strategies": rows})
        return
    out.print(differences_table(found))


def _play_all(path: Path, folders: Sequence[Any], workers: int, on: str, as_json: bool) -> None:
    """Play the experiments of a sweep, one after the other."""
    from servers.experiments.sweep import write_table

    for folder in folders:
        if not as_json:
            out.print(folder.path.name, style="bold", markup=False)
        _play(folder, workers, on, as_json)
    table = write_table(path, folders)
    common.print_err(f"{len(folders)} experiments; their strategies are rows of {table}")


@experiment.command()
def report(
    folder: FolderArgument,
    target: Annotated[
        Path | None, typer.Option("--output", "-o", help="The file to write. Default: report.html in the folder.")
    ] = None,
    plots: Annotated[
        str | None, typer.Option("--plots", metavar="FORMAT", help="Also write each chart as a file: svg or png.")
    ] = None,
    browse: Annotated[bool, typer.Option("--open", help="Open it in the browser.")] = False,
) -> None:
    """Write an experiment as one self-contained HTML file.

    It has the standings, the score of each strategy against every other
    with its interval, ratings with their errors, payoffs as box plots, and
    the scores over the matches. The experiment may still be running.

    [bold]Examples[/bold]

      league experiment report experiments/tic_tac_toe
      league experiment report experiments/tic_tac_toe --open
      league experiment report experiments/tic_tac_toe -o first.html
      league experiment report experiments/tic_tac_toe --plots png
    """
    from servers.experiments import plots as drawings
    from servers.experiments.report import figures_of
    from servers.experiments.results import ResultsFolder

    if plots not in (None, *drawings.FORMATS):
        common.misused(f"--plots {plots!r}: one of {' and '.join(drawings.FORMATS)}")
    path = target or folder / "report.html"
    found = ResultsFolder.open(folder)
    _write_report(found, path)
    common.print_out(f"the report is in {path}")
    if plots:
        files = drawings.write_plots(figures_of(found), path.parent / "plots", plots)
        common.print_out(f"the charts are {', '.join(map(str, files))}")
    if browse and not webbrowser.open(path.absolute().as_uri()):
        common.print_err("league: no browser could be started here; open the file by hand")


def _write_report(folder: Any, path: Path) -> None:
    from servers.experiments.report import render

    output.write(render(folder), path)


def _play(folder: Any, workers: int, on: str, as_json: bool) -> None:
    from concurrent.futures.process import BrokenProcessPool

    from servers.experiments.batches import MatchFailed
    from servers.experiments.match_table import TableDamaged
    from servers.experiments.parquet import write_parquet
    from servers.experiments.running import play_experiment
    from servers.experiments.standings import ExperimentStandings
    from servers.experiments.stop_rule import order_of

    start, total = monotonic(), folder.spec.total
    try:
        stops = bool(folder.spec.sprt or folder.spec.until_ordered)
        with _progress(total, "matches played or needless" if stops else "matches") as progress:
            played = play_experiment(folder, workers, progress, on)
    except KeyboardInterrupt:
        common.print_err(f"interrupted; continue with: league experiment resume {folder.path}")
        common.end(common.INTERRUPTED)
    except (BrokenProcessPool, MatchFailed) as error:
        why = str(error) if isinstance(error, MatchFailed) else "a worker process died, perhaps for lack of memory"
        common.print_err(
            f"league: {why}\nWhat was played is kept; continue with: league experiment resume {folder.path}"
        )
        common.end(common.FAILED)
    except TableDamaged as error:
        common.print_err(f"league: {error}; 'league experiment audit {folder.path}' says more")
        common.end(common.FAILED)
    seconds = monotonic() - start
    parquet = write_parquet(folder)
    standings = ExperimentStandings(folder)
    total = sum(standings.outcomes.values())
    rule = folder.rule()
    test, comparisons = rule.sprt, list(rule.comparisons())
    if as_json:
        common.print_json(
            {
                "folder": str(folder.path),
                "table": str(folder.table),
                "parquet": None if parquet is None else str(parquet),
                "matches": total,
                "head": folder.head(),
                "played_now": played,
                "seconds": round(seconds, 3),
                "standings": standings.rows(),
                "sprt": None if test is None else {"ratio": round(test.ratio, 3), "accepted": test.accepted or None},
                "order": order_of(comparisons),
                "comparisons": [asdict(each) for each in comparisons],
                "always_the_same": [list(pair) for pair in standings.always_the_same()],
            }
        )
        return
    rows = standings.rows()
    out.print(standings_table(rows))
    if test is not None:
        common.print_out(sprt_text(test, folder.spec.players))
    for line in (*order_text(comparisons, folder.spec.until_ordered), *remarks(standings, rows)):
        common.print_out(line)
    speed = f", {played / seconds:,.0f} a second" if played else ", all played before"
    common.print_out(f"{total:,} matches{speed}; each is a row of {folder.table}")
    common.print_out(f"head: {folder.head()} (keep it elsewhere, for 'league experiment audit --head')")


@contextmanager
def _progress(total: int, counted: str) -> Generator[Callable[[int], None]]:
    """A bar with the time left on a terminal, a line for each tenth elsewhere."""
    if not err.is_terminal:
        yield _Lines(total, counted)
        return
    columns = (TextColumn(counted), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn(), TextColumn("left"))
    with Progress(*columns, console=err, transient=True) as bar:
        task = bar.add_task("", total=total)
        yield lambda done: bar.update(task, completed=done)


class _Lines:
    """Progress as lines."""

    def __init__(self, total: int, counted: str, now: Callable[[], float] = monotonic) -> None:
        self._total, self._counted, self._now, self._start = total, counted, now, now()
        self._first: int | None = None
        self._told = 0

    def __call__(self, done: int) -> None:
        tenth = 10 * done // self._total
        if self._first is None:
            self._first, self._told = done, tenth
        if tenth == self._told:
            return
        self._told = tenth
        spent = self._now() - self._start
        left = spent * (self._total - done) / (done - self._first)
        common.print_err(f"{done:,} of {self._total:,} {self._counted}, {left:.0f} s left")
