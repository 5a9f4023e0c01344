"""A player's join secret, which never stands on a command line."""

import contextlib
import getpass
import os
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, TypeAlias

import typer

from league_sdk.names import game_type, name_key
from league_sdk.net.join_links import JOIN_VARIABLE, JoinLinkError, join_link, read_short_file
from servers.cli import common
from servers.launcher.run_options import PlanError

WAYS = f"set {JOIN_VARIABLE}, name a file with --join-secret-file, or type it after --ask-join-secret"
OTHERS_READ = 0o077


def _refused(given: str | None) -> None:
    if given is not None:
        raise PlanError(f"a join secret on a command line can be read by others on this machine: {WAYS}")


LinkFile: TypeAlias = Annotated[
    Path | None,
    typer.Option(
        "--join-link-file",
        help="File with the join link of a student's card: manager, name and join secret.",
    ),
]
SecretFile: TypeAlias = Annotated[
    Path | None,
    typer.Option(
        "--join-secret-file",
        help=f"File with the join secret that admits to a closed league, as on a student's card; or {JOIN_VARIABLE}.",
    ),
]
AskSecret: TypeAlias = Annotated[
    bool, typer.Option("--ask-join-secret", help="Ask for the join secret on the terminal, without showing it.")
]
OnCommandLine: TypeAlias = Annotated[
    str | None, typer.Option("--join-secret", hidden=True, callback=_refused, help=f"To show a join secret, {WAYS}.")
]


@dataclass(frozen=True, slots=True)
class Joining:
    """A player's name, manager and secret, as far as they were given."""

    name: str | None
    manager_url: str | None
    secret: str | None = field(default=None, repr=False)
    by_link: bool = False
    game: str | None = None  # the game type that a join link names

    @property
    def settings(self) -> dict[str, str]:
        """The secret as a setting."""
        return {} if self.secret is None else {"security.join_secret": self.secret}


def read_joining(
    name: str | None, manager_url: str | None, link_file: Path | None, secret_file: Path | None, ask: bool = False
) -> Joining:
    """Read a player's secret from the one place that was named, else the environment."""
    if [link_file is not None, secret_file is not None, ask].count(True) > 1:
        raise PlanError("the join secret comes from one of --join-link-file, --join-secret-file and --ask-join-secret")
    if link_file is not None:
        return _by_link(name, manager_url, link_file)
    if secret_file is not None:
        return Joining(name, manager_url, _in_file(secret_file))
    return Joining(name, manager_url, _asked() if ask else os.environ.get(JOIN_VARIABLE) or None)


def _by_link(name: str | None, manager_url: str | None, path: Path) -> Joining:
    warn_of_readers(path)
    try:
        link = join_link(path)
    except JoinLinkError as error:
        raise PlanError(str(error)) from error
    if name is not None and name_key(name) != name_key(link.name):
        raise PlanError(f"the join link is for {link.name!r}, not for {name!r}; leave --name out")
    return Joining(link.name, manager_url or link.manager, link.secret, by_link=True, game=game_type(link.game) or None)


def _in_file(path: Path) -> str:
    warn_of_readers(path)
    try:
        secret = read_short_file(path)
    except JoinLinkError as error:
        raise PlanError(str(error)) from error
    if not secret:
        raise PlanError(f"{path} is empty; it has to hold the join secret")
    return secret


def warn_of_readers(path: Path) -> None:
    """Warn of a file with a secret that others can read."""
    with contextlib.suppress(OSError):  # reading it says what is wrong
        if os.name == "posix" and path.stat().st_mode & OTHERS_READ:
            common.print_err(f"league: warning: others on this machine can read {path}; run: chmod 600 {path}")


def _asked() -> str:
    """A secret that is typed, or that another program writes to standard input."""
    given = getpass.getpass("Join secret: ") if sys.stdin.isatty() else sys.stdin.readline()
    if not given.strip():
        raise PlanError(f"no join secret was given; {WAYS}")
    return given.strip()
