"""`league audit`: recompute a league from its records with independent code."""

import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import anyio
import typer

from league_sdk import plugins as found_plugins
from league_sdk.audit import (
    Finding,
    Report,
    Row,
    Unreadable,
    newer,
    rows_from_columns,
    rows_from_jsonl,
    rows_from_sqlite,
    to_jsonl,
)
from league_sdk.audit import audit as recompute
from league_sdk.audit.findings import DOUBTFUL
from league_sdk.domain.league_state import NO_CHAMPION
from league_sdk.settings import ConfigLoader, Workspace
from servers.agent import event_store
from servers.cli import common
from servers.cli.common import ConfigOption, DataOption, JsonOption, LeagueArgument, PluginsOption, StoreOption
from servers.launcher.run_options import PlanError
from servers.read_model.text import printable

SHOWN = 20
"""Findings that are printed; all of them are in the JSON."""

RecordsOption = Annotated[
    Path | None, typer.Option("--records", help="Audit an exported file instead of the league's own store.")
]
ExportOption = Annotated[
    Path | None, typer.Option("--export", help="Write the records to this file, one JSON object per line.")
]
HeadOption = Annotated[
    str | None, typer.Option("--head", help="Head digest of an earlier audit; detects records cut off at the end.")
]
StrictOption = Annotated[
    bool, typer.Option("--strict", help="Fail for what cannot be recomputed, such as a random draw never revealed.")
]


def audit(
    league: LeagueArgument = None,
    records: RecordsOption = None,
    head: HeadOption = None,
    export: ExportOption = None,
    strict: StrictOption = False,
    data: DataOption = None,
    config: ConfigOption = None,
    store: StoreOption = None,
    plugins: PluginsOption = None,
    as_json: JsonOption = False,
) -> None:
    """Recompute a league from its records: random draws, matches and standings.

    It names the first record that was changed, removed, inserted or moved. Keep the head digest that it prints:
    with --head, a later audit also detects records that were cut off at the end, or a log that was rewritten.

    [bold]Examples[/bold]

      league audit
      league audit --head 3f5a…             compare with an earlier audit
      league audit --export records.jsonl   write the records for others, too
      league audit --records records.jsonl  audit someone else's export

    Exit code: 0 everything matches, 1 something was changed, 2 a mistake in the command.
    """
    workspace = common.workspace_of(data)
    if head is not None and not re.fullmatch("[0-9a-f]{64}", head):
        raise PlanError(f"--head {head!r}: expected the 64 digits that an earlier audit printed as its head")
    league_id = league
    try:
        if records is not None:
            rows = rows_from_jsonl(_content(records))
            if all(row.digest is None for row in rows):
                raise PlanError(f"{records} holds no records; expected a file that 'league audit --export' wrote")
            folder = workspace.data if data is not None else None
        else:
            league_id, folder = common.league_id_of(workspace, league), workspace.data
            rows = stored(workspace, league_id, config, store)
            if not rows and not (workspace.league_dir(league_id) / "standings.json").is_file():
                raise PlanError(f"there are no records of league {league_id!r}: it never began")
        if later := newer(rows, league_id or str(rows[0].league_id if rows else "")):
            raise PlanError(f"the audit cannot judge this league: {printable(later, 400)}")
        report = recompute(
            rows,
            lambda name, options: found_plugins.game(name, common.folders_of(plugins), options),
            league_id=league_id,
            head=head,
            data_root=folder,
            strict=strict,
        )
        if export is not None:
            _export(export, rows)
    except Unreadable as error:
        report = Report(league_id=league_id or "", findings=[Finding("chain", str(error))])
    if as_json:
        common.print_json(report.as_json())
    else:
        _print(report)
    common.end(0 if report.ok else common.FAILED)


