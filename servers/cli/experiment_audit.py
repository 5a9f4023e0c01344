"""`league experiment audit`: rows, digests, and matches played again."""

import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from servers.cli import common
from servers.cli.common import JsonOption
from servers.launcher.run_options import PlanError
from servers.read_model.text import count, printable

if TYPE_CHECKING:
    from servers.experiments.experiment_audit import ExperimentAudit

FolderArgument: TypeAlias = Annotated[Path, typer.Argument(metavar="FOLDER", help="The experiment's folder.")]


def audit(
    folder: FolderArgument,
    sample: Annotated[
        int | None, typer.Option("--sample", min=0, metavar="N", help="Matches to play again. Default: 200.")
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="Play all matches again.")] = False,
    head: Annotated[
        str | None, typer.Option("--head", metavar="DIGEST", help="Head that a run printed; detects changed rows.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Check an experiment's rows, and play a sample of its matches again.

    Rows that are missing, stand twice, differ from their digests or from the
    same match played again are named. Matches that cannot be played again
    are counted by cause.

    [bold]Examples[/bold]

      league experiment audit experiments/tic_tac_toe
      league experiment audit experiments/tic_tac_toe --all
      league experiment audit experiments/tic_tac_toe --head 3f5a…

    Exit code: 0 everything matches, 1 something was changed, 2 a mistake in the command.
    """
    from servers.experiments.experiment_audit import SAMPLE, audit_experiment
    from servers.experiments.sweep import opened

    if every and sample is not None:
        common.misused("--all and --sample: one of them")
    if head is not None and not re.fullmatch("[0-9a-f]{64}", head):
        raise PlanError(f"--head {head!r}: expected the 64 digits that a run of the experiment printed as its head")
    found = opened(folder)
    if head is not None and len(found) > 1:
        raise PlanError(f"{folder} is a sweep, and --head is that of one experiment: name its folder")
    played = None if every else SAMPLE if sample is None else sample
    reports = [audit_experiment(each, played, head) for each in found]
    if as_json:
        told = [report.as_json() for report in reports]
        common.print_json(told[0] if len(told) == 1 else {"experiments": told})
    else:
        for line in (line for report in reports for line in audit_lines(report)):
            common.print_out(line)
    common.end(0 if all(report.ok for report in reports) else common.FAILED)


def audit_lines(audit: "ExperimentAudit") -> list[str]:
    """The lines of an audit."""
    lines = [
        f"{printable(audit.folder)}: {audit.matches:,} of {audit.total:,} matches in {count(audit.batches, 'batch')}, "
        f"{audit.digests:,} of them with a digest.",
        f"Head: {audit.head}",
        f"Played again: {audit.replayed:,} matches.",
        *(f"Not checked: {count(number, 'match')} {cause}." for cause, number in audit.unchecked.items()),
        *(f"Not checked: {note}." for note in audit.notes),
        *(f"CHANGED: {printable(finding, 400)}" for finding in audit.findings),
    ]
    return lines if audit.findings else [*lines, "Nothing that could be checked was changed."]
