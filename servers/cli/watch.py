"""`league watch`: following a league that runs, here or anywhere."""

from functools import partial
from pathlib import Path
from typing import Annotated, Any

import anyio
import typer

from league_sdk.domain.league_state import NO_CHAMPION
from servers.agent.waits_file import read_waits
from servers.cli import common
from servers.cli.common import ConfigOption, DataOption, StoreOption, TlsCa, out
from servers.cli.follow import Gone, follow_store, follow_url
from servers.cli.views import LiveView, PlainView, SilentView, phase, standings_table, view_for
from servers.launcher.run_options import PlanError
from servers.read_model.snapshot import Snapshot
from servers.read_model.text import count, printable

TAIL = 10
"""Number of past entries printed first."""


def watch(
    url: Annotated[
        str | None,
        typer.Argument(
            metavar="[URL]",
            help="The league manager's page or endpoint. Default: the league in the data folder.",
        ),
    ] = None,
    league: Annotated[
        str | None,
        typer.Option("--league", help="The league in the data folder. Default: the most recent one."),
    ] = None,
    tail: Annotated[int, typer.Option("--tail", min=0, help="Number of earlier events to show first.")] = TAIL,
    as_json: Annotated[bool, typer.Option("--json", help="Print events as JSON lines, one per event.")] = False,
    tls_ca: TlsCa = None,
    data: DataOption = None,
    config: ConfigOption = None,
    store: StoreOption = None,
) -> None:
    """Follow a running league until it is complete.

    On a terminal it shows live standings; elsewhere it prints one line per
    event. It survives a restart of the manager, needs no token and changes
    nothing.

    [bold]Examples[/bold]

      league watch                                the league in this folder
      league watch --league summer --tail 100
      league watch http://192.168.1.10:8000       a league anywhere
      league watch http://192.168.1.10:8000/mcp --json | jq .text

    Exit code: 0 the league is complete, 1 it can no longer be followed,
    2 a mistake in the command, 130 ended with Ctrl-C.
    """
    if url is not None and (league or store or data):
        raise PlanError("--league, --data and --store select a local folder; leave them out with a URL")
    with view_for(out, quiet=as_json, waiting="waiting for the league …") as view:
        teller = Teller(view, tail, as_json=as_json)
        try:
            if url is None:
                _from_folder(teller, league, data, config, store)
            else:
                follow_url(url, teller.take, teller.note, tls_ca=tls_ca)
        except Gone as error:
            reason = str(error)
        else:
            reason = ""
    if reason:
        common.print_err(f"league: {reason}")
        common.end(common.FAILED)
    if not as_json and teller.last is not None:
        _conclude(teller.last)


def _from_folder(
    teller: "Teller", league: str | None, data: Path | None, config: Path | None, store: str | None
) -> None:
    workspace = common.workspace_of(data)
    found = common.league_id_of(workspace, league)
    if not workspace.league_dir(found).is_dir():
        common.read_league(workspace, found, config, store)  # says which leagues there are
    url = common.store_of(workspace, found, config, store)
    waits = partial(read_waits, workspace, found)
    anyio.run(partial(follow_store, url, workspace.data, found, teller.take, waits=waits))


class Teller:
    """Shows events in the chosen way: live, as lines or as JSON."""

    def __init__(self, view: SilentView | PlainView | LiveView, tail: int, *, as_json: bool) -> None:
        self._view = view
        self._tail = tail
        self._as_json = as_json
        self.last: Snapshot | None = None

    def take(self, shown: Snapshot) -> None:
        if self.last is None:
            shown = shown.with_last(self._tail)
        self.last = shown
        self._view.show(shown)
        if self._as_json:
            for line in _lines(shown):
                typer.echo(common.json_text(line))

    def note(self, text: str) -> None:
        if self._as_json:
            common.print_err(f"league: {text}")
        else:
            self._view.note(text)


def _lines(shown: Snapshot) -> list[dict[str, Any]]:
    """One object per event, and the standings after each round and at the end."""
    lines: list[dict[str, Any]] = [
        {"sequence": entry.sequence, "at": entry.at, "kind": entry.kind, "text": entry.text} for entry in shown.entries
    ]
    if shown.over or any(entry.kind == "round" for entry in shown.entries):
        from servers.cli.summary import standing_json

        rows = [standing_json(row) for row in shown.standings]
        state = str(shown.overview.state)
        lines.append({"sequence": shown.sequence, "kind": "standings", "state": state, "standings": rows})
    return lines


def _conclude(shown: Snapshot) -> None:
    view = shown.overview
    out.print(phase(shown), markup=False)
    out.print(standings_table(shown.standings))
    names = ", ".join(f"{printable(row.display_name)} ({printable(row.player_id)})" for row in view.champions)
    title = "Champion" if len(view.champions) == 1 else "Champions (tied)"
    common.print_out(f"{title}: {names}" if names else f"{NO_CHAMPION.capitalize()}.")
    if view.never_came:
        common.print_out(view.never_came_named)
    out.print(f"{count(view.decided, 'match')}, {count(view.total_rounds, 'round')}.", markup=False)
