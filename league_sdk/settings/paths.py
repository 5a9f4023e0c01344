"""Folders for configuration, data, logs and secrets."""

import contextlib
import os
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from league_sdk.names import slug
from league_sdk.settings.problems import NOTHING, ConfigError, Problem

_SDK = Path(__file__).resolve().parents[1]
PACKAGED_CONFIG = _SDK / "default_config"
CHECKOUT_CONFIG = _SDK.parent / "config"
SYSTEM_FILE = "system.json"


@dataclass(frozen=True, slots=True)
class ConfigRoot:
    """The configuration folder, and the reason for it, as a phrase for people."""

    path: Path
    origin: str


def find_config(explicit: Path | None, environ: Mapping[str, str], cwd: Path) -> ConfigRoot:
    """Find the folder with the configuration.

    The explicit one, else LEAGUE_CONFIG, else `config/` under the current directory if it has a system.json, else the
    one in the installed package, else that of the checkout that the package is imported from. Raises ConfigError if a
    named folder does not exist, or there is none.
    """
    if explicit is not None:
        return ConfigRoot(_existing(explicit, "the configuration folder"), "as given")
    if named := environ.get("LEAGUE_CONFIG"):
        return ConfigRoot(_existing(Path(named), "environment variable LEAGUE_CONFIG"), "from LEAGUE_CONFIG")
    if (cwd / "config" / SYSTEM_FILE).is_file():
        return ConfigRoot(cwd / "config", "in the current directory")
    for path, origin in ((PACKAGED_CONFIG, "the defaults of the package"), (CHECKOUT_CONFIG, "of the checkout")):
        if (path / SYSTEM_FILE).is_file():
            return ConfigRoot(path, origin)
    raise ConfigError([Problem("the package's default configuration", "", NOTHING, "is missing; install it again")])


def _existing(folder: Path, source: str) -> Path:
    if not folder.is_dir():
        what = "is a file; a folder was expected" if folder.exists() else "does not exist"
        raise ConfigError([Problem(source, "", NOTHING, f"{folder} {what}")])
    return folder


@dataclass(frozen=True, slots=True)
class Workspace:
    """The folder that a league writes to. Nothing is created before it is needed."""

    root: Path  # has `data/` and `logs/` in it

    @property
    def data(self) -> Path:
        return self.root / "data"

    @property
    def logs(self) -> Path:
        return self.root / "logs"

    @property
    def leagues(self) -> Path:
        return self.data / "leagues"

    @property
    def secrets(self) -> Path:
        """Tokens, readable only by their owner."""
        return self.data / "secrets"

    def league_dir(self, league_id: str) -> Path:
        return self.leagues / slug(league_id)

    def operator_token_file(self, league_id: str) -> Path:
        return self.secrets / slug(league_id) / "operator.token"

    def referee_secret_file(self, league_id: str) -> Path:
        """The file with the secret that a league's own referees show."""
        return self.secrets / slug(league_id) / "referee.secret"

    def credentials_file(self, league_id: str, role: str, name: str) -> Path:
        """The file with an agent's credentials for registering again."""
        return self.secrets / slug(league_id) / f"{slug(role)}-{slug(name)}.json"

    def prepare(self) -> None:
        """Create the folders, and check that they are writable; else ConfigError."""
        for folder in (self.data, self.logs):
            try:
                folder.mkdir(parents=True, exist_ok=True)
                with tempfile.NamedTemporaryFile(dir=folder):
                    pass
            except OSError as error:
                hint = f"cannot be written to ({error.strerror}); choose another folder with --data or LEAGUE_DATA"
                raise ConfigError([Problem(str(folder), "", NOTHING, hint)]) from error

    def new_league_id(self, base: str, taken: Iterable[str] = ()) -> str:
        """Reserve an id for a new league: `base` if it is free, else `base-2` and so on.

        Processes that ask at the same time get different ids. `taken` are ids in use elsewhere, such as in the store.
        """
        self.leagues.mkdir(parents=True, exist_ok=True)
        in_use = set(taken)
        number = 1
        while True:
            candidate = base if number == 1 else f"{base}-{number}"
            if candidate not in in_use:
                with contextlib.suppress(FileExistsError):
                    self.league_dir(candidate).mkdir()
                    return candidate
            number += 1

    def latest_league(self) -> str | None:
        """The league that was written to last, or None."""
        if not self.leagues.is_dir():
            return None
        folders = [entry for entry in self.leagues.iterdir() if entry.is_dir()]
        latest = max(folders, key=lambda folder: (_changed(folder), folder.name), default=None)
        return latest.name if latest else None


def find_workspace(explicit: Path | None, environ: Mapping[str, str], cwd: Path) -> Workspace:
    """Find the folder to write to.

    The explicit one, else LEAGUE_DATA, else the current checkout, else `./league-data`.
    """
    named = explicit or (Path(environ["LEAGUE_DATA"]) if environ.get("LEAGUE_DATA") else None)
    if named is not None:
        return Workspace(named.expanduser())
    return Workspace(cwd if (cwd / "config" / SYSTEM_FILE).is_file() else cwd / "league-data")


def write_secret(path: Path, text: str) -> None:
    """Replace a file atomically and durably, readable only by its owner."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name[:40]}-")  # created with mode 0600
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def read_secret(path: Path) -> str | None:
    """The stripped text of a secret file, or None; ConfigError if others can read it."""
    try:
        mode = path.stat().st_mode
        if mode & 0o077:
            hint = f"others can read this secret; run: chmod 600 {path}"
            raise ConfigError([Problem(str(path), "", NOTHING, hint)])
        return path.read_text(encoding="utf-8").strip()
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError([Problem(str(path), "", NOTHING, f"cannot be read: {error}")]) from error


def _changed(folder: Path) -> int:
    """The last time of writing in the folder, in nanoseconds."""
    times = [folder.stat().st_mtime_ns]
    for entry in folder.iterdir():
        with contextlib.suppress(FileNotFoundError):  # replaced while we look
            times.append(entry.stat().st_mtime_ns)
    return max(times)