def _content(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise PlanError(f"the records cannot be read: {error}") from error


def _export(path: Path, rows: Sequence[Row]) -> None:
    text = to_jsonl(rows)
    temporary = path.with_name(f"{path.name}.{os.getpid()}.tmp")
    try:
        temporary.write_bytes(text)
        temporary.replace(path)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        raise PlanError(f"the records cannot be written: {error}") from error


def stored(workspace: Workspace, league_id: str, config: Path | None, store: str | None) -> list[Row]:
    """The stored records; an SQLite file is read without the store's code."""
    from league_sdk.stores import events_file

    configured = ConfigLoader(config).load_system().store_url
    url = event_store.checked(store or event_store.remembered(workspace, league_id) or configured)
    try:
        path = events_file(workspace.data, league_id) if url is None else _sqlite_file(url)
        if path is None:
            return rows_from_columns(anyio.run(_columns, str(url), workspace, league_id))
    except ValueError as error:
        raise PlanError(str(error)) from error
    if not path.is_file():
        raise PlanError(f"there are no records of a league {league_id!r}: {path} does not exist")
    return rows_from_sqlite(path, league_id)


def _sqlite_file(url: str) -> Path | None:
    from sqlalchemy.engine import make_url
    from sqlalchemy.exc import ArgumentError

    try:
        target = make_url(url)
    except ArgumentError:
        return None
    return Path(target.database) if target.get_backend_name() == "sqlite" and target.database else None


async def _columns(url: str, workspace: Workspace, league_id: str) -> list[Mapping[str, Any]]:
    from league_sdk.stores import SqlEventStore, open_store

    opened = await open_store(url, workspace.data, league_id)
    try:
        if isinstance(opened, SqlEventStore):
            return list(await opened.rows(league_id))
        raise PlanError(f"{url.partition(':')[0]} cannot be audited in place: export its records, and use --records")
    finally:
        await opened.close()


def _print(report: Report) -> None:
    for line in _lines(report):
        common.print_out(line)


def _substituted(report: Report) -> list[str]:
    """Moves that their players called substituted, which is no fault."""
    if not report.substituted:
        return []
    told = ", ".join(
        f"{printable(player)} {sum(reasons.values())} ({', '.join(map(printable, reasons))})"
        for player, reasons in report.substituted.items()
    )
    return [f"Substituted moves, as reported by their players: {told}."]


def _without_replay(report: Report) -> list[str]:
    """Matches that say nothing about the replay of moves."""
    left = report.decided - report.replayed
    return [f"Not replayed: {left}, which ended before a move or are named below."] if left else []


def _findings(findings: Sequence[Finding]) -> list[str]:
    lines = [f"{found.severity.upper()}: {printable(found.sentence, 400)}" for found in findings[:SHOWN]]
    more = len(findings) - SHOWN
    return [*lines, f"… and {more} more; --json lists all of them."] if more > 0 else lines


def _lines(report: Report) -> list[str]:
    state = "complete" if report.complete else "not complete"
    lines = [f"League {printable(report.league_id)}: {report.records} records, {state}."]
    lines += _findings(report.doubtful)
    if report.records:
        chain = "broken" if any(found.kind == "chain" for found in report.findings) else "holds"
        nobody = NO_CHAMPION if report.complete else "none yet"
        champions = ", ".join(printable(player) for player in report.champions)
        lines += [
            f"Hash chain: {chain}. Head: {printable(report.head)}",
            f"Random draws: {report.verified_draws} of {report.decided} verified.",
            *_substituted(report),
            f"Matches: {report.replayed} of {report.decided} replayed to the same end; {report.void} void.",
            *_without_replay(report),
            f"Champion by the results: {champions or nobody}.",
            f"Files compared with the records: {report.files}.",
            *([f"Kept heads found in the records: {report.kept}."] if report.kept else []),
        ]
    lines += [f"Not verifiable: {printable(text, 300)}" for text in report.unverified]
    lines += [f"Note: {printable(text, 300)}." for text in report.notes]
    lines += [f"Not checked: {printable(text, 400)}." for text in report.unchecked]
    if report.ok:
        return [*lines, report.all_clear]
    lines += _findings([found for found in report.findings if found.severity != DOUBTFUL])
    if report.first_changed is not None:
        lines.append(f"First bad record: {report.first_changed}.")
    return lines
