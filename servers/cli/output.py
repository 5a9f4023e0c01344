"""Output of commands to a file or to standard output."""

import os
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, TypeAlias

import typer

from servers.launcher.run_options import PlanError

OutputOption: TypeAlias = Annotated[
    Path | None, typer.Option("--output", "-o", help="Write to this file. Default: standard output.")
]
ForceOption: TypeAlias = Annotated[bool, typer.Option("--force", "-f", help="Overwrite an existing file.")]


def check_target(path: Path | None, *, force: bool) -> None:
    """Refuse a target that exists, unless forced."""
    if path is None:
        return
    if path.is_dir():
        raise PlanError(f"{path} is a folder: name a file in it")
    if path.exists() and not force:
        raise PlanError(f"{path} is there already: name another file, or replace it with --force")


def write(parts: Iterable[str], path: Path | None) -> None:
    """Write text as UTF-8 without changing line ends; replaces files atomically."""
    if path is None:
        buffer = getattr(sys.stdout, "buffer", None)
        for part in parts:
            if buffer is None:
                sys.stdout.write(part)
            else:
                buffer.write(part.encode("utf-8"))
        sys.stdout.flush()
        return
    temporary = path.with_name(f".{path.name[:80]}.{os.getpid()}.tmp")
    try:
        with temporary.open("w", encoding="utf-8", newline="") as file:
            file.writelines(parts)
        temporary.replace(path)
    except BaseException as error:
        temporary.unlink(missing_ok=True)
        if isinstance(error, OSError):
            raise PlanError(f"{path} cannot be written: {error.strerror or error}") from error
        raise
