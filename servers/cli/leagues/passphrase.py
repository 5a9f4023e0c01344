"""The passphrase of a backup, which never stands on a command line."""

import getpass
import os
import sys
from pathlib import Path
from typing import Annotated, Final, TypeAlias

import typer

from league_sdk.net.join_links import JoinLinkError, read_short_file
from servers.cli.joining import warn_of_readers
from servers.launcher.run_options import PlanError

VARIABLE: Final = "LEAGUE_BACKUP_PASSPHRASE"
WAYS = f"set {VARIABLE}, name a file with --passphrase-file, or type it at a terminal"


def _refused(given: str | None) -> None:
    if given is not None:
        raise PlanError(f"a passphrase on a command line can be read by others on this machine: {WAYS}")


PassphraseFile: TypeAlias = Annotated[
    Path | None,
    typer.Option(
        "--passphrase-file",
        help=f"File with the passphrase that seals the secrets; or {VARIABLE}. Default: asked for at the terminal.",
    ),
]
OnCommandLine: TypeAlias = Annotated[
    str | None, typer.Option("--passphrase", hidden=True, callback=_refused, help=f"To give a passphrase, {WAYS}.")
]


def read_passphrase(file: Path | None, *, twice: bool) -> str:
    """The passphrase from a file, the environment or a person."""
    if file is not None:
        warn_of_readers(file)
        try:
            given = read_short_file(file)
        except JoinLinkError as error:
            raise PlanError(str(error)) from error
    elif not (given := os.environ.get(VARIABLE, "")):
        if not sys.stdin.isatty():
            raise PlanError(f"the secrets of a backup need a passphrase: {WAYS}; or leave them out: --without-secrets")
        given = getpass.getpass("Passphrase: ")
        if twice and getpass.getpass("Passphrase again: ") != given:
            raise PlanError("the two passphrases are not the same")
    if not given:
        raise PlanError(f"the passphrase is empty: {WAYS}")
    return given
