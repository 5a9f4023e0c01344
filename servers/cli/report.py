"""`league report`: a league as one self-contained HTML file."""

import webbrowser
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from league_sdk import plugins as found_plugins
from league_sdk.audit import Finding, Report, Unreadable
from league_sdk.audit import audit as recompute
from league_sdk.clock import SystemClock, to_record_time
from league_sdk.domain.league import League
from league_sdk.game import Game
from league_sdk.release import release
from league_sdk.settings import ConfigLoader, Workspace
from servers.cli import common, output
from servers.cli.audit import stored
from servers.cli.common import ConfigOption, DataOption, LeagueArgument, PluginsOption, StoreOption
from servers.cli.games import game_of, plugin_folders
from servers.cli.output import ForceOption
from servers.launcher.plan import load_plan
from servers.launcher.run_options import PlanError
from servers.read_model.text import count

if TYPE_CHECKING:
    from servers.read_model import Limits

FILE = "report.html"
"""Default file name of a report, in the folder of its league."""

MANY = 1000
"""Matches from which on a person is told to have patience."""


def report(
    league: LeagueArgument = None,
    target: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help=f"The file to write. Default: {FILE} in the league's data folder.",
        ),
    ] = None,
    force: ForceOption = False,
    browse: Annotated[bool, typer.Option("--open", help="Open it in the browser.")] = False,
    data: DataOption = None,
    config: ConfigOption = None,
    store: StoreOption = None,
    plugins: PluginsOption = None,
) -> None:
    """Write a league as one self-contained HTML file.

    It contains the standings, bracket or tables, charts, a replay of every
    match, the audit, the configuration and the seed. It needs no network, and
    contains public data only: no tokens, no endpoints.

    [bold]Examples[/bold]

      league report
      league report --open
      league report summer -o summer.html
      league report -o summer.html --force      replaces an older one
    """
    workspace = common.workspace_of(data)
    output.check_target(target, force=force)
    known, path = write_report(workspace, league, config, store, plugins, target)
    common.print_out(f"{known.league_id}: the report is in {path}")
    if browse and not webbrowser.open(path.absolute().as_uri()):
        common.print_err("league: no browser could be started here; open the file by hand")


def write_report(
    workspace: Workspace,
    league: str | None,
    config: Path | None,
    store: str | None,
    plugins: list[Path] | None,
    target: Path | None = None,
) -> tuple[League, Path]:
    """Write a league's report, to its data folder without a target."""
    found = common.league_id_of(workspace, league)
    known, records = common.read_league(workspace, found, config, store)
    if len(known.results) > MANY:
        common.print_err(
            f"league: {count(len(known.results), 'match')} are recomputed and replayed; this takes a while"
        )
    from servers.read_model import Clocks
    from servers.read_model.rules import format_of
    from servers.ui.report import Subject, render

    clocks = Clocks()
    for record in records:
        clocks = clocks.after(record)
    game = game_of(known, workspace, plugins)
    subject = Subject(
        league=known,
        clocks=clocks,
        audit=_audited(workspace, found, config, store, plugin_folders(workspace, found, plugins)),
        game=game,
        limits=_limits(workspace, known, game, config),
        written=to_record_time(SystemClock().now()),
        version=release(),
        tournament_format=format_of(known, plugin_folders(workspace, found, plugins)),
    )
    path = target or workspace.league_dir(found) / FILE
    output.write(render(subject), path)
    return known, path


def _audited(
    workspace: Workspace, league_id: str, config: Path | None, store: str | None, folders: tuple[str, ...]
) -> Report:
    try:
        rows = stored(workspace, league_id, config, store)
    except Unreadable as error:
        return Report(league_id=league_id, findings=[Finding("chain", str(error))])
    return recompute(
        rows,
        lambda name, options: found_plugins.game(name, folders, options),
        league_id=league_id,
        data_root=workspace.data,
    )


def _limits(workspace: Workspace, league: League, game: Game[Any] | None, config: Path | None) -> "Limits":
    """Time limits of players: from the run here, else the configuration."""
    from servers.read_model import Limits

    loader = None if config is None else ConfigLoader(config)
    with suppress(PlanError):
        referee = load_plan(workspace, league.league_id).referees[0]
        loader = ConfigLoader(referee.config, overrides=referee.overrides)
    if loader is None:
        return Limits()
    timeouts = loader.timeouts_for(game.move_spec.choice_field if game else None, league.rules.timeouts)
    return Limits(timeouts.game_join_timeout_sec, timeouts.move_timeout_sec)
