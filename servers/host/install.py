"""Installation into Claude Desktop: one entry in its configuration."""

import json
import os
import shutil
import sys
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from league_sdk.json_value import why_not_json

CLAUDE_DESKTOP = "claude-desktop"
HOSTS = (CLAUDE_DESKTOP,)
"""The hosts whose configuration is known."""
ENTRY = "league-seat"
FILE = "claude_desktop_config.json"


class NotInstalled(Exception):
    """The configuration was left as it is; the message says why and what to do."""


@dataclass(frozen=True, slots=True)
class Installed:
    """Result of an installation."""

    path: Path
    backup: Path | None  # a copy of what it was before; None when there was none, or nothing had to change
    changed: bool  # whether it had to be changed
    new_folder: bool  # whether its folder was not there


def config_file(platform: str, environ: Mapping[str, str], home: Path) -> Path:
    """Path of Claude Desktop's configuration."""
    if platform == "darwin":
        folder = home / "Library" / "Application Support"
    elif platform == "win32":
        folder = Path(environ.get("APPDATA") or home / "AppData" / "Roaming")
    else:
        folder = Path(environ.get("XDG_CONFIG_HOME") or home / ".config")
    return folder / "Claude" / FILE


def command_line(arguments: Sequence[str]) -> tuple[str, list[str]]:
    """The command that starts the server, with absolute paths: a host has no shell."""
    script = shutil.which("league", path=str(Path(sys.executable).parent))
    if script is not None:
        return script, ["host", *arguments]
    return sys.executable, ["-P", "-m", "servers", "host", *arguments]


def entry_of(command: str, arguments: Sequence[str]) -> dict[str, Any]:
    """The entry for a host's configuration."""
    return {"mcpServers": {ENTRY: {"command": command, "args": list(arguments)}}}


def install(path: Path, addition: Mapping[str, Any]) -> Installed:
    """Add or replace the entry in a configuration; all else stays.

    The file is replaced whole and at once, and a copy of it stays beside it.
    """
    target = path.resolve()
    new_folder = not target.parent.is_dir()
    try:
        before = _read(target)
        after = _merged(target, before or {}, addition)
        if after == before:
            return Installed(path, None, changed=False, new_folder=False)
        target.parent.mkdir(parents=True, exist_ok=True)
        backup = None
        if before is not None:
            backup = Path(shutil.copy2(target, target.with_name(f"{target.name}.bak")))
        _replace(target, json.dumps(after, indent=2, ensure_ascii=False) + "\n")
    except OSError as error:
        raise NotInstalled(f"{path} cannot be written: {error.strerror or error}") from error
    return Installed(path, backup, changed=True, new_folder=new_folder)


def _read(path: Path) -> dict[str, Any] | None:
    """The existing configuration; None without a file, or for an empty one."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        return None
    except UnicodeDecodeError as error:
        raise NotInstalled(f"{path} is not UTF-8 text; repair it first") from error
    try:
        found: object = json.loads(text) if text.strip() else {}
    except ValueError as error:
        raise NotInstalled(
            f"{path} is not JSON ({why_not_json(error)}); repair it first. It was left as it is"
        ) from error
    if not isinstance(found, dict):
        raise NotInstalled(f"{path} is not a JSON object; repair it first. It was left as it is")
    return cast("dict[str, Any]", found)


def _merged(path: Path, before: Mapping[str, Any], addition: Mapping[str, Any]) -> dict[str, Any]:
    servers: object = before.get("mcpServers", {})
    if not isinstance(servers, dict):
        raise NotInstalled(f'"mcpServers" in {path} is not an object; repair it first. The file was left as it is')
    return {**before, "mcpServers": {**cast("dict[str, Any]", servers), **addition["mcpServers"]}}


def _replace(path: Path, text: str) -> None:
    mode = path.stat().st_mode & 0o777 if path.exists() else 0o600
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}-")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        Path(temporary).chmod(mode)
        Path(temporary).replace(path)
    except BaseException:
        with suppress(OSError):
            Path(temporary).unlink()
        raise
